package sql

import (
	"math"
	"slices"
	"strings"
	"sync/atomic"
)

type statementKind uint8

const (
	kindSelect statementKind = iota
	kindInsert
	kindUpdate
	kindDelete
	kindCreate
	kindBegin
	kindCommit
	kindRollback
	kindSet
)

// statement is a parsed statement. It does not change: one text is parsed once.
type statement struct {
	kind    statementKind
	table   string   // "" for a SELECT of functions
	alias   string   // what it is called in the statement; "" for its name
	columns []string // of an INSERT; nil: all of the table
	exprs   []*expr  // what is inserted; the value of SET
	set     []assignment
	where   []*expr  // all of them have to hold
	output  []*expr  // what a SELECT, or a RETURNING, gives of each row
	names   []string // of the columns of the result
	star    bool     // all columns of the table
	counts  bool     // how many rows have a true one

	forUpdate bool
	skips     bool // leaves out a row that another transaction has locked,
	nowait    bool // or fails
	order     []order
	limit     int64    // 0: none
	only      []*expr  // of an INSERT: conditions without which it adds nothing
	conflict  conflict // of an INSERT
	arbiter   key      // the key that the conflict is about; none: any
	create    *definition
	setting   string // of SET, in small letters
	local     bool   // until the transaction ends
	params    int

	subs  []*statement // its subqueries, inner ones first
	inner bool         // it is one

	right atomic.Pointer[definition] // of the tables for which it was checked last
}

// order is one expression by which rows are sorted.
type order struct {
	by   *expr
	down bool
}

// assignment gives a column a new value.
type assignment struct {
	column string
	value  *expr
}

// conflict is what an INSERT does when its key is there.
type conflict uint8

const (
	conflictFails   conflict = iota
	conflictIgnored          // INSERT IGNORE, ON CONFLICT DO NOTHING
	conflictUpdates          // ON DUPLICATE KEY UPDATE, ON CONFLICT DO UPDATE
)

// definition is the table of a CREATE TABLE.
type definition struct {
	ifNotExists bool
	columns     []column
	keys        []key // PRIMARY first
	engine      string
}

// column is one column of a table.
type column struct {
	name        string
	kind        valueKind // a number, a text, a time or a boolean
	zoned       bool      // a time with a time zone
	digits      uint8     // of the fraction of a time's seconds
	notNull     bool
	absent      *expr // what a new row has in it where none is given; nil: NULL
	generated   bool  // AUTO_INCREMENT, serial or an identity,
	always      bool  // which takes no other value
	unsigned    bool  // of MySQL
	least, most int64 // numbers that it holds
	chars       int64 // the longest text that it holds; 0: any
	filled      bool  // CHAR: shorter texts are filled up
}

// key is one unique key.
type key struct {
	name    string // as errors show it; "" for the one that the server gives
	columns []string
	primary bool
}

func (k key) none() bool { return k.name == "" && k.columns == nil }

// parser reads one statement. A mistake ends it by a panic with an *Error, see catch.
type parser struct {
	flavour Flavour
	query   string
	tokens  []token
	at      int
	params  int
	subs    []*statement

	conflicts bool // it reads what an INSERT does when its key is there
}

// parse reads a statement.
func parse(f Flavour, query string) (st *statement, err *Error) {
	p := &parser{flavour: f, query: query, tokens: f.tokenize(query)}
	defer catch(&err)
	st = p.statement()
	st.params, st.subs = p.params, p.subs
	p.accept(";")
	if p.peek().kind != tokenEnd {
		p.fail()
	}
	return st, nil
}

