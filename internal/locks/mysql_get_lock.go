// Lock mysql-get-lock
//
// Idea: the database has locks of its own, by name, that belong to a session. The
// client keeps a connection for as long as it holds the lock.
//
// Protocol:
//  1. On a connection of its own, SELECT GET_LOCK(name, seconds): wait for the lock
//     at most that long, a third of the response timeout. 1: the lock is held;
//     0: another client has it, try again; NULL: an error.
//  2. SELECT RELEASE_LOCK(name) on the same connection; 1: given back; 0 or NULL: it
//     was not this session's. Then the connection is closed.
//
// Guarantees: one holder for as long as its session lives, however slow or paused;
// a session that ends, with its process or by a closed connection, frees its lock at
// once; waiting clients are served in their order. A session may take the lock
// several times and has to give it back as often. No table is needed.
//
// Breaks when: the session ends and the holder does not know: it is killed by an operator, it has
// been idle for longer than wait_timeout (work that needs no database), or the server is restarted.
// Nothing tells the client before its next statement. The server in its turn cannot see that a
// client behind a broken network, or on a machine that has lost power, is dead: the lock then stays
// until TCP keepalive or wait_timeout ends the session, hours later by default. The lock is one
// server's: a replica that takes over knows nothing of it.
//
// Source: MySQL Reference Manual, "Locking Functions"; MariaDB documentation,
// "GET_LOCK". Not in the documents; see mysql-unique for what they describe.

package locks

import (
	"context"
	"errors"

	"lockstep/internal/ports"
	"lockstep/internal/store/sql"
)

func init() {
	Register(Variant{
		ID: "mysql-get-lock", Store: StoreMySQL,
		New: func(d Deps) Lock { return &mysqlGetLock{sqlSessions{Deps: d}} },
	})
}

type mysqlGetLock struct{ sqlSessions }

func (l *mysqlGetLock) Acquire(ctx context.Context) (Lease, error) {
	get := statement("SELECT GET_LOCK(?, ? / 1000)", sql.Text(l.Name), sql.Num(ports.Millis(l.waitTime())))
	s, err := l.hold(ctx, nil, func(conn sql.Session) (bool, error) {
		res := conn.Exec(ctx, get)
		if res.Err != nil {
			return false, res.Err
		}
		got, ok := scalar(res)
		if !ok {
			return false, errors.New("GET_LOCK answered NULL")
		}
		return got == 1, nil
	})
	if err != nil {
		return nil, err
	}
	return l.namedLease(s, statement("SELECT RELEASE_LOCK(?)", sql.Text(l.Name))), nil
}
