package redis

import (
	"math"
	"math/bits"

	lua "github.com/yuin/gopher-lua"
)

// What Redis adds to Lua: the table redis, the library bit, and random numbers that are the same
// after each start of a server.

// notModelled are the globals that only a real server has. A script that reads one ends the run: an
// error of the script would be blamed on the lock.
var notModelled = map[string]bool{
	"cjson": true, "cmsgpack": true, "struct": true, "coroutine": true,
	"collectgarbage": true, "gcinfo": true, "load": true, "loadstring": true,
}

// lacks are the library functions that only a real server has.
var lacks = map[string][]string{
	"redis":  {"acl_check_cmd"},
	"string": {"dump"},
	"table":  {"foreach", "foreachi", "setn"},
}

// beyond ends the run over a feature that is not modelled; pcall and xpcall cannot stop it.
func (vm *interpreter) beyond(what string) {
	vm.lacked = what
	unmodelled(what)
}

// lacking is a function that the model does not have.
func (vm *interpreter) lacking(name string) lua.LGFunction {
	return func(*lua.LState) int {
		vm.beyond(name)
		return 0
	}
}

// redisVersion is the version of the server that the model is compared with.
const redisVersion, redisVersionNumber = "7.0.15", 0x0007000f

// redisLibrary is the table redis.
func (vm *interpreter) redisLibrary() *lua.LTable {
	t := vm.state.NewTable()
	errorOf := func(text lua.LString) *lua.LTable { return vm.errorTable(withCode(string(text))) }
	statusOf := func(text lua.LString) *lua.LTable { return vm.statusTable(text) }
	vm.define(t, []function{
		{"call", vm.luaCall}, {"pcall", vm.luaPCall},
		{"error_reply", vm.replying(errorOf)}, {"status_reply", vm.replying(statusOf)},
		{"sha1hex", vm.luaSHA1},
		{"log", vm.luaLog}, {"setresp", vm.luaSetResp}, {"set_repl", vm.luaSetRepl},
		{"replicate_commands", returning(lua.LTrue)},
		{"breakpoint", returning(lua.LFalse)}, // without a debugger
		{"debug", returning()},
	})
	for _, c := range []struct {
		name string
		n    lua.LNumber
	}{
		{"LOG_DEBUG", 0}, {"LOG_VERBOSE", 1}, {"LOG_NOTICE", 2}, {"LOG_WARNING", 3},
		{"REPL_NONE", 0}, {"REPL_AOF", 1}, {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2}, {"REPL_ALL", replAll},
		{"REDIS_VERSION_NUM", redisVersionNumber},
	} {
		t.RawSetString(c.name, c.n)
	}
	t.RawSetString("REDIS_VERSION", lua.LString(redisVersion))
	return t
}

// returning is a function that only returns values.
func returning(values ...lua.LValue) lua.LGFunction {
	return func(state *lua.LState) int {
		for _, v := range values {
			state.Push(v)
		}
		return len(values)
	}
}

// luaLog is redis.log: nothing is logged, but a wrong call is an error.
func (vm *interpreter) luaLog(state *lua.LState) int {
	level, isNumber := luaWhole(state.Get(1))
	switch {
	case state.GetTop() < 2:
		vm.fail(state, "ERR redis.log() requires two arguments or more.")
	case !isNumber:
		vm.fail(state, "ERR First argument must be a number (log level).")
	case level < 0 || level > 3:
		vm.fail(state, "ERR Invalid debug level.")
	}
	return 0
}

// luaSetResp is redis.setresp: replies have the form of version 2.
func (vm *interpreter) luaSetResp(state *lua.LState) int {
	version, _ := luaWhole(state.Get(1))
	switch {
	case state.GetTop() != 1:
		vm.fail(state, "ERR redis.setresp() requires one argument.")
	case version == 3:
		vm.beyond("redis.setresp(3)")
	case version != 2:
		vm.fail(state, "ERR RESP version must be 2 or 3.")
	}
	return 0
}

// replAll is redis.REPL_ALL.
const replAll = 3

// luaSetRepl is redis.set_repl: all effects are replicated.
func (vm *interpreter) luaSetRepl(state *lua.LState) int {
	flags, _ := luaWhole(state.Get(1))
	switch {
	case state.GetTop() != 1:
		vm.fail(state, "ERR redis.set_repl() requires two arguments.")
	case flags < 0 || flags > replAll:
		vm.fail(state, "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.")
	case flags != replAll:
		vm.beyond("redis.set_repl for some of the copies only")
	}
	return 0
}

// luaWhole is lua_tonumber, truncated to a whole number: a text may be a number, too.
func luaWhole(v lua.LValue) (int64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return truncate(float64(v)), true
	case lua.LString:
		n, ok := parseLuaNumber(string(v), 10)
		return truncate(n), ok
	}
	return 0, false
}

