package redis

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/world"
)

// Scripts whose way depends on answers of every kind: nil, numbers, statuses, errors that end the
// script and errors that do not, lists, and a command that the server does not know.
var windingScripts = []*world.Script{
	{Name: "kinds", Source: `
		local kind = redis.call("TYPE", KEYS[1]).ok
		if kind == "list" then
			local all = redis.call("LRANGE", KEYS[1], 0, -1)
			return {#all, all[1], redis.call("RPUSH", KEYS[1], #all)}
		elseif kind == "hash" then
			return redis.call("HINCRBY", KEYS[1], "f", ARGV[1])
		end
		return {kind, redis.call("GET", KEYS[1]), redis.call("SET", KEYS[1], ARGV[2])}`},
	{Name: "protected", Source: `
		local got = redis.pcall("INCRBY", KEYS[1], ARGV[1])
		if type(got) == "table" then
			redis.call("DEL", KEYS[1])
			return redis.error_reply("LOST " .. got.err)
		end
		while got > 3 do got = redis.call("DECR", KEYS[1]) end
		return got`},
	{Name: "unknown", Source: `
		if redis.call("EXISTS", KEYS[1]) == 1 then return redis.call("NONESUCH", KEYS[1]) end
		return redis.pcall("NONESUCH")`},
	{Name: "length", Source: `local all = redis.pcall("LRANGE", KEYS[1], 0, -1) return all.err and -1 or #all`},
	{Name: "keys", Source: `return {#KEYS, ARGV[1], redis.call("EXISTS", KEYS[#KEYS])}`},
}

// What memory knows of a script has the replies, the changes and the effects of Lua, whatever
// keys hold, however often, on primaries and replicas.
func TestMemoryEqualsLua(t *testing.T) {
	tried := 0
	for seed := range uint64(12) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 5)), nowMS: 1_000_000}
		remembers, lua := New(), New()
		lua.LuaOnly = true
		var open [2]Transaction
		for i := range 2_000 {
			var cmd world.Cmd
			switch key := g.pick("a", "h", "q"); g.IntN(6) {
			case 0, 1:
				script := windingScripts[g.IntN(len(windingScripts))]
				switch number, second := int64(g.IntN(3)), g.pick("a", "q"); g.IntN(3) {
				case 0:
					cmd = world.Eval(script, key).Text(g.pick("1", "2", "A"))
				case 1:
					cmd = world.EvalKeys(script, key, second).Num(number)
				default:
					cmd = world.EvalKeys(script, key).Text(second).Num(number)
				}
			case 2, 3:
				cmd = map[string][]world.Cmd{
					"a": {world.Set("a", "1"), world.Set("a", "A"), world.Command("INCR", "a"), world.Del("a")},
					"h": {world.Command("HSET", "h", "f", "1"), world.Command("HSET", "h", "f", "A"), world.Del("h"), world.Set("h", "1")},
					"q": {world.Command("RPUSH", "q", "1"), world.Command("RPUSH", "q", "A"), world.Command("LPOP", "q"), world.Del("q")},
				}[key][g.IntN(4)]
			case 4:
				cmd = g.script()
			default:
				cmd = g.next()
			}
			replica, alone := g.IntN(20) == 0, g.IntN(20) == 0
			by := history.NodeID(1 + g.IntN(3))
			var saw [2]string
			for k, s := range []*Store{remembers, lua} {
				s.SetReplica(replica)
				s.NoGoodReplicas = alone
				reply := s.ExecIn(&open[k], g.nowMS, by, &cmd)
				saw[k] = fmt.Sprint(reply, s.Changes(), s.Effects(), s.Snapshot())
			}
			if saw[0] != saw[1] {
				t.Fatalf("seed %d, step %d, %s:\nmemory %s\nLua    %s", seed, i, cmd.String(), saw[0], saw[1])
			}
			g.nowMS += g.Int64N(100)
		}
		tried += remembers.vm.memory.nodes
	}
	if tried < 1_000 {
		t.Errorf("memory had %d nodes: too few to have been tried", tried)
	}
}

// A memory that is full begins anew.
func TestMemoryIsBounded(t *testing.T) {
	s := New()
	script := &world.Script{Name: "get", Source: `return redis.call("GET", KEYS[1]) or ARGV[1]`}
	for i := range mostNodes {
		cmd := world.Eval(script, "k").Num(int64(i))
		for range 3 {
			if got := s.Exec(1, 1, &cmd); got.Str != cmd.Arguments()[1].String() {
				t.Fatalf("%s: %v", cmd.String(), got)
			}
		}
	}
	if n := s.vm.memory.nodes; n > mostNodes+10 {
		t.Errorf("%d nodes, at most %d", n, mostNodes)
	}
}

// What comes once is not kept: a run of a seed of its own pays nothing for it.
func TestMemoryKeepsWhatComesTwice(t *testing.T) {
	s := New()
	for i := range int64(100) {
		cmd := world.Eval(&lockScripts[3].Script, "k").Num(i).Num(i)
		s.Exec(1, 1, &cmd)
	}
	if n := s.vm.memory.nodes; n != 0 {
		t.Errorf("%d nodes of scripts that came once", n)
	}
}

// Any number of keys is told apart from as many arguments. A client library sends such a script as text.
func TestMemoryTellsKeysFromArguments(t *testing.T) {
	s := New()
	const n = 256
	for range 3 {
		for _, keys := range []int64{0, n} {
			cmd := world.Command("EVAL", "return #KEYS").Num(keys)
			for range n {
				cmd = cmd.Text("k")
			}
			if got := s.Exec(1, 1, &cmd); !got.IsInt(keys) {
				t.Errorf("%d keys: %v", keys, got)
			}
		}
	}
}
