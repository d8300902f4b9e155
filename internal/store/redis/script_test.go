package redis

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/internal/must"
)

// eval runs a source once with key k and argument v.
func eval(s *Store, source string) string {
	return do(s, 0, 1, Eval(&Script{Name: "test", Source: source}, "k").Text("v"))
}

func TestScriptChanges(t *testing.T) {
	take := Eval(&Script{Name: "take", Source: lines(
		`if redis.call("exists", KEYS[1]) == 1 then return -1 end`,
		`redis.call("hincrby", KEYS[1], ARGV[1], 1)`,
		`redis.call("pexpire", KEYS[1], 10000)`,
		`return 1`)}, "lock").Text("A")
	half := Eval(&Script{Name: "half", Source: lines(
		`redis.call("set", KEYS[1], "v")`, `redis.call("hget", KEYS[1], "f")`)}, "k")
	play(t, New(), []step{
		{0, 1, take, "(integer) 1", "granted lock of 1 by 1 ttl -1; extended lock of 1 by 1 ttl 10000",
			"HSET lock A 1 @-1 of 1 by 1; PEXPIREAT lock @10000 of 1 by 1"},
		{10_000, 2, take, "(integer) -1", "", ""},
		{10_001, 2, take, "(integer) 1", "expired lock of 1 by 0 ttl 0; granted lock of 2 by 2 ttl -1; extended lock of 2 by 2 ttl 10000",
			"EXPIRED lock @10000 of 1 by 0; HSET lock A 1 @-1 of 2 by 2; PEXPIREAT lock @20001 of 2 by 2"},
		{10_002, 3, half, "(error) WRONGTYPE Operation against a key holding the wrong kind of value script: " +
			half.Script.compiled().sha + ", on @user_script:2.",
			"granted k of 3 by 3 ttl -1", "SET k v @-1 of 3 by 3"},
	})
}

func TestScriptBudget(t *testing.T) {
	s := New()
	for _, source := range []string{
		`while true do end`,
		`while true do pcall(function() while true do end end) end`,
		`local function f() return f() end return f()`,
		`redis.call("set", "k", "kept") while true do redis.call("get", "k") end`,
	} {
		if got := eval(s, source); !strings.Contains(got, "budget of 1000000 instructions script: ") {
			t.Errorf("%s: %s", source, got)
		}
		must.Equalf(t, eval(s, `return "alive"`), `"alive"`,
			"after %s the interpreter is broken", source)
	}
	must.Equalf(t, eval(s, `return redis.call("get", "k")`), `"kept"`,
		"what a stopped script wrote is")
	count := `local n = 0 while true do n = n + 1 redis.call("set", "n", n) end`
	eval(s, count)
	first := do(s, 0, 1, Get("n"))
	eval(s, count)
	if second := do(s, 0, 1, Get("n")); first != second || first == "(nil)" {
		t.Errorf("the budget ended at %s, then at %s", first, second)
	}
	must.Contain(t, eval(s, `local function f() return f() + 1 end return f()`), "stack overflow")
	must.Contain(t, eval(s, `return #string.rep("x", 1e9)`), "too large")
}

