//go:build linux

package redis

import (
	"testing"
	"time"

	"lockstep/internal/world"
)

// TestConformanceOfReplica compares refusals and reads of a replica.
func TestConformanceOfReplica(t *testing.T) {
	primary, addr := startServer(t, "")
	replica, _ := startServer(t, addr)
	primary.do(t, world.Set("k", "v"))
	deadline := time.Now().Add(20 * time.Second)
	for replica.do(t, world.Get("k")).Str != "v" {
		if time.Now().After(deadline) {
			t.Fatal("the replica did not follow its primary")
		}
		time.Sleep(10 * time.Millisecond)
	}
	source, model := New(), New()
	set := world.Set("k", "v")
	source.Exec(1, 1, &set)
	source.CopyTo(model, 1)
	model.SetReplica(true)
	cmds := []world.Cmd{
		world.Set("k", "w"), world.Command("SET", "k"), world.Command("SET", "k", "v", "FOO"), world.Get("k"),
		world.Del("k"), world.Command("PEXPIRE", "k", "10"), world.Command("FLUSHALL"), world.Command("PUBLISH", "c", "m"),
		world.Command("INCR", "n"), world.Command("HSET", "h", "f", "v"), world.Command("EXISTS", "k"),
		world.Command("RPUSH", "q", "v"), world.Command("LRANGE", "q", "0", "-1"), world.Command("ZADD", "z", "1", "m"),
		world.Command("ZADD", "z"), world.Command("MSETNX", "m", "v"), world.Command("GETDEL", "k"),
		world.Command("MULTI"), world.Get("k"), world.Del("k"), world.Command("EXEC"),
		world.Command("MULTI"), world.Get("k"), world.Command("EXEC"),
	}
	for _, known := range lockScripts {
		cmds = append(cmds, world.Eval(&known.Script, "k").Text("v").Text("2"))
	}
	var open Transaction
	for i := range cmds {
		want, got := replica.do(t, cmds[i]), model.ExecIn(&open, 1, 1, &cmds[i])
		if !same(&cmds[i], want, got) {
			t.Errorf("%v on a replica: redis-server %v, model %v", &cmds[i], want, got)
		}
	}
}

// TestConformanceOfTooFewReplicas compares a primary that misses its replicas:
// what it refuses, alone, in scripts and in transactions.
func TestConformanceOfTooFewReplicas(t *testing.T) {
	real, addr := startServer(t, "")
	operator, model := connect(t, addr), New()
	var open Transaction
	both := func(cmd world.Cmd) {
		t.Helper()
		want, got := real.do(t, cmd), model.ExecIn(&open, time.Now().UnixMilli(), 1, &cmd)
		if !same(&cmd, want, got) {
			t.Errorf("%v: redis-server %v, model %v", &cmd, want, got)
		}
	}
	atLeast := func(replicas string) {
		t.Helper()
		if r := operator.do(t, world.Command("CONFIG", "SET", "min-replicas-to-write", replicas)); !r.IsOK() {
			t.Fatal(r)
		}
		model.NoGoodReplicas = replicas != "0"
	}
	both(world.Set("k", "v"))
	both(world.Command("MULTI")) // queued while there are enough, executed when there are not
	both(world.Set("k", "w"))
	atLeast("1")
	both(world.Command("EXEC"))
	both(world.Get("k"))
	refused := world.Set("k", "w")
	if got, want := model.Exec(1, 1, &refused).String(), "(error) NOREPLICAS Not enough good replicas to write."; got != want {
		t.Errorf("SET: %s, want %s", got, want)
	}
	for _, cmd := range []world.Cmd{
		world.Set("k", "w"), world.Command("SET", "k"), world.Command("SET", "k", "v", "FOO"), world.Get("k"), world.Del("k"),
		world.Command("PUBLISH", "c", "m"), world.Command("NONSENSE"), world.Command("RPUSH", "q", "v"), world.Command("ZADD", "z", "1", "m"),
		world.Command("LRANGE", "q", "0", "-1"), world.Command("FLUSHALL"),
		world.Command("MULTI"), world.Get("k"), world.Set("k", "w"), world.Get("k"), world.Command("EXEC"),
		world.Command("MULTI"), world.Get("k"), world.Eval(&lockScripts[0].Script, "k").Text("v"), world.Command("EXEC"),
		world.Command("MULTI"), world.Set("k", "w"), world.Command("DISCARD"),
	} {
		both(cmd)
	}
	for _, known := range lockScripts {
		both(world.Eval(&known.Script, "k").Text("v").Text("2"))
	}
	both(world.Command("MULTI")) // refused when queued: enough replicas later do not help
	both(world.Set("k", "w"))
	atLeast("0")
	both(world.Command("EXEC"))
	both(world.Set("k", "w"))
	both(world.Get("k"))
}
