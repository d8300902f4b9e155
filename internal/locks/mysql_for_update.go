// Lock mysql-for-update
//
// Idea: the work is a transaction, and begins with locking a row that is always
// there. What it changes in the same database is undone with it.
//
// Protocol:
//  1. On a connection of its own, SET innodb_lock_wait_timeout, a third of the
//     response timeout in whole seconds; BEGIN.
//  2. SELECT the row of that name FOR UPDATE; 1 row: the lock is held. Error 1205,
//     waited long enough: try again in the same transaction.
//  3. While the lock is held, SELECT 1 every third of the lease, for the statements
//     that the work would send: when one finds no connection, the lock is lost.
//  4. COMMIT: given back. Then the connection is closed.
//
// Guarantees: one holder for as long as its session lives, however slow or paused; a session that
// ends frees the row at once, and with it everything that its transaction has written in this
// database; waiting clients are served in their order.
//
// Breaks when: the session ends while the work touches something outside the database:
// that is not undone, and the client learns of it only from its next statement. A
// client behind a broken network, or on a machine that has lost power, keeps the row
// until TCP keepalive or wait_timeout ends its session, hours later by default. The
// row lock is one server's: a replica that takes over has the row, but not its lock.
//
// Source: MySQL Reference Manual, "Locking Reads" and innodb_lock_wait_timeout. Not in
// the documents; see mysql-unique for what they describe.

package locks

import (
	"context"
	"errors"
	"strconv"
	"time"

	"lockstep/internal/store"
	"lockstep/internal/store/sql"
)

func init() {
	Register(Variant{
		ID: "mysql-for-update", Store: StoreMySQL, Entry: store.Entry{Table: "lock_rows", Name: "name"},
		New: func(d Deps) Lock { return &mysqlForUpdate{sqlSessions{Deps: d}} },
	})
}

type mysqlForUpdate struct{ sqlSessions }

// mysqlLockWait is the number of the error for innodb_lock_wait_timeout.
const mysqlLockWait = 1205

func (l *mysqlForUpdate) Acquire(ctx context.Context) (Lease, error) {
	wait := max(1, int64(l.waitTime()/time.Second))
	prepare := []sql.Stmt{
		statement("SET innodb_lock_wait_timeout = " + strconv.FormatInt(wait, 10)), statement("BEGIN"),
	}
	lock := statement("SELECT name FROM lock_rows WHERE name = ? FOR UPDATE", sql.Text(l.Name))
	s, err := l.hold(ctx, prepare, func(conn sql.Session) (bool, error) {
		res := conn.Exec(ctx, lock)
		if e, ok := res.Err.(*sql.Error); ok && e.Number == mysqlLockWait {
			return false, nil
		}
		if res.Err == nil && len(res.Rows) == 0 {
			return false, errors.New("the row that is to be locked does not exist")
		}
		return res.Err == nil, res.Err
	})
	if err != nil {
		return nil, err
	}
	return l.lease(s), nil
}

// lease makes a lease and starts the task that sends the statements of its work.
func (l *mysqlForUpdate) lease(s *sqlSession) Lease {
	lease := &lockedRow{lock: l, session: s}
	if s.depth > 1 {
		return lease // the outer one sends them
	}
	lease.attend(l.Env, "statements", func(ctx context.Context) {
		for l.Env.Sleep(ctx, l.Lease/3) == nil {
			// The release waits for a statement that is under way.
			if s.conn.Exec(l.Env.Background(), statement("SELECT 1")).Err != nil {
				lease.tellLost()
				return
			}
		}
	})
	return lease
}

// lockedRow is a row that a transaction has locked.
type lockedRow struct {
	attended // stop is nil for a lock that was taken once more
	lock     *mysqlForUpdate
	session  *sqlSession
}

func (l *lockedRow) Release(ctx context.Context) error {
	if l.stop == nil {
		l.lock.leave(l.session)
		return nil // the transaction goes on
	}
	l.stop()
	if err := l.task.Join(ctx); err != nil { // the connection is for one statement at a time
		return err
	}
	res := l.session.conn.Exec(ctx, statement("COMMIT"))
	l.lock.leave(l.session)
	return res.Err
}
