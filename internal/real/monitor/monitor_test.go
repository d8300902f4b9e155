package monitor_test

import (
	"cmp"
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/monitor"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/redis/resp"
)

// story formats the reports of a monitor, a line for each item: the change of a key, or the client
// and its command.
func story(items []monitor.Item, names map[string]string) string {
	var b strings.Builder
	for _, i := range items {
		switch {
		case i.Args == nil:
			b.WriteString("> " + i.Event + "\n")
		case names[i.Addr] != "" || i.Addr == monitor.Script:
			args := slices.Clone(i.Args)
			if strings.EqualFold(args[0], "EVAL") {
				args[1] = "..."
			}
			b.WriteString(cmp.Or(names[i.Addr], i.Addr) + ": " + strings.Join(args, " ") + "\n")
		}
	}
	return b.String()
}

// A real server reports the change of a key before the command that made it, and the commands of a
// script after the command that ran it.
func TestAServerTellsWhatItDoes(t *testing.T) {
	ctx, server, w := listening(t)
	const unlock = `if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`
	do := func(args ...string) {
		t.Helper()
		must.Get(server.Command(ctx, args...))(t)
	}
	do("SET", "lock", `a "quoted"`+"\n\x01", "NX", "PX", "30")
	time.Sleep(60 * time.Millisecond)
	do("SET", "lock", "b", "NX", "PX", "60000")
	do("SET", "other", "b")
	do("EVAL", unlock, "1", "lock", "a")
	do("EVAL", unlock, "1", "lock", "b")
	do("HINCRBY", "lock", "field", "1")
	do("PEXPIRE", "lock", "60000")
	do("DEL", "lock")
	must.Do(t, w.Settle(ctx))
	items := w.Items()
	names := map[string]string{}
	for _, i := range items {
		if i.Args != nil && i.Addr != monitor.Script && i.Args[0] != "PING" && i.Args[0] != "INFO" {
			names[i.Addr] = "client"
		}
	}
	want := "> set\n> expire\nclient: SET lock a \"quoted\"\n\x01 NX PX 30\n> expired\n" +
		"> set\n> expire\nclient: SET lock b NX PX 60000\nclient: SET other b\n" +
		"client: EVAL ... 1 lock a\nlua: get lock\nclient: EVAL ... 1 lock b\nlua: get lock\n> del\nlua: del lock\n" +
		"> hincrby\nclient: HINCRBY lock field 1\n> expire\nclient: PEXPIRE lock 60000\n> del\nclient: DEL lock\n"
	must.Equal(t, story(items, names), want)
	for k := range items {
		if i := &items[k]; i.Args != nil && (i.At > i.Read || i.Read-i.At > time.Second) {
			t.Errorf("%v was executed at %v and reported at %v", i.Args, i.At, i.Read)
		}
	}
	must.Do(t, server.Kill())
	<-w.Done()
	if got := w.Items(); len(got) < len(items) {
		t.Errorf("%d of %d items are left", len(got), len(items))
	}
	if _, err := monitor.Listen(ctx, server.Addr, "lock"); err == nil {
		t.Error("a dead server can be listened to")
	}
}

// kick ends all other connections, including the monitor's, as a sentinel does when it changes a
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

func listening(t *testing.T) (context.Context, *servers.Server, *monitor.Monitor) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	server := livetest.Redis(t, servers.RedisOptions{})
	w := must.Get(monitor.Listen(ctx, server.Addr, "lock"))(t)
	t.Cleanup(func() { _ = w.Close() })
	return ctx, server, w
}

func TestAMonitorReconnects(t *testing.T) {
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

// Commands that no monitor heard make the account incomplete.
func TestAMonitorThatHasMissedACommandEnds(t *testing.T) {
	ctx, server, w := listening(t)
	kick(t, server.Addr, []string{"SET", "lock", "unheard"})
	select {
	case <-w.Done():
	case <-ctx.Done():
		t.Fatal("the monitor goes on")
	}
	if err := w.Settle(ctx); err == nil {
		t.Error("a monitor that has missed a command settles")
	}
}

func TestAMonitorSaysWhyItCannotListen(t *testing.T) {
	closed := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	must.Do(t, closed.Close())
	if _, err := monitor.Listen(t.Context(), closed.Addr().String(), "*"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v", err)
	}
}
