package witness_test

import (
	"context"
	"net"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/servers"
	"lockstep/internal/real/witness"
	"lockstep/internal/store/redis/resp"
)

// kick ends all other connections, including the witness's, as a sentinel does when it changes a
// server's role, and immediately sends further commands.
func kick(t *testing.T, addr string, commands ...[]string) {
	t.Helper()
	conn := must.Get(net.Dial("tcp", addr))(t)
	defer conn.Close()
	all := append([][]string{{"CLIENT", "KILL", "TYPE", "normal"}, {"CLIENT", "KILL", "TYPE", "pubsub"}}, commands...)
	var request []byte
	for _, c := range all {
		request = resp.AppendCommand(request, c...)
	}
	must.Get(conn.Write(request))(t)
	answers := resp.NewReader(conn)
	for range all {
		must.Get(answers.Next())(t)
	}
}

func listening(t *testing.T) (context.Context, *servers.Server, *witness.Witness) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	server := livetest.Redis(t, servers.RedisOptions{})
	w := must.Get(witness.Listen(ctx, server.Addr, "lock"))(t)
	t.Cleanup(func() { _ = w.Close() })
	return ctx, server, w
}

func TestAWitnessReconnects(t *testing.T) {
	ctx, server, w := listening(t)
	for _, value := range []string{"before", "after"} {
		if value == "after" {
			kick(t, server.Addr)
			time.Sleep(50 * time.Millisecond) // until it has reconnected, as a client of a lock has to
		}
		must.Get(server.Command(ctx, "SET", "lock", value))(t)
		if err := w.Settle(ctx); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
	}
	var heard []string
	for _, i := range w.Items() {
		if i.Args != nil && i.Args[0] == "SET" {
			heard = append(heard, i.Args[2])
		}
	}
	if len(heard) != 2 || heard[0] != "before" || heard[1] != "after" {
		t.Errorf("heard of SET with %q", heard)
	}
}

// Commands that no witness heard make the account incomplete.
func TestAWitnessThatHasMissedACommandEnds(t *testing.T) {
	ctx, server, w := listening(t)
	kick(t, server.Addr, []string{"SET", "lock", "unheard"})
	select {
	case <-w.Done():
	case <-ctx.Done():
		t.Fatal("the witness goes on")
	}
	if err := w.Settle(ctx); err == nil {
		t.Error("a witness that has missed a command settles")
	}
}
