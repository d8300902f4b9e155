package redis

import (
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"lockstep/internal/world"
)

func (t *translator) expression(x ast.Expr) expression {
	switch x := x.(type) {
	case *ast.NilExpr:
		return constant(value{})
	case *ast.FalseExpr:
		return constant(*no)
	case *ast.TrueExpr:
		return constant(*yes)
	case *ast.StringExpr:
		return constant(value{kind: isText, text: x.Value})
	case *ast.NumberExpr:
		return constant(value{kind: isNumber, number: t.number(x)})
	case *ast.IdentExpr:
		if n := t.find(x.Value); n != nil && n.does == nil {
			slot := n.slot
			return func(f *frame) *value { return &f.places[slot] }
		}
	case *ast.AttrGetExpr:
		return t.index(x)
	case *ast.FuncCallExpr:
		return t.call(x)
	case *ast.TableExpr:
		return t.list(x)
	case *ast.LogicalOpExpr:
		left, right, and := t.expression(x.Lhs), t.expression(x.Rhs), x.Operator == "and"
		return func(f *frame) *value {
			v := left(f)
			if v.holds() != and {
				return v
			}
			return right(f)
		}
	case *ast.UnaryNotOpExpr:
		of := t.expression(x.Expr)
		return func(f *frame) *value { return truth(!of(f).holds()) }
	case *ast.UnaryLenOpExpr:
		return t.length(x)
	case *ast.UnaryMinusOpExpr:
		of, out := t.expression(x.Expr), t.place()
		return func(f *frame) *value { return f.places[out].setNumber(-of(f).asNumber(f)) }
	case *ast.RelationalOpExpr:
		return t.comparison(x)
	case *ast.ArithmeticOpExpr:
		return t.arithmetic(x)
	case *ast.StringConcatOpExpr:
		return t.concatenation(x)
	}
	t.giveUp()
	return nil
}

func constant(v value) expression { return func(*frame) *value { return &v } }

// number is a constant in the form that all read alike.
func (t *translator) number(x *ast.NumberExpr) float64 {
	n, err := strconv.ParseFloat(x.Value, 64)
	octal := len(x.Value) > 1 && x.Value[0] == '0' && x.Value[1] != '.' // to gopher-lua
	if err != nil || octal || strings.Trim(x.Value, "0123456789.") != "" {
		t.giveUp()
	}
	return n
}

// global is the name of what an expression stands for, "table.insert", if a global of that name is meant.
func (t *translator) global(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.IdentExpr:
		if t.find(x.Value) == nil {
			return x.Value
		}
	case *ast.AttrGetExpr:
		if field, ok := x.Key.(*ast.StringExpr); ok {
			if of := t.global(x.Object); of != "" {
				return of + "." + field.Value
			}
		}
	}
	return ""
}

// arguments is KEYS or ARGV, as an expression may name them; nil for anything else.
func (t *translator) arguments(x ast.Expr) func(f *frame) []world.Arg {
	switch t.global(x) {
	case "KEYS":
		return func(f *frame) []world.Arg { return f.keys }
	case "ARGV":
		return func(f *frame) []world.Arg { return f.args }
	}
	return nil
}

// index is KEYS[i], ARGV[i], list[i] and status.ok.
func (t *translator) index(x *ast.AttrGetExpr) expression {
	out := t.place()
	if field, ok := x.Key.(*ast.StringExpr); ok {
		of, isOK := t.expression(x.Object), field.Value == "ok"
		return func(f *frame) *value {
			v := of(f)
			switch {
			case v.kind == isStatus && isOK:
				return f.places[out].setText(v.text)
			case v.kind < isStatus:
				f.leave()
			}
			return nothing
		}
	}
	i := t.expression(x.Key)
	if all := t.arguments(x.Object); all != nil {
		if n, ok := x.Key.(*ast.NumberExpr); ok {
			at := (&value{kind: isNumber, number: t.number(n)}).position(mostArguments)
			return func(f *frame) *value { return argumentAt(all(f), at, &f.places[out]) }
		}
		return func(f *frame) *value {
			at, args := i(f), all(f)
			if at.kind != isNumber {
				f.leave()
			}
			return argumentAt(args, at.position(len(args)), &f.places[out])
		}
	}
	of := t.expression(x.Object)
	return func(f *frame) *value {
		v := of(f)
		return v.at(i(f), f)
	}
}

// mostArguments is more than a script has.
const mostArguments = 1 << 30

func (t *translator) length(x *ast.UnaryLenOpExpr) expression {
	out := t.place()
	if all := t.arguments(x.Expr); all != nil {
		return func(f *frame) *value { return f.places[out].setNumber(float64(len(all(f)))) }
	}
	of := t.expression(x.Expr)
	return func(f *frame) *value { return of(f).length(f, &f.places[out]) }
}

