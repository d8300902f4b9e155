package redis

import (
	"maps"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Most scripts of locks are a few comparisons and commands. A plain one, without loops, functions,
// tables and arithmetic, is translated into Go, which is several times as fast: a search plays
// hundreds of millions of them. Its values, commands and errors are those of the interpreter.

type (
	plainExpr func(r *plainRun) lua.LValue
	plainStmt func(r *plainRun) (ended bool)
)

// plainRun is a run of a plain script.
type plainRun struct {
	vm         *interpreter
	keys, args []Arg
	locals     [mostLocals]lua.LValue
	result     lua.LValue
	raised     lua.LValue // the error that ended it; nil for none. Calls after it are not made
	line       int        // of that error
}

const mostLocals = 8

// plainly runs a plain script.
func (vm *interpreter) plainly(p *program, keys, args []Arg) Reply {
	r := &vm.plain
	r.vm, r.keys, r.args, r.result, r.raised = vm, keys, args, lua.LNil, nil
	p.plain(r)
	if r.raised != nil {
		text, _ := errField(r.raised.(*lua.LTable))
		return p.failure(string(text), r.line)
	}
	return toReply(r.result)
}

// translation is a script that is being translated.
type translation struct {
	locals map[string]int // those in scope, by their places in a plainRun
	n      int            // all locals so far
	wild   bool           // the script is not plain
}

// translate returns a tame script as a statement, nil if it is not plain.
func translate(chunk []ast.Stmt) plainStmt {
	t := translation{locals: map[string]int{}}
	if all := t.block(chunk); !t.wild {
		return all
	}
	return nil
}

func (t *translation) block(stmts []ast.Stmt) plainStmt {
	outer := maps.Clone(t.locals)
	var all []plainStmt
	for _, s := range stmts {
		all = append(all, t.stmt(s))
	}
	t.locals = outer
	return func(r *plainRun) bool {
		for _, do := range all {
			if do(r) {
				return true
			}
		}
		return false
	}
}

func (t *translation) stmt(s ast.Stmt) plainStmt {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		value := t.only(s.Exprs)
		return func(r *plainRun) bool {
			r.result = value(r)
			return true
		}
	case *ast.FuncCallStmt:
		call := t.expr(s.Expr)
		return func(r *plainRun) bool {
			call(r)
			return false
		}
	case *ast.LocalAssignStmt:
		value, place := t.only(s.Exprs), t.n
		if t.n++; len(s.Names) > 1 || place >= mostLocals {
			break
		}
		t.locals[s.Names[0]] = place
		return func(r *plainRun) bool {
			r.locals[place] = value(r)
			return false
		}
	case *ast.IfStmt:
		condition, then, otherwise := t.expr(s.Condition), t.block(s.Then), t.block(s.Else)
		return func(r *plainRun) bool {
			if lua.LVAsBool(condition(r)) {
				return then(r)
			}
			return otherwise(r)
		}
	}
	t.wild = true
	return nil
}

// only translates a list of at most one expression.
func (t *translation) only(list []ast.Expr) plainExpr {
	switch len(list) {
	case 0:
		return constant(lua.LNil)
	case 1:
		return t.expr(list[0])
	}
	t.wild = true
	return nil
}

func constant(v lua.LValue) plainExpr { return func(*plainRun) lua.LValue { return v } }

func (t *translation) expr(e ast.Expr) plainExpr {
	switch e := e.(type) {
	case *ast.NilExpr:
		return constant(lua.LNil)
	case *ast.TrueExpr:
		return constant(lua.LTrue)
	case *ast.FalseExpr:
		return constant(lua.LFalse)
	case *ast.StringExpr:
		return constant(lua.LString(e.Value))
	case *ast.NumberExpr:
		return constant(lua.LNumber(t.whole(e)))
	case *ast.UnaryMinusOpExpr:
		n := t.whole(e.Expr)
		t.wild = t.wild || n == 0 // Lua takes all zeros of a script for the first one, which may be -0
		return constant(lua.LNumber(-n))
	case *ast.IdentExpr:
		if place, ok := t.locals[e.Value]; ok {
			return func(r *plainRun) lua.LValue { return r.locals[place] }
		}
	case *ast.AttrGetExpr:
		if word := t.word(e); word != nil {
			return func(r *plainRun) lua.LValue {
				if a := word(r); a != nil {
					return r.vm.text(a.String())
				}
				return lua.LNil
			}
		}
	case *ast.FuncCallExpr:
		return t.call(e)
	case *ast.UnaryNotOpExpr:
		value := t.expr(e.Expr)
		return func(r *plainRun) lua.LValue { return lua.LBool(lua.LVIsFalse(value(r))) }
	case *ast.LogicalOpExpr:
		left, right, and := t.expr(e.Lhs), t.expr(e.Rhs), e.Operator == "and"
		return func(r *plainRun) lua.LValue {
			if v := left(r); lua.LVAsBool(v) != and {
				return v
			}
			return right(r)
		}
	case *ast.RelationalOpExpr:
		left, right, equal := t.expr(e.Lhs), t.expr(e.Rhs), e.Operator == "=="
		t.wild = t.wild || !equal && e.Operator != "~="
		entry := t.entry(e.Lhs, e.Rhs)
		return func(r *plainRun) lua.LValue {
			if entry != nil {
				if same, known := entry(r); known {
					return lua.LBool(same == equal)
				}
			}
			a, b := left(r), right(r)
			return lua.LBool((a == b) == equal)
		}
	}
	t.wild = true
	return nil
}

