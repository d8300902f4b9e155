import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Callable;
import java.util.logging.*;

/**
 * Writes a log of locks that `simulate check` reads as it is.
 *
 *   LockLog.to("locks.jsonl");         // once, in each process
 *   try (LockLog hold = new LockLog("jobs", acquire, release)) {
 *       hold.write();                  // then write, with the token
 *   }
 */
final class LockLog implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger("locks");
    private static final String PROCESS = // pid@host, and when it started
        ManagementFactory.getRuntimeMXBean().getName() + "/" + ManagementFactory.getRuntimeMXBean().getStartTime();

    // The name is that of the thread that takes the lock, whichever thread renews it.
    private final String client = PROCESS + "/" + Thread.currentThread().getId();
    private final String lock;
    private final Runnable release;
    private Long token;
    private boolean over;

    /** acquire returns the fencing token, or null without one; it throws when it does not get the lock. */
    LockLog(String lock, Callable<Long> acquire, Runnable release) throws Exception {
        this.lock = lock.replace("\\", "\\\\").replace("\"", "\\\"");
        this.release = release;
        line("waiting");
        token = acquire.call();
        line("acquired");
    }

    /** Before each write to what the lock guards. */
    void write() { line("write"); }

    /** After the reply to each renewal, by any thread. */
    void extended() { say("extended", false); }

    /** When the lock says that it is lost, by any thread. */
    void lost() { say("lost", true); }

    @Override public void close() {
        say("released", true);
        release.run();
    }

    private synchronized void say(String event, boolean last) {
        if (!over) line(event); // a renewal may be late
        over |= last;
    }

    private void line(String event) {
        LOG.info("\"client\":\"" + client + "\",\"lock\":\"" + lock + "\",\"event\":\"" + event + "\",\"token\":" + token);
    }

    static void to(String file) throws IOException {
        Handler handler = new FileHandler(file, true); // it flushes each line
        handler.setEncoding("UTF-8");
        handler.setFormatter(new Formatter() {
            @Override public String format(LogRecord r) { return "{\"time\":\"" + r.getInstant() + "\"," + r.getMessage() + "}\n"; }
        });
        LOG.addHandler(handler);
        LOG.setUseParentHandlers(false);
    }
}
