//go:build linux

package sql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/lib/pq"

	"lockstep/internal/locks"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/world"
)

// flavours are those that the tests run on.
var flavours = []struct {
	name    string
	flavour Flavour
}{{"MySQL", MySQL}, {"PostgreSQL", PostgreSQL}}

// store is the name of the server among the stores of the locks.
func (s *realServer) store() locks.Store {
	if s.flavour == MySQL {
		return locks.StoreMySQL
	}
	return locks.StorePostgres
}

// realServer is a database server as a child process, as the live world starts it.
type realServer struct {
	flavour Flavour
	pool    *sql.DB
	admin   *sql.Conn
}

// startServer starts one that ends idle sessions after a time; 0: as the live world does by
// itself.
func startServer(t *testing.T, f Flavour, idle time.Duration) *realServer {
	t.Helper()
	s := &realServer{flavour: f}
	var process interface{ Stop() error }
	var dsn string
	driverName := "mysql"
	_ = mysql.SetLogger(&mysql.NopLogger{}) // killed sessions are part of the test
	if f == MySQL {
		realtest.Need(t, "mariadbd")
		db, err := servers.StartMariaDB(t.Context(), servers.MariaDBOptions{IdleTimeout: idle})
		if err != nil {
			t.Fatal(err)
		}
		process, dsn = db, db.DSN(db.Addr)
	} else {
		realtest.Need(t, "postgres")
		db, err := servers.StartPostgres(t.Context(), servers.PostgresOptions{IdleTimeout: idle})
		if err != nil {
			t.Fatal(err)
		}
		process, dsn, driverName = db, db.DSN(db.Addr), "postgres"
	}
	var err error
	if s.pool, err = sql.Open(driverName, dsn); err != nil {
		t.Fatal(err)
	}
	s.pool.SetMaxIdleConns(0) // a session that is over is not used again
	t.Cleanup(func() {
		_ = s.pool.Close()
		if err := process.Stop(); err != nil {
			t.Error(err)
		}
	})
	if s.admin, err = s.pool.Conn(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// realSession is one connection to it.
type realSession struct {
	server *realServer
	conn   *sql.Conn
	id     uint64 // as the server calls it
}

func (s *realServer) connect(t *testing.T) *realSession {
	t.Helper()
	conn, err := s.pool.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	query := "SELECT CONNECTION_ID()"
	if s.flavour == PostgreSQL {
		query = "SELECT pg_backend_pid()"
	}
	r := &realSession{server: s, conn: conn}
	if err := conn.QueryRowContext(context.Background(), query).Scan(&r.id); err != nil {
		t.Fatal(err)
	}
	return r
}

// waiting is how many statements wait for locks now.
func (s *realServer) waiting(t *testing.T) int {
	t.Helper()
	ctx := context.Background()
	var n, rows int
	var name string
	if s.flavour == PostgreSQL {
		if err := s.admin.QueryRowContext(ctx, "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	err := s.admin.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'").Scan(&n)
	if err == nil {
		err = s.admin.QueryRowContext(ctx, "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'").Scan(&name, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n + rows
}

// kill ends a session and waits until the server has cleared up behind it.
func (r *realSession) kill(t *testing.T) {
	t.Helper()
	kill, left := fmt.Sprintf("KILL CONNECTION %d", r.id), "SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d"
	if r.server.flavour == PostgreSQL {
		kill, left = fmt.Sprintf("SELECT pg_terminate_backend(%d)", r.id), "SELECT COUNT(*) FROM pg_stat_activity WHERE pid = %d"
	}
	if _, err := r.server.admin.ExecContext(context.Background(), kill); err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		var n int
		if err := r.server.admin.QueryRowContext(context.Background(), fmt.Sprintf(left, r.id)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			_ = r.conn.Raw(func(any) error { return driver.ErrBadConn }) // so that it is not used again
			_ = r.conn.Close()
			return
		}
	}
	t.Fatal("a killed session does not go away")
}

// exec executes one statement as an adapter of the live world would.
func (r *realSession) exec(stmt world.Stmt) world.SQLResult {
	query := stmt.Query
	if r.server.flavour == PostgreSQL {
		for i := range stmt.Args {
			query = strings.Replace(query, "?", "$"+strconv.Itoa(i+1), 1)
		}
	}
	var args []any
	for _, a := range stmt.Args {
		if a.IsNum {
			args = append(args, a.Num)
		} else {
			args = append(args, a.Text)
		}
	}
	ctx := context.Background()
	if strings.HasPrefix(strings.ToUpper(query), "SELECT") {
		rows, err := r.conn.QueryContext(ctx, query, args...)
		if err != nil {
			return world.SQLResult{Err: sqlError(err)}
		}
		defer rows.Close()
		return readRows(rows)
	}
	done, err := r.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return world.SQLResult{Err: sqlError(err)}
	}
	res := world.SQLResult{}
	res.Affected, _ = done.RowsAffected()
	if r.server.flavour == MySQL {
		res.LastID, _ = done.LastInsertId()
	}
	return res
}

func readRows(rows *sql.Rows) world.SQLResult {
	var res world.SQLResult
	columns, err := rows.ColumnTypes()
	if err != nil {
		return world.SQLResult{Err: err}
	}
	for rows.Next() {
		cells := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return world.SQLResult{Err: err}
		}
		var row []world.SQLValue
		for i, c := range cells {
			row = append(row, cell(c, strings.HasSuffix(columns[i].DatabaseTypeName(), "INT")))
		}
		res.Rows = append(res.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return world.SQLResult{Err: sqlError(err)}
	}
	return res
}

// cell is a value of a result; in the text protocol of MySQL all are texts.
func cell(c any, isInt bool) world.SQLValue {
	switch c := c.(type) {
	case nil:
		return world.SQLValue{Null: true}
	case int64:
		return world.SQLNum(c)
	case bool:
		return world.SQLBool(c)
	case []byte:
		if n, err := strconv.ParseInt(string(c), 10, 64); err == nil && isInt {
			return world.SQLNum(n)
		}
		return world.SQLText(string(c))
	}
	return world.SQLText(fmt.Sprint(c))
}

func sqlError(err error) error {
	var m *mysql.MySQLError
	if errors.As(err, &m) {
		return &world.SQLError{Number: int(m.Number), State: string(m.SQLState[:]), Message: m.Message}
	}
	var p *pq.Error
	if errors.As(err, &p) {
		return &world.SQLError{State: string(p.Code), Message: p.Message}
	}
	return err
}
