package sql

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// session is the state of one connection.
type session struct {
	conn     store.Conn
	tx       *tx           // the one that BEGIN has opened; nil: each statement is its own
	aborted  bool          // PostgreSQL: the transaction has had an error
	lockWait time.Duration // how long a statement waits for a row lock; negative: for ever
	running  *run          // the statement that waits for a lock
	backlog  []*run        // statements that have arrived meanwhile
	idle     time.Duration // monotonic, since when it has been idle
}

// defaultLockWait is the default of innodb_lock_wait_timeout; PostgreSQL's
// lock_timeout is off.
const (
	defaultLockWait = 50 * time.Second
	noLimit         = -1
)

func (d *DB) find(id uint64) *session {
	return store.First(d.sessions, func(s *session) bool { return s.conn.ID == id })
}

// pooled is the number that stands for any connection of a pool.
const pooled = 0

// session returns the session of a connection; its first statement opens it.
func (d *DB) session(c store.Conn) *session {
	if s := d.find(c.ID); s != nil {
		return s
	}
	s := &session{conn: c, lockWait: defaultLockWait}
	if d.cfg.Flavour == PostgreSQL {
		s.lockWait = noLimit
	}
	if c.ID != pooled {
		d.sessions = append(d.sessions, s)
	}
	return s
}

// idleUntil is when, on the monotonic clock, an idle session has been idle for too long;
// false when it is busy or has no limit.
func (d *DB) idleUntil(s *session) (time.Duration, bool) {
	idle := s.running == nil && len(s.backlog) == 0
	return s.idle + d.cfg.IdleTimeout, idle && d.cfg.IdleTimeout > 0
}

// endIdle ends the sessions that have been idle for too long.
func (d *DB) endIdle() {
	due := func(s *session) bool {
		at, ok := d.idleUntil(s)
		return ok && at <= d.now.Mono
	}
	for s := store.First(d.sessions, due); s != nil; s = store.First(d.sessions, due) {
		d.Out.Drops = append(d.Out.Drops, s.conn)
		d.end(s, history.Expired)
	}
}

// end closes a session: what it waits for is forgotten, its transaction is rolled
// back, its named locks are free. kind says how its entries ended.
func (d *DB) end(s *session, kind history.Kind) {
	if r := s.running; r != nil {
		d.stopWaiting(r)
		if r.tx != s.tx {
			d.rollback(r.tx, kind, 0)
		}
	}
	s.backlog = nil
	if s.tx != nil {
		d.rollback(s.tx, kind, 0)
		s.tx = nil
	}
	for _, n := range d.named {
		if n.holder == s {
			d.free(n, kind, 0)
		}
	}
	d.sessions = slices.DeleteFunc(d.sessions, func(other *session) bool { return other == s })
	d.freed = true
}