// TestScriptsAreIsolated: no script can change what the next one sees.
func TestScriptsAreIsolated(t *testing.T) {
	probe := `local t = {} t[1] = tostring(KEYS[2]) t[2] = ARGV[1] t[3] = string.rep("a", 2) t[4] = ("x"):upper() ` +
		`t[5] = tostring(next({})) t[6] = type(redis.call) t[7] = table.concat({1, 2}) t[8] = #string t[9] = tostring(KEYS.x) return t`
	tame := `return {tostring(KEYS[2]), ARGV[1], string.rep("a", 2), ("x"):upper(), tostring(next({})), type(redis.call), "12", #string, tostring(KEYS.x)}`
	clean := New()
	want := eval(clean, probe)
	for _, source := range []string{
		`x = 1`, `redis = nil`, `redis.call = nil`, `string.rep = nil`, `string.mine = 1`, `_G.x = 1`, `_G.redis = nil`,
		`rawset(_G, "x", 1)`, `rawset(string, "x", 1)`, `setmetatable(_G, {})`, `setmetatable(string, nil)`,
		`getmetatable("").__index = nil`, `getmetatable(_G).__index = nil`, `("").__index.rep = nil`,
		`table.insert(string, 1)`, `table.insert(_G, 1)`, `table.sort(_G)`, `KEYS.x = 1`, `KEYS[2] = "left"`, `ARGV = 1`,
		`for k in pairs(string) do string[k] = nil end`, `tostring = nil`, `local s = string s.rep = 1`,
		`(function() redis = nil end)()`, `(function() string.rep = nil end)()`,
	} {
		s := New()
		eval(s, tame) // fill the tables of tame scripts
		do(s, 0, 1, Eval(&Script{Name: "three", Source: `return {KEYS[1], ARGV[1], ARGV[2]}`}, "k").Text("a").Text("b"))
		eval(s, source)
		must.Equalf(t, eval(s, probe), want, "after %s", source)
		must.Equalf(t, eval(s, tame), want, "after %s a tame script sees", source)
	}
}

