package redis

import (
	"crypto/sha1"
	"encoding/hex"
	"maps"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// keptBase are the functions of Lua's base library that scripts may use as they
// are. Missing are those that would reach files, the process, the environment of other
// scripts or real time (print, dofile, getfenv ...), and those in notModelled.
var keptBase = []string{"ipairs", "next", "pairs", "rawequal", "rawget", "select", "type", "unpack", "xpcall"}

// function is a function for Lua and its name there.
type function struct {
	name string
	do   lua.LGFunction
}

// define adds functions to a table, in this order: pairs would show that of a map.
func (vm *interpreter) define(t *lua.LTable, functions []function) {
	for _, f := range functions {
		t.RawSetString(f.name, vm.state.NewFunction(f.do))
	}
}

// openLibraries builds the globals twice: plain ones for tame scripts, and
// guarded ones for all others. Scripts of all runs share one Lua state, and none
// may change what the next one sees.
func (vm *interpreter) openLibraries() {
	state := vm.state
	for _, open := range []lua.LGFunction{lua.OpenBase, lua.OpenTable, lua.OpenString, lua.OpenMath} {
		state.Push(state.NewFunction(open))
		state.Call(0, 0)
	}
	base := state.G.Global
	texts := vm.copyLibrary("string", map[string]lua.LGFunction{
		"format": luaFormat, "rep": luaRepeat, "upper": changeCase('a', 'z'), "lower": changeCase('A', 'Z'),
	})
	for _, name := range []string{"byte", "find", "gsub", "len", "lower", "match", "rep", "reverse", "sub", "upper"} {
		vm.define(texts, []function{{name, vm.formatting(texts.RawGetString(name).(*lua.LFunction).GFunction)}})
	}
	maths := vm.copyLibrary("math", map[string]lua.LGFunction{"random": vm.luaRandom, "randomseed": vm.luaRandomSeed})
	maths.RawSetString("huge", lua.LNumber(math.Inf(1)))
	concat := state.G.Global.RawGetString("table").(*lua.LTable).RawGetString("concat").(*lua.LFunction)
	tables := vm.copyLibrary("table", map[string]lua.LGFunction{
		"concat": vm.formatting(concat.GFunction),
		"insert": vm.sealed("table", "insert"),
		"remove": vm.sealed("table", "remove"),
		"sort":   vm.sealed("table", "sort"),
	})
	meta := state.NewTable() // of strings: ("x"):rep(3)
	meta.RawSetString("__index", texts)
	state.SetMetatable(lua.LString(""), meta)
	vm.tame, vm.wild = state.NewTable(), state.NewTable()
	guard := vm.guard(vm.wild)
	for _, globals := range []*lua.LTable{vm.tame, vm.wild} {
		for _, name := range keptBase {
			globals.RawSetString(name, base.RawGetString(name))
		}
		vm.define(globals, []function{
			{"assert", vm.luaAssert}, {"error", vm.luaError}, {"pcall", luaProtectedCall},
			{"tonumber", luaToNumber}, {"tostring", luaToString},
			{"rawset", vm.luaRawSet}, {"getmetatable", vm.luaGetMetatable},
			{"setmetatable", vm.luaSetMetatable}, {textOperand, luaOperand},
		})
		globals.RawSetString("_VERSION", lua.LString("Lua 5.1"))
	}
	libraries := []struct {
		name  string
		table *lua.LTable
	}{
		{"bit", vm.bitLibrary()}, {"math", maths}, {"redis", vm.redisLibrary()},
		{"string", texts}, {"table", tables},
	}
	for _, l := range libraries {
		for _, name := range lacks[l.name] {
			vm.define(l.table, []function{{name, vm.lacking(l.name + "." + name)}})
		}
		vm.tame.RawSetString(l.name, l.table)
		vm.wild.RawSetString(l.name, vm.guard(l.table))
	}
	vm.wild.RawSetString("_G", guard)
	missing := state.NewTable()
	vm.define(missing, []function{{"__index", vm.luaNoGlobal}})
	state.SetMetatable(vm.tame, missing)
	state.SetMetatable(vm.wild, missing)
	vm.tameKeys.table, vm.tameArgs.table = state.CreateTable(4, 0), state.CreateTable(8, 0)
	vm.tame.RawSetString("KEYS", vm.tameKeys.table)
	vm.tame.RawSetString("ARGV", vm.tameArgs.table)
}

// copyLibrary copies one of Lua's libraries in the order of its names, with functions of
// our own in place of some. The original is filled from a Go map, and pairs would show that.
func (vm *interpreter) copyLibrary(name string, own map[string]lua.LGFunction) *lua.LTable {
	original := vm.state.G.Global.RawGetString(name).(*lua.LTable)
	values := map[string]lua.LValue{}
	original.ForEach(func(k, v lua.LValue) { values[string(k.(lua.LString))] = v })
	delete(values, "__index")
	t := vm.state.NewTable()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if f := own[key]; f != nil {
			values[key] = vm.state.NewFunction(f)
		}
		t.RawSetString(key, values[key])
	}
	return t
}

// guard returns an empty table that reads through to another one and refuses to
// be changed. The first guard stands before the globals.
func (vm *interpreter) guard(t *lua.LTable) *lua.LTable {
	front, meta := vm.state.NewTable(), vm.state.NewTable()
	meta.RawSetString("__index", t)
	vm.define(meta, []function{{"__newindex", func(state *lua.LState) int {
		state.RaiseError(readOnlyTable)
		return 0
	}}})
	vm.state.SetMetatable(front, meta)
	vm.guarded = append(vm.guarded, front)
	return front
}

