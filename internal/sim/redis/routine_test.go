package redis

import (
	"fmt"
	"math/rand/v2"
	"strings"
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

// A routine has the replies, the changes and the effects of Lua, whatever keys hold, on primaries and replicas.
func TestRoutinesEqualLua(t *testing.T) {
	for seed := range uint64(12) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 5)), nowMS: 1_000_000}
		direct, lua := New(), New()
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
			for k, s := range []*Store{direct, lua} {
				s.SetReplica(replica)
				s.NoGoodReplicas = alone
				reply := s.ExecIn(&open[k], g.nowMS, by, &cmd)
				saw[k] = fmt.Sprint(reply, s.Changes(), s.Effects(), s.Snapshot())
			}
			if saw[0] != saw[1] {
				t.Fatalf("seed %d, step %d, %s:\nroutine %s\nLua     %s", seed, i, cmd.String(), saw[0], saw[1])
			}
			g.nowMS += g.Int64N(100)
		}
	}
	for _, script := range windingScripts {
		if made := compile(script, script.Source).routine != nil; made != (script.Name != "protected") {
			t.Errorf("%s is a routine: %v", script.Name, made)
		}
	}
}

// A reply has a largest size, also one that the server makes and a script passes on.
func TestALargeReplyIsLeftToLua(t *testing.T) {
	script := &world.Script{Name: "s", Source: `return redis.call("lrange", KEYS[1], 0, -1)`}
	cmd := world.Eval(script, "q")
	s := New()
	for range mostElements + 1 {
		do(s, 0, 1, world.Command("RPUSH", "q", "1"))
	}
	if got := s.Exec(1, 1, &cmd); got.Err != errLargeReply {
		t.Errorf("%d elements, %v", len(got.Elements()), got.Err)
	}
}

// What is a routine and what is left to Lua.
var forms = map[string]bool{
	lockScripts[0].Source: true,
	lockScripts[1].Source: true,
	`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1], KEYS[2]) end return 7`:                                          true,
	`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("expire", KEYS[1], ARGV[2], "NX") else return 0 end`:                            true,
	`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("expire", KEYS[1], 1, ARGV[2]) else return 0 end`:                               true,
	`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("expire", KEYS[1]) else return 0 end`:                                           true,
	`if redis.call("get", KEYS[1]) ~= ARGV[1] then return redis.call("del", KEYS[1]) else return 0.5 end`:                                            true,
	`if redis.call("get", KEYS[1]) == 5 then return redis.call("del", KEYS[1]) else return 0 end`:                                                    true,
	`if redis.call("get", KEYS[1]) == ARGV[1] then return 0 elseif 1 then return redis.call("del", KEYS[1]) else return 0 end`:                       true,
	`return redis.call("set", KEYS[1], redis.call("get", KEYS[1]) or redis.call("incr", KEYS[2]), ARGV[1] or "NX")`:                                  true,
	`local t = {ARGV[1], 2} table.insert(t, redis.call("set", KEYS[1], "v")) table.insert(t, #t) return t`:                                           true,
	`local t = {} table.insert(t, ARGV[1]) return {#t, t[1] == ARGV[1], ARGV[2], 3}`:                                                                 true,
	`local x = ARGV[2] if x then local x = redis.call("incr", KEYS[1]) if x > 7 then return x end end return x`:                                      true,
	`for i = 1, #ARGV do if ARGV[i] == "2" then break end redis.call("append", KEYS[1], i) redis.call("incrby", KEYS[1], i) end`:                     true,
	`local n = 3 while n > 0 do n = n - 1 if n == tonumber(ARGV[1]) then return n .. "" end end return n`:                                            true,
	`local n = 0 local function up() n = n + 1 redis.call("rpush", "q", n) end up() up() do local n = 9 up() end return n`:                           true,
	`return {math.max(1, tonumber(ARGV[1])), math.min(1, tonumber(ARGV[1])), type(ARGV[1]), -#KEYS, not ARGV[1]}`:                                    true,
	`return redis.call("set", KEYS[1], 1.5) .. "x"`:                                                                                                  true,
	`return redis.call("set", KEYS[1], ARGV[1]).ok`:                                                                                                  true,
	`local a = redis.call("set", KEYS[1], "1") return a == a`:                                                                                        true,
	`return redis.call("publish", KEYS[1] .. ":" .. ARGV[1], #ARGV)`:                                                                                 true,
	`return redis.call("del", unpack(KEYS))`:                                                                                                         true,
	`if redis.call("exists", KEYS[1]) == 0 then return redis.call("setex", KEYS[1], unpack(ARGV)) end return redis.call("rpush", "q", unpack(ARGV))`: true,
	`return redis.call(ARGV[1], KEYS[1])`:                                                                                                            true,
	`return {ARGV[1] == 5, ARGV[2] == 5, ARGV[2] == "5", ARGV[1] == nil, KEYS[1] == false}`:                                                          true,
	`return {ARGV[1] == ARGV[2], ARGV[2] == ARGV[1], ARGV[1] ~= ARGV[1]}`:                                                                            true,
	`return ARGV[1]`: true,

	`local a, b = 1, 2 return a`:                                   false,
	`return 1, redis.call("del", KEYS[1])`:                         false,
	`local function f() return 1 end f() return 2`:                 false,
	`local function f(x) redis.call("del", x) end f(KEYS[1])`:      false,
	`local redis = 1 return redis.call("get", KEYS[1])`:            false,
	`KEYS = {} return 1`:                                           false,
	`return KEYS`:                                                  false,
	`for i = 3, 1, -1 do redis.call("rpush", "q", i) end`:          false,
	`return {x = 1}`:                                               false,
	`return 0x10`:                                                  false,
	`return ("x"):rep(3)`:                                          false,
	`return {redis.call("del", unpack(KEYS), KEYS[1])}`:            false,
	`return redis.call(unpack(ARGV))`:                              false,
	`local f = 1 f() return redis.call("get", KEYS[1])`:            false,
	`local function f() f() end f()`:                               false,
	`repeat redis.call("incr", KEYS[1]) until true return KEYS[2]`: false,
}