func TestMissingGlobals(t *testing.T) {
	s := New()
	for _, name := range []string{"print", "os", "io", "require", "dofile", "getfenv", "setfenv",
		"newproxy", "debug", "package", "channel", "module"} {
		want := "Script attempted to access nonexistent global variable '" + name + "'"
		if got := eval(s, "return "+name); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestNoAddresses: an address would make two runs differ.
func TestNoAddresses(t *testing.T) {
	got := eval(New(), `return {tostring({}), tostring(pcall), tostring(redis.call)}`)
	must.Equalf(t, got, `["table: 0x0" "function: 0x0" "function: 0x0"]`, "tostring")
	if a, b := eval(New(), `local t = {} for k in pairs(math) do t[#t+1] = k end return t`),
		eval(New(), `local s = "" for k in pairs(math) do s = s .. k end return s`); a != "[]" || !strings.HasPrefix(b, `"absacos`) {
		t.Errorf("pairs(math) gives %s and %s", a, b)
	}
}

// TestNumbersAsTexts: where Lua takes a number for a text, it has 14 digits, so microseconds are
// the same for a while.
func TestNumbersAsTexts(t *testing.T) {
	for source, want := range map[string]string{
		`return 1700000000123 * 1000 + 456 .. ""`:                          `"1.7000000001235e+15"`,
		`local us = 1700000000000000 + "7" return {"a:" .. us, us}`:        `["a:1.7e+15" (integer) 1700000000000007]`,
		`local f = function(...) return ... end return f(1/3, 2) .. f(-7)`: `"0.33333333333333-7"`,
		`x = 1e15 .. ""`: "(error) ERR user_script:1: Attempt to modify a readonly table",
		`return table.concat({1e15, "-", 12}) .. string.len(1e15)`:       `"1e+15-125"`,
		`return table.concat({1, 1e15, 3, x = 9}, "-", 2, 3)`:            `"1e+15-3"`,
		`return {tostring(math.huge), math.huge > 1e300, ("É"):lower()}`: `["inf" (integer) 1 "É"]`,
		`return string.format("%s", 1e15) .. string.format("%s", false)`: "(error) ERR user_script:1: bad argument #2",
	} {
		if got := eval(New(), source); !strings.HasPrefix(got, want) {
			t.Errorf("%s gives %s, want %s", source, got, want)
		}
	}
	defer func() {
		if _, ok := recover().(Unmodelled); !ok {
			t.Error("a reply of version 3 was answered")
		}
	}()
	eval(New(), `return {double = 3.5}`)
}

// TestTameEqualsGuarded: a tame script does the same with plain globals and with the
// guarded ones.
func TestTameEqualsGuarded(t *testing.T) {
	tame := 0
	for _, known := range lockScripts {
		p := known.compiled()
		if p.failed != nil || !p.tame {
			continue
		}
		tame++
		slow := &program{proto: p.proto, sha: p.sha}
		for _, value := range []string{"1", "A", "x y"} {
			quick, guarded := New(), New()
			for _, s := range []*Store{quick, guarded} {
				do(s, 0, 1, Set("k", value))
			}
			cmd := Eval(&known.Script, "k").Text("A").Text("2")
			guarded.begin(5, 2)
			a, b := quick.Exec(5, 2, &cmd), guarded.vm.run(guarded, slow, cmd.Arguments()[:1], cmd.Arguments()[1:])
			if a.String() != b.String() || fmt.Sprint(quick.Snapshot()) != fmt.Sprint(guarded.Snapshot()) {
				t.Errorf("%s: tame %v, guarded %v", known.Name, a, b)
			}
		}
	}
	if tame < 20 {
		t.Errorf("only %d of the lock scripts are tame, want the usual ones to be", tame)
	}
}

// plainScript is a random script that is translated, with a statement in each line.
func (g *generator) plainScript(depth, locals int) (text string) {
	for range 1 + g.IntN(3) {
		switch g.IntN(4) {
		case 0:
			text += g.plainCall(2, locals) + "\n"
		case 1:
			name := g.IntN(locals + 1)
			text += fmt.Sprintf("local v%d = %s\n", name, g.plainValue(2, locals))
			locals = max(locals, name+1)
		case 2:
			if depth > 0 {
				text += "if " + g.plainValue(3, locals) + " then\n" + g.plainScript(depth-1, locals) + "else\n" + g.plainScript(depth-1, locals) + "end\n"
			}
		case 3:
			return text + "return " + g.plainValue(3, locals) + "\n"
		}
	}
	return text
}

func (g *generator) plainValue(depth, locals int) string {
	switch n := g.IntN(10); {
	case depth > 0 && n < 2:
		return "(" + g.plainValue(depth-1, locals) + g.pick(" == ", " ~= ", " and ", " or ") + g.plainValue(depth-1, locals) + ")"
	case depth > 0 && n == 2:
		return "not " + g.plainValue(depth-1, locals)
	case depth > 0 && n < 6:
		return g.plainCall(depth-1, locals)
	case depth > 0 && n == 7:
		return fmt.Sprintf("(redis.call(%s, %s) %s %s)", g.pick(`"get"`, `"GET"`, `"exists"`), g.pick("KEYS[1]", "KEYS[2]", "ARGV[1]", `"k"`),
			g.pick("==", "~="), g.pick("ARGV[1]", "ARGV[2]", "ARGV[3]", "KEYS[1]", g.plainValue(0, locals)))
	case locals > 0 && n == 6:
		return fmt.Sprintf("v%d", g.IntN(locals))
	}
	return g.pick("KEYS[1]", "KEYS[0]", "KEYS[2]", "ARGV[1]", "ARGV[2]", "ARGV[3]", "nil", "true", "false", "0", "1", "-1", "-0", `"A"`, `"1"`)
}

func (g *generator) plainCall(depth, locals int) string {
	value := func() string { return g.plainValue(depth, locals) }
	words := [][]string{{`"get"`, "KEYS[1]"}, {`"exists"`, value()}, {`"set"`, "KEYS[1]", value()}, {`"DEL"`, "KEYS[1]"}, {`"incr"`, value()},
		{`"hset"`, `"h"`, value(), value()}, {`"hget"`, "KEYS[1]", value()}, {`"hgetall"`, `"h"`}, {`"set"`, value(), value(), `"NX"`, `"PX"`, value()},
		{`"nonsense"`}, {`"get"`}}
	return "redis.call(" + strings.Join(words[g.IntN(len(words))], ", ") + ")"
}

// A plain script does the same as Lua: its reply with the line of an error, what it has changed, and
// what replicas are told.
func TestPlainScriptsDoWhatLuaDoes(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(7, 3))}
	ends := map[ReplyKind]int{}
	for range 4000 {
		source, held := g.plainScript(2, 0), Set("k", g.pick("1", "A"))
		switch g.IntN(4) {
		case 0:
			held = Command("HSET", "k", "A", "1")
		case 1:
			held = held.PX(3 * time.Millisecond) // over when the script begins
		}
		script, inLua := &Script{Name: "x", Source: source}, &Script{Name: "x", Source: source}
		p := *script.compiled()
		if p.plain == nil && strings.Count(source, "local") <= mostLocals && !strings.Contains(source, "-0") {
			t.Fatalf("it is not plain:\n%s", source)
		}
		p.plain = nil
		inLua.program.Store(&p)
		a, b := New(), New()
		for _, s := range []*Store{a, b} {
			do(s, 0, 1, held)
		}
		quick, slow := Eval(script, "k").Text("A").Text("2"), Eval(inLua, "k").Text("A").Text("2")
		got, want := a.Exec(5, 2, &quick), b.Exec(5, 2, &slow)
		ends[got.Kind]++
		did := func(s *Store) string { return fmt.Sprint(s.Snapshot(), show(s.Changes()), s.Effects()) }
		if got.String() != want.String() || did(a) != did(b) {
			t.Fatalf("%v, in Lua %v:\n%s", got, want, source)
		}
	}
	if len(ends) < 6 || ends[ReplyError] < 200 || ends[ReplyInt] < 200 {
		t.Errorf("the scripts end with %v", ends)
	}
}

