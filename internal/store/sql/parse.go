package sql

import (
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
	columns []string // of an INSERT; nil: all of the table
	exprs   []*expr  // what is inserted; the value of SET
	set     []assignment
	where   []*expr // all of them have to hold
	output  []*expr // what a SELECT, or a RETURNING, gives of each row
	star    bool    // all columns of it

	forUpdate bool
	busy      busy
	order     []*expr
	limited   bool     // LIMIT
	conflict  conflict // of an INSERT
	arbiter   key      // the key that the conflict is about; none: any
	create    *definition
	setting   string // of SET, in small letters
	params    int

	right atomic.Pointer[definition] // of the tables for which it was checked last
}

// assignment gives a column a new value.
type assignment struct {
	column string
	value  *expr
}

// busy is what SELECT FOR UPDATE does with a row that another transaction has locked.
type busy uint8

const (
	busyWaits busy = iota
	busySkips
	busyFails // NOWAIT
)

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
	number      bool  // else text, or
	boolean     bool  // of PostgreSQL
	time        bool  // a time,
	zoned       bool  // that knows its time zone,
	digits      uint8 // with so many digits behind the point of its seconds
	notNull     bool
	absent      *expr // what a new row has in it where none is given; nil: NULL
	generated   bool  // AUTO_INCREMENT or serial
	unsigned    bool  // of MySQL
	least, most int64 // numbers that it holds
	chars       int64 // the longest text that it holds; 0: any
}

// key is one unique key of one column.
type key struct {
	name   string // as errors show it
	column string
}

// parser reads one statement. A mistake ends it by a panic with an *Error, see catch.
type parser struct {
	flavour Flavour
	query   string
	tokens  []token
	at      int
	params  int

	conflicts bool // it reads what an INSERT does when its key is there
}

// parse reads a statement.
func parse(f Flavour, query string) (st *statement, err *Error) {
	p := &parser{flavour: f, query: query, tokens: f.tokenize(query)}
	defer catch(&err)
	st = p.statement()
	st.params = p.params
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

// fail refuses the statement at the present token.
func (p *parser) fail() {
	panic(p.flavour.syntaxError(p.query[p.peek().at:]))
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

// name takes the name of a table or column.
func (p *parser) name() string {
	t := p.peek()
	if t.kind != tokenQuoted && (t.kind != tokenWord || reserved[strings.ToUpper(t.text)]) {
		p.fail()
	}
	return p.take().text
}

// reserved are the keywords that no name may be without quotes, and words that would mean a value of their own.
var reserved = map[string]bool{
	"CURRENT_DATE": true, "CURRENT_TIME": true, "CURRENT_TIMESTAMP": true, "CURRENT_USER": true, "DEFAULT": true,
	"LOCALTIME": true, "LOCALTIMESTAMP": true, "UTC_TIMESTAMP": true,
	"AND": true, "CASE": true, "CREATE": true, "DELETE": true, "ELSE": true, "END": true, "FALSE": true, "FOR": true, "FROM": true,
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
		st := &statement{kind: kindUpdate, table: p.name()}
		p.expect("SET")
		st.set, st.where = p.assignments(), p.where()
		p.returning(st)
		return st
	case p.accept("DELETE", "FROM"):
		st := &statement{kind: kindDelete, table: p.name()}
		st.where = p.where()
		p.returning(st)
		return st
	case p.accept("CREATE", "TABLE"):
		return p.creation()
	case p.accept("BEGIN"), p.accept("START", "TRANSACTION"):
		return &statement{kind: kindBegin}
	case p.accept("COMMIT"):
		return &statement{kind: kindCommit}
	case p.accept("ROLLBACK"):
		return &statement{kind: kindRollback}
	case p.accept("SET"):
		p.accept("SESSION")
		st := &statement{kind: kindSet, setting: strings.ToLower(p.name())}
		p.expect("=")
		st.exprs = []*expr{p.expr()}
		return st
	}
	p.fail()
	return nil
}

func (p *parser) selection() *statement {
	st := &statement{kind: kindSelect}
	p.outputOf(st)
	if !p.accept("FROM") {
		if st.star {
			p.fail()
		}
		return st
	}
	st.table = p.name()
	st.where = p.where()
	if p.accept("ORDER", "BY") {
		p.list(func() {
			st.order = append(st.order, p.expr())
			_ = p.accept("ASC") || p.accept("DESC")
		})
	}
	if p.accept("LIMIT") {
		st.limited = true
		if n := decimal(p.take().text); n.kind != valueNumber || n.num == 0 {
			p.at--
			p.fail()
		}
	}
	if p.accept("FOR", "UPDATE") {
		st.forUpdate = true
		if p.accept("SKIP", "LOCKED") {
			st.busy = busySkips
		} else if p.accept("NOWAIT") {
			st.busy = busyFails
		}
	}
	return st
}

// outputOf reads what a statement gives of each row.
func (p *parser) outputOf(st *statement) {
	if st.star = p.accept("*"); !st.star {
		st.output = p.exprs()
	}
}

// returning reads what a changing statement gives of each row.
func (p *parser) returning(st *statement) {
	if p.flavour == PostgreSQL && p.accept("RETURNING") {
		p.outputOf(st)
	}
}

func (p *parser) insertion(c conflict) *statement {
	st := &statement{kind: kindInsert, table: p.name(), conflict: c}
	if p.accept("(") {
		p.list(func() { st.columns = append(st.columns, p.name()) })
		p.expect(")")
	}
	p.expect("VALUES", "(")
	st.exprs = p.exprs()
	p.expect(")")
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
		st.arbiter.column = p.inParentheses()
	}
	p.expect("DO")
	if st.conflict = conflictIgnored; p.accept("NOTHING") {
		return
	}
	p.expect("UPDATE", "SET")
	if st.arbiter == (key{}) {
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
