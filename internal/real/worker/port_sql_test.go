package worker

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store/sql"
)

// database is a real server of one flavour.
type database struct{ *realStore }

func (db *database) client(t testing.TB, w *worker) sql.Client {
	return sql.Client{Port: db.port(t, w, w.dialDirectly)}
}

// both runs a test on both databases.
func both(t *testing.T, test func(t *testing.T, db *database)) {
	t.Run("MariaDB", func(t *testing.T) { test(t, &database{startStore(t, sql.MySQLID)}) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, &database{startStore(t, sql.PostgresID)}) })
}

func sqlStmt(query string, args ...sql.Value) sql.Stmt {
	return sql.Stmt{Query: query, Args: args}
}

func TestStatementsAreAnswered(t *testing.T) {
	both(t, func(t *testing.T, db *database) {
		w, reports := alone(t, 5*time.Second)
		p := db.client(t, w)
		ctx := context.Background()
		exec := func(query string, args ...sql.Value) sql.Result {
			t.Helper()
			return p.Exec(ctx, sqlStmt(query, args...))
		}
		create, id := "CREATE TABLE things (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) UNIQUE)", int64(1)
		duplicate, truth := sql.Error{Number: 1062, State: "23000"}, sql.Num(1)
		if db.Store == sql.PostgresID {
			create, id = "CREATE TABLE things (id BIGSERIAL PRIMARY KEY, name VARCHAR(64) UNIQUE)", 0
			duplicate, truth = sql.Error{State: "23505"}, sql.Bool(true)
		}
		if res := exec(create); res.Err != nil {
			t.Fatal(res.Err)
		}
		hostile := sql.Text("it's ? $1 \\")
		if res := exec("INSERT INTO things (name) VALUES (?)", hostile); res.Err != nil || res.Affected != 1 || res.LastID != id {
			t.Errorf("INSERT: %+v", res)
		}
		res := exec("INSERT INTO things (name) VALUES (?)", hostile)
		got, ok := res.Err.(*sql.Error)
		if !ok || got.Number != duplicate.Number || got.State != duplicate.State || got.Message == "" || !res.Duplicate() {
			t.Errorf("a second INSERT: %+v", res)
		}
		res = exec("SELECT id, name, NULL FROM things WHERE name = ? AND id = ? AND name <> 'a?b'", hostile, sql.Num(1))
		want := [][]sql.Value{{sql.Num(1), hostile, {Null: true}}}
		if !reflect.DeepEqual(res.Rows, want) || res.Err != nil {
			t.Errorf("SELECT: %+v, want %+v", res, want)
		}
		if res := exec("SELECT name FROM things WHERE id = ?", sql.Num(7)); res.Err != nil || len(res.Rows) != 0 {
			t.Errorf("SELECT of nothing: %+v", res)
		}
		if res := exec("SELECT id = 1 FROM things"); res.Err != nil || res.Rows[0][0] != truth {
			t.Errorf("a truth: %+v", res)
		}
		if res := exec("DELETE FROM things WHERE id = ?", sql.Num(7)); res.Err != nil || res.Affected != 0 {
			t.Errorf("DELETE of nothing: %+v", res)
		}
		var refused *sql.Error
		if res := exec("NONSENSE"); !errors.As(res.Err, &refused) || refused.State != "42601" && refused.Number != 1064 {
			t.Errorf("a statement that is none: %v", res.Err)
		}
		lines := reports.lines()
		if lines[2] != `INSERT INTO things (name) VALUES ('it''s ? $1 \')` || lines[6] !=
			`SELECT id, name, NULL FROM things WHERE name = 'it''s ? $1 \' AND id = 1 AND name <> 'a?b'` ||
			lines[7] != `-> (1, 'it''s ? $1 \', NULL)` {
			t.Errorf("reported %q", lines)
		}
	})
}

// sessionID asks a session, or whatever connection the pool gives, for its number.
func (db *database) sessionID() sql.Stmt {
	if db.Store == sql.PostgresID {
		return sqlStmt("SELECT pg_backend_pid()")
	}
	return sqlStmt("SELECT CONNECTION_ID()")
}

func (db *database) kill(id int64) sql.Stmt {
	if db.Store == sql.PostgresID {
		return sqlStmt("SELECT pg_terminate_backend(" + strconv.FormatInt(id, 10) + ")")
	}
	return sqlStmt("KILL CONNECTION " + strconv.FormatInt(id, 10))
}

// take and free are a lock that belongs to a session; 1 means success.
func (db *database) take() sql.Stmt {
	if db.Store == sql.PostgresID {
		return sqlStmt("SELECT pg_try_advisory_lock(7)")
	}
	return sqlStmt("SELECT GET_LOCK('seven', 0)")
}

func number(t *testing.T, res sql.Result) int64 {
	t.Helper()
	if res.Err != nil || len(res.Rows) != 1 || len(res.Rows[0]) != 1 || !res.Rows[0][0].IsNum {
		t.Fatalf("not a number: %+v", res)
	}
	return res.Rows[0][0].Num
}

// eventually tries a lock until it is free.
func eventually(t *testing.T, what string, exec func() sql.Result) {
	t.Helper()
	if !realtest.Soon(5*time.Second, func() bool { return number(t, exec()) == 1 }) {
		t.Fatal(what)
	}
}