// whole returns a whole number that is written in digits.
func (t *translation) whole(e ast.Expr) (n int64) {
	number, ok := e.(*ast.NumberExpr)
	if ok && len(number.Value) < 15 && strings.Trim(number.Value, "0123456789") == "" {
		n, _ = parseInt(Arg{Text: number.Value})
	} else {
		t.wild = true
	}
	return n
}

// global returns the name of a global table and what is read of it.
func (t *translation) global(e ast.Expr) (table string, key ast.Expr) {
	if field, ok := e.(*ast.AttrGetExpr); ok {
		if name, ok := field.Object.(*ast.IdentExpr); ok {
			if _, local := t.locals[name.Value]; !local {
				return name.Value, field.Key
			}
		}
	}
	return "", nil
}

// word translates KEYS[1] and ARGV[1], which are nil if there are fewer; nil for anything else.
func (t *translation) word(e ast.Expr) func(r *plainRun) *Arg {
	field, _ := e.(*ast.AttrGetExpr)
	table, key := t.global(e)
	if field == nil || table != "KEYS" && table != "ARGV" {
		return nil
	}
	i := t.whole(key) - 1
	return func(r *plainRun) *Arg {
		list := r.keys
		if table == "ARGV" {
			list = r.args
		}
		if i < 0 || i >= int64(len(list)) {
			return nil
		}
		return &list[i]
	}
}

// entry translates whether the value of a key is an argument, as most scripts of locks ask, without
// making Lua values: redis.call('get', KEYS[1]) and ARGV[1]; nil for anything else. What fails is not
// known.
func (t *translation) entry(get, want ast.Expr) func(r *plainRun) (same, known bool) {
	var key func(r *plainRun) *Arg
	if call, ok := get.(*ast.FuncCallExpr); ok && lookup(t.called(call)) == cmdGet && len(call.Args) == 2 {
		key = t.word(call.Args[1])
	}
	token := t.word(want)
	if key == nil || token == nil {
		return nil
	}
	return func(r *plainRun) (same, known bool) {
		k, want := key(r), token(r)
		if k == nil || want == nil || r.raised != nil || r.vm.store.KeepReads {
			return false, false
		}
		e, refused := r.vm.store.typed(kindString, k.String())
		return e != nil && sameText(&e.str, want), refused == nil
	}
}

// called returns the name of the command that redis.call executes; "" for any other call.
func (t *translation) called(e *ast.FuncCallExpr) string {
	text := func(e ast.Expr) string {
		if text, ok := e.(*ast.StringExpr); ok {
			return text.Value
		}
		return ""
	}
	if table, field := t.global(e.Func); table == "redis" && text(field) == "call" && len(e.Args) > 0 {
		return text(e.Args[0])
	}
	return ""
}

// call translates redis.call with the name of a command.
func (t *translation) call(e *ast.FuncCallExpr) plainExpr {
	name := t.called(e)
	if name == "" {
		t.wild = true
		return nil
	}
	var words []plainExpr
	for _, word := range e.Args[1:] {
		words = append(words, t.expr(word))
	}
	line, c := e.Line(), lookup(name)
	return func(r *plainRun) lua.LValue {
		var room [8]lua.LValue
		values := room[:0]
		for _, word := range words {
			values = append(values, word(r))
		}
		if r.raised != nil {
			return lua.LNil
		}
		v, failed := r.vm.execute(name, c, values)
		if failed {
			r.raised, r.line = v, line
		}
		return v
	}
}
