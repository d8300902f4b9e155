package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"
)

// library is a script that computes with what Redis adds to Lua.
func (g *generator) library() Cmd {
	var out []string
	for range 1 + g.IntN(4) {
		out = append(out, "tostring("+g.libraryCall()+")")
	}
	text := "return {" + strings.Join(out, ", ") + "}"
	if strings.Contains(text, "random") { // the server has drawn more numbers than the model
		text = fmt.Sprintf("math.randomseed(%s) ", g.number()) + text
	}
	return Eval(&Script{Name: "library", Source: text}, g.key()).Text(g.pick("1", "2.5", "A"))
}

// number is an argument in Lua.
func (g *generator) number() string {
	return g.pick("0", "1", "3", "-1", "31", "33", "2.5", "3.5", "-7.9", "255", "0x12345678", "2^31", "2^32+5", "1e15", `"12"`, "#KEYS")
}

func (g *generator) libraryCall() string {
	arguments := func(most int) string {
		var out []string
		for range 1 + g.IntN(most) {
			out = append(out, g.number())
		}
		if g.IntN(25) == 0 {
			out = append(out, g.pick("nil", "{}", `"x"`, "ARGV[1]"))
		}
		return strings.Join(out, ", ")
	}
	switch g.IntN(8) {
	case 0, 1:
		return "bit." + g.pick("tobit", "bnot", "bswap") + "(" + g.number() + ")"
	case 2:
		return "bit." + g.pick("band", "bor", "bxor", "tohex") + "(" + arguments(3) + ")"
	case 3:
		return "bit." + g.pick("lshift", "rshift", "arshift", "rol", "ror") + "(" + g.number() + ", " + arguments(1) + ")"
	case 4:
		return g.pick("math.random()", "math.random(1000000)", "math.random(10, 20)", "math.random(-5, 5)", "math.random("+arguments(2)+")")
	case 5:
		return "redis." + g.pick("log(redis.LOG_WARNING, ARGV[1])", "log(2, 'x', 3)", "log('1', {})", "log('x', 'y')", "log(9, 'y')", "log(2)", "log()",
			"set_repl(redis.REPL_ALL)", "set_repl(9)", "set_repl()", "setresp(2)", "setresp(4)", "setresp()", "setresp({})")
	case 6:
		return g.pick("redis.replicate_commands()", "redis.breakpoint()", "redis.debug('x')")
	}
	return "redis." + g.pick("REDIS_VERSION", "REDIS_VERSION_NUM", "LOG_DEBUG", "LOG_NOTICE", "LOG_VERBOSE", "REPL_NONE", "REPL_AOF", "REPL_REPLICA", "REPL_SLAVE")
}

// hashed runs scripts by their hash, loaded or not, and loads them.
func (g *generator) hashed() Cmd {
	source := lockScripts[g.IntN(len(lockScripts))].Source
	switch g.IntN(8) {
	case 0, 1, 2:
		return Command("SCRIPT", g.pick("LOAD", "load"), source)
	case 3:
		return Command("EVALSHA", []string{hashOf(source), g.pick("1", "x", "-1", "7"), "a"}[:g.IntN(4)]...)
	case 4:
		return Command("EVALSHA", g.pick("", "abc", strings.Repeat("0", 40)), g.pick("0", "x", "-1", "7"))
	}
	hash := hashOf(source)
	if g.IntN(4) == 0 {
		hash = strings.ToUpper(hash)
	}
	return Command("EVALSHA", hash, "1", g.key(), g.pick("1", "A", "B", "oops"), g.pick("1", "2", "f"))
}

func hashOf(source string) string {
	sum := sha1.Sum([]byte(source))
	return hex.EncodeToString(sum[:])
}

// badWait is a WAIT that is refused.
func (g *generator) badWait() Cmd {
	switch g.IntN(4) {
	case 0:
		return Command("WAIT", []string{"1", "0", "0"}[:g.IntN(2)]...)
	case 1:
		return Command("WAIT", "1", g.pick("-1", "x", "1.5", "", "9223372036854775808", "+5"))
	}
	return Command("WAIT", g.pick("x", "", "1.5", "+1"), g.pick("0", "-1", "x"))
}