// list is {a, b}.
func (t *translator) list(x *ast.TableExpr) expression {
	of, out := make([]expression, len(x.Fields)), t.place()
	for i, field := range x.Fields {
		if field.Key != nil {
			t.giveUp()
		}
		of[i] = t.expression(field.Value)
	}
	return func(f *frame) *value {
		list := make([]value, 0, len(of))
		for _, x := range of {
			f.add(&list, x(f))
		}
		f.places[out] = value{kind: isList, list: &list}
		return &f.places[out]
	}
}

func (t *translator) comparison(x *ast.RelationalOpExpr) expression {
	left, right := t.expression(x.Lhs), t.expression(x.Rhs)
	if x.Operator == "==" || x.Operator == "~=" {
		same := x.Operator == "=="
		return func(f *frame) *value {
			a := left(f)
			return truth(a.equals(right(f), f) == same)
		}
	}
	compare := map[string]func(a, b float64) bool{
		"<":  func(a, b float64) bool { return a < b },
		">":  func(a, b float64) bool { return a > b },
		"<=": func(a, b float64) bool { return a <= b },
		">=": func(a, b float64) bool { return a >= b },
	}[x.Operator]
	return func(f *frame) *value {
		a, b := left(f), right(f)
		return truth(compare(a.asNumber(f), b.asNumber(f)))
	}
}

func (t *translator) arithmetic(x *ast.ArithmeticOpExpr) expression {
	left, right, out := t.expression(x.Lhs), t.expression(x.Rhs), t.place()
	result, ok := map[string]func(a, b float64) float64{
		"+": func(a, b float64) float64 { return a + b },
		"-": func(a, b float64) float64 { return a - b },
		"*": func(a, b float64) float64 { return a * b },
	}[x.Operator]
	if !ok {
		t.giveUp()
	}
	return func(f *frame) *value {
		a, b := left(f), right(f)
		return f.places[out].setNumber(result(a.asNumber(f), b.asNumber(f)))
	}
}

func (t *translator) concatenation(x *ast.StringConcatOpExpr) expression {
	left, right, out := t.expression(x.Lhs), t.expression(x.Rhs), t.place()
	return func(f *frame) *value {
		a, b := left(f), right(f)
		if !a.isText() || !b.isText() {
			f.leave() // a number has a form of Lua's own
		}
		return f.places[out].setText(a.string() + b.string())
	}
}

// call is a call of a function that has one result.
func (t *translator) call(x *ast.FuncCallExpr) expression {
	if x.Receiver != nil {
		t.giveUp()
		return nil
	}
	of, given, rest := t.global(x.Func), x.Args, (func(f *frame) []world.Arg)(nil)
	if of == "redis.call" || of == "redis.pcall" {
		given, rest = t.unpacked(x.Args)
	}
	args, out := make([]expression, len(given)), t.place()
	for i, a := range given {
		args[i] = t.expression(a)
	}
	switch {
	case (of == "redis.call" || of == "redis.pcall") && len(args) > 0:
		return redisCall(x.Args[0], args, rest, out)
	case of == "tonumber" && len(args) == 1:
		return func(f *frame) *value { return args[0](f).toNumber(f, &f.places[out]) }
	case of == "type" && len(args) == 1:
		return func(f *frame) *value { return f.places[out].setText(luaTypes[args[0](f).kind]) }
	case (of == "math.max" || of == "math.min") && len(args) == 2:
		larger := of == "math.max"
		return func(f *frame) *value {
			a, b := args[0](f), args[1](f)
			if x, y := a.asNumber(f), b.asNumber(f); larger && y > x || !larger && y < x {
				return b
			}
			return a
		}
	}
	t.giveUp()
	return nil
}

// unpacked takes off unpack(ARGV), the last argument; nil for another one.
func (t *translator) unpacked(args []ast.Expr) ([]ast.Expr, func(f *frame) []world.Arg) {
	last := len(args) - 1
	if last > 0 {
		if call, ok := args[last].(*ast.FuncCallExpr); ok && len(call.Args) == 1 && t.global(call.Func) == "unpack" {
			if all := t.arguments(call.Args[0]); all != nil {
				return args[:last], all
			}
		}
	}
	return args, nil
}

// redisCall is redis.call and redis.pcall, which differ in what they do with errors. The arguments are followed by the rest.
func redisCall(what ast.Expr, args []expression, rest func(f *frame) []world.Arg, out int) expression {
	var known *command
	name, constant := what.(*ast.StringExpr)
	if constant {
		known = lookup(name.Value)
	}
	// What depends on the script alone is looked at once.
	sound := known != nil && known.beyond == 0 && !known.noScript && rest == nil && known.takes(len(args)-1)
	return func(f *frame) *value {
		c, from := known, len(f.argv)
		if !constant {
			word := args[0](f).argument(f)
			c = lookup(word.String())
		}
		for _, x := range args[1:] {
			f.argv = append(f.argv, x(f).argument(f))
		}
		if rest != nil {
			f.argv = append(f.argv, rest(f)...)
		}
		f.call(c, sound, from, &f.places[out])
		f.argv = f.argv[:from]
		return &f.places[out]
	}
}
