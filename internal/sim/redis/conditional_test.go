package redis

import (
	"fmt"
	"testing"

	"lockstep/internal/world"
)

// TestConditionalEqualsLua: what the store executes itself has the replies, the
// changes and the effects of Lua, whatever the key holds and whatever is missing.
func TestConditionalEqualsLua(t *testing.T) {
	const renew = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end`
	sources := map[string]bool{ // whether the store knows the form
		lockScripts[0].Source: true,
		lockScripts[1].Source: true,
		renew:                 true,
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("expire", KEYS[1], ARGV[2], "NX") else return 0 end`:      false,
		`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1], KEYS[2]) end return 7`:                    true,
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("expire", KEYS[1], 1, ARGV[2]) else return 0 end`:         true,
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("expire", KEYS[1]) else return 0 end`:                     false,
		`if redis.call("get", KEYS[1]) == ARGV[1] then redis.call("del", KEYS[1]) return 1 else return 0 end`:                      false,
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end`:                                      false,
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0.5 end`:                      false,
		`if redis.call("get", KEYS[1]) ~= ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`:                        false,
		`if redis.call("get", KEYS[1]) == 5 then return redis.call("del", KEYS[1]) else return 0 end`:                              false,
		`if redis.pcall("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`:                       false,
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("incr", KEYS[1]) else return 0 end`:                       false,
		`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", "k") else return 0 end`:                            false,
		`if redis.call("get", KEYS[1]) == ARGV[1] then return 0 elseif 1 then return redis.call("del", KEYS[1]) else return 0 end`: false,
	}
	before := []world.Cmd{
		world.Command("PING"), world.Set("k", "A"), world.Set("k", "B"), world.Command("SET", "k", "").Num(7),
		world.Set("k", "A").PX(3_000_000), world.Command("HSET", "k", "f", "A"), world.Command("INCR", "k"),
		world.Command("SET", "k").Num(7),
	}
	calls := func(script *world.Script) []world.Cmd {
		one := world.Eval(script, "k")
		return []world.Cmd{
			one, one.Text("A"), one.Text("A").Text("2"), one.Text("A").Num(2), one.Text("A").Text("x"), one.Text("A").Num(-1),
			one.Text("1").Num(5), one.Num(1).Num(5), one.Num(7).Num(5), one.Text("").Num(1),
			world.EvalKeys(script, "k", "other").Text("A").Text("9"), world.EvalKeys(script).Text("A").Text("9"),
		}
	}
	for source, known := range sources {
		script := &world.Script{Name: "s", Source: source}
		if got := compile(script, source).direct != nil; got != known {
			t.Errorf("the store executes it itself: %v, want %v\n%s", got, known, source)
		}
		for _, set := range before {
			for _, cmd := range calls(script) {
				for role := range 3 {
					direct, lua := New(), New()
					lua.LuaOnly = true
					var saw [2]string
					for i, s := range []*Store{direct, lua} {
						do(s, 0, 1, set)
						s.SetReplica(role == 1)
						s.NoGoodReplicas = role == 2
						reply := s.Exec(5, 2, &cmd)
						saw[i] = fmt.Sprint(reply, s.Changes(), s.Effects(), s.Snapshot())
					}
					if saw[0] != saw[1] {
						t.Errorf("%s, after %s:\ndirect %s\nLua    %s\n%s", cmd.String(), set.String(), saw[0], saw[1], source)
					}
				}
			}
		}
	}
}
