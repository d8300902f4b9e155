//go:build linux

package redis_test

import (
	"testing"
	"time"

	"lockstep/internal/store/redis"
)

// TestConformanceOfReplica compares refusals and reads of a replica.
func TestConformanceOfReplica(t *testing.T) {
	primary, addr := startServer(t, "")
	replica, _ := startServer(t, addr)
	primary.do(redis.Set("k", "v"))
	for end := time.Now().Add(20 * time.Second); replica.do(redis.Get("k")).Str != "v"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the replica did not follow its primary")
		}
	}
	source, model := redis.New(), redis.New()
	set := redis.Set("k", "v")
	source.Exec(1, 1, &set)
	source.CopyTo(model, 1)
	model.SetReplica(true)
	d := newDuel(t, replica, model)
	for _, cmd := range []redis.Cmd{
		redis.Set("k", "w"), redis.Command("SET", "k"), redis.Command("SET", "k", "v", "FOO"), redis.Get("k"),
		redis.Del("k"), redis.Command("PEXPIRE", "k", "10"), redis.Command("FLUSHALL"), redis.Command("PUBLISH", "c", "m"),
		redis.Command("INCR", "n"), redis.Command("HSET", "h", "f", "v"), redis.Command("EXISTS", "k"),
		redis.Command("RPUSH", "q", "v"), redis.Command("LRANGE", "q", "0", "-1"), redis.Command("ZADD", "z", "1", "m"),
		redis.Command("ZADD", "z"), redis.Command("MSETNX", "m", "v"), redis.Command("GETDEL", "k"),
		redis.Command("MULTI"), redis.Get("k"), redis.Del("k"), redis.Command("EXEC"),
		redis.Command("MULTI"), redis.Get("k"), redis.Command("EXEC"),
	} {
		d.do(cmd)
	}
	for _, known := range redis.LockScripts {
		d.do(redis.Eval(&known.Script, "k").Text("v").Text("2"))
	}
}

// TestConformanceOfTooFewReplicas compares the refusals of a primary with too few
// replicas: of commands, scripts and transactions.
func TestConformanceOfTooFewReplicas(t *testing.T) {
	real, addr := startServer(t, "")
	operator, model := connect(t, addr), redis.New()
	d := newDuel(t, real, model)
	atLeast := func(replicas string) {
		t.Helper()
		if r := operator.do(redis.Command("CONFIG", "SET", "min-replicas-to-write", replicas)); !r.IsOK() {
			t.Fatal(r)
		}
		model.NoGoodReplicas = replicas != "0"
	}
	d.do(redis.Set("k", "v"))
	d.do(redis.Command("MULTI")) // queued with enough replicas, executed without
	d.do(redis.Set("k", "w"))
	atLeast("1")
	d.do(redis.Command("EXEC"))
	d.do(redis.Get("k"))
	refused := redis.Set("k", "w")
	if got, want := model.Exec(1, 1, &refused).String(), "(error) NOREPLICAS Not enough good replicas to write."; got != want {
		t.Errorf("SET: %s, want %s", got, want)
	}
	for _, cmd := range []redis.Cmd{
		redis.Set("k", "w"), redis.Command("SET", "k"), redis.Command("SET", "k", "v", "FOO"), redis.Get("k"), redis.Del("k"),
		redis.Command("PUBLISH", "c", "m"), redis.Command("NONSENSE"), redis.Command("RPUSH", "q", "v"), redis.Command("ZADD", "z", "1", "m"),
		redis.Command("LRANGE", "q", "0", "-1"), redis.Command("FLUSHALL"),
		redis.Command("MULTI"), redis.Get("k"), redis.Set("k", "w"), redis.Get("k"), redis.Command("EXEC"),
		redis.Command("MULTI"), redis.Get("k"), redis.Eval(&redis.LockScripts[0].Script, "k").Text("v"), redis.Command("EXEC"),
		redis.Command("MULTI"), redis.Set("k", "w"), redis.Command("DISCARD"),
	} {
		d.do(cmd)
	}
	for _, known := range redis.LockScripts {
		d.do(redis.Eval(&known.Script, "k").Text("v").Text("2"))
	}
	d.do(redis.Command("MULTI")) // refused when queued, although there are enough replicas later
	d.do(redis.Set("k", "w"))
	atLeast("0")
	d.do(redis.Command("EXEC"))
	d.do(redis.Set("k", "w"))
	d.do(redis.Get("k"))
}