// Whatever the key holds and whatever is missing, a routine does what Lua does.
func TestWhichScriptsAreRoutines(t *testing.T) {
	before := []world.Cmd{
		world.Command("PING"), world.Set("k", "A"), world.Set("k", "B"), world.Command("SET", "k", "").Num(7),
		world.Set("k", "A").PX(3_000_000), world.Command("HSET", "k", "f", "A"), world.Command("INCR", "k"),
		world.Command("SET", "k").Num(7),
	}
	calls := func(script *world.Script) []world.Cmd {
		one := world.Eval(script, "k")
		return []world.Cmd{
			one, one.Text("A"), one.Text("A").Text("2"), one.Text("A").Num(2), one.Text("A").Text("x"), one.Text("A").Num(-1),
			one.Text("1").Num(5), one.Num(1).Num(5), one.Num(7).Num(5), one.Text("").Num(1), one.Text("GET"), one.Text("2").Num(0),
			world.EvalKeys(script, "k", "other").Text("A").Text("9"), world.EvalKeys(script).Text("A").Text("9"),
		}
	}
	state := New() // of Lua: to open one takes longer than a script
	for source, known := range forms {
		script := &world.Script{Name: "s", Source: source}
		if got := compile(script, source).routine != nil; got != known {
			t.Errorf("it is a routine: %v, want %v\n%s", got, known, source)
		}
		for _, set := range before {
			for _, cmd := range calls(script) {
				for role := range 3 {
					direct, lua := NewSharing(state), NewSharing(state)
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
						t.Errorf("%s, after %s:\nroutine %s\nLua     %s\n%s", cmd.String(), set.String(), saw[0], saw[1], source)
					}
				}
			}
		}
	}
}

// doubling are local functions of which each calls the one before twice.
func doubling(n int) string {
	return strings.Repeat("local function g() f() f() end local function f() g() end ", n)
}

// A loop without an end is Lua's, which has a budget for it, and nothing that it has done is done twice.
func TestALoopWithoutEndIsLeftToLua(t *testing.T) {
	for _, source := range []string{
		`while true do redis.call("incr", KEYS[1]) end`,
		`for i = 1, 1000000000 do redis.call("incr", KEYS[1]) end`,
		`local t = {} while true do table.insert(t, redis.call("incr", KEYS[1])) end`,
		`local function f() redis.call("incr", KEYS[1]) end ` + doubling(24) + ` f()`,
	} {
		script := &world.Script{Name: "s", Source: source}
		cmd := world.Eval(script, "k")
		if compile(script, source).routine == nil {
			t.Errorf("no routine: %s", source)
		}
		direct, lua := New(), New()
		lua.LuaOnly = true
		a, b := direct.Exec(5, 2, &cmd), lua.Exec(5, 2, &cmd)
		if a.String() != b.String() || fmt.Sprint(direct.Snapshot()) != fmt.Sprint(lua.Snapshot()) {
			t.Errorf("routine: %v, %v\nLua:     %v, %v\n%s", a, direct.Snapshot(), b, lua.Snapshot(), source)
		}
	}
}

// author writes scripts of the part of Lua that routines know, sensible or not.
type author struct {
	*rand.Rand
	depth int
	loops int
}

func (a *author) of(all ...string) string { return all[a.IntN(len(all))] }