// rand48 is the generator of math.random, that of drand48: each script continues where the last one
// since the start of the server has stopped (rand.c).
type rand48 uint64

const (
	firstRand rand48 = 0x1234_abcd_330e
	randLimit        = math.MaxInt32
)

// seeded begins with a number of 32 bits.
func seeded(n int32) rand48 { return rand48(uint32(n))<<16 + 0x330e }

func (r *rand48) next() float64 {
	*r = (*r*0x5deece66d + 0xb) & (1<<48 - 1)
	return float64(*r>>17%randLimit) / randLimit
}

// luaRandom is math.random.
func (vm *interpreter) luaRandom(state *lua.LState) int {
	r, low, high := vm.store.rng.next(), int32(1), int32(0)
	switch state.GetTop() {
	case 0:
		state.Push(lua.LNumber(r))
		return 1
	case 1:
		if high = luaInt(state, 1); high < 1 {
			state.ArgError(1, "interval is empty")
		}
	case 2:
		low, high = luaInt(state, 1), luaInt(state, 2)
		if low > high {
			state.ArgError(2, "interval is empty")
		}
	default:
		state.RaiseError("wrong number of arguments")
	}
	state.Push(lua.LNumber(math.Floor(r*float64(high-low+1)) + float64(low)))
	return 1
}

// luaRandomSeed is math.randomseed.
func (vm *interpreter) luaRandomSeed(state *lua.LState) int {
	vm.store.rng = seeded(luaInt(state, 1))
	return 0
}

// luaNumberAt is luaL_checknumber: a text may be a number, too.
func luaNumberAt(state *lua.LState, i int) float64 {
	if text, ok := state.Get(i).(lua.LString); ok {
		if n, valid := parseLuaNumber(string(text), 10); valid {
			return n
		}
	}
	return float64(state.CheckNumber(i))
}

// luaInt is luaL_checkint: the lowest 32 bits of the whole number.
func luaInt(state *lua.LState, i int) int32 { return int32(truncate(luaNumberAt(state, i))) }

// luaBits is an argument of the library bit: the lowest 32 bits of the nearest whole number
// (lua_bit.c).
func luaBits(state *lua.LState, i int) uint32 {
	const toLowBits = 1<<52 + 1<<51
	return uint32(math.Float64bits(luaNumberAt(state, i) + toLowBits))
}

// bitLibrary is the library bit, whose results are signed.
func (vm *interpreter) bitLibrary() *lua.LTable {
	t := vm.state.NewTable()
	add := func(name string, do func(state *lua.LState) uint32) {
		vm.define(t, []function{{name, func(state *lua.LState) int {
			state.Push(lua.LNumber(int32(do(state))))
			return 1
		}}})
	}
	fold := func(name string, do func(a, b uint32) uint32) {
		add(name, func(state *lua.LState) uint32 {
			x := luaBits(state, 1)
			for i := 2; i <= state.GetTop(); i++ {
				x = do(x, luaBits(state, i))
			}
			return x
		})
	}
	shift := func(name string, do func(x uint32, n int) uint32) {
		add(name, func(state *lua.LState) uint32 { return do(luaBits(state, 1), int(luaBits(state, 2)&31)) })
	}
	add("tobit", func(state *lua.LState) uint32 { return luaBits(state, 1) })
	add("bnot", func(state *lua.LState) uint32 { return ^luaBits(state, 1) })
	add("bswap", func(state *lua.LState) uint32 { return bits.ReverseBytes32(luaBits(state, 1)) })
	fold("band", func(a, b uint32) uint32 { return a & b })
	fold("bor", func(a, b uint32) uint32 { return a | b })
	fold("bxor", func(a, b uint32) uint32 { return a ^ b })
	shift("lshift", func(x uint32, n int) uint32 { return x << n })
	shift("rshift", func(x uint32, n int) uint32 { return x >> n })
	shift("arshift", func(x uint32, n int) uint32 { return uint32(int32(x) >> n) })
	shift("rol", bits.RotateLeft32)
	shift("ror", func(x uint32, n int) uint32 { return bits.RotateLeft32(x, -n) })
	vm.define(t, []function{{"tohex", luaToHex}})
	return t
}

// luaToHex is bit.tohex: the second argument is the number of digits, negative for capitals.
func luaToHex(state *lua.LState) int {
	x, n, digits := luaBits(state, 1), int32(8), "0123456789abcdef"
	if state.GetTop() > 1 {
		n = int32(luaBits(state, 2))
	}
	if n < 0 {
		n, digits = -n, "0123456789ABCDEF"
	}
	if n < 0 || n > 8 {
		n = 8
	}
	out := make([]byte, n)
	for i := range out {
		out[len(out)-1-i] = digits[x>>(4*i)&15]
	}
	state.Push(lua.LString(out))
	return 1
}
