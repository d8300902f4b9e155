package sql

import (
	"slices"
	"strconv"
	"strings"
)

type exprKind uint8

const (
	exprLiteral exprKind = iota
	exprParam
	exprColumn
	exprProposed // a column of the row that an INSERT could not add: EXCLUDED.c, VALUES(c)
	exprCall
	exprBinary // arithmetic
	exprTest   // true, false or NULL
	exprSub    // a subquery: its value, or with op EXISTS or IN a condition
)

// expr is one expression.
type expr struct {
	kind  exprKind
	value value  // of a literal
	index int    // of a parameter or a subquery
	table string // that a column is said to be of; "" for none
	name  string // of a column as written, of a function in capitals
	op    string // + - * /, or = <> < > <= >= AND OR NOT and IS NULL of a test
	to    column // that a cast is to, if it is one of times
	args  []*expr

	as     string // what its column in a result is called; "" for none of its own
	weakly string // and what else, of a cast or a CASE of PostgreSQL
}

const isNull = "IS NULL"

func test(op string, args ...*expr) *expr { return &expr{kind: exprTest, op: op, args: args} }

// call makes a call of a function.
func call(name, as string, args ...*expr) *expr {
	return &expr{kind: exprCall, name: name, as: as, args: args}
}

func binary(op string, a, b *expr) *expr {
	return &expr{kind: exprBinary, op: op, args: []*expr{a, b}}
}

// expr reads an expression. OR binds least, then AND, NOT, a comparison, a sum, a product.
func (p *parser) expr() *expr { return p.chain(exprTest, p.conjunction, "OR") }

func (p *parser) conjunction() *expr { return p.chain(exprTest, p.negation, "AND") }

func (p *parser) negation() *expr {
	if p.accept("NOT") {
		return test("NOT", p.negation())
	}
	return p.comparison()
}

// comparison reads a sum, or what it is compared with.
func (p *parser) comparison() *expr {
	e := p.text()
	switch op := p.peek().text; {
	case p.accept("<>"), p.accept("!="):
		e = test("<>", e, p.text())
	case p.accept("="), p.accept("<"), p.accept(">"), p.accept("<="), p.accept(">="):
		e = test(op, e, p.text())
	case p.accept("BETWEEN"):
		least := test(">=", e, p.text())
		p.expect("AND")
		e = test("AND", least, test("<=", e, p.text()))
	case p.accept("IN", "("):
		e = p.in(e)
	case p.accept("NOT", "IN", "("):
		e = test("NOT", p.in(e))
	}
	for p.accept("IS") {
		not := p.accept("NOT")
		p.expect("NULL")
		if e = test(isNull, e); not {
			e = test("NOT", e)
		}
	}
	return e
}

// in reads the list of an IN.
func (p *parser) in(e *expr) (any *expr) {
	if p.peek().is("SELECT") {
		return p.sub("IN", e)
	}
	for _, one := range p.exprs() {
		if is := test("=", e, one); any == nil {
			any = is
		} else {
			any = test("OR", any, is)
		}
	}
	p.expect(")")
	return any
}

// concat joins texts, and is PostgreSQL's operator.
const concat = "||"

func (p *parser) text() *expr {
	if p.flavour == MySQL { // there it is OR
		return p.sum()
	}
	return p.chain(exprBinary, p.sum, concat)
}

func (p *parser) sum() *expr { return p.chain(exprBinary, p.product, "+", "-") }

func (p *parser) product() *expr { return p.chain(exprBinary, p.factor, "*", "/") }

// chain reads operands with operators between them, which group to the left.
func (p *parser) chain(kind exprKind, operand func() *expr, ops ...string) *expr {
	e := operand()
	for {
		op := strings.ToUpper(p.peek().text)
		if !slices.ContainsFunc(ops, func(op string) bool { return p.accept(op) }) {
			return e
		}
		e = &expr{kind: kind, op: op, args: []*expr{e, operand()}}
	}
}

// factor reads an operand and the casts behind it.
func (p *parser) factor() *expr {
	e := p.operand()
	for p.flavour == PostgreSQL {
		switch {
		case p.accept("::"):
			e = p.castTo(e)
		case p.accept("AT", "TIME", "ZONE"):
			p.utc()
			e = zoned(e)
		default:
			return e
		}
	}
	return e
}