// testScript is a script of the conformance test.
type testScript struct {
	Script
	// anyText: only the position of Lua's own errors is compared, not their text.
	// gopher-lua words run-time and syntax errors differently ("attempt to index a
	// non-table object(nil)"), and no client parses them.
	anyText bool
}

func lines(text ...string) string { return strings.Join(text, "\n") }

// lockScripts are the scripts of locks, and scripts that fail. Each is run with one
// key and two arguments.
var lockScripts = []*testScript{
	s("unlock", `if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[1]) else return 0 end`),
	s("renew", `if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("pexpire",KEYS[1],900000) else return 0 end`),
	s("lock-setex", lines(`if redis.call('exists', KEYS[1]) == 0 then`,
		`  redis.call('setex', KEYS[1], 5000, ARGV[1])`, `  return "1"`, `end`, `return "-1"`)),
	s("redisson-lock", lines(
		`if (redis.call('exists', KEYS[1]) == 0) then`,
		`  redis.call('hincrby', KEYS[1], ARGV[2], 1);`,
		`  redis.call('pexpire', KEYS[1], 30000000);`, `  return nil;`, `end;`,
		`if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then`,
		`  redis.call('hincrby', KEYS[1], ARGV[2], 1);`,
		`  redis.call('pexpire', KEYS[1], 40000000);`, `  return nil;`, `end;`,
		`return redis.call('type', KEYS[1]);`)),
	s("redisson-unlock", lines(
		`if (redis.call('hexists', KEYS[1], ARGV[1]) == 0) then return nil; end;`,
		`local counter = redis.call('hincrby', KEYS[1], ARGV[1], -1);`,
		`if (counter > 0) then`, `  redis.call('pexpire', KEYS[1], 50000000); return 0;`,
		`else`, `  redis.call('del', KEYS[1]); redis.call('publish', 'c', 0); return 1;`, `end;`)),
	s("fence", `if redis.call("set",KEYS[1],ARGV[1],"NX","PX",700000) then return redis.call("incr","fence") end return false`),
	s("cas", lines(`local v = redis.call("get", KEYS[1])`, `if not v or v == ARGV[1] then`,
		`  return redis.call("set", KEYS[1], ARGV[2])`, `end`, `return {v, false, 3.7}`)),
	s("half", lines(`redis.call("set", KEYS[1], ARGV[1])`, `redis.call("incr", KEYS[1])`, `return 7`)),
	s("half-then-error", lines(`redis.call("hset", "h", "f", ARGV[2])`, `error("boom " .. ARGV[1])`)),
	s("soft", lines(`local r = redis.pcall("incr", KEYS[1])`,
		`if type(r) == "table" then return r.err end`, `return r + 0.9`)),
	s("pcall", lines(`local ok, e = pcall(redis.call, "hget", KEYS[1], "f")`, `return {tostring(ok), e}`)),
	s("reply-error", `return redis.error_reply("DENIED " .. ARGV[1])`),
	s("reply-word", `return redis.error_reply(ARGV[1])`),
	s("reply-status", `return redis.status_reply(ARGV[1])`),
	s("reply-bad", `return redis.status_reply(1)`),
	s("table-error", `error({err="MINE " .. KEYS[1]})`),
	s("error-level", `error("x", 0)`),
	s("error-number", `error(12)`),
	s("assert", `assert(ARGV[1] == "1", "not one")`),
	s("sum", `return tonumber(ARGV[1]) + 1`, true),
	s("numbers", `return {1, 2.5, -3.99, 1e15, 2^53, true, false, "x", nil, 9}`),
	s("huge", `return {1e300, -1e300, 0/0, -0.0}`),
	s("nested", `return {{1, {2, {ok="fine"}}}, {err="E x"}, {}}`),
	s("float-argument", lines(`redis.call("set", KEYS[1], 1.5 * ARGV[2])`, `return redis.call("get", KEYS[1])`), true),
	s("number-texts", lines(`local r = {}`, `for i, v in ipairs({0.1, 1e17, -1.25, 123456789012345, 1/3, 100, 1e-7}) do`,
		`  redis.call("set", KEYS[1], v) r[i] = redis.call("get", KEYS[1])`, `end`, `return r`)),
	s("tostrings", `return {tostring(0.1), tostring(1e15), tostring(1/3), tostring(nil), tostring(true), tostring(12), tostring(1/0)}`),
	s("tonumbers", lines(`local r = {}`, `for i, v in ipairs({"0x10", " 12 ", "1e3", "010", "12abc", "", "-5", ".5", "1_0", "+3"}) do`,
		`  r[i] = tostring(tonumber(v))`, `end`, `return r`)),
	s("formats", `return {string.format("%d|%5.2f|%s|%x|%q|%5s|%-5s|%%|%g|%03d", 3.0, 1.5, "a", 255, 'b"c', "d", "e", 0.1, 7)}`),
	s("strings", `return {string.rep("ab", 3), ("x"):upper(), #ARGV[1], string.sub("hello", 2, -2), string.find("a.b", ".", 1, true), (string.gsub("aXbX", "X", "-"))}`),
	s("unpack", `return {unpack({KEYS[1], ARGV[1], ARGV[2]})}`),
	s("tables", lines(`local t = {3, 1, 2}`, `table.sort(t)`, `table.insert(t, 9)`,
		`local s = 0`, `for i = 1, #t do s = s + t[i] end`, `return {s, table.concat(t, ","), select("#", unpack(t))}`)),
	s("counts", `return {#KEYS, #ARGV, KEYS[2] == nil, ARGV[3] == nil}`),
	s("args-are-mine", lines(`KEYS[1] = "other"`, `ARGV[9] = "x"`, `return {KEYS[1], #KEYS}`)),
	s("closure", lines(`local n = 0`, `local function up() n = n + 1 return n end`, `up() up()`, `return up()`)),
	s("no-global", `return x`),
	s("no-global-line", lines(`local a = 1`, `return b.c`)),
	s("set-global", `x = 1`),
	s("set-known-global", `KEYS = 1`),
	s("set-redis", `redis.x = 1`),
	s("set-string", `string.rep = nil`),
	s("set-raw", `rawset(_G, "a", 1)`),
	s("no-print", `print("x")`),
	s("no-os", `return os.clock()`),
	s("unknown", `return redis.call("nonsense", KEYS[1])`),
	s("unknown-soft", `return redis.pcall("nonsense", KEYS[1])`),
	s("arity", `return redis.call("set", KEYS[1])`),
	s("forbidden", `return redis.call("eval", "return 1", 0)`),
	s("forbidden-wait", `return redis.call("wait", 1, 0)`),
	s("forbidden-arity", `return redis.call("wait")`),
	s("no-arguments", `return redis.call()`),
	s("nil-argument", `return redis.call("get", KEYS[7])`),
	s("bool-argument", `return redis.call("set", KEYS[1], true)`),
	s("syntax-option", `return redis.call("set", KEYS[1], "v", "FOO")`),
	s("bad-expiry", `return redis.call("setex", KEYS[1], 0, "v")`),
	s("wrong-type", lines(`local function f()`, `  return redis.call("incr", KEYS[1])`, `end`,
		`redis.call("del", KEYS[1])`, `redis.call("hset", KEYS[1], "f", 1)`, `return f()`)),
	s("many-arguments", `return redis.call("del", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", KEYS[1])`),
	s("expire-past", `return redis.call("pexpireat", KEYS[1], 5) + redis.call("exists", KEYS[1])`),
	s("arithmetic", `return 1 + nil`, true),
	s("index", lines(`local t = {}`, ``, `return t.a.b`), true),
	s("error-after-caught", lines(`pcall(error, {err="first"})`, `pcall(redis.call, "nonsense")`, ``, `return KEYS.a.b`), true),
	s("call-nil", lines(`local f`, `return f()`), true),
	s("compare", `return {} < 1`, true),
	s("compile", `return (`, true),
	s("compile-line", lines(`local a = 1`, `local = 2`, `return a`), true),
	s("empty", ``),
	s("hgetall", lines(`redis.call("del", KEYS[1])`, `redis.call("hset", KEYS[1], "b", 1, "a", 2)`, `return redis.call("hgetall", KEYS[1])`)),
	s("status-type", `local r = redis.call("set", KEYS[1], "v") return {type(r), r.ok, r}`),
	s("sha", `return redis.sha1hex(ARGV[1])`),
	s("big-number", `redis.call("set", KEYS[1], "9007199254740993") return redis.call("incr", KEYS[1])`),
	s("newline", `return {err="A b\nc\n"}`),
	s("newline-status", `return {ok="A b\nc\n"}`),
	s("newline-word", `return redis.error_reply("A\nB c\n")`),
	// a fair lock: the queue is a list, each waiter's patience ends at its score
	s("fair-take", lines(
		`local now, patience = tonumber(ARGV[2]) or 3, 5`,
		`while true do`,
		`  local head = redis.call("lindex", "q", 0)`,
		`  if not head then break end`,
		`  local till = redis.call("zscore", "z", head)`,
		`  if till and tonumber(till) > now then break end`,
		`  redis.call("zrem", "z", head) redis.call("lpop", "q")`,
		`end`,
		`if redis.call("exists", KEYS[1]) == 0 and (redis.call("exists", "q") == 0 or redis.call("lindex", "q", 0) == ARGV[1]) then`,
		`  redis.call("lpop", "q") redis.call("zrem", "z", ARGV[1])`,
		`  for _, waiter in ipairs(redis.call("zrange", "z", 0, -1)) do redis.call("zincrby", "z", -patience, waiter) end`,
		`  redis.call("hset", KEYS[1], ARGV[1], 1)`,
		`  redis.call("pexpire", KEYS[1], 30000000)`,
		`  return nil`,
		`end`,
		`local last = redis.call("lindex", "q", -1)`,
		`local till = last and redis.call("zscore", "z", last) or redis.call("hlen", KEYS[1])`,
		`if redis.call("zadd", "z", till + patience + now, ARGV[1]) == 1 then redis.call("rpush", "q", ARGV[1]) end`,
		`return till`)),
	s("fair-leave", lines(
		`local queue = redis.call("lrange", "q", 0, -1)`, `local at = 1`,
		`while at <= #queue and queue[at] ~= ARGV[1] do at = at + 1 end`,
		`for i = at + 1, #queue do redis.call("zincrby", "z", -tonumber(ARGV[2]), queue[i]) end`,
		`return {redis.call("zrem", "z", ARGV[1]), redis.call("lrem", "q", 0, ARGV[1]), #queue}`), true),
	s("permits", lines(
		`redis.call("zadd", "z", 7, "p1", 9, "p2", 8, ARGV[1])`,
		`local gone = redis.call("zrangebyscore", "z", 0, 8, "limit", 0, 2)`,
		`if #gone > 0 then redis.call("zrem", "z", unpack(gone)) end`,
		`local next = redis.call("zrange", "z", 0, 0, "WITHSCORES")`,
		`return {#gone, redis.call("incrby", KEYS[1], #gone), next[1], next[2], redis.call("zcard", "z")}`)),
	s("all-or-nothing", lines(
		`local pairs = {}`,
		`for _, key in ipairs({KEYS[1], "many"}) do table.insert(pairs, key) table.insert(pairs, ARGV[1]) end`,
		`if redis.call("msetnx", unpack(pairs)) == 1 then return redis.status_reply("OK") end`,
		`return {redis.call("mget", KEYS[1], "many", "none"), redis.call("getrange", "many", 0, 0)}`)),
	s("readers", lines(
		`if redis.call("type", KEYS[1]).ok ~= "hash" then redis.call("del", KEYS[1]) redis.call("hset", KEYS[1], "mode", "read") end`,
		`local n = redis.call("hincrby", KEYS[1], "reader", 1)`,
		`redis.call("set", KEYS[1] .. ":" .. n, 1, "px", 5000)`,
		`redis.call("pexpire", KEYS[1], math.max(600000000, "700000000"))`,
		`local most = -3`,
		`for _, name in ipairs(redis.call("hkeys", KEYS[1])) do`,
		`  local count = tonumber(redis.call("hget", KEYS[1], name))`,
		`  if type(count) == "number" then most = math.max(most, count) end`,
		`end`,
		`return {most, redis.call("hmget", KEYS[1], "mode", "none"), redis.call("hvals", KEYS[1])}`), true),
	s("score-is-text", `redis.call("del", "z") redis.call("zadd", "z", 10, ARGV[1]) local v = redis.call("zscore", "z", ARGV[1]) return {v, type(v), v - 3, v < "9"}`),
	s("no-element", `return {tostring(redis.call("lindex", "none", 0)), tostring(redis.call("lpop", "none")), #redis.call("lrange", "none", 0, -1), tostring(redis.call("zscore", "none", "m"))}`),
	s("wrong-list", `return redis.call("lpush", KEYS[1], ARGV[1], 7, ARGV[2])`),
	s("wrong-score", `return redis.call("zadd", KEYS[1], ARGV[1], "m")`),
	s("wrong-pairs", `return redis.call("mset", KEYS[1], 1, "many")`),
	s("forbidden-multi", `return redis.call("multi")`),
	s("getdel", `return {redis.call("getdel", KEYS[1]), redis.call("exists", KEYS[1])}`),
	s("microseconds", `local us = 1700000000123 * 1000 + 456 return {us .. ":" .. KEYS[1], "n" .. 1/3, 0.1 + 0.2 .. "", 1e14 .. "|" .. 99999999999999, us}`),
	s("numbers-as-texts", `local n = 1e15 / 7 return {table.concat({n, 1e15, "x"}, ","), table.concat({n, 8, n}, "-", 2, 3), string.len(n), string.sub(n, 1, 9), string.rep(1e15, 2), n .. "" == tostring(n), string.find(1e15, "+", 1, true)}`),
	s("concat-nested", lines(`local t = {n = 2e14}`, `local f = function(...) return select("#", ...) .. (... or "none") .. t.n .. -t.n end`,
		`return {f(), f(1e15, 2), (f(ARGV[1])), #(1 .. 2), "a" .. (1 .. 1e20)}`)),
	s("concat-nil", lines(`local a = "x"`, `return a .. redis.call("get", "none-at-all")`), true),
	s("concat-empty", lines(`local f = function() end`, ``, `return "x" .. f()`), true),
	s("huge-is-infinite", `return {tostring(math.huge), tostring(-math.huge), math.huge, math.min(math.huge, 5)}`),
	s("infinite-score", `redis.call("del", "z") redis.call("zadd", "z", 3, "m") return redis.call("zrangebyscore", "z", -math.huge, math.huge)`),
	s("cases", `return {string.upper("aé"), ("É"):lower(), ("Zz1[`+"`"+`"):upper(), ("Zz1@"):lower()}`),
	s("format-false", `return string.format("%s:%s", KEYS[1], redis.call("get", "none-at-all"))`, true),
	s("format-numbers", `return string.format("%s|%s|%5s|%-9s|", 1e15, 0.1 + 0.2, 7, 1/3)`),
	s("keep", `redis.call("set", KEYS[1], "v", "px", 90000000) redis.call("set", KEYS[1], "w", "keepttl", "get") return redis.call("persist", KEYS[1])`),
}

func s(name, source string, anyText ...bool) *testScript {
	return &testScript{Script: Script{Name: name, Source: source}, anyText: len(anyText) > 0}
}
