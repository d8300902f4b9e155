package witness_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/witness"
)

// story formats the reports of a witness, a line for each item: the change of a key, or the client
// and its command.
func story(items []witness.Item, names map[string]string) string {
	var b strings.Builder
	for _, i := range items {
		switch {
		case i.Args == nil:
			b.WriteString("> " + i.Event + "\n")
		case names[i.Addr] != "" || i.Addr == witness.Script:
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
		if i.Args != nil && i.Addr != witness.Script && i.Args[0] != "PING" && i.Args[0] != "INFO" {
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
	if _, err := witness.Listen(ctx, server.Addr, "lock"); err == nil {
		t.Error("a dead server can be listened to")
	}
}
