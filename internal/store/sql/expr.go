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
	to    column // that a cast is to, if it is one of times; or with the name that the server gives the expression
	args  []*expr
}

const isNull = "IS NULL"

func test(op string, args ...*expr) *expr { return &expr{kind: exprTest, op: op, args: args} }

// call makes a call of a function that the parser itself needs.
func call(name string, args ...*expr) *expr { return &expr{kind: exprCall, name: name, args: args} }

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
		switch known := test("NOT", test(isNull, e)); {
		case p.accept("TRUE"):
			e = test("AND", e, known)
		case p.accept("FALSE"):
			e = test("AND", test("NOT", e), known)
		default:
			p.expect("NULL")
			e = test(isNull, e)
		}
		if not {
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
		return &expr{kind: exprBinary, op: "-", args: []*expr{{value: number(0)}, p.operand()}}
	case p.accept("TRUE"):
		return &expr{value: p.flavour.truth(true)}
	case p.accept("FALSE"):
		return &expr{value: p.flavour.truth(false)}
	case p.accept("NULL"):
		return &expr{value: value{kind: valueNull}}
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
		return &expr{kind: exprColumn, name: name}
	}
	e := call(strings.ToUpper(name))
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
		choice := call(either, test("=", e.args...), &expr{value: value{kind: valueNull}}, e.args[0])
		choice.to.name = "nullif"
		return choice
	case mysql && e.name == "CONCAT" && len(e.args) > 1:
		all := e.args[0]
		for _, a := range e.args[1:] {
			all = &expr{kind: exprBinary, op: concat, args: []*expr{all, a}}
		}
		return all
	}
	return e
}

// Functions that choose one of their arguments, and compute no other one: either is a condition, what is chosen if it
// holds, and what else.
const (
	coalesce = "COALESCE"
	either   = "CASE"
)

// qualified reads a column behind its table.
func (p *parser) qualified(table string) *expr {
	e := &expr{kind: exprColumn, table: table, name: p.name()}
	if p.flavour == PostgreSQL && p.conflicts && table == "excluded" {
		e.kind = exprProposed
	}
	return e
}

// special reads what looks like a function and has words between its arguments; nil if nothing like it comes next.
func (p *parser) special() *expr {
	mysql := p.flavour == MySQL
	switch {
	case p.accept("CAST", "("):
		e := p.expr()
		p.expect("AS")
		e = p.castTo(e)
		p.expect(")")
		return e
	case p.accept("EXTRACT", "(", "EPOCH", "FROM"):
		e := call("EXTRACT EPOCH", p.expr())
		e.to.name = "extract"
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
	e := call(either, p.expr())
	p.expect("THEN")
	e.args = append(e.args, p.expr())
	switch {
	case p.accept("WHEN"):
		e.args = append(e.args, p.choice())
		return e
	case p.accept("ELSE"):
		e.args = append(e.args, p.expr())
	default:
		e.args = append(e.args, &expr{value: value{kind: valueNull}})
	}
	p.expect("END")
	return e
}

// castTo reads a type and returns the cast to it.
func (p *parser) castTo(e *expr) *expr {
	if c, ok := p.timeType(); ok {
		return &expr{kind: exprCall, name: toTime, to: c, args: []*expr{e}}
	}
	switch {
	case p.flavour == MySQL && p.accept("CHAR"):
		return call(asText, e)
	case p.flavour == MySQL:
		p.expect("SIGNED")
	case p.accept("BOOLEAN"), p.accept("BOOL"):
		return call(toBoolean, e)
	case p.accept("INTERVAL"):
		return call(toInterval, e)
	case p.accept("TEXT"):
		return call(asText, e)
	default:
		p.expect("BIGINT")
	}
	return call("CAST", e)
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
	return e.kind == exprColumn || e.kind == exprProposed || slices.ContainsFunc(e.args, (*expr).columns)
}
