package redis

import (
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// luaFormat is string.format (str_format in lstrlib.c). gopher-lua passes the format
// to Go's fmt, which shows addresses of tables and adds its own error messages.
func luaFormat(state *lua.LState) int {
	format := state.CheckString(1)
	var out strings.Builder
	arg := 1
	for {
		before, rest, found := strings.Cut(format, "%")
		out.WriteString(before)
		if !found {
			break
		}
		if strings.HasPrefix(rest, "%") {
			out.WriteByte('%')
			format = rest[1:]
			continue
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("-+ #0123456789.", r) })
		if end < 0 || end > 8 {
			state.RaiseError("invalid option '%%%s' to 'format'", rest)
		}
		arg++
		out.WriteString(formatOne(state, arg, rest[:end], rest[end]))
		format = rest[end+1:]
	}
	state.Push(lua.LString(out.String()))
	return 1
}

// formatOne formats one argument with the flags and the verb of a directive.
func formatOne(state *lua.LState, arg int, flags string, verb byte) string {
	directive := "%" + flags
	switch verb {
	case 'c':
		return string([]byte{byte(state.CheckInt(arg))})
	case 'd', 'i', 'u':
		return fmt.Sprintf(directive+"d", truncate(float64(state.CheckNumber(arg))))
	case 'o', 'x', 'X':
		return fmt.Sprintf(directive+string(rune(verb)), uint64(truncate(float64(state.CheckNumber(arg)))))
	case 'e', 'E', 'f':
		return fmt.Sprintf(directive+string(rune(verb)), float64(state.CheckNumber(arg)))
	case 'g', 'G':
		text := formatG(float64(state.CheckNumber(arg)), precisionOf(flags))
		if verb == 'G' {
			text = strings.ToUpper(text)
		}
		width, _, _ := strings.Cut(flags, ".")
		return fmt.Sprintf("%"+strings.Trim(width, "+ #0")+"s", text)
	case 'q':
		return quoteLua(state.CheckString(arg))
	case 's':
		text := state.CheckString(arg) // unlike later versions of Lua, this one takes neither false nor nil
		if n, ok := state.Get(arg).(lua.LNumber); ok {
			text = luaNumber(float64(n))
		}
		return fmt.Sprintf(directive+"s", text)
	}
	state.RaiseError("invalid option '%%%s' to 'format'", string(rune(verb)))
	return ""
}

// precisionOf reads the precision from the flags of %g; 6 when there is none.
func precisionOf(flags string) int {
	_, digits, found := strings.Cut(flags, ".")
	if !found {
		return 6
	}
	n, _ := strconv.Atoi(digits)
	return max(n, 1)
}

// quoteLua is %q.
func quoteLua(text string) string {
	return `"` + strings.NewReplacer(
		`"`, `\"`, `\`, `\\`, "\n", "\\\n", "\r", `\r`, "\x00", `\000`).Replace(text) + `"`
}
