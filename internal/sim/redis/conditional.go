package redis

import (
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"

	"lockstep/internal/world"
)

// conditional is what nearly every script of a lock is: one command, executed if a
// key holds a value.
//
//	if redis.call("get", KEYS[1]) == ARGV[1] then
//		return redis.call("del", KEYS[1])
//	else
//		return 0
//	end
//
// Done by the store itself it costs a tenth of what Lua takes, which was one
// fifteenth of a whole run. Only that form is known, with DEL, EXPIRE or PEXPIRE,
// and only as long as nothing goes wrong: whenever a script would see or return an
// error, it runs in Lua, which knows the words of each. Store.LuaOnly leaves
// everything to Lua; tests play the same histories with and without it.
type conditional struct {
	key, value operand
	command    *command
	args       []operand
	otherwise  int64
}

// operand is an argument of redis.call in a script: KEYS[i], ARGV[i] or a constant.
type operand struct {
	from  operandKind
	index int // from 0
	value world.Arg
}

type operandKind uint8

const (
	operandConstant operandKind = iota
	operandKey
	operandArgument
)

// run executes the script. It returns false, and has changed nothing, when it is a
// case for Lua.
func (c *conditional) run(s *Store, keys, args []world.Arg) (world.Reply, bool) {
	if s.refuses() != nil {
		return world.Reply{}, false
	}
	key, ok1 := c.key.in(keys, args)
	value, ok2 := c.value.in(keys, args)
	if !ok1 || !ok2 {
		return world.Reply{}, false // of nil
	}
	e := s.lookup(key.String())
	if e != nil && e.kind != kindString {
		return world.Reply{}, false // WRONGTYPE
	}
	s.reading(cmdGet, keys)
	if e == nil || !sameText(&e.str, &value) {
		return world.Int(c.otherwise), true
	}
	argv := s.vm.argv[:0]
	for i := range c.args {
		a, ok := c.args[i].in(keys, args)
		if !ok {
			return world.Reply{}, false
		}
		argv = append(argv, a)
	}
	s.vm.argv = argv
	reply := s.run(c.command, argv)
	return reply, reply.Err == nil // none of these commands fails after it has begun
}

// in returns the operand's value in one call of the script; false for nil.
func (o *operand) in(keys, args []world.Arg) (world.Arg, bool) {
	list := keys
	switch o.from {
	case operandConstant:
		return o.value, true
	case operandArgument:
		list = args
	}
	if o.index >= len(list) {
		return world.Arg{}, false
	}
	return list[o.index], true
}

// conditionalOf returns a script as a conditional, nil when it is something else.
func conditionalOf(chunk []ast.Stmt) *conditional {
	if len(chunk) == 0 {
		return nil
	}
	branch, ok := chunk[0].(*ast.IfStmt)
	if !ok {
		return nil
	}
	otherwise := chunk[1:] // "if ... then return ... end return 0"
	if len(otherwise) == 0 {
		otherwise = branch.Else
	} else if len(branch.Else) > 0 {
		return nil
	}
	c := &conditional{}
	none, ok := returned(otherwise).(*ast.NumberExpr)
	if !ok {
		return nil
	}
	if c.otherwise, ok = parseConstant(none); !ok || !c.condition(branch.Condition) || !c.then(returned(branch.Then)) {
		return nil
	}
	return c
}

// returned is the one thing that a block returns, nil when the block is more than that.
func returned(block []ast.Stmt) ast.Expr {
	if len(block) != 1 {
		return nil
	}
	if r, ok := block[0].(*ast.ReturnStmt); ok && len(r.Exprs) == 1 {
		return r.Exprs[0]
	}
	return nil
}

// condition reads: redis.call("get", key) == value.
func (c *conditional) condition(x ast.Expr) bool {
	equal, ok := x.(*ast.RelationalOpExpr)
	if !ok || equal.Operator != "==" {
		return false
	}
	command, args, ok := redisCall(equal.Lhs)
	if !ok || command != cmdGet || len(args) != 1 {
		return false
	}
	c.key = args[0]
	c.value, ok = parseOperand(equal.Rhs)
	return ok && c.value.from != operandConstant // a number equals no string
}

// then reads: redis.call("del", key).
func (c *conditional) then(x ast.Expr) (ok bool) {
	c.command, c.args, ok = redisCall(x)
	return ok && (c.command == cmdDel || c.command == cmdExpire || c.command == cmdPExpire) && c.command.takes(len(c.args))
}

// redisCall reads a redis.call.
func redisCall(x ast.Expr) (c *command, args []operand, ok bool) {
	call, ok := x.(*ast.FuncCallExpr)
	if !ok || call.Func == nil || len(call.Args) == 0 {
		return nil, nil, false
	}
	if table, field, ok := parseIndex(call.Func); !ok || table != "redis" || stringOf(field) != "call" {
		return nil, nil, false
	}
	for _, a := range call.Args[1:] {
		o, ok := parseOperand(a)
		if !ok {
			return nil, nil, false
		}
		args = append(args, o)
	}
	return lookup(stringOf(call.Args[0])), args, true
}

// parseOperand reads KEYS[1], ARGV[1] or a number.
func parseOperand(x ast.Expr) (operand, bool) {
	if n, ok := x.(*ast.NumberExpr); ok {
		value, ok := parseConstant(n)
		return operand{value: world.Arg{Num: value, IsNum: true}}, ok
	}
	table, index, ok := parseIndex(x)
	if !ok {
		return operand{}, false
	}
	n, ok := index.(*ast.NumberExpr)
	if !ok {
		return operand{}, false
	}
	o := operand{from: operandKey}
	switch table {
	case "KEYS":
	case "ARGV":
		o.from = operandArgument
	default:
		return operand{}, false
	}
	i, ok := parseConstant(n)
	o.index = int(i) - 1
	return o, ok && i > 0
}

// parseIndex reads table.field and table[index].
func parseIndex(x ast.Expr) (table string, index ast.Expr, ok bool) {
	at, ok := x.(*ast.AttrGetExpr)
	if !ok {
		return "", nil, false
	}
	name, ok := at.Object.(*ast.IdentExpr)
	if !ok {
		return "", nil, false
	}
	return name.Value, at.Key, true
}

// parseConstant reads a number that Lua and Redis write in the same way: Lua's
// are floats, and this is where they would begin to differ.
func parseConstant(x *ast.NumberExpr) (int64, bool) {
	const most = 9 // digits
	if len(x.Value) > most || strings.Trim(x.Value, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(x.Value, 10, 64)
	return n, err == nil
}

// stringOf is the value of a constant string, "" for anything else.
func stringOf(x ast.Expr) string {
	if s, ok := x.(*ast.StringExpr); ok {
		return s.Value
	}
	return ""
}
