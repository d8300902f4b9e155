package redis

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
)

var script = &Script{Name: "renew", Source: "return 1"}

func TestCommandsReadAsTyped(t *testing.T) {
	for _, tt := range []struct {
		cmd  Cmd
		want string
		args string
	}{
		{SetNX("lock", "A"), "SETNX lock A", "[SETNX lock A]"},
		{Expire("lock", 30*time.Second), "EXPIRE lock 30", "[EXPIRE lock 30]"},
		{Set("lock", "A").EX(30 * time.Second).NX(), "SET lock A EX 30 NX", "[SET lock A EX 30 NX]"},
		{Set("lock", "t").PX(1500 * time.Millisecond).NX(), "SET lock t PX 1500 NX", "[SET lock t PX 1500 NX]"},
		{Get("lock"), "GET lock", "[GET lock]"},
		{Del("lock"), "DEL lock", "[DEL lock]"},
		{Eval(script, "lock").Text("t").Num(10000), "EVAL renew lock t 10000", "[EVAL return 1 1 lock t 10000]"},
		{Command("HINCRBY", "h", "f").Num(-1), "HINCRBY h f -1", "[HINCRBY h f -1]"},
	} {
		must.Equalf(t, tt.cmd.String(), tt.want, "String")
		must.Equalf(t, fmt.Sprint(tt.cmd.Args()), tt.args, "Args")
	}
}

// Commands built from the same one share memory, but no arguments.
func TestCommandsAreIndependent(t *testing.T) {
	base := Eval(script, "lock").Text("t")
	first, second := base.Num(1), base.Num(2).Text("x")
	third := base
	for range 20 { // far beyond the room of a new command
		third = third.Text("y")
	}
	fourth := first.Text("z")
	for want, c := range map[string]Cmd{
		"EVAL renew lock t": base, "EVAL renew lock t 1": first, "EVAL renew lock t 2 x": second,
		"EVAL renew lock t" + strings.Repeat(" y", 20): third, "EVAL renew lock t 1 z": fourth,
	} {
		must.Equal(t, c.String(), want)
	}
}

func TestSame(t *testing.T) {
	base := Set("lock", "t").PX(time.Second)
	full := base.NX()
	for _, other := range []Cmd{
		base, base.Num(1), Set("lock", "t").PX(time.Second).NX(), Command("SET"), Del("lock"), Eval(script, "lock"),
	} {
		if full.Same(&other) || other.Same(&full) {
			t.Errorf("%v and %v are not the same", &full, &other)
		}
	}
	again := full
	if !full.Same(&again) {
		t.Error("a command is not the same as its copy")
	}
	ping, multi := Command("PING"), Command("MULTI")
	if ping.Same(&multi) || !ping.Same(&ping) {
		t.Error("commands without arguments are compared by name")
	}
}

func TestAFractionOfTheUnitPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("EX takes whole seconds")
		}
	}()
	Set("lock", "t").EX(1500 * time.Millisecond)
}

// A script that only reads and removes takes no lock, whatever it is called.
func TestWhatAScriptGivesBack(t *testing.T) {
	for source, want := range map[string]bool{
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`: true,
		`if redis.call('GET', KEYS[1]) == ARGV[1] then redis.pcall( 'UNLINK', KEYS[1]) end`:            true,
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], 1) end`:   false,
		`redis.call("del", KEYS[1]); return redis.call("set", KEYS[1], ARGV[1])`:                       false,
		`local del = ARGV[1]; redis.call("del", KEYS[1]); return redis.call(ARGV[2], KEYS[1])`:         false,
		`return redis.call("get", KEYS[1])`:                                                            false,
	} {
		must.Equalf(t, (&Script{Name: "get-del", Source: source}).Frees(), want, "%s", source)
	}
}

