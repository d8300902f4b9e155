package redis

import (
	"math"
	"math/bits"

	lua "github.com/yuin/gopher-lua"
)

// This file holds what Redis adds to Lua beside redis.call: the rest of the table redis, the library
// bit, and random numbers that are the same in every life of a server.

// notModelled are the globals that scripts of a real server have and those here have not. A script
// that reads one ends the run: an error of the script would be taken for the lock's.
var notModelled = map[string]bool{
	"cjson": true, "cmsgpack": true, "struct": true, "coroutine": true,
	"collectgarbage": true, "gcinfo": true, "load": true, "loadstring": true,
}

// lacks are the functions of libraries of which the same is true.
var lacks = map[string][]string{
	"redis":  {"acl_check_cmd"},
	"string": {"dump"},
	"table":  {"foreach", "foreachi", "setn"},
}

// beyond ends the run, wherever in the script it is called: pcall and xpcall do not hold it up.
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

// redisVersion is the server that the model is compared with.
const redisVersion, redisVersionNumber = "7.0.15", 0x0007000f

// fillRedis adds to the table redis what is not a command.
func (vm *interpreter) fillRedis(t *lua.LTable) {
	for _, f := range []struct {
		name string
		do   lua.LGFunction
	}{
		{"log", vm.luaLog}, {"setresp", vm.luaSetResp}, {"set_repl", vm.luaSetRepl},
		{"replicate_commands", luaTrue}, {"breakpoint", luaFalse}, {"debug", luaNothing},
	} {
		t.RawSetString(f.name, vm.state.NewFunction(f.do))
	}
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
}

func luaNothing(*lua.LState) int    { return 0 }
func luaTrue(state *lua.LState) int { state.Push(lua.LTrue); return 1 }

// luaFalse is redis.breakpoint without a debugger.
func luaFalse(state *lua.LState) int { state.Push(lua.LFalse); return 1 }

// luaLog is redis.log: there is no server log here, but a wrong call is an error.
func (vm *interpreter) luaLog(state *lua.LState) int {
	level, isNumber := luaWhole(state.Get(1))
	switch {
	case state.GetTop() < 2:
		vm.raise(state, vm.errorTable("ERR redis.log() requires two arguments or more."))
	case !isNumber:
		vm.raise(state, vm.errorTable("ERR First argument must be a number (log level)."))
	case level < 0 || level > 3:
		vm.raise(state, vm.errorTable("ERR Invalid debug level."))
	}
	return 0
}

// luaSetResp is redis.setresp: replies have the form of version 2 anyway.
func (vm *interpreter) luaSetResp(state *lua.LState) int {
	version, _ := luaWhole(state.Get(1))
	switch {
	case state.GetTop() != 1:
		vm.raise(state, vm.errorTable("ERR redis.setresp() requires one argument."))
	case version == 3:
		vm.beyond("redis.setresp(3)")
	case version != 2:
		vm.raise(state, vm.errorTable("ERR RESP version must be 2 or 3."))
	}
	return 0
}

// replAll is redis.REPL_ALL.
const replAll = 3

// luaSetRepl is redis.set_repl: all effects are replicated anyway.
func (vm *interpreter) luaSetRepl(state *lua.LState) int {
	flags, _ := luaWhole(state.Get(1))
	switch {
	case state.GetTop() != 1:
		vm.raise(state, vm.errorTable("ERR redis.set_repl() requires two arguments."))
	case flags < 0 || flags > replAll:
		vm.raise(state, vm.errorTable(
			"ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE."))
	case flags != replAll:
		vm.beyond("redis.set_repl for some of the copies only")
	}
	return 0
}

// luaWhole is lua_tonumber, cut to a whole number: a text may be a number, too.
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

// luck is the generator of math.random, that of drand48: each script goes on where the last one of the
// server's life has stopped (rand.c).
type luck uint64

const (
	firstLuck luck = 0x1234_abcd_330e
	luckLimit      = math.MaxInt32
)

// seeded begins with a number of 32 bits.
func seeded(n int32) luck { return luck(uint32(n))<<16 + 0x330e }

func (l *luck) next() float64 {
	*l = (*l*0x5deece66d + 0xb) & (1<<48 - 1)
	return float64(*l>>17%luckLimit) / luckLimit
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

// luaNumberAt is luaL_checknumber: a text that is a number is one.
func luaNumberAt(state *lua.LState, i int) float64 {
	if text, ok := state.Get(i).(lua.LString); ok {
		if n, valid := parseLuaNumber(string(text), 10); valid {
			return n
		}
	}
	return float64(state.CheckNumber(i))
}

// luaInt is luaL_checkint: what does not fit into 32 bits loses the others.
func luaInt(state *lua.LState, i int) int32 { return int32(truncate(luaNumberAt(state, i))) }

// luaBits is an argument of the library bit: the lowest 32 bits of the nearest whole number (lua_bit.c).
func luaBits(state *lua.LState, i int) uint32 {
	const toLowBits = 1<<52 + 1<<51
	return uint32(math.Float64bits(luaNumberAt(state, i) + toLowBits))
}

// bitLibrary is the library bit, whose results are signed.
func (vm *interpreter) bitLibrary() *lua.LTable {
	t := vm.state.NewTable()
	add := func(name string, do func(state *lua.LState) uint32) {
		t.RawSetString(name, vm.state.NewFunction(func(state *lua.LState) int {
			state.Push(lua.LNumber(int32(do(state))))
			return 1
		}))
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
	t.RawSetString("tohex", vm.state.NewFunction(luaToHex))
	return t
}

// luaToHex is bit.tohex: so many digits, in capitals when that is negative.
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
