package redis

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Numbers are floats in Lua and integers in Redis. The floats in this file are only
// formatted and truncated: a multiplication and an addition in one expression could
// differ between builds.

// deepestReply bounds nested tables; Redis runs out of Lua stack instead.
const deepestReply = 200

var errDeepReply error = ServerError("ERR reached lua stack limit")

// mostElements bounds the elements of a reply. A table that contains itself twice has
// exponentially many, and Redis runs out of memory.
const mostElements = 1 << 16

var errLargeReply error = ServerError(
	"ERR the script's reply has more than " + strconv.Itoa(mostElements) + " elements")

// toReply converts what a script returns (luaReplyToRedisReply in script_lua.c):
// a number is truncated, false is nil, a table is an error, a status, or a list
// that ends at its first nil.
func toReply(v lua.LValue) Reply {
	left := mostElements
	reply := partReply(v, 0, &left)
	if left < 0 {
		return Failed(errLargeReply)
	}
	return reply
}

// partReply converts a part of what a script returns; left is how many elements the
// reply may still have, negative when it has too many.
func partReply(v lua.LValue, depth int, left *int) Reply {
	switch v := v.(type) {
	case lua.LNumber:
		return Int(truncate(float64(v)))
	case lua.LString:
		return Bulk(string(v))
	case lua.LBool:
		if v {
			return Int(1)
		}
		return Reply{}
	case *lua.LTable:
		return tableReply(v, depth, left)
	}
	return Reply{}
}

// tableReply converts a table.
func tableReply(t *lua.LTable, depth int, left *int) Reply {
	if depth >= deepestReply {
		return Failed(errDeepReply)
	}
	if text, ok := errField(t); ok {
		return Failed(ServerError(oneLine(string(text))))
	}
	if text, ok := t.RawGetString("ok").(lua.LString); ok {
		return Status(blankLineEnds.Replace(string(text))) // sdsmapchars in luaReplyToRedisReply
	}
	for _, name := range [...]string{"double", "map", "set", "big_number", "verbatim_string"} {
		if v := t.RawGetString(name); v != lua.LNil {
			unmodelled("a reply of a script with the field " + name)
		}
	}
	var elements []Reply
	for i := 1; ; i++ {
		v := t.RawGetInt(i)
		if *left--; v == lua.LNil || *left < 0 {
			return List(elements)
		}
		elements = append(elements, partReply(v, depth+1, left))
	}
}

// fromReply converts the reply of a command for Lua: nil is false, a status and
// an error are tables (redisProtocolToLuaType).
func (vm *interpreter) fromReply(r Reply) lua.LValue {
	switch r.Kind {
	case ReplyInt:
		if r.Int >= 0 && r.Int < int64(len(smallNumbers)) {
			return smallNumbers[r.Int]
		}
		return lua.LNumber(r.Int)
	case ReplyBulk:
		return vm.text(r.Str)
	case ReplyStatus:
		return vm.statusTable(vm.text(r.Str))
	case ReplyArray:
		elements := r.Elements()
		t := vm.state.CreateTable(len(elements), 0)
		for i := range elements {
			t.RawSetInt(i+1, vm.fromReply(elements[i]))
		}
		return t
	case ReplyError:
		return vm.errorTable(r.Err.Error())
	}
	return lua.LFalse
}

// statusTable is a status in Lua: a table with the field ok. Its size is given because
// gopher-lua's default is room for 32 fields.
func (vm *interpreter) statusTable(text lua.LValue) *lua.LTable {
	t := vm.state.CreateTable(0, 1)
	t.RawSetString("ok", text)
	return t
}

// smallNumbers saves boxing the usual replies.
var smallNumbers = func() (n [64]lua.LValue) {
	for i := range n {
		n[i] = lua.LNumber(i)
	}
	return n
}()

// withCode gives an error text a code. "-CODE text" and "CODE text" have one; a
// single word gets ERR (redis.error_reply in script_lua.c).
func withCode(text string) string {
	text = strings.TrimPrefix(text, "-")
	if !strings.Contains(text, " ") {
		text = "ERR " + text
	}
	return strings.TrimRight(text, "\r\n")
}

// truncate is the C cast of a double to long long as amd64 does it: towards zero,
// and the smallest integer if the value does not fit, which Go leaves undefined.
func truncate(f float64) int64 {
	if f >= -9223372036854775808.0 && f < 9223372036854775808.0 {
		return int64(f)
	}
	return math.MinInt64
}

// numberArg is a Lua number as an argument of redis.call, in the format %.17g.
func numberArg(f float64) Arg {
	if n, ok := wholeNumber(f, 1e15); ok {
		return Arg{Num: n, IsNum: true}
	}
	return Arg{Text: formatG(f, 17)}
}

// luaNumber is a number as Lua shows it, in the format %.14g.
func luaNumber(f float64) string {
	if n, ok := wholeNumber(f, 1e14); ok {
		return strconv.FormatInt(n, 10)
	}
	return formatG(f, 14)
}

// wholeNumber is a number that is shown with its digits only: whole, below a limit, not minus zero.
func wholeNumber(f, limit float64) (int64, bool) {
	if f > -limit && f < limit && f == float64(int64(f)) && (f != 0 || !math.Signbit(f)) {
		return int64(f), true
	}
	return 0, false
}

// formatG is %.<digits>g of C.
func formatG(f float64, digits int) string {
	if math.IsNaN(f) && math.Signbit(f) {
		return "-nan"
	}
	text := strconv.FormatFloat(f, 'g', digits, 64)
	return strings.ToLower(strings.TrimPrefix(text, "+")) // NaN, +Inf
}

// parseLuaNumber is luaO_str2d for base 10, which takes blanks around, exponents
// and hexadecimal; for other bases it is strtoul.
func parseLuaNumber(text string, base int) (float64, bool) {
	text = strings.Trim(text, " \t\n\v\f\r")
	if base != 10 {
		if base == 16 {
			text = strings.TrimPrefix(strings.ToLower(text), "0x")
		}
		n, err := strconv.ParseUint(text, base, 64)
		return float64(n), err == nil
	}
	lower := strings.ToLower(text)
	if digits, ok := strings.CutPrefix(strings.TrimPrefix(lower, "-"), "0x"); ok {
		n, err := strconv.ParseUint(digits, 16, 64)
		if strings.HasPrefix(lower, "-") {
			return -float64(n), err == nil
		}
		return float64(n), err == nil
	}
	if strings.ContainsAny(lower, "_p") {
		return 0, false // Go's own notations
	}
	f, err := strconv.ParseFloat(lower, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}