func TestOperationsOfRedis(t *testing.T) {
	unlock, blind := &Script{Name: "unlock", Owner: 2}, &Script{Name: "lock"}
	for _, tt := range []struct {
		give Cmd
		want history.Op
	}{
		{Get("lock"), history.Op{Name: "GET", Key: "lock", Does: history.Asks}},
		{Set("lock", "A"), history.Op{Name: "SET", Key: "lock", Owner: "A", Does: history.Makes}},
		{Set("lock", "A").NX().PX(10 * time.Second), history.Op{Name: "SET", Key: "lock", Owner: "A", Does: history.MakesNew, Lease: 10 * time.Second}},
		{Command("SET", "lock", "A", "EX", "3"), history.Op{Name: "SET", Key: "lock", Owner: "A", Does: history.Makes, Lease: 3 * time.Second}},
		{Command("SET", "lock"), history.Op{Name: "SET", Key: "lock", Does: history.Makes}},
		{SetNX("lock", "1"), history.Op{Name: "SETNX", Key: "lock", Does: history.MakesNew}},
		{SetNX("lock", "1").Lasting(time.Second), history.Op{Name: "SETNX", Key: "lock", Does: history.MakesNew, Lease: time.Second}},
		{Expire("lock", time.Second), history.Op{Name: "EXPIRE", Key: "lock", Does: history.Makes}},
		{Command("GETSET", "lock", "1"), history.Op{Name: "GETSET", Key: "lock", Does: history.TakesOver}},
		{Del("lock"), history.Op{Name: "DEL", Key: "lock", Does: history.Removes}},
		{Command("DEL", "a", "b"), history.Op{Name: "DEL", Key: "a b", Does: history.Removes}},
		{Command("SUBSCRIBE", "x"), history.Op{Name: "SUBSCRIBE", Does: history.NoEntry}},
		{Command("MULTI"), history.Op{Name: "MULTI"}},
		{Command("INCR", "fence"), history.Op{Name: "INCR", Key: "fence"}},
		{EvalKeys(unlock, "lock", "queue").Text("10").Text("A"), history.Op{Name: "unlock", Script: true, Frees: true, Key: "lock queue", Owner: "A", Does: history.RemovesOwn}},
		{Eval(blind, "lock"), history.Op{Name: "lock", Script: true, Key: "lock"}},
	} {
		must.Equalf(t, tt.give.Op(), tt.want, "%s", tt.give.String())
	}
	if op := (&history.Op{Key: "a b"}); !op.About("b") || op.About("a b c") || (&history.Op{}).About("a") {
		t.Error("About is wrong for two keys or none")
	}
}

// The meanings of replies.
func TestAnswersOfRedis(t *testing.T) {
	for _, tt := range []struct {
		give Reply
		want history.Answer
	}{
		{Reply{}, history.Answer{Nil: true}}, {OK(), history.Answer{}}, {Int(0), history.Number(0)}, {Bulk("7"), history.Answer{}},
		{List([]Reply{Int(1)}), history.Number(1)}, {List([]Reply{Int(1), Int(2)}), history.Answer{}}, {List(nil), history.Answer{}},
		{Failed(ServerError("ERR no")), history.Answer{Refused: "ERR no", Unable: true}},
		{Failed(ServerError("LOCKED by a script")), history.Answer{Refused: "LOCKED by a script"}},
		{Failed(Moved(7, "redis-2")), history.Answer{Refused: "MOVED 7 redis-2:6379", Unable: true, Redirected: true}},
		{Failed(ServerError("CLUSTERDOWN The cluster is down")), history.Answer{Refused: "CLUSTERDOWN The cluster is down", Unable: true, Redirected: true}},
		{Failed(errors.New("odd")), history.Answer{Refused: "odd"}},
	} {
		must.Equalf(t, tt.give.Answer(), tt.want, "%s", tt.give)
	}
}

// TestKeySlot has the check value of the Redis Cluster specification, its examples of
// hash tags, and slots of a real server.
func TestKeySlot(t *testing.T) {
	for key, want := range map[string]int{
		"123456789": 0x31C3, "": 0, "lock": 8718, "foo": 12182,
	} {
		must.Equalf(t, KeySlot(key), want, "slot of %q", key)
	}
	for key, same := range map[string]string{
		"{user1000}.following": "user1000", "{user1000}.followers": "user1000",
		"foo{{bar}}zap": "{bar", "foo{bar}{zap}": "bar",
	} {
		must.Equalf(t, KeySlot(key), KeySlot(same), "%q and %q have different slots", key, same)
	}
	if KeySlot("foo{}{bar}") == KeySlot("bar") || KeySlot("foo{}{bar}") == KeySlot("") {
		t.Error("an empty hash tag counts")
	}
}

func TestKeysOf(t *testing.T) {
	script := &Script{Name: "s", Source: "return 1"}
	for _, c := range []struct {
		cmd  Cmd
		want []string
	}{
		{Set("k", "v").NX(), []string{"k"}},
		{Command("DEL", "a", "b"), []string{"a", "b"}},
		{EvalKeys(script, "a", "b").Text("c"), []string{"a", "b"}},
		{EvalKeys(script), nil},
		{Command("PING"), nil},
		{Wait(1, 0), nil},
	} {
		must.Slicesf(t, KeysOf(&c.cmd), c.want, "%s: keys", &c.cmd)
	}
}
