// Package sqltest tests a lock in a database, with package locktest and a *sql.DB whose servers are
// simulated.
//
//	func TestMyLock(t *testing.T) {
//		store := sqltest.MySQL{Setup: []string{"CREATE TABLE locks (name VARCHAR(64) NOT NULL PRIMARY KEY)"}}
//		locktest.Run(t, store, func(c locktest.Client) locktest.Lock {
//			return adapter{mylock.New(sqltest.Open(c), c.Key())}
//		}, locktest.Breaks("pause"))
//	}
//
// The model is a small SQL engine: tables with keys, transactions, row locks and deadlocks, ON
// CONFLICT and ON DUPLICATE KEY UPDATE, SKIP LOCKED, times, COUNT, GET_LOCK and advisory locks,
// subqueries that do not depend on the row outside of them, as in MariaDB and PostgreSQL by
// default. Times come as time.Time, as with parseTime=true of go-sql-driver. The model refuses
// statements that it does not understand, and the result of such a run is unknown. A lock of a
// session that goes back to the pool is untested: another statement of a busy process would get it.
package sqltest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/lib/pq"

	"lockstep/internal/bubble"
	"lockstep/internal/locks"
	"lockstep/internal/ports"
	model "lockstep/internal/store/sql"
	"lockstep/internal/store/sql/door"
	"lockstep/locktest"
)

// MySQL is one primary of MySQL or MariaDB, with a replica in the stories that need one. Errors of
// the server are *mysql.MySQLError of github.com/go-sql-driver/mysql.
type MySQL struct {
	Setup []string // statements that are executed before each run, as by a migration
}

// PostgreSQL is the same with PostgreSQL. Errors of the server are *pq.Error of github.com/lib/pq.
type PostgreSQL struct{ Setup []string }

// Servers implements locktest.Store.
func (m MySQL) Servers() bubble.Servers {
	return servers(locks.StoreMySQL, 3306, model.MySQL, m.Setup)
}

// Servers implements locktest.Store.
func (p PostgreSQL) Servers() bubble.Servers {
	return servers(locks.StorePostgres, 5432, model.PostgreSQL, p.Setup)
}

func servers(store locks.Store, port int, flavour model.Flavour, setup []string) bubble.Servers {
	statements, requests := make([]model.Stmt, len(setup)), make([]ports.Request, len(setup))
	for i, text := range setup {
		statements[i].Query = text
		requests[i] = statements[i]
	}
	out := bubble.Servers{Store: store, Port: port, Setup: requests, Dial: noDoor}
	if err := (model.Config{Flavour: flavour, Setup: statements}).Check(); err != nil {
		out.Wrong = fmt.Errorf("sqltest: %w. The model knows tables with keys, and simple statements: make the table that the lock needs in its plainest form", err)
	}
	return out
}

// noDoor refuses drivers that speak the protocol of a real server.
func noDoor(context.Context, *bubble.Client, int) (net.Conn, error) {
	return nil, errors.New("sqltest: no driver reaches these servers by its own protocol: take the *sql.DB that sqltest.Open returns")
}

// Open returns a pool with default options, whose connections go to the current primary. A
// statement ends with its context, and has no other time limit. The pool is closed when the run is
// over.
//
// A lock that asks for the errors of another driver of PostgreSQL gets them from as:
//
//	sqltest.Open(c, func(e *pq.Error) error { return &pgconn.PgError{Code: string(e.Code), Message: e.Message} })
func Open(c locktest.Client, as ...func(*pq.Error) error) *sql.DB {
	inside := c.Underlying()
	flavour := model.MySQL
	switch inside.Store() {
	case locks.StoreMySQL:
	case locks.StorePostgres:
		flavour = model.PostgreSQL
	default:
		panic("sqltest: Open is for a test whose store is sqltest.MySQL or sqltest.PostgreSQL")
	}
	db := door.Open(inside, flavour, slices.Concat(as, []func(*pq.Error) error{nil})[0])
	c.Cleanup(func() { _ = db.Close() })
	return db
}
