package door

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	model "lockstep/internal/store/sql"
)

// statement is a query with its arguments in the form of the model: a question mark for each, and a
// blank in the place of each comment.
func statement(flavour model.Flavour, query string, args []driver.NamedValue) (model.Stmt, error) {
	values := make([]model.Value, len(args))
	for i, a := range args {
		var err error
		if values[i], err = value(flavour, a.Value); err != nil {
			return model.Stmt{}, err
		}
	}
	var numbers []int // of PostgreSQL's arguments, in the order in which they come
	query = strings.TrimSpace(pieces[flavour].ReplaceAllStringFunc(query, func(found string) string {
		switch found[0] {
		case '-', '#', '/':
			return " "
		case '$':
			n, _ := strconv.Atoi(found[1:]) // of too many digits it makes the largest number
			numbers = append(numbers, n)
			return "?"
		}
		return found
	}))
	if flavour == model.MySQL {
		return model.Stmt{Query: query, Args: values}, nil
	}
	stmt := model.Stmt{Query: query}
	for _, n := range numbers {
		if n < 1 || n > len(values) {
			return model.Stmt{}, fmt.Errorf("there is no argument $%d", n)
		}
		stmt.Args = append(stmt.Args, values[n-1])
	}
	for i := range values {
		if !slices.Contains(numbers, i+1) {
			return model.Stmt{}, fmt.Errorf("the statement has no $%d, though there is an argument for it", i+1)
		}
	}
	return stmt, nil
}

// pieces are quotes, comments (those of tools that write queries, and names that sqlc gives them)
// and PostgreSQL's arguments. MySQL wants a blank behind --, and takes /*! and /*+ for more than a
// comment.
var pieces = [...]*regexp.Regexp{
	model.MySQL:      regexp.MustCompile(quotes + "|`[^`]*`|" + `--(?:\s[^\n]*|\z)|#[^\n]*|/\*(?:[^!+](?s:.*?))?\*/`),
	model.PostgreSQL: regexp.MustCompile(quotes + `|--[^\n]*|/\*(?:[^+](?s:.*?))?\*/|\$[0-9]+`),
}

const quotes = `'[^']*'|"[^"]*"`

// value is an argument for the model. Times are texts, as from the drivers: go-sql-driver writes
// them in UTC, lib/pq in their own zone, which a column without one ignores.
func value(flavour model.Flavour, v driver.Value) (model.Value, error) {
	switch v := v.(type) {
	case time.Time:
		if flavour == model.PostgreSQL {
			return model.Text(v.Format("2006-01-02 15:04:05.999999999Z07:00:00")), nil
		}
		return model.Text(v.UTC().Format("2006-01-02 15:04:05.999999")), nil
	case int64:
		return model.Num(v), nil
	case float64: // time.Duration.Seconds, which the drivers write as a whole number
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 { // so far all whole numbers are exact
			return model.Num(int64(v)), nil
		}
		return model.Value{}, fmt.Errorf("the model knows no fractions: instead of %v, pass a whole number of a smaller unit", v)
	case bool:
		return model.Bool(v), nil
	case string:
		return model.Text(v), nil
	case []byte:
		return model.Text(string(v)), nil
	}
	return model.Value{}, fmt.Errorf("the model knows texts, whole numbers, booleans and times as arguments, and no %T", v)
}

// rows implements driver.Rows.
type rows struct {
	names []string
	left  [][]model.Value
}

// Columns implements driver.Rows.
func (r *rows) Columns() []string { return r.names }

// Close implements driver.Rows.
func (r *rows) Close() error { return nil }

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	for i, v := range r.left[0] {
		dest[i] = v.Driver()
	}
	r.left = r.left[1:]
	return nil
}

// result implements driver.Result.
type result struct {
	model.Result
	flavour model.Flavour
}

// LastInsertId implements driver.Result.
func (r result) LastInsertId() (int64, error) {
	if r.flavour == model.PostgreSQL {
		return 0, errors.New("PostgreSQL does not report generated ids: use RETURNING")
	}
	return r.LastID, nil
}

// RowsAffected implements driver.Result.
func (r result) RowsAffected() (int64, error) { return r.Affected, nil }

// Prepare implements driver.Conn: nothing goes over the network before the statement is used.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return &prepared{conn: c, query: query}, nil
}

type prepared struct {
	driver.Stmt // nil: database/sql calls the methods with a context only
	conn        *conn
	query       string
}

var (
	_ driver.StmtExecContext  = (*prepared)(nil)
	_ driver.StmtQueryContext = (*prepared)(nil)
)

// Close implements driver.Stmt.
func (p *prepared) Close() error { return nil }

// NumInput implements driver.Stmt: the server counts them.
func (p *prepared) NumInput() int { return -1 }

// ExecContext implements driver.StmtExecContext.
func (p *prepared) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return p.conn.ExecContext(ctx, p.query, args)
}

// QueryContext implements driver.StmtQueryContext.
func (p *prepared) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return p.conn.QueryContext(ctx, p.query, args)
}
