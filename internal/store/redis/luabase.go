package redis

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The functions of Lua's base library that must differ from gopher-lua's: because
// Redis changes them, because gopher-lua deviates from Lua 5.1, or because they would
// show addresses, which no replay can repeat.

// luaError is error. As in Lua, a text is prefixed with the position; unlike in
// gopher-lua, the reply also has the position of a table or of level 0.
func (vm *interpreter) luaError(state *lua.LState) int {
	v := state.Get(1)
	level := state.OptInt(2, 1)
	if _, ok := v.(lua.LNumber); ok {
		v = lua.LString(luaText(v)) // lua_isstring is true of numbers
	}
	if text, ok := v.(lua.LString); ok && level > 0 {
		v = lua.LString(position(state, level)) + text
	}
	vm.raise(state, v)
	return 0
}

// position is "user_script:12: ", the place of the function at a level; "" when
// that is not a Lua function (luaL_where).
func position(state *lua.LState, level int) string {
	line, _ := lineAt(state, level)
	if line == 0 {
		return ""
	}
	return chunkName + ":" + strconv.Itoa(line) + ": "
}

// luaAssert is assert.
func (vm *interpreter) luaAssert(state *lua.LState) int {
	if state.ToBool(1) {
		return state.GetTop()
	}
	message := state.OptString(2, "assertion failed!")
	vm.raise(state, lua.LString(position(state, 1)+message))
	return 0
}

// luaProtectedCall is pcall as changed by Redis 7.0 (luaRedisPcall): an error table
// with a text is returned as the text.
func luaProtectedCall(state *lua.LState) int {
	state.CheckAny(1)
	err := state.PCall(state.GetTop()-1, lua.MultRet, nil)
	if err == nil {
		state.Insert(lua.LTrue, 1)
		return state.GetTop()
	}
	failed := err.(*lua.ApiError)
	if failed.Type == lua.ApiErrorPanic {
		panic(failed) // a bug of ours, not of the script
	}
	v := failed.Object
	if t, ok := v.(*lua.LTable); ok {
		if text, ok := errField(t); ok {
			v = text
		}
	}
	state.Push(lua.LFalse)
	state.Push(v)
	return 2
}

// luaToString is tostring.
func luaToString(state *lua.LState) int {
	v := state.CheckAny(1)
	if f := state.GetMetaField(v, "__tostring"); f != lua.LNil {
		state.Push(f)
		state.Push(v)
		state.Call(1, 1)
		return 1
	}
	state.Push(lua.LString(luaText(v)))
	return 1
}

// luaText is a value as tostring shows it, but without the address of a table or a
// function, which would differ from run to run.
func luaText(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return luaNumber(float64(v))
	case lua.LBool, *lua.LNilType:
		return v.String()
	}
	return v.Type().String() + ": 0x0"
}

// luaToNumber is tonumber; gopher-lua's refuses exponents.
func luaToNumber(state *lua.LState) int {
	v := state.CheckAny(1)
	base := state.OptInt(2, 10)
	_, isNumber := v.(lua.LNumber)
	_, isText := v.(lua.LString)
	if base < 2 || base > 36 {
		state.ArgError(2, "base out of range")
	}
	result := lua.LValue(lua.LNil) //nolint:unconvert // an interface, not the value
	if isNumber && base == 10 {
		result = v
	} else if n, ok := parseLuaNumber(luaText(v), base); ok && (isNumber || isText) {
		result = lua.LNumber(n)
	}
	state.Push(result)
	return 1
}

// longestText bounds string.rep, so that a script cannot exhaust the memory.
const longestText = 1 << 20

// luaRepeat is string.rep.
func luaRepeat(state *lua.LState) int {
	text, n := state.CheckString(1), state.CheckInt(2)
	if n <= 0 || text == "" {
		state.Push(emptyText)
		return 1
	}
	if n > longestText/len(text) {
		state.RaiseError("resulting string too large")
	}
	state.Push(lua.LString(strings.Repeat(text, n)))
	return 1
}

// luaRawSet is rawset, which must not bypass a guard.
func (vm *interpreter) luaRawSet(state *lua.LState) int {
	t := state.CheckTable(1)
	if vm.isGuarded(t) {
		vm.raise(state, lua.LString(readOnlyTable))
	}
	state.RawSet(t, state.CheckAny(2), state.CheckAny(3))
	state.SetTop(1)
	return 1
}

// luaGetMetatable is getmetatable, which hides those of strings and guards.
func (vm *interpreter) luaGetMetatable(state *lua.LState) int {
	v := state.CheckAny(1)
	meta := lua.LValue(lua.LNil) //nolint:unconvert // an interface, not the value
	if t, ok := v.(*lua.LTable); ok && !vm.isGuarded(t) {
		meta = state.GetMetatable(t)
	}
	state.Push(meta)
	return 1
}

// luaSetMetatable is setmetatable, for tables that are not guarded.
func (vm *interpreter) luaSetMetatable(state *lua.LState) int {
	t := state.CheckTable(1)
	state.CheckTypes(2, lua.LTNil, lua.LTTable)
	if vm.isGuarded(t) {
		vm.raise(state, lua.LString(readOnlyTable))
	}
	state.SetMetatable(t, state.Get(2))
	state.SetTop(1)
	return 1
}
