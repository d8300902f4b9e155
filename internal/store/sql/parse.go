package sql

import "strings"

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

// statement is a parsed statement. It is immutable: one text is parsed once.
type statement struct {
	kind      statementKind
	table     string // "" for a SELECT of functions
	columns   []string
	exprs     []*expr // what is selected, inserted or assigned
	star      bool    // SELECT *
	where     []condition
	forUpdate bool
	create    *definition
	setting   string // of SET, in small letters
	params    int
}

// condition is one comparison of a WHERE clause; all of them have to hold.
type condition struct {
	left, right *expr
	op          string // = < > <= >=
}

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
	number      bool // else text, or
	boolean     bool // of PostgreSQL
	notNull     bool
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
	"AND": true, "CREATE": true, "DELETE": true, "FOR": true, "FROM": true, "INSERT": true, "INTO": true,
	"FALSE": true, "TRUE": true, "NOT": true, "NULL": true, "PRIMARY": true, "SELECT": true, "SET": true, "TABLE": true, "UNIQUE": true,
	"UPDATE": true, "VALUES": true, "WHERE": true,
}

func (p *parser) statement() *statement {
	switch {
	case p.accept("SELECT"):
		return p.selection()
	case p.accept("INSERT", "INTO"):
		return p.insertion()
	case p.accept("UPDATE"):
		return p.update()
	case p.accept("DELETE", "FROM"):
		st := &statement{kind: kindDelete, table: p.name()}
		st.where = p.where()
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
	if p.accept("*") {
		st.star = true
	} else {
		st.exprs = p.exprs()
	}
	if !p.accept("FROM") {
		if st.star {
			p.fail()
		}
		return st
	}
	st.table = p.name()
	st.where = p.where()
	st.forUpdate = p.accept("FOR", "UPDATE")
	return st
}

func (p *parser) insertion() *statement {
	st := &statement{kind: kindInsert, table: p.name()}
	p.expect("(")
	p.list(func() { st.columns = append(st.columns, p.name()) })
	p.expect(")")
	p.expect("VALUES", "(")
	st.exprs = p.exprs()
	p.expect(")")
	return st
}

func (p *parser) update() *statement {
	st := &statement{kind: kindUpdate, table: p.name()}
	p.expect("SET")
	p.list(func() {
		st.columns = append(st.columns, p.name())
		p.expect("=")
		st.exprs = append(st.exprs, p.expr())
	})
	st.where = p.where()
	return st
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

func (p *parser) where() []condition {
	if !p.accept("WHERE") {
		return nil
	}
	var out []condition
	for {
		c := condition{left: p.expr()}
		switch t := p.take(); {
		case t.is("="), t.is("<"), t.is(">"), t.is("<="), t.is(">="):
			c.op = t.text
		default:
			p.at--
			p.fail()
		}
		c.right = p.expr()
		out = append(out, c)
		if !p.accept("AND") {
			return out
		}
	}
}
