package sqltest_test

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"lockstep/locktest"
	"lockstep/locktest/sqltest"
)

// Locks as frameworks write them: begin takes the lock, and end gives it back, in one transaction
// or each by itself. A statement that gives no row, or changes none, has not taken it.
type framework struct {
	setup      []string
	begin      []string // of which the last one takes the lock; with the name NAME of the client WHO, for LEASE milliseconds
	end        string   // "": COMMIT
	overlapped bool     // by long work
}

var frameworks = map[string]framework{
	// Quartz: the row is made by the first client, and changed in a transaction.
	"Quartz": {
		setup: []string{"CREATE TABLE QRTZ_LOCKS (SCHED VARCHAR(120) NOT NULL, LOCK_ID VARCHAR(40) NOT NULL, PRIMARY KEY (SCHED, LOCK_ID))"},
		begin: []string{"INSERT INTO QRTZ_LOCKS (SCHED, LOCK_ID) VALUES ('s', NAME) ON CONFLICT (SCHED, LOCK_ID) DO NOTHING",
			"UPDATE QRTZ_LOCKS SET LOCK_ID = LOCK_ID WHERE SCHED = 's' AND LOCK_ID = NAME RETURNING LOCK_ID"},
	},
	"transaction": {begin: []string{"SELECT pg_advisory_xact_lock(hashtext('app'), hashtext(NAME)) AS got"}},
	// A queue: the row is there before the clients are, and stays.
	"queue": {
		setup: []string{"CREATE TABLE jobs (id BIGSERIAL PRIMARY KEY, owner TEXT, until TIMESTAMPTZ)", "INSERT INTO jobs (owner) VALUES (NULL)"},
		begin: []string{"UPDATE jobs SET owner = WHO, until = now() + LEASE * interval '1 ms' WHERE id = (SELECT id FROM jobs WHERE until IS NULL OR until < now() " +
			"ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING owner"},
		end:        "UPDATE jobs SET owner = NULL, until = NULL WHERE owner = WHO RETURNING id",
		overlapped: true,
	},
	// Spring's JdbcLockRegistry.
	"Spring": {
		setup: []string{"CREATE TABLE INT_LOCK (LOCK_KEY VARCHAR(36), REGION VARCHAR(100), CLIENT_ID VARCHAR(36), CREATED TIMESTAMPTZ NOT NULL, CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION))"},
		begin: []string{"INSERT INTO INT_LOCK VALUES (NAME, 'DEFAULT', WHO, now()) ON CONFLICT (REGION, LOCK_KEY) DO UPDATE SET CLIENT_ID = EXCLUDED.CLIENT_ID, CREATED = now() " +
			"WHERE INT_LOCK.CREATED < now() - LEASE * interval '1 ms' RETURNING client_id"},
		end:        "DELETE FROM INT_LOCK WHERE REGION = 'DEFAULT' AND LOCK_KEY = NAME AND CLIENT_ID = WHO RETURNING 1",
		overlapped: true,
	},
}

type taker struct {
	framework
	c  locktest.Client
	db *sql.DB
}

func (f *taker) Acquire(ctx context.Context) (locktest.Lease, error) {
	for {
		release, err := f.take(ctx)
		if err == nil {
			return locktest.LeaseFunc(release), nil
		} else if !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		select {
		case <-time.After(f.c.Retry()):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take takes the lock in a transaction of its own.
func (f *taker) take(ctx context.Context) (func(context.Context) error, error) {
	tx, err := f.db.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return nil, err
	}
	with := strings.NewReplacer("NAME", "'"+f.c.Key()+"'", "WHO", "'"+f.c.Name()+"'", "LEASE", strconv.FormatInt(f.c.Lease().Milliseconds(), 10))
	for i, query := range f.begin {
		if query = with.Replace(query); i < len(f.begin)-1 {
			_, err = tx.ExecContext(ctx, query)
		} else {
			var got string
			err = tx.QueryRowContext(ctx, query).Scan(&got)
		}
		if err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
	}
	if f.end == "" {
		return func(context.Context) error { return tx.Commit() }, nil
	}
	return func(ctx context.Context) error {
		var got string
		err := f.db.QueryRowContext(ctx, with.Replace(f.end)).Scan(&got)
		if errors.Is(err, sql.ErrNoRows) {
			return locktest.ErrNotHeld
		}
		return err
	}, tx.Commit()
}

// A lock of a transaction breaks where that is lost, as any lock of a session; a lease when its
// time is up.
func TestFrameworks(t *testing.T) {
	for name, f := range frameworks {
		known := []locktest.Option{
			locktest.Stories("contention", "failed-try", "pause", "crash", "restart", "late-release", "failover"), locktest.Breaks("failover"),
		}
		if f.overlapped {
			known = append(known, locktest.Breaks("pause"))
		} else {
			known = append(known, locktest.Breaks("restart"))
		}
		t.Run(name, func(t *testing.T) {
			locktest.Run(t, sqltest.PostgreSQL{Setup: f.setup}, func(c locktest.Client) locktest.Lock { return &taker{f, c, sqltest.Open(c)} }, known...)
		})
	}
}

// pgxError looks like the error of pgx.
type pgxError struct{ Code string }

func (e *pgxError) Error() string { return e.Code }

// Rows have the names of their columns, comments do not matter, and errors may be those of another
// driver.
func TestNamesAndErrors(t *testing.T) {
	looked := false
	locktest.Run(t, sqltest.PostgreSQL{Setup: []string{"CREATE TABLE t (Name TEXT PRIMARY KEY, n BIGINT)"}}, func(c locktest.Client) locktest.Lock {
		if c.Name() == "A" && !looked {
			looked = true
			db := sqltest.Open(c, func(e *pq.Error) error { return &pgxError{string(e.Code)} })
			rows, err := db.Query("-- name: One :one\nSELECT name, n + 1 AS next, count.n, '--?' FROM t /* isn't */ AS count WHERE n = $1", 7)
			if err != nil {
				t.Fatal(err)
			}
			if names, err := rows.Columns(); err != nil || len(names) != 4 || names[0] != "name" || names[1] != "next" || names[2] != "n" {
				t.Errorf("%q, %v", names, err)
			}
			_ = rows.Close()
			_, err = db.Exec("INSERT INTO nowhere VALUES (1)")
			var said *pgxError
			if !errors.As(err, &said) || said.Code != "42P01" {
				t.Errorf("%v", err)
			}
		}
		return advisory(c)
	}, locktest.Stories("contention"))
	if !looked {
		t.Error("the table was never queried")
	}
}