const readOnlyTable = "Attempt to modify a readonly table"

// isGuarded reports whether a value is a guard.
func (vm *interpreter) isGuarded(v lua.LValue) bool {
	t, ok := v.(*lua.LTable)
	return ok && slices.Contains(vm.guarded, t)
}

// sealed is a library function that refuses to change a guard.
func (vm *interpreter) sealed(library, name string) lua.LGFunction {
	f := vm.state.G.Global.RawGetString(library).(*lua.LTable).RawGetString(name).(*lua.LFunction).GFunction
	return func(state *lua.LState) int {
		if vm.isGuarded(state.Get(1)) {
			vm.raise(state, lua.LString(readOnlyTable))
		}
		return f(state)
	}
}

// luaNoGlobal is called when a script reads a global that does not exist.
func (vm *interpreter) luaNoGlobal(state *lua.LState) int {
	name := luaText(state.Get(2))
	if notModelled[name] {
		vm.beyond(name + " in a script")
	}
	state.RaiseError("Script attempted to access nonexistent global variable '%s'", name)
	return 0
}

// luaCall is redis.call: an error of the command ends the script.
func (vm *interpreter) luaCall(state *lua.LState) int {
	v, failed := vm.command(vm.stacked(state))
	if failed {
		vm.raise(state, v)
	}
	state.Push(v)
	return 1
}

// luaPCall is redis.pcall: an error of the command is returned as a table.
func (vm *interpreter) luaPCall(state *lua.LState) int {
	v, _ := vm.command(vm.stacked(state))
	state.Push(v)
	return 1
}

// stacked returns the arguments of a Lua call.
func (vm *interpreter) stacked(state *lua.LState) []lua.LValue {
	vm.stack = vm.stack[:0]
	for i := range state.GetTop() {
		vm.stack = append(vm.stack, state.Get(i+1))
	}
	return vm.stack
}

// command executes the command whose words are the arguments of a Lua call. The checks
// are in the order of luaRedisGenericCommand and scriptCall.
func (vm *interpreter) command(words []lua.LValue) (v lua.LValue, failed bool) {
	if len(words) == 0 {
		return vm.errorTable(errNoCommand), true
	}
	name, ok := wordArg(words[0])
	if !ok {
		return vm.errorTable(errArgType), true
	}
	text := name.String()
	return vm.execute(text, lookup(text), words[1:])
}

// execute executes a command, which is nil if its name is unknown.
func (vm *interpreter) execute(name string, c *command, words []lua.LValue) (v lua.LValue, failed bool) {
	vm.argv = vm.argv[:0]
	for _, word := range words {
		a, ok := wordArg(word)
		if !ok {
			return vm.errorTable(errArgType), true
		}
		vm.argv = append(vm.argv, a)
	}
	if low := strings.ToLower(name); c == nil && (lackedCommands[low] || newerCommands[low]) {
		vm.beyond(name + " in a script")
	}
	vm.asked = name
	reply := vm.store.scripted(c, vm.argv)
	vm.asked = ""
	return vm.fromReply(reply), reply.Kind == ReplyError
}

// wordArg returns a text or a number as a word of a command; false for anything else.
func wordArg(v lua.LValue) (a Arg, ok bool) {
	switch v := v.(type) {
	case lua.LString:
		return Arg{Text: string(v)}, true
	case lua.LNumber:
		return numberArg(float64(v)), true
	}
	return a, false
}

// scripted executes one command of a script.
func (s *Store) scripted(c *command, args []Arg) Reply {
	switch {
	case !s.knows(c):
		return Failed(errScriptUnknown)
	case !c.takes(len(args)):
		return Failed(errScriptArity)
	case c.noScript:
		return Failed(errScriptForbidden)
	case c.write && s.refuses() != nil:
		return Failed(s.refuses())
	}
	return s.run(c, args)
}

// The errors of redis.call (script.c and script_lua.c).
const (
	errNoCommand = "ERR Please specify at least one argument for this redis lib call"
	errArgType   = "ERR Lua redis lib command arguments must be strings or integers"
	errReplyArgs = "ERR wrong number or type of arguments"
)

var (
	errScriptUnknown   error = ServerError("ERR Unknown Redis command called from script")
	errScriptArity     error = ServerError("ERR Wrong number of args calling Redis command from script")
	errScriptForbidden error = ServerError("ERR This Redis command is not allowed from script")
)

// errorTable is an error in Lua: a table with the field err.
func (vm *interpreter) errorTable(text string) *lua.LTable {
	t := vm.state.CreateTable(0, 2)
	t.RawSetString("err", lua.LString(text))
	t.RawSetString("ignore_error_stats_update", lua.LTrue)
	return t
}

// replying is redis.error_reply or redis.status_reply: a function from a text to a table.
func (vm *interpreter) replying(table func(text lua.LString) *lua.LTable) lua.LGFunction {
	return func(state *lua.LState) int {
		text, ok := state.Get(1).(lua.LString)
		if ok && state.GetTop() == 1 {
			state.Push(table(text))
		} else {
			state.Push(vm.errorTable(errReplyArgs))
		}
		return 1
	}
}

// luaSHA1 is redis.sha1hex.
func (vm *interpreter) luaSHA1(state *lua.LState) int {
	if state.GetTop() != 1 {
		vm.fail(state, "ERR wrong number of arguments")
	}
	sum := sha1.Sum([]byte(luaText(state.Get(1))))
	state.Push(lua.LString(hex.EncodeToString(sum[:])))
	return 1
}