func (a *author) expression() string {
	a.depth++
	defer func() { a.depth-- }()
	if a.depth > 4 {
		return a.of("x", "y", "1", `"k"`, "nil", "false", "ARGV[1]", "KEYS[1]")
	}
	x := a.expression
	switch a.IntN(17) {
	case 0, 1:
		return a.of("x", "y", "i", "t")
	case 2:
		return a.of("0", "1", "2.5", "7", "true", "false", "nil", `"1"`, `"k"`, `"A"`)
	case 3, 4:
		return a.of("KEYS", "ARGV") + "[" + a.of("1", "2", "3", x()) + "]"
	case 5:
		return a.of("#t", "#ARGV", "#KEYS", "#x", "t[1]", "t["+x()+"]")
	case 6, 7, 8:
		return a.call()
	case 9:
		return "tonumber(" + x() + ")"
	case 10:
		return a.of("math.max", "math.min") + "(" + x() + ", " + x() + ")"
	case 11:
		return "type(" + x() + ")"
	case 12:
		return "(" + x() + a.of(" == ", " ~= ", " < ", " > ", " <= ", " >= ") + x() + ")"
	case 13:
		return "(" + x() + a.of(" + ", " - ", " * ", " .. ") + x() + ")"
	case 14:
		return "(" + x() + a.of(" and ", " or ") + x() + ")"
	case 15:
		return a.of("not ", "-", "#") + "(" + x() + ")"
	}
	return "{" + x() + ", " + x() + "}"
}

func (a *author) call() string {
	words := []string{a.of(`"get"`, `"set"`, `"incr"`, `"incrby"`, `"exists"`, `"del"`, `"lrange"`, `"rpush"`, `"llen"`, `"NONE"`, "ARGV[1]"), a.of("KEYS[1]", `"q"`, a.expression())}
	for a.IntN(2) == 0 {
		words = append(words, a.expression())
	}
	if a.IntN(8) == 0 {
		words = append(words, "unpack(ARGV)")
	}
	return a.of("redis.call", "redis.pcall") + "(" + strings.Join(words, ", ") + ")"
}

func (a *author) block(n int) string {
	a.depth++
	defer func() { a.depth-- }()
	var b strings.Builder
	for range n {
		b.WriteString(a.statement() + " ")
	}
	return b.String()
}

func (a *author) statement() string {
	if a.depth > 3 {
		return a.call()
	}
	switch a.IntN(11) {
	case 0:
		return "local " + a.of("x", "y", "i", "t") + " = " + a.expression()
	case 1, 2:
		return a.of("x", "y") + " = " + a.expression()
	case 3, 4:
		return "if " + a.expression() + " then " + a.block(1+a.IntN(2)) + a.of("", "else "+a.block(1)) + " end"
	case 5:
		a.loops++
		defer func() { a.loops-- }()
		return "for i = " + a.expression() + ", " + a.of("3", a.expression()) + " do " + a.block(1+a.IntN(2)) + a.of("", "if x then break end") + " end"
	case 6:
		return "while y ~= 9 do y = 9 " + a.block(1) + a.of("", "break") + " end"
	case 7:
		return "table.insert(" + a.of("t", "x") + ", " + a.expression() + ")"
	case 8:
		return "local function f() " + a.block(1) + " end f() do local x = 1 f() end"
	case 9:
		return "do return " + a.expression() + " end"
	}
	return a.call()
}

// Whatever scripts are made of, a routine has the reply, the changes and the effects of Lua.
func TestRandomRoutinesEqualLua(t *testing.T) {
	a := &author{Rand: rand.New(rand.NewPCG(1, 2))}
	routines, good := 0, 0
	state := New() // of Lua, as above
	for n := range 10_000 {
		source := "local x = ARGV[2] local y = 2 local i = 1 local t = {KEYS[1]} " + a.block(1+a.IntN(4)) + " return " + a.expression()
		script := &world.Script{Name: "s", Source: source}
		p := compile(script, source)
		if p.routine != nil && p.failed == nil {
			routines++
		}
		cmd := world.Eval(script, a.of("k", "q", "h")).Text(a.of("A", "1", "get")).Num(int64(a.IntN(3))).Num(int64(a.IntN(3)))
		direct, lua := NewSharing(state), NewSharing(state)
		lua.LuaOnly = true
		var saw [2]string
		for k, s := range []*Store{direct, lua} {
			do(s, 0, 1, world.Command("RPUSH", "q", "1", "A"))
			do(s, 0, 1, world.Command("HSET", "h", "f", "1"))
			do(s, 0, 1, world.Set("k", "5"))
			reply := s.Exec(5, 2, &cmd)
			if k == 0 && reply.Err == nil {
				good++
			}
			saw[k] = fmt.Sprint(reply, s.Changes(), s.Effects(), s.Snapshot())
		}
		if saw[0] != saw[1] {
			t.Fatalf("script %d: %s\n%s\nroutine %s\nLua     %s", n, source, cmd.String(), saw[0], saw[1])
		}
		programs.Delete(any(script))
	}
	if routines < 7_000 || good < 1_000 {
		t.Errorf("%d routines, %d replies without an error", routines, good)
	}
}
