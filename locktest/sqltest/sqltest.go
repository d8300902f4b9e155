// Package sqltest tests a lock that lives in a database, with package locktest: a *sql.DB whose servers are
// simulated.
//
//	func TestMyLock(t *testing.T) {
//		store := sqltest.MySQL{Setup: []string{"CREATE TABLE locks (name VARCHAR(64) NOT NULL PRIMARY KEY)"}}
//		locktest.Run(t, store, func(c locktest.Client) locktest.Lock {
//			return adapter{mylock.New(sqltest.Open(c), c.Key())}
//		}, locktest.Breaks("pause"))
//	}
//
// The model is a small SQL engine: tables with keys, transactions, row locks and deadlocks, GET_LOCK and
// advisory locks, as MariaDB and PostgreSQL have them when nobody sets anything. A statement that it does
// not understand is refused, and a run in which that happens is unknown.
package sqltest

import (
	"database/sql"

	"lockstep/internal/bubble"
	"lockstep/internal/bubble/sqldriver"
	"lockstep/internal/locks"
	model "lockstep/internal/sim/sql"
	"lockstep/internal/world"
	"lockstep/locktest"
)

// MySQL is one primary of MySQL or MariaDB, with a replica in the stories that need one. Errors of the
// server are *mysql.MySQLError of github.com/go-sql-driver/mysql.
type MySQL struct {
	Setup []string // statements that have been executed before each run, as by a migration
}

// PostgreSQL is the same with PostgreSQL. Errors of the server are *pq.Error of github.com/lib/pq.
type PostgreSQL struct{ Setup []string }

// Servers implements locktest.Store.
func (m MySQL) Servers() bubble.Servers {
	return bubble.Servers{Store: locks.StoreMySQL, Port: 3306, Setup: statements(m.Setup)}
}

// Servers implements locktest.Store.
func (p PostgreSQL) Servers() bubble.Servers {
	return bubble.Servers{Store: locks.StorePostgres, Port: 5432, Setup: statements(p.Setup)}
}

func statements(texts []string) []world.Stmt {
	out := make([]world.Stmt, len(texts))
	for i, text := range texts {
		out[i].Query = text
	}
	return out
}

// Open returns a pool of connections to whatever server is the primary when one is made, with the options
// that a pool has when nobody sets any. A statement ends with its context, and has no other time limit. It
// is closed when the run is over.
func Open(c locktest.Client) *sql.DB {
	inside := c.Underlying()
	flavour := model.MySQL
	if inside.Store() == locks.StorePostgres {
		flavour = model.PostgreSQL
	}
	db := sqldriver.Open(inside, flavour)
	c.Cleanup(func() { _ = db.Close() })
	return db
}
