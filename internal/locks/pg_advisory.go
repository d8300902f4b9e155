// Lock pg-advisory
//
// Idea: PostgreSQL keeps locks on numbers that mean whatever the application likes. They belong to
// a session. The client keeps a connection for as long as it holds the lock.
//
// Protocol:
//  1. On a connection of its own, SET lock_timeout, a third of the response timeout.
//  2. SELECT pg_advisory_lock(hashtext(name)): it returns when the lock is held, or
//     fails with state 55P03 after that time: try again.
//  3. SELECT pg_advisory_unlock(hashtext(name)) on the same connection; true: given
//     back; false: it was not this session's. Then the connection is closed.
//
// Guarantees: as mysql-get-lock: one holder for as long as its session lives, freed
// when the session ends, waiting clients in their order, several times over.
//
// Breaks when: the session ends and the holder does not know: a restart, an operator's
// pg_terminate_backend, idle_session_timeout while the work needs no database. Nothing tells the
// client before its next statement. A client behind a broken network, or on a machine that has lost
// power, keeps the lock until TCP keepalive ends its session, hours later by default. The lock is
// one server's, no replica knows of it. A pooler that hands the session to another client after
// each transaction breaks it without any fault. Two names may have the same hash.
//
// Source: PostgreSQL documentation, "Advisory Locks" and "Advisory Lock Functions".
// Not in the documents.

package locks

import (
	"context"
	"strconv"

	"lockstep/internal/ports"
	"lockstep/internal/store/sql"
)

func init() {
	Register(Variant{
		ID: "pg-advisory", Store: StorePostgres,
		New: func(d Deps) Lock { return &pgAdvisory{sqlSessions{Deps: d}} },
	})
}

type pgAdvisory struct{ sqlSessions }

// pgLockTimeout is the state of the error after lock_timeout.
const pgLockTimeout = "55P03"

func (l *pgAdvisory) Acquire(ctx context.Context) (Lease, error) {
	// SET takes no arguments.
	limit := statement("SET lock_timeout = " + strconv.FormatInt(ports.Millis(l.waitTime()), 10))
	take := statement("SELECT pg_advisory_lock(hashtext(?))", sql.Text(l.Name))
	s, err := l.hold(ctx, []sql.Stmt{limit}, func(conn sql.Session) (bool, error) {
		err := conn.Exec(ctx, take).Err
		if e, ok := err.(*sql.Error); ok && e.State == pgLockTimeout {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return nil, err
	}
	return l.namedLease(s, statement("SELECT pg_advisory_unlock(hashtext(?))", sql.Text(l.Name))), nil
}
