package sql

import (
	"strconv"
	"strings"
)

type exprKind uint8

const (
	exprLiteral exprKind = iota
	exprParam
	exprColumn
	exprCall
	exprBinary
)

// expr is one expression.
type expr struct {
	kind  exprKind
	value value  // of a literal
	index int    // of a parameter
	name  string // of a column as written, of a function in capitals
	op    byte   // + - * /
	args  []*expr
}

// expr reads a sum.
func (p *parser) expr() *expr { return p.chain("+", "-", p.product) }

func (p *parser) product() *expr { return p.chain("*", "/", p.factor) }

// chain reads operands with one of two operators between them, which group to the left.
func (p *parser) chain(one, other string, operand func() *expr) *expr {
	e := operand()
	for {
		op := p.peek().text
		if !p.accept(one) && !p.accept(other) {
			return e
		}
		e = &expr{kind: exprBinary, op: op[0], args: []*expr{e, operand()}}
	}
}

// factor reads an operand and the casts behind it.
func (p *parser) factor() *expr {
	e := p.operand()
	for p.flavour == PostgreSQL && p.accept("::") {
		e = &expr{kind: exprCall, name: p.castType(), args: []*expr{e}}
	}
	return e
}

func (p *parser) operand() *expr {
	switch t := p.peek(); {
	case p.accept("("):
		e := p.expr()
		p.expect(")")
		return e
	case p.accept("-"):
		zero := &expr{value: number(0)}
		return &expr{kind: exprBinary, op: '-', args: []*expr{zero, p.operand()}}
	case p.accept("TRUE"):
		return &expr{value: p.flavour.given(Bool(true))}
	case p.accept("FALSE"):
		return &expr{value: p.flavour.given(Bool(false))}
	case p.accept("NULL"):
		return &expr{value: value{kind: valueNull}}
	case p.accept("CAST", "("):
		return p.cast()
	case p.accept("EXTRACT", "(", "EPOCH", "FROM"):
		e := &expr{kind: exprCall, name: "EXTRACT EPOCH", args: []*expr{p.expr()}}
		p.expect(")")
		return e
	case t.kind == tokenNumber:
		return &expr{value: decimal(p.take().text)}
	case t.kind == tokenText:
		return &expr{value: value{kind: valueText, text: p.take().text}}
	case t.kind == tokenParam:
		p.take()
		p.params++
		return &expr{kind: exprParam, index: p.params - 1}
	}
	name := p.name()
	if !p.accept("(") {
		return &expr{kind: exprColumn, name: name}
	}
	e := &expr{kind: exprCall, name: strings.ToUpper(name)}
	if !p.accept(")") {
		e.args = p.exprs()
		p.expect(")")
	}
	return e
}

func (p *parser) cast() *expr {
	e := &expr{kind: exprCall, name: "CAST", args: []*expr{p.expr()}}
	p.expect("AS")
	e.name = p.castType()
	p.expect(")")
	return e
}

// castType reads a type and returns the name of the cast to it.
func (p *parser) castType() string {
	switch {
	case p.flavour == MySQL:
		p.expect("SIGNED")
	case p.accept("BOOLEAN"), p.accept("BOOL"):
		return toBoolean
	default:
		p.expect("BIGINT")
	}
	return "CAST"
}

// decimal reads a number with at most three digits behind the point.
func decimal(text string) value {
	whole, fraction, pointed := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return value{kind: valueText, text: text} // too large for any column here
	}
	if !pointed {
		return number(n)
	}
	thousandths, err := strconv.ParseInt((fraction + "000")[:3], 10, 64)
	if err != nil {
		thousandths = 0
	}
	n, fits := times(n, 1000)
	if !fits || n+thousandths < n {
		return value{kind: valueText, text: text}
	}
	return value{kind: valueMilli, num: n + thousandths}
}

// columns reports whether the expression depends on a row.
func (e *expr) columns() bool {
	if e.kind == exprColumn {
		return true
	}
	for _, a := range e.args {
		if a.columns() {
			return true
		}
	}
	return false
}
