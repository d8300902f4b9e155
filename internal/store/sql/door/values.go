package door

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	model "lockstep/internal/store/sql"
)

// statement is a query with its arguments in the form of the model: a question mark for each.
func statement(flavour model.Flavour, query string, args []driver.NamedValue) (model.Stmt, error) {
	var values []model.Value
	for _, a := range args {
		v, err := value(flavour, a.Value)
		if err != nil {
			return model.Stmt{}, err
		}
		values = append(values, v)
	}
	query = withoutComments(flavour, query)
	if flavour == model.MySQL {
		return model.Stmt{Query: query, Args: values}, nil
	}
	query, order := questionMarks(query)
	var inOrder []model.Value
	for _, n := range order {
		if n < 1 || n > len(values) {
			return model.Stmt{}, fmt.Errorf("there is no argument $%d", n)
		}
		inOrder = append(inOrder, values[n-1])
	}
	for i := range values {
		if !slices.Contains(order, i+1) {
			return model.Stmt{}, fmt.Errorf("the statement has no $%d, though there is an argument for it", i+1)
		}
	}
	return model.Stmt{Query: query, Args: inOrder}, nil
}

// Quotes, and comments: those of tools that write queries, and names that sqlc gives them. MySQL wants a blank behind
// --, and takes /*! and /*+ for more than a comment.
var (
	mysqlComments = regexp.MustCompile(quotes + "|`[^`]*`|" + `--(?:\s[^\n]*|\z)|#[^\n]*|/\*(?:[^!+](?s:.*?))?\*/`)
	pgComments    = regexp.MustCompile(quotes + `|--[^\n]*|/\*(?:[^+](?s:.*?))?\*/`)
)

const quotes = `'[^']*'|"[^"]*"`

// withoutComments puts a blank in the place of each comment.
func withoutComments(flavour model.Flavour, query string) string {
	comments := mysqlComments
	if flavour == model.PostgreSQL {
		comments = pgComments
	}
	return strings.TrimSpace(comments.ReplaceAllStringFunc(query, func(found string) string {
		if strings.ContainsAny(found[:1], "-#/") {
			return " "
		}
		return found
	}))
}

// questionMarks puts question marks in the place of $1, $2 and so on, but for those within quotes, and
// returns the numbers in the order in which they came.
func questionMarks(query string) (string, []int) {
	var out strings.Builder
	var order []int
	quote := byte(0)
	for i := 0; i < len(query); i++ {
		c := query[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0 // a doubled one opens again with the next
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '$':
			end := i + 1
			for end < len(query) && '0' <= query[end] && query[end] <= '9' {
				end++
			}
			if n, err := strconv.Atoi(query[i+1 : end]); err == nil {
				order = append(order, n)
				out.WriteByte('?')
				i = end - 1
				continue
			}
		}
		out.WriteByte(c)
	}
	return out.String(), order
}

// value is an argument for the model. Times are texts, as from the drivers: go-sql-driver writes them in UTC, lib/pq
// in their own zone, which a column without one ignores.
func value(flavour model.Flavour, v driver.Value) (model.Value, error) {
	switch v := v.(type) {
	case time.Time:
		if flavour == model.PostgreSQL {
			return model.Text(v.Format("2006-01-02 15:04:05.999999999Z07:00:00")), nil
		}
		return model.Text(v.UTC().Format("2006-01-02 15:04:05.999999")), nil
	case int64:
		return model.Num(v), nil
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
		switch {
		case v.Null:
			dest[i] = nil
		case v.IsBool:
			dest[i] = v.Num != 0
		case v.IsTime:
			dest[i] = time.UnixMicro(v.Num).UTC()
		case v.IsNum:
			dest[i] = v.Num
		default:
			dest[i] = v.Text
		}
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
		return 0, errors.New("PostgreSQL tells no generated id: use RETURNING")
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
