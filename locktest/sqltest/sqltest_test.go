package sqltest_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/lib/pq"

	"lockstep/internal/must"
	"lockstep/locktest"
	"lockstep/locktest/sqltest"
)

// rows is a lock that is a row: inserting it acquires the lock, deleting it releases the lock.
type rows struct {
	c  locktest.Client
	db *sql.DB
}

func newRows(c locktest.Client) locktest.Lock { return &rows{c, sqltest.Open(c)} }

// poll tries until it gets the lock, and returns its lease.
func poll(ctx context.Context, c locktest.Client, l locktest.Lease, try func() (got bool, err error)) (locktest.Lease, error) {
	for {
		switch got, err := try(); {
		case err != nil:
			return nil, err
		case got:
			return l, nil
		}
		select {
		case <-time.After(c.Retry()):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// inserted reports whether a row was inserted, and not refused as a duplicate.
func inserted(_ sql.Result, err error) (bool, error) {
	const duplicate = 1062
	var said *mysql.MySQLError
	if errors.As(err, &said) && said.Number == duplicate {
		return false, nil
	}
	return err == nil, err
}

// changed reports whether a statement has changed a row.
func changed(done sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// released is the outcome of a release that changes the holder's row.
func released(done sql.Result, err error) error {
	if held, err := changed(done, err); held || err != nil {
		return err
	}
	return locktest.ErrNotHeld
}

func (l *rows) Acquire(ctx context.Context) (locktest.Lease, error) {
	return poll(ctx, l.c, l, func() (bool, error) {
		return inserted(l.db.ExecContext(ctx, "INSERT INTO locks (name) VALUES (?)", l.c.Key()))
	})
}

func (l *rows) Release(ctx context.Context) error {
	return released(l.db.ExecContext(ctx, "DELETE FROM locks WHERE name = ?", l.c.Key()))
}

// table creates the table of these locks.
var table = []string{"CREATE TABLE locks (name VARCHAR(64) NOT NULL PRIMARY KEY)"}

// A row stays until a client deletes it: only a failover that loses it breaks mutual exclusion,
// after which a release deletes another client's row. A client that dies, or never learns of its
// row, leaves the lock taken forever; if it was the first one, no client ever holds the lock, and
// the story tests nothing.
func TestRow(t *testing.T) {
	locktest.Run(t, sqltest.MySQL{Setup: table}, newRows,
		locktest.Breaks("crash", locktest.Progress), locktest.Breaks("next-crash", locktest.Progress),
		locktest.Breaks("walk/restart", locktest.Progress), locktest.Breaks("lost-request", locktest.Progress),
		locktest.Breaks("lost-reply", locktest.Progress), locktest.MayBeUntested("lost-reply"),
		locktest.Breaks("failover", locktest.MutualExclusion, locktest.OwnerOnlyRelease))
}

// sessions is a lock of a session: GET_LOCK in MySQL, an advisory lock in PostgreSQL.
type sessions struct {
	c         locktest.Client
	db        *sql.DB
	take, end string
}

func named(c locktest.Client) locktest.Lock {
	return &sessions{c, sqltest.Open(c), "SELECT GET_LOCK(?, 1)", "SELECT RELEASE_LOCK(?)"}
}

func advisory(c locktest.Client) locktest.Lock {
	return &sessions{c, sqltest.Open(c), "SELECT pg_try_advisory_lock(hashtext($1))", "SELECT pg_advisory_unlock(hashtext($1))"}
}

// Acquire takes a connection, which is the session, out of the pool.
func (l *sessions) Acquire(ctx context.Context) (locktest.Lease, error) {
	conn, err := l.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	for {
		var got bool
		err := conn.QueryRowContext(ctx, l.take, l.c.Key()).Scan(&got)
		if err == nil && got {
			return &session{l, conn}, nil
		}
		if err == nil {
			select {
			case <-time.After(l.c.Retry()):
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		return nil, errors.Join(err, conn.Close())
	}
}

type session struct {
	of   *sessions
	conn *sql.Conn
}

func (s *session) Release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.of.c.Timeout())
	defer cancel()
	var had bool
	err := s.conn.QueryRowContext(ctx, s.of.end, s.of.c.Key()).Scan(&had)
	_ = s.conn.Close()
	if err == nil && !had {
		return locktest.ErrNotHeld
	}
	return err
}

// A session lock lasts as long as its session: a crash frees it, a pause does not, and a new
// primary does not have it.
func TestSessions(t *testing.T) {
	known := []locktest.Option{locktest.Breaks("restart"), locktest.Breaks("failover")}
	t.Run("MySQL", func(t *testing.T) { locktest.Run(t, sqltest.MySQL{}, named, known...) })
	t.Run("PostgreSQL", func(t *testing.T) { locktest.Run(t, sqltest.PostgreSQL{}, advisory, known...) })
}

// Errors and values are those of the usual drivers, and transactions are those of the server.
func TestDriver(t *testing.T) {
	var looked bool
	locktest.Run(t, sqltest.PostgreSQL{Setup: []string{"CREATE TABLE t (name VARCHAR(9) NOT NULL PRIMARY KEY, n BIGINT)"}}, func(c locktest.Client) locktest.Lock {
		l := advisory(c).(*sessions)
		if !looked && c.Name() == "A" {
			looked = true
			look(t, l.db)
		}
		return l
	}, locktest.Stories("contention"))
	if !looked {
		t.Error("the table was never queried")
	}
}

func look(t *testing.T, db *sql.DB) {
	ctx := context.Background()
	exec := func(query string, args ...any) {
		t.Helper()
		must.Get(db.ExecContext(ctx, query, args...))(t)
	}
	var n int64
	exec("INSERT INTO t (name, n) VALUES ($2, $1)", 7, "a$1'b")
	_, err := db.ExecContext(ctx, "INSERT INTO t (name, n) VALUES ($1, 1)", "a$1'b")
	var said *pq.Error
	if !errors.As(err, &said) || said.Code != "23505" {
		t.Errorf("%v", err)
	}
	tx := must.Get(db.BeginTx(ctx, nil))(t)
	must.Get(tx.Exec("UPDATE t SET n = 8 WHERE name = $1", "a$1'b"))(t)
	must.Do(t, tx.Rollback())
	tx = must.Get(db.BeginTx(ctx, nil))(t)
	must.Get(tx.Exec("INSERT INTO t (name) VALUES ('other')"))(t)
	if _, err = tx.Exec("INSERT INTO t (name) VALUES ('other')"); err == nil {
		t.Error("a row was inserted twice")
	}
	if err = tx.Commit(); !errors.Is(err, pq.ErrInFailedTransaction) {
		t.Errorf("a failed transaction was committed: %v", err)
	}
	exec("INSERT INTO t (name) VALUES ('other')") // nothing was
	if exec("UPDATE t SET n = $1 WHERE name = 'other'", 10.0); db.QueryRow("SELECT n FROM t WHERE name = 'other'").Scan(&n) != nil || n != 10 {
		t.Errorf("%d for a whole float", n)
	}
	var name string
	if err := db.QueryRow("SELECT name, n FROM t WHERE n = $1", 7).Scan(&name, &n); err != nil || name != "a$1'b" || n != 7 {
		t.Errorf("%q, %d, %v", name, n, err)
	}
	if err := db.QueryRow("SELECT name FROM t WHERE name = '$1'").Scan(&name); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("%v", err)
	}
}

// A lock is made for one client, from its pool.
func ExampleOpen() {
	_ = func(t *testing.T) { // func TestMyLock(t *testing.T)
		locktest.Run(t, sqltest.MySQL{Setup: table}, func(c locktest.Client) locktest.Lock {
			return &rows{c, sqltest.Open(c)} // mylock.New(sqltest.Open(c), c.Key())
		}, locktest.Breaks("failover"))
	}
}

// A statement of the set-up that fails is reported before anything is played.
func TestASetupThatFails(t *testing.T) {
	for want, store := range map[string]locktest.Store{
		"statement 2 of the set-up fails: CREATE TABEL other":  sqltest.MySQL{Setup: append(table, "CREATE TABEL other (id INT PRIMARY KEY)")},
		"statement 1 of the set-up fails: INSERT INTO nowhere": sqltest.PostgreSQL{Setup: []string{"INSERT INTO nowhere (name) VALUES ('x')"}},
	} {
		must.Fail(t, store.Servers().Wrong, want)
	}
	if err := (sqltest.MySQL{Setup: table}).Servers().Wrong; err != nil {
		t.Error(err)
	}
}

// jobs creates a table with a time in seconds, and an owner that a release clears.
var jobs = []string{"CREATE TABLE jobs (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, job VARCHAR(64) NOT NULL UNIQUE, locked_by VARCHAR(64), good_until BIGINT)"}

type job struct {
	c     locktest.Client
	db    *sql.DB
	owned bool // a release checks the owner
}

const seconds = "CAST(UNIX_TIMESTAMP(NOW(3)) AS SIGNED)"

func (l *job) Acquire(ctx context.Context) (locktest.Lease, error) {
	key, lease := "nightly-"+l.c.Key(), int64(l.c.Lease().Seconds())
	return poll(ctx, l.c, l, func() (bool, error) {
		got, err := inserted(l.db.ExecContext(ctx, "INSERT INTO jobs (job, locked_by, good_until) VALUES (?, ?, "+seconds+" + ?)", key, l.c.Name(), lease))
		for _, free := range []string{"locked_by = ''", "good_until < " + seconds} {
			if !got && err == nil {
				got, err = changed(l.db.ExecContext(ctx, "UPDATE jobs SET locked_by = ?, good_until = "+seconds+" + ? WHERE job = ? AND "+free, l.c.Name(), lease, key))
			}
		}
		return got, err
	})
}

func (l *job) Release(ctx context.Context) error {
	query, args := "UPDATE jobs SET locked_by = '' WHERE job = ?", []any{"nightly-" + l.c.Key()}
	if l.owned {
		query, args = query+" AND locked_by = ?", append(args, l.c.Name())
	}
	return released(l.db.ExecContext(ctx, query, args...))
}

// In any table it is known whose entry a release removes.
func TestATableOfItsOwn(t *testing.T) {
	for _, owned := range []bool{true, false} {
		known := []string{locktest.MutualExclusion}
		if !owned {
			known = append(known, locktest.OwnerOnlyRelease)
		}
		locktest.Run(t, sqltest.MySQL{Setup: jobs}, func(c locktest.Client) locktest.Lock { return &job{c, sqltest.Open(c), owned} },
			locktest.Stories("contention", "pause"), locktest.Breaks("pause", known...))
	}
}