func TestASessionEndsWithItsConnection(t *testing.T) {
	both(t, func(t *testing.T, db *database) {
		w, _ := alone(t, 5*time.Second)
		p := db.client(t, w)
		ctx := context.Background()
		session := func() (sql.Session, int64) {
			t.Helper()
			c := must.Get(p.Open(ctx))(t)
			return c, number(t, c.Exec(ctx, db.sessionID()))
		}
		a, id := session()
		b, other := session()
		if again := number(t, a.Exec(ctx, db.sessionID())); again != id || other == id {
			t.Errorf("sessions %d, %d and %d", id, again, other)
		}
		if number(t, a.Exec(ctx, db.take())) != 1 || number(t, b.Exec(ctx, db.take())) == 1 {
			t.Fatal("a lock of a session is not one")
		}
		var refused *sql.Error
		if res := a.Exec(ctx, sqlStmt("NONSENSE")); !errors.As(res.Err, &refused) {
			t.Errorf("a statement that is none: %v", res.Err)
		}
		must.Equalf(t, number(t, a.Exec(ctx, db.sessionID())), id,
			"an error of the database cost the session")
		a.Close()
		a.Close()
		must.Equalf(t, a.Exec(ctx, db.sessionID()).Err, ports.ErrConnection, "after Close")
		eventually(t, "a closed session keeps its lock", func() sql.Result { return b.Exec(ctx, db.take()) })
		if res := p.Exec(ctx, db.kill(other)); res.Err != nil {
			t.Fatal(res.Err)
		}
		must.Equalf(t, b.Exec(ctx, db.sessionID()).Err, ports.ErrConnection,
			"a session that was killed")
		c, _ := session()
		eventually(t, "a killed session keeps its lock", func() sql.Result { return c.Exec(ctx, db.take()) })
		c.Close()
	})
}

func TestErrorsOfDatabasesAreThoseOfThePort(t *testing.T) {
	const timeout = 400 * time.Millisecond
	both(t, func(t *testing.T, db *database) {
		w, reports := alone(t, timeout)
		p := db.client(t, w)
		ctx := context.Background()
		conn := must.Get(p.Open(ctx))(t)
		id := number(t, conn.Exec(ctx, db.sessionID()))
		if number(t, conn.Exec(ctx, db.take())) != 1 {
			t.Fatal("the lock is not free")
		}
		// A statement that exceeds the response timeout ends with its session, and not by a request
		// on a second connection.
		sleep := sqlStmt("SELECT SLEEP(3)")
		if db.Store == sql.PostgresID {
			sleep = sqlStmt("SELECT pg_sleep(3)")
		}
		began := time.Now()
		res := conn.Exec(ctx, sleep)
		wantError(t, "silence", res.Err, ports.ErrTimeout, time.Since(began), timeout, timeout+200*time.Millisecond)
		must.Equalf(t, conn.Exec(ctx, db.sessionID()).Err, ports.ErrConnection, "after a timeout")
		if lines := reports.lines(); lines[len(lines)-1] != "-- "+ports.ErrTimeout.Error() {
			t.Errorf("reported %q", lines)
		}
		began = time.Now()
		res = p.Exec(within(t, 150*time.Millisecond), sleep)
		wantError(t, "a deadline", res.Err, context.DeadlineExceeded, time.Since(began), 140*time.Millisecond, 300*time.Millisecond)
		if again := number(t, p.Exec(ctx, db.sessionID())); again == id {
			t.Error("the pool gave a session away that was closed")
		}
		if db.Store == sql.MySQLID { // of PostgreSQL, only the postmaster would freeze
			must.Do(t, db.Freeze())
			began = time.Now()
			res = p.Exec(ctx, db.take())
			wantError(t, "a frozen server", res.Err, ports.ErrTimeout, time.Since(began), timeout, timeout+200*time.Millisecond)
		}
		must.Do(t, db.Kill())
		for range 3 {
			began = time.Now()
			res = p.Exec(ctx, db.take())
			wantError(t, "no server listens", res.Err, ports.ErrConnection, time.Since(began), 0, 200*time.Millisecond)
		}
	})
}

// A statement whose session ends after it was sent may have been executed, so only the lock may
// send it again.
func TestAStatementIsNotRepeated(t *testing.T) {
	both(t, func(t *testing.T, db *database) {
		w, _ := alone(t, 5*time.Second)
		other, _ := alone(t, 5*time.Second)
		p, direct := db.client(t, w), db.client(t, other)
		ctx := context.Background()
		if res := direct.Exec(ctx, sqlStmt("CREATE TABLE counted (n BIGINT)")); res.Err != nil {
			t.Fatal(res.Err)
		}
		slow := "INSERT INTO counted SELECT SLEEP(0.5)"
		if db.Store == sql.PostgresID {
			slow = "INSERT INTO counted SELECT 0 FROM pg_sleep(0.5)"
		}
		kill := db.kill(number(t, p.Exec(ctx, db.sessionID()))) // the pool has no other connection
		killed := make(chan sql.Result, 1)
		time.AfterFunc(200*time.Millisecond, func() { killed <- direct.Exec(ctx, kill) })
		if res := p.Exec(ctx, sqlStmt(slow)); res.Err != ports.ErrConnection {
			t.Errorf("a session that ended: %+v, want exactly %v", res, ports.ErrConnection)
		}
		if res := <-killed; res.Err != nil {
			t.Fatal(res.Err)
		}
		must.Equalf(t, number(t, direct.Exec(ctx, sqlStmt("SELECT COUNT(*) FROM counted"))), 0,
			"executed … times, although its session was ended")
		if res := p.Exec(ctx, db.sessionID()); res.Err != nil {
			t.Errorf("the pool after it: %v", res.Err)
		}
	})
}