// catch is deferred where a mistake of the statement ends its parsing or its execution: it
// makes an error of a panic with an *Error.
func catch(err **Error) {
	if r := recover(); r != nil {
		*err = r.(*Error)
	}
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

// fail refuses the statement at the current token.
func (p *parser) fail() {
	hint := ""
	for i, t := range slices.Concat(p.tokens[p.at:], p.tokens[:1]) {
		does := hints[strings.ToUpper(t.text)]
		if does != "" && t.kind == tokenWord && (!t.is("SELECT") || i == 0 && p.tokens[0].is("INSERT")) {
			hint = ". Instead, " + does
			break
		}
	}
	what := "a mistake, or more than the model knows, near '" + p.query[p.peek().at:] + "'" + hint
	panic(p.flavour.pick(1064, "42000", what, "42601", what))
}

// accept takes the words if they come next.
func (p *parser) accept(words ...string) bool {
	for i, w := range words {
		if p.at+i >= len(p.tokens) || !p.tokens[p.at+i].is(w) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *parser) expect(words ...string) {
	if !p.accept(words...) {
		p.fail()
	}
}

// count takes a whole number.
func (p *parser) count(least, most int64) int64 {
	n := decimal(p.peek().text)
	if n.kind != valueNumber || n.num < least || n.num > most {
		p.fail()
	}
	p.take()
	return n.num
}

// name takes the name of a table or column.
func (p *parser) name() string {
	t := p.peek()
	if t.kind != tokenQuoted && (t.kind != tokenWord || reserved[strings.ToUpper(t.text)]) {
		p.fail()
	}
	return p.take().text
}

// reserved are the keywords that no name may be without quotes, and words that would mean a value
// of their own.
var reserved = map[string]bool{
	"CURRENT_DATE": true, "CURRENT_TIME": true, "CURRENT_TIMESTAMP": true, "CURRENT_USER": true, "DEFAULT": true,
	"LOCALTIME": true, "LOCALTIMESTAMP": true, "UTC_TIMESTAMP": true,
	"AND": true, "AS": true, "ALL": true, "CASE": true, "CREATE": true, "DISTINCT": true, "ISNULL": true, "NOTNULL": true, "ONLY": true, "CROSS": true, "GROUP": true, "HAVING": true, "INNER": true, "JOIN": true, "LEFT": true,
	"UNION": true, "USING": true, "WITH": true, "DELETE": true, "ELSE": true, "END": true, "FALSE": true, "FOR": true, "FROM": true,
	"IN": true, "INSERT": true, "INTO": true, "IS": true, "LIMIT": true, "NOT": true, "NULL": true, "ON": true, "OR": true, "ORDER": true,
	"PRIMARY": true, "RETURNING": true, "SELECT": true, "SET": true, "TABLE": true, "THEN": true, "TRUE": true, "UNIQUE": true,
	"UPDATE": true, "VALUES": true, "WHEN": true, "WHERE": true,
}

func (p *parser) statement() *statement {
	switch {
	case p.accept("SELECT"):
		return p.selection()
	case p.accept("INSERT", "INTO"):
		return p.insertion(conflictFails)
	case p.flavour == MySQL && p.accept("INSERT", "IGNORE", "INTO"):
		return p.insertion(conflictIgnored)
	case p.accept("UPDATE"):
		st := &statement{kind: kindUpdate}
		p.tableOf(st)
		p.expect("SET")
		st.set = p.assignments()
		p.rows(st)
		return st
	case p.accept("DELETE", "FROM"):
		st := &statement{kind: kindDelete}
		p.tableOf(st)
		p.rows(st)
		return st
	case p.accept("CREATE", "TABLE"):
		return p.creation()
	}
	return p.control()
}

// tableOf reads the table of a statement, and what it is called there.
func (p *parser) tableOf(st *statement) {
	st.table = p.name()
	if p.flavour == MySQL && (st.kind == kindDelete || st.kind == kindInsert) {
		return
	}
	st.alias = p.called()
}

// called reads the other name of a table or a result, "" if it has none.
func (p *parser) called() string {
	if t := p.peek(); p.accept("AS") || t.kind == tokenQuoted || t.kind == tokenWord && !reserved[strings.ToUpper(t.text)] {
		return p.name()
	}
	return ""
}

// rows reads which rows an UPDATE or a DELETE is about, and what it gives of them.
func (p *parser) rows(st *statement) {
	st.where = p.where()
	if p.flavour == MySQL {
		p.bounds(st)
	}
	p.returning(st)
}

func (p *parser) selection() *statement {
	st := &statement{kind: kindSelect}
	p.outputOf(st)
	if !p.accept("FROM") {
		if st.star || st.counts {
			p.fail()
		}
		return st
	}
	p.tableOf(st)
	st.where = p.where()
	if p.bounds(st); st.counts && st.order != nil {
		panic(p.flavour.beyond("a count in an order"))
	} else if st.counts {
		st.limit = 0 // there is one count
	}
	if st.forUpdate = p.accept("FOR", "UPDATE") || p.flavour == PostgreSQL && p.accept("FOR", "NO", "KEY", "UPDATE"); st.forUpdate {
		st.skips = p.accept("SKIP", "LOCKED")
		st.nowait = !st.skips && p.accept("NOWAIT")
		if p.flavour == PostgreSQL && st.limit == 0 {
			p.bounds(st)
		}
	}
	return st
}

// bounds reads how rows are sorted, and how many of them there may be.
func (p *parser) bounds(st *statement) {
	if p.accept("ORDER", "BY") {
		p.list(func() {
			o := order{by: p.expr(), down: p.accept("DESC")}
			p.accept("ASC")
			st.order = append(st.order, o)
		})
	}
	if p.accept("LIMIT") {
		st.limit = p.count(1, math.MaxInt64)
	}
}

func (p *parser) insertion(c conflict) *statement {
	st := &statement{kind: kindInsert, conflict: c}
	p.tableOf(st)
	if p.peek().is("(") {
		st.columns = p.inParentheses()
	}
	if p.flavour == PostgreSQL && p.accept("SELECT") {
		st.exprs, st.only = p.exprs(), p.where()
	} else {
		p.expect("VALUES", "(")
		st.exprs = p.exprs()
		p.expect(")")
	}
	p.conflicts = true
	switch {
	case p.flavour == MySQL && c == conflictFails && p.accept("ON", "DUPLICATE", "KEY", "UPDATE"):
		st.conflict, st.set = conflictUpdates, p.assignments()
	case p.flavour == PostgreSQL && p.accept("ON", "CONFLICT"):
		p.onConflict(st)
	}
	p.conflicts = false
	p.returning(st)
	return st
}

// onConflict reads the rest of PostgreSQL's clause.
func (p *parser) onConflict(st *statement) {
	if p.accept("ON", "CONSTRAINT") {
		st.arbiter.name = p.name()
	} else if p.peek().is("(") {
		st.arbiter.columns = p.inParentheses()
	}
	p.expect("DO")
	if st.conflict = conflictIgnored; p.accept("NOTHING") {
		return
	}
	p.expect("UPDATE", "SET")
	if st.arbiter.none() {
		p.fail()
	}
	st.conflict, st.set, st.where = conflictUpdates, p.assignments(), p.where()
}

func (p *parser) assignments() (all []assignment) {
	p.list(func() {
		a := assignment{column: p.name()}
		p.expect("=")
		a.value = p.expr()
		all = append(all, a)
	})
	return all
}

// list reads elements with commas between them.
func (p *parser) list(element func()) {
	element()
	for p.accept(",") {
		element()
	}
}

func (p *parser) exprs() (out []*expr) {
	p.list(func() { out = append(out, p.expr()) })
	return out
}

// where reads the conditions of a WHERE clause, between which there is an AND.
func (p *parser) where() []*expr {
	if !p.accept("WHERE") {
		return nil
	}
	return p.expr().conjuncts(nil)
}

// conjuncts appends the conditions that all have to hold.
func (e *expr) conjuncts(all []*expr) []*expr {
	if e.kind != exprTest || e.op != "AND" {
		return append(all, e)
	}
	return e.args[1].conjuncts(e.args[0].conjuncts(all))
}
