package redis

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Where Lua takes a number for a text, it formats it as tostring does: 1700000000000 * 1000 .. ""
// is 1.7e+15, so tokens of microseconds are all the same. gopher-lua writes out all digits, and has
// no hook for it. So each operand of .. goes through a function, and so do the subjects of the
// libraries' functions.

// textOperand is the name of that function; no script can name it.
const textOperand = ".."

// luaOperand returns a number as a text, and anything else as it is.
func luaOperand(state *lua.LState) int {
	v := state.Get(1)
	if n, ok := v.(lua.LNumber); ok {
		v = lua.LString(luaNumber(float64(n)))
	}
	state.Push(v)
	return 1
}

// formatOperands calls it for each operand in a syntax tree, or in a part of one.
func formatOperands(part reflect.Value) {
	switch part.Kind() {
	case reflect.Pointer, reflect.Interface:
		if part.IsNil() {
			return
		}
		formatOperands(part.Elem())
		if concat, ok := part.Interface().(*ast.StringConcatOpExpr); ok && part.Kind() == reflect.Pointer {
			concat.Lhs, concat.Rhs = formatOperand(concat.Lhs), formatOperand(concat.Rhs)
		}
	case reflect.Struct:
		for i := range part.NumField() {
			if part.Type().Field(i).IsExported() {
				formatOperands(part.Field(i))
			}
		}
	case reflect.Slice:
		for i := range part.Len() {
			formatOperands(part.Index(i))
		}
	}
}

func formatOperand(e ast.Expr) ast.Expr {
	switch e.(type) {
	case *ast.StringExpr, *ast.StringConcatOpExpr: // texts already
		return e
	}
	call := &ast.FuncCallExpr{Func: &ast.IdentExpr{Value: textOperand}, Args: []ast.Expr{e}, AdjustRet: true}
	for _, node := range []ast.PositionHolder{call, call.Func} {
		node.SetLine(e.Line())
		node.SetLastLine(e.LastLine())
	}
	return call
}

// formatting is a function of a library whose first argument is a text, or a table of texts, with a
// number formatted.
func (vm *interpreter) formatting(do lua.LGFunction) lua.LGFunction {
	return func(state *lua.LState) int {
		switch v := state.Get(1).(type) {
		case lua.LNumber:
			state.Replace(1, lua.LString(luaNumber(float64(v))))
		case *lua.LTable:
			if state.OptInt(3, 1) < 1 { // gopher-lua finds nothing there
				vm.beyond("table.concat from an index below 1")
			}
			texts := state.NewTable()
			v.ForEach(func(key, element lua.LValue) { // order: each has its key
				if n, ok := element.(lua.LNumber); ok {
					element = lua.LString(luaNumber(float64(n)))
				}
				texts.RawSet(key, element)
			})
			state.Replace(1, texts)
		}
		return do(state)
	}
}

// changeCase is string.upper and string.lower, which know the letters of ASCII only.
func changeCase(first, last byte) lua.LGFunction {
	return func(state *lua.LState) int {
		text := []byte(state.CheckString(1))
		for i, c := range text {
			if first <= c && c <= last {
				text[i] ^= 'a' - 'A'
			}
		}
		state.Push(lua.LString(text))
		return 1
	}
}
