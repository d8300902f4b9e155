// Package door is a driver of database/sql in front of the model of an SQL server. A connection is
// a session there, and a statement is one message of the simulated network with its arguments in
// it, as from drivers that interpolate them.
//
// Errors of the server are those of the drivers that people use: *mysql.MySQLError of
// go-sql-driver, and *pq.Error of lib/pq. A statement that the model does not understand is noted:
// the behaviour of a lock after one is no evidence.
package door

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/lib/pq"

	"lockstep/internal/bubble"
	"lockstep/internal/ports"
	model "lockstep/internal/store/sql"
)

// Open returns the pool of one client. A connection leads to the primary of the moment when it is
// made. other makes the errors of another driver of those of lib/pq; nil: of none.
func Open(c *bubble.Client, flavour model.Flavour, other func(*pq.Error) error) *sql.DB {
	return sql.OpenDB(&connector{c, flavour, other})
}

// connector implements driver.Connector.
type connector struct {
	client  *bubble.Client
	flavour model.Flavour
	other   func(*pq.Error) error
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	wire, err := c.client.Connect(ctx, 0, nil)
	if err != nil {
		return nil, err
	}
	return &conn{connector: c, wire: wire}, nil
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return nameless{} }

type nameless struct{}

func (nameless) Open(string) (driver.Conn, error) {
	return nil, errors.New("this driver takes no database names: it is made for one client of a test")
}

// conn is one session. database/sql lets one goroutine use it at a time.
type conn struct {
	*connector
	wire *bubble.Wire
	bad  bool // an answer may still come, and would be taken for that of the next statement

	failed bool   // PostgreSQL: a statement of the transaction has failed
	holds  string // the statement that has given the session a lock or a transaction; "" for none
}

var (
	_ driver.QueryerContext = (*conn)(nil)
	_ driver.ExecerContext  = (*conn)(nil)
	_ driver.ConnBeginTx    = (*conn)(nil)
	_ driver.Validator      = (*conn)(nil)
)

// IsValid implements driver.Validator: a pool looks before it takes a connection again. Another
// statement of the same process may get it then, or the pool closes it.
func (c *conn) IsValid() bool {
	if c.holds != "" && c.usable() {
		c.client.Doubts(fmt.Sprintf("the session of %s goes back to the pool of connections after %q, with what it has locked: "+
			"the next statement of a busy process has another session. Take a connection out of the pool for as long as "+
			"the lock is held, by sql.DB.Conn or in a transaction", c.client.Name(), c.holds))
	}
	return c.usable()
}

func (c *conn) usable() bool {
	select {
	case <-c.wire.Over():
		return false
	default:
		return !c.bad
	}
}

// Close implements driver.Conn.
func (c *conn) Close() error {
	c.wire.Close()
	return nil
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	res, err := c.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return &rows{res.Columns, res.Rows}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	res, err := c.run(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return result{res, c.flavour}, nil
}

// run runs one statement.
func (c *conn) run(ctx context.Context, query string, args []driver.NamedValue) (model.Result, error) {
	if !c.usable() {
		return model.Result{}, driver.ErrBadConn // nothing was sent: the pool tries another one
	}
	stmt, err := statement(c.flavour, query, args)
	if err != nil {
		c.client.Misses("SQL: " + err.Error())
		return model.Result{}, err
	}
	v, err := c.wire.Do(ctx, stmt)
	res, _ := v.(model.Result)
	for _, s := range spans {
		switch {
		case err == nil && s.begins.MatchString(query) && !refused(res):
			c.holds = query
		case s.ends.MatchString(query) && s.begins.MatchString(c.holds):
			c.holds = ""
		}
	}
	return res, c.failure(ctx, query, err)
}

// spans are the statements that lock something for their session, and those that give it back. The
// end of a transaction gives back no lock of the session.
var spans = []struct{ begins, ends *regexp.Regexp }{
	{regexp.MustCompile(`(?i)^\s*(BEGIN|START\s+TRANSACTION)`), regexp.MustCompile(`(?i)^\s*(COMMIT|ROLLBACK)`)},
	{
		regexp.MustCompile(`(?i)\bGET_LOCK\s*\(|\bpg_(try_)?advisory_lock(_shared)?\s*\(`),
		regexp.MustCompile(`(?i)\bRELEASE_(ALL_)?LOCKS?\s*\(|\bpg_advisory_unlock`),
	},
}

// refused reports whether the answer to a request for a lock is 0 or NULL.
func refused(res model.Result) bool {
	if len(res.Rows) != 1 || len(res.Rows[0]) != 1 {
		return false
	}
	got := res.Rows[0][0]
	return got.Null || (got.IsNum || got.IsBool) && got.Num == 0
}

// failure is an error as the drivers report it.
func (c *conn) failure(ctx context.Context, query string, err error) error {
	var said *model.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said):
		if unknown(said) {
			c.client.Misses("SQL: " + query + ": " + said.Message)
		}
		c.failed = c.flavour == model.PostgreSQL
		return c.error(said)
	case ctx.Err() != nil:
		c.bad = true
		c.wire.Close()
		return ctx.Err()
	}
	c.bad = true
	if c.flavour == model.PostgreSQL && c.other == nil && errors.Is(err, ports.ErrConnection) {
		return driver.ErrBadConn // though the statement was sent: so the pool sends it again
	}
	if c.flavour == model.MySQL && errors.Is(err, ports.ErrConnection) {
		return mysql.ErrInvalidConn
	}
	return err
}

// unknown reports whether the model did not understand a statement that a server might have
// executed.
func unknown(e *model.Error) bool {
	return e.Number == 1064 || e.State == "42601" || strings.HasPrefix(e.Message, "the model does not know ")
}

func (c *conn) error(e *model.Error) error {
	if c.flavour == model.PostgreSQL {
		said := &pq.Error{Severity: "ERROR", Code: pq.ErrorCode(e.State), Message: e.Message}
		if c.other != nil {
			return c.other(said)
		}
		return said
	}
	out := &mysql.MySQLError{Number: uint16(e.Number), Message: e.Message}
	copy(out.SQLState[:], e.State)
	return out
}

// BeginTx implements driver.ConnBeginTx, with the default isolation of the servers.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	own := map[model.Flavour]sql.IsolationLevel{model.MySQL: sql.LevelRepeatableRead, model.PostgreSQL: sql.LevelReadCommitted}[c.flavour]
	if is := sql.IsolationLevel(o.Isolation); o.ReadOnly || is != sql.LevelDefault && is != own {
		err := fmt.Errorf("the model knows no transactions that are read-only or have an isolation other than %s, which the server comes with", own)
		c.client.Misses("SQL: " + err.Error())
		return nil, err
	}
	c.failed = false
	_, err := c.run(ctx, "BEGIN", nil)
	return tx{c}, err
}

// Begin implements driver.Conn.
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

type tx struct{ conn *conn }

// Commit implements driver.Tx. Of a failed transaction there is nothing to commit: PostgreSQL
// answers COMMIT with ROLLBACK, and lib/pq with an error.
func (t tx) Commit() error {
	if t.conn.failed {
		return cmp.Or(t.Rollback(), pq.ErrInFailedTransaction)
	}
	_, err := t.conn.run(context.Background(), "COMMIT", nil)
	return err
}

// Rollback implements driver.Tx.
func (t tx) Rollback() error {
	_, err := t.conn.run(context.Background(), "ROLLBACK", nil)
	return err
}
