package redis

import "github.com/yuin/gopher-lua/ast"

// translator makes a routine of a script. Where it meets something else than the part of Lua that it knows, it is
// stuck, and there is no routine.
type translator struct {
	scope              []name
	places             int
	inLoop, inFunction int
	stuck              bool
}

// name is a local variable, or a local function without parameters and results, which is a block.
type name struct {
	text string
	slot int
	does block // of a function
}

// translate returns the routine of a script; nil when it is for Lua.
func translate(chunk []ast.Stmt) *routine {
	t := &translator{}
	body := t.block(chunk)
	if t.stuck {
		return nil
	}
	return &routine{body: body, places: t.places}
}

func (t *translator) giveUp() { t.stuck = true }

// block translates statements that have a scope of their own.
func (t *translator) block(all []ast.Stmt) block {
	outside := len(t.scope)
	out := make(block, 0, len(all))
	for _, s := range all {
		if one := t.statement(s); one != nil {
			out = append(out, one)
		}
	}
	t.scope = t.scope[:outside]
	return out
}

// declare makes a local variable.
func (t *translator) declare(text string) int {
	t.scope = append(t.scope, name{text: text, slot: t.place()})
	return t.places - 1
}

// place is one for a value.
func (t *translator) place() int {
	t.places++
	return t.places - 1
}

// find returns the local variable or function of that name; nil for a global.
func (t *translator) find(text string) *name {
	for i := len(t.scope) - 1; i >= 0; i-- {
		if t.scope[i].text == text {
			return &t.scope[i]
		}
	}
	return nil
}

func (t *translator) statement(s ast.Stmt) statement {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		return t.local(s)
	case *ast.AssignStmt:
		return t.assign(s)
	case *ast.FuncCallStmt:
		return t.callStatement(s)
	case *ast.DoBlockStmt:
		return t.block(s.Stmts).run
	case *ast.IfStmt:
		condition, then, otherwise := t.expression(s.Condition), t.block(s.Then), t.block(s.Else)
		return func(f *frame) control {
			if condition(f).holds() {
				return then.run(f)
			}
			return otherwise.run(f)
		}
	case *ast.WhileStmt:
		return t.while(s)
	case *ast.NumberForStmt:
		return t.count(s)
	case *ast.BreakStmt:
		if t.inLoop == 0 {
			t.giveUp()
		}
		return func(*frame) control { return breaks }
	case *ast.ReturnStmt:
		return t.result(s)
	}
	t.giveUp()
	return nil
}

// local is: local x = value, or: local function f() ... end.
func (t *translator) local(s *ast.LocalAssignStmt) statement {
	if len(s.Names) != 1 || len(s.Exprs) > 1 {
		t.giveUp()
		return nil
	}
	if len(s.Exprs) == 0 {
		slot := t.declare(s.Names[0])
		return func(f *frame) control { f.places[slot] = value{}; return goesOn }
	}
	if function, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
		if function.ParList.HasVargs || len(function.ParList.Names) > 0 {
			t.giveUp()
		}
		t.inFunction++
		does := t.block(function.Stmts)
		t.inFunction--
		t.scope = append(t.scope, name{text: s.Names[0], does: does})
		return nil
	}
	x := t.expression(s.Exprs[0])
	slot := t.declare(s.Names[0]) // now: the expression does not know it
	return func(f *frame) control { f.places[slot] = *x(f); return goesOn }
}

// assign is: x = value, with a local variable.
func (t *translator) assign(s *ast.AssignStmt) statement {
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		if to, ok := s.Lhs[0].(*ast.IdentExpr); ok {
			if n := t.find(to.Value); n != nil && n.does == nil {
				slot, x := n.slot, t.expression(s.Rhs[0])
				return func(f *frame) control { f.places[slot] = *x(f); return goesOn }
			}
		}
	}
	t.giveUp()
	return nil
}

// callStatement is a call whose results nobody wants.
func (t *translator) callStatement(s *ast.FuncCallStmt) statement {
	call, ok := s.Expr.(*ast.FuncCallExpr)
	if !ok {
		t.giveUp()
		return nil
	}
	if to, ok := call.Func.(*ast.IdentExpr); ok && len(call.Args) == 0 {
		if n := t.find(to.Value); n != nil && n.does != nil {
			does := n.does
			return func(f *frame) control {
				if f.again() {
					does.run(f)
				}
				return goesOn
			}
		}
	}
	if t.global(call.Func) == "table.insert" && len(call.Args) == 2 {
		list, x := t.expression(call.Args[0]), t.expression(call.Args[1])
		return func(f *frame) control {
			to, v := list(f), x(f)
			if to.kind != isList {
				f.leave()
				return returns
			}
			f.add(to.list, v)
			return goesOn
		}
	}
	x := t.call(call)
	return func(f *frame) control { x(f); return goesOn }
}

func (t *translator) while(s *ast.WhileStmt) statement {
	condition, body := t.expression(s.Condition), t.loop(s.Stmts)
	return func(f *frame) control {
		for f.again() {
			if !condition(f).holds() {
				break
			}
			if how := body.run(f); how == returns {
				return how
			} else if how == breaks {
				break
			}
		}
		return goesOn
	}
}

// loop translates what a loop does again and again.
func (t *translator) loop(all []ast.Stmt) block {
	t.inLoop++
	defer func() { t.inLoop-- }()
	return t.block(all)
}

// count is: for i = first, last do ... end.
func (t *translator) count(s *ast.NumberForStmt) statement {
	if s.Step != nil {
		t.giveUp()
	}
	first, last := t.expression(s.Init), t.expression(s.Limit)
	outside := len(t.scope)
	slot := t.declare(s.Name)
	body := t.loop(s.Stmts)
	t.scope = t.scope[:outside]
	return func(f *frame) control {
		from, to := first(f), last(f)
		limit := to.asNumber(f)
		for i := from.asNumber(f); i <= limit && f.again(); i++ {
			f.places[slot].setNumber(i)
			if how := body.run(f); how == returns {
				return how
			} else if how == breaks {
				break
			}
		}
		return goesOn
	}
}

func (t *translator) result(s *ast.ReturnStmt) statement {
	if len(s.Exprs) > 1 || t.inFunction > 0 {
		t.giveUp()
		return nil
	}
	if len(s.Exprs) == 0 {
		return func(*frame) control { return returns }
	}
	x := t.expression(s.Exprs[0])
	return func(f *frame) control { f.result = *x(f); return returns }
}
