// Curator's InterProcessMutex as a lock program for lockstep.
//
// Put your own lock into the three methods; the rest speaks the protocol.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;

public class CuratorLock {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final PrintStream OUT = System.out;
    private static CuratorFramework client;
    private static InterProcessMutex mutex;

    static void init(List<String> servers, int leaseMs) throws Exception {
        client = CuratorFrameworkFactory.newClient(
            String.join(",", servers), leaseMs, 1000, new RetryOneTime(100));
        // The recipe itself does not report a loss; its documentation asks for this listener.
        client.getConnectionStateListenable().addListener((c, state) -> {
            if (state == ConnectionState.LOST) {
                say("{\"event\":\"lost\"}");
            }
        });
        client.start();
        if (!client.blockUntilConnected(20, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no server answers");
        }
    }

    /** Returns whether the lock was acquired within the time. */
    static boolean acquire(String name, long waitMs) throws Exception {
        mutex = new InterProcessMutex(client, "/" + name);
        return mutex.acquire(waitMs, TimeUnit.MILLISECONDS);
    }

    /** The recipe does not tell whether its entry was still there. */
    static void release() throws Exception {
        mutex.release();
    }

    static void answer(JsonNode question, ObjectNode reply) throws Exception {
        reply.put("ok", true);
        switch (question.get("op").asText()) {
            case "init":
                List<String> servers = new ArrayList<>();
                question.get("servers").forEach(s -> servers.add(s.asText()));
                init(servers, question.get("lease_ms").asInt());
                break;
            case "acquire":
                if (!acquire(question.get("name").asText(), question.get("wait_ms").asLong())) {
                    reply.put("ok", false).put("err", "timeout");
                }
                break;
            case "release":
                release();
                break;
            default:
                reply.put("ok", false).put("err", "unknown").put("detail", "no such request");
        }
    }

    static synchronized void say(String line) {
        OUT.println(line);
        OUT.flush();
    }

    public static void main(String[] args) throws Exception {
        System.setOut(System.err); // what libraries print is no answer
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            JsonNode question = JSON.readTree(line);
            ObjectNode reply = JSON.createObjectNode();
            reply.put("id", question.get("id").asLong());
            try {
                answer(question, reply);
            } catch (Exception e) { // whether the store did it is not known
                reply.put("ok", false).put("err", "unknown").put("detail", String.valueOf(e));
            }
            say(JSON.writeValueAsString(reply));
        }
        System.exit(0);
    }
}
