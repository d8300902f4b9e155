package locks

import (
	"context"
	"time"

	"lockstep/internal/store/sql"
)

// statement makes a statement from its text and its arguments.
func statement(query string, args ...sql.Value) sql.Stmt {
	return sql.Stmt{Query: query, Args: args}
}

// deleted turns the result of a statement that gives a row back into the result of a release.
func deleted(res sql.Result) error {
	switch {
	case res.Err != nil:
		return res.Err
	case res.Affected == 0:
		return ErrNotHeld
	}
	return nil
}

// sqlSession is the session that has the lock. When it ends, for any reason, the database
// gives the lock to the next client.
type sqlSession struct {
	conn  sql.Session
	depth int // how often its client has the lock
}

// sqlSessions is the part of a lock that belongs to a session. A client that has
// the lock takes it again in the same session.
type sqlSessions struct {
	Deps
	current *sqlSession // nil while the client does not have the lock
}

// hold tries to get the lock until it is held, an attempt fails or ctx ends. prepare
// is what a new session does first; try reports whether it has the lock now.
func (l *sqlSessions) hold(
	ctx context.Context, prepare []sql.Stmt, try func(sql.Session) (bool, error),
) (*sqlSession, error) {
	s := l.current
	if s == nil {
		conn, err := l.sql().Open(ctx)
		if err != nil {
			return nil, err
		}
		s = &sqlSession{conn: conn}
		for _, stmt := range prepare {
			if res := conn.Exec(ctx, stmt); res.Err != nil {
				conn.Close()
				return nil, res.Err
			}
		}
	}
	for {
		held, err := try(s.conn)
		if err == nil && !held {
			err = l.Env.Sleep(ctx, l.Retry)
		}
		if err != nil {
			if s.depth == 0 {
				s.conn.Close() // and releases a lock that it may have got after all
			}
			return nil, err
		}
		if held {
			s.depth++
			l.current = s
			return s, nil
		}
	}
}

// leave notes that the client has given the lock back once, or has tried to.
// After the last time the session ends, which releases the lock even if the release was lost.
func (l *sqlSessions) leave(s *sqlSession) {
	s.depth--
	if s.depth > 0 {
		return
	}
	s.conn.Close()
	if l.current == s {
		l.current = nil
	}
}

// namedLease is the lease of a named lock. The answer to release is 1 or true when the session
// had the lock.
func (l *sqlSessions) namedLease(s *sqlSession, release sql.Stmt) Lease {
	return ReleaseFunc(func(ctx context.Context) error {
		res := s.conn.Exec(ctx, release)
		l.leave(s)
		if released, _ := scalar(res); res.Err == nil && released != 1 {
			return ErrNotHeld
		}
		return res.Err
	})
}

// waitTime is how long one statement may wait in the database for the lock. It is
// well below the response timeout: a statement that the client has given up would
// continue to wait there, and get the lock without the client's knowledge. A client
// that has waited without success asks again, at the end of the queue.
func (d *Deps) waitTime() time.Duration { return (d.Timeout / 3).Truncate(time.Millisecond) }

// scalar is the number in a result of one row and one column; false for any other result.
func scalar(res sql.Result) (n int64, ok bool) {
	if len(res.Rows) != 1 || len(res.Rows[0]) != 1 {
		return 0, false
	}
	v := res.Rows[0][0]
	return v.Num, v.IsNum && !v.Null
}

// sql is the database as its drivers have it.
func (d *Deps) sql() sql.Client { return sql.Client{Port: d.Port} }