func (p *parser) operand() *expr {
	switch t := p.peek(); {
	case p.accept("("):
		if p.peek().is("SELECT") {
			return p.sub("")
		}
		e := p.expr()
		p.expect(")")
		return e
	case p.accept("EXISTS", "("):
		return p.sub("EXISTS")
	case p.accept("-"):
		return binary("-", &expr{value: number(0)}, p.operand())
	case p.accept("TRUE"):
		return &expr{value: p.flavour.truth(true)}
	case p.accept("FALSE"):
		return &expr{value: p.flavour.truth(false)}
	case p.accept("NULL"):
		return &expr{}
	case t.kind == tokenNumber:
		return &expr{value: decimal(p.take().text)}
	case t.kind == tokenText:
		return &expr{value: value{kind: valueText, text: p.take().text}}
	case t.kind == tokenParam:
		p.take()
		p.params++
		return &expr{kind: exprParam, index: p.params - 1}
	}
	if e := p.special(); e != nil {
		return e
	}
	name := p.name()
	switch {
	case p.accept("."):
		return p.qualified(name)
	case !p.accept("("):
		return &expr{kind: exprColumn, name: name, as: name}
	}
	e := call(strings.ToUpper(name), strings.ToLower(name))
	if !p.accept(")") {
		e.args = p.exprs()
		p.expect(")")
	}
	return p.plain(e)
}

// plain writes a function with others that the model has.
func (p *parser) plain(e *expr) *expr {
	switch mysql := p.flavour == MySQL; {
	case mysql && e.name == "IFNULL" && len(e.args) == 2:
		e.name = coalesce
	case mysql && e.name == "IF" && len(e.args) == 3:
		e.name = either
	case mysql && e.name == "TIMESTAMPDIFF": // its first argument is a unit, not a column
		panic(p.flavour.beyond("the function " + e.name))
	case e.name == "NULLIF" && len(e.args) == 2:
		return call(either, "nullif", test("=", e.args...), &expr{}, e.args[0])
	case mysql && e.name == "CONCAT" && len(e.args) > 1:
		all := e.args[0]
		for _, a := range e.args[1:] {
			all = binary(concat, all, a)
		}
		return all
	}
	return e
}

// Functions that choose one of their arguments, and compute no other one: either is a condition,
// what is chosen if it holds, and what else.
const (
	coalesce = "COALESCE"
	either   = "CASE"
)

// qualified reads a column behind its table.
func (p *parser) qualified(table string) *expr {
	name := p.name()
	e := &expr{kind: exprColumn, table: table, name: name, as: name}
	if p.flavour == PostgreSQL && p.conflicts && table == "excluded" {
		e.kind = exprProposed
	}
	return e
}

// special reads what looks like a function and has words between its arguments; nil if nothing like
// it comes next.
func (p *parser) special() *expr {
	mysql := p.flavour == MySQL
	switch {
	case p.accept("CAST", "("):
		e := p.expr()
		p.expect("AS")
		e = p.castTo(e)
		p.expect(")")
		return e
	case p.flavour == PostgreSQL && p.accept("EXTRACT", "(", "EPOCH", "FROM"):
		e := call(extract, "extract", p.expr())
		p.expect(")")
		return e
	case p.accept("CASE", "WHEN"):
		return p.choice()
	case mysql && p.conflicts && p.accept("VALUES", "("):
		e := &expr{kind: exprProposed, name: p.name()}
		p.expect(")")
		return e
	}
	return p.timeWords()
}

// choice reads the rest of a CASE.
func (p *parser) choice() *expr {
	is := p.expr()
	p.expect("THEN")
	then, other := p.expr(), &expr{}
	if p.accept("WHEN") {
		other = p.choice()
	} else {
		if p.accept("ELSE") {
			other = p.expr()
		}
		p.expect("END")
	}
	e := call(either, other.as, is, then, other)
	e.weakly = "case"
	return e
}

// castTo reads a type and returns the cast to it.
func (p *parser) castTo(e *expr) *expr {
	cast := call("CAST", e.as, e)
	c, ok := p.timeType()
	switch mysql := p.flavour == MySQL; {
	case ok:
		cast.name, cast.to, cast.weakly = toTime, c, "timestamp"
		if c.zoned {
			cast.weakly = "timestamptz"
		}
	case mysql && p.accept("CHAR"):
		cast.name = asText
	case mysql:
		p.expect("SIGNED")
	case p.accept("BOOLEAN"), p.accept("BOOL"):
		cast.name, cast.weakly = toBoolean, "bool"
	case p.accept("INTERVAL"):
		cast.name, cast.weakly = toInterval, "interval"
	case p.accept("TEXT"):
		cast.name, cast.weakly = asText, "text"
	default:
		p.expect("BIGINT")
		cast.weakly = "int8"
	}
	return cast
}

// decimal reads a number with at most three digits after the point.
func decimal(text string) value {
	whole, fraction, pointed := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err == nil && !pointed {
		return number(n)
	}
	thousandths, _ := strconv.ParseInt((fraction + "000")[:3], 10, 64)
	n, fits := times(n, 1000)
	if err != nil || !fits || n+thousandths < n {
		return value{kind: valueText, text: text} // too large for any column here
	}
	return value{kind: valueMilli, num: n + thousandths}
}

// columns reports whether the expression depends on a row.
func (e *expr) columns() bool {
	return e.kind == exprColumn || e.kind == exprProposed || slices.ContainsFunc(e.args, (*expr).columns)
}