// TestScriptsInParallel shares compiled scripts between goroutines, each with its own
// stores; run with -race.
func TestScriptsInParallel(t *testing.T) {
	var group sync.WaitGroup
	results := make([]string, 4)
	for i := range results {
		group.Go(func() {
			a := New()
			b := NewSharing(a)
			var out strings.Builder
			defer func() { results[i] = out.String() }()
			for range 50 {
				for _, known := range lockScripts {
					for _, s := range []*Store{a, b} {
						out.WriteString(do(s, 0, 1, Eval(&known.Script, "k").Text("A").Text("2")))
					}
				}
			}
		})
	}
	group.Wait()
	for i := range results {
		must.Equalf(t, results[i], results[0], "goroutine %d got other replies than goroutine 0", i)
	}
}

// Scripts that could loop forever have the budget; scripts without backward jumps need none.
func TestOnlyShortScriptsHaveNoBudget(t *testing.T) {
	for _, tt := range []struct {
		source string
		short  bool
	}{
		{`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`, true},
		{`return 1`, true},
		{`while true do end`, false},
		{`repeat local x = 1 until false`, false},
		{`for i = 1, 1e9 do end`, false},
		{`for k, v in pairs(KEYS) do end`, false},
		{`local function f() return f() end return f()`, false},
		{`x = 1`, false},
	} {
		p := compile(tt.source)
		if p.failed != nil || p.short != tt.short {
			t.Errorf("%s: short %v, want %v (%v)", tt.source, p.short, tt.short, p.failed)
		}
	}
}

// Arguments are texts, even those that a lock passes as numbers, and each run sees its own token.
func TestArgumentsAreTexts(t *testing.T) {
	s := New()
	script := &Script{Name: "types", Source: `return {type(ARGV[1]), tostring(ARGV[1] == 5), tostring(ARGV[1] == "5"), ARGV[2]}`}
	for _, token := range []string{"token-1", "token-2", "", "tokenX1"} {
		want := fmt.Sprintf(`["string" "false" "true" %q]`, token)
		must.Equalf(t, do(s, 0, 1, Eval(script, "k").Num(5).Text(token)), want, "a script sees")
	}
}

// The size of a reply is limited, even for one that a script passes through.
func TestALargeReplyIsRefused(t *testing.T) {
	script := &Script{Name: "all", Source: `return redis.call("lrange", KEYS[1], 0, -1)`}
	cmd := Eval(script, "q")
	s := New()
	for range mostElements + 1 {
		do(s, 0, 1, Command("RPUSH", "q", "1"))
	}
	if got := s.Exec(1, 1, &cmd); got.Err != errLargeReply {
		t.Errorf("%d elements, %v", len(got.Elements()), got.Err)
	}
}
