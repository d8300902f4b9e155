package world

import "context"

// SQL is a database as one client sees it.
type SQL interface {
	// Exec runs one statement on any connection of the pool, in autocommit mode.
	Exec(ctx context.Context, stmt Stmt) SQLResult
	// Dial opens a connection of its own: a session, with what belongs to it
	// (transactions, named locks). It is over when the connection is.
	Dial(ctx context.Context) (SQLConn, error)
}

// SQLConn is one session with the database.
type SQLConn interface {
	Exec(ctx context.Context, stmt Stmt) SQLResult
	Close()
}

// Stmt is one statement with its arguments. Query holds one question mark for
// each argument, in every flavour; adapters number them where a database wants it.
type Stmt struct {
	Query string
	Args  []SQLValue
}

// SQLValue is a text or a whole number; the zero value is the empty text.
type SQLValue struct {
	Text   string
	Num    int64
	IsNum  bool
	IsBool bool // and a number, 1 for true: PostgreSQL tells the two types apart
	Null   bool // in results only
}

// SQLText and SQLNum make values.
func SQLText(s string) SQLValue { return SQLValue{Text: s} }

// SQLBool makes a truth value.
func SQLBool(b bool) SQLValue {
	v := SQLValue{IsNum: true, IsBool: true}
	if b {
		v.Num = 1
	}
	return v
}

// SQLNum makes a number.
func SQLNum(n int64) SQLValue { return SQLValue{Num: n, IsNum: true} }

// SQLResult is what a statement did.
type SQLResult struct {
	Rows     [][]SQLValue // of a SELECT
	Affected int64        // rows changed by INSERT, UPDATE or DELETE
	LastID   int64        // the generated id of an INSERT (MySQL); 0 for none
	Err      error        // ErrTimeout, ErrConnection, an error of ctx, or a *SQLError
}

// SQLError is an error of the database: MySQL's number, or PostgreSQL's SQLSTATE.
type SQLError struct {
	Number  int    // 1062: duplicate key; 0 in PostgreSQL
	State   string // 23000, 23505
	Message string
}

// Error returns the database's text.
func (e *SQLError) Error() string { return e.Message }

// Duplicate reports whether an INSERT failed because the row exists: MySQL's
// error 1062, PostgreSQL's state 23505.
func (r SQLResult) Duplicate() bool {
	e, ok := r.Err.(*SQLError)
	return ok && (e.Number == 1062 || e.State == "23505")
}
