// Package sql is the model of one database server, in the two flavours MySQL
// (InnoDB) and PostgreSQL: tables, transactions, row locks, named locks, and
// their fate when a session ends. It is a small SQL engine, not a list of
// known statements: it parses every statement and refuses what it does not know.
//
//	db := sql.New(sql.Config{Flavour: sql.MySQL, Lock: store.Entry{Key: "lock"}, Setup: tables})
//	answer, done := db.Exec(now, 1, conn, stmt)
//
// A statement that has to wait for a lock is not done; its answer comes out of
// Output later. The model has no clock and no network of its own.
//
// What it leaves out, because locks do not need it: joins, subqueries about a row outside
// of them, changes of keys, more than one row per INSERT; the neighbours of a gap lock; the
// purge of deleted rows. The conformance test compares the rest with real servers.
package sql

import (
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Config describes a database.
type Config struct {
	Flavour Flavour
	Lock    store.Entry // the lock: a row, or the named lock of a session
	EpochMS int64       // the time of the wall clock's 0, in milliseconds since 1970
	Setup   []Stmt      // statements that are executed before the run, like a migration
	// IdleTimeout is how long a session may be idle between two statements before
	// the server ends it; 0: for ever. It is wait_timeout of MariaDB, and of PostgreSQL
	// both idle_session_timeout and idle_in_transaction_session_timeout.
	IdleTimeout time.Duration
}

// DB is one database server. It implements store.Follower.
type DB struct {
	cfg Config
	now store.Clock

	replica  bool // it follows another server
	tables   []*table
	serial   int64 // of the latest row
	gaps     []gapLock
	named    []*namedLock
	sessions []*session
	waiting  []*run // statements that wait for a lock, the one that waits longest first

	freed   bool // a lock was released: a waiting statement may continue
	current *run // the statement that Exec executes
	store.Base
}

var _ store.Follower = (*DB)(nil)

// New makes a server on which the statements of the set-up have been executed. It
// panics when one of them fails: Check tells before.
func New(cfg Config) *DB {
	d := &DB{cfg: cfg}
	if err := d.setUp(); err != nil {
		panic("sql: " + err.Error())
	}
	return d
}

// Check says which statement of the set-up fails, and why; nil when none does.
func (c Config) Check() error { return (&DB{cfg: c}).setUp() }

func (d *DB) setUp() error {
	for i, stmt := range d.cfg.Setup {
		a, done := d.Exec(store.Clock{}, 0, store.Conn{}, stmt)
		switch {
		case !done:
			return fmt.Errorf("statement %d of the set-up waits for a lock that another one has: %s", i+1, stmt.Query)
		case a.Err != nil:
			return fmt.Errorf("statement %d of the set-up fails: %s: %w", i+1, stmt.Query, a.Err)
		}
	}
	for _, t := range d.tables {
		for _, r := range t.rows {
			r.begun = r.vals
		}
	}
	d.Out = store.Output{}
	return nil
}

// Exec implements store.Model. A connection without a number is any one of a pool:
// the statement is a session of its own.
func (d *DB) Exec(now store.Clock, id uint64, c store.Conn, op store.Op) (store.Answer, bool) {
	stmt, ok := op.(Stmt)
	if !ok {
		panic("sql: a request of another store: " + ports.Name(op))
	}
	d.at(now)
	s := d.session(c)
	r := &run{id: id, session: s, stmt: stmt}
	if s.running != nil {
		s.backlog = append(s.backlog, r) // a session does one thing after the other
		return store.Answer{}, false
	}
	d.current = r
	d.begin(r)
	d.settle()
	d.current = nil
	return r.answer, r.done
}

// Closed implements store.Model: the session ends and loses its locks.
func (d *DB) Closed(now store.Clock, c store.Conn) {
	d.at(now)
	if s := d.find(c.ID); s != nil {
		d.end(s, history.Expired)
		d.settle()
	}
}

// Lead implements store.Model. A single server has nothing to do: the next primary is another
// DB, with the changes that were applied to it.
func (d *DB) Lead(store.Clock) {}

// Restart ends all sessions, as a crash does, and keeps what has been committed.
func (d *DB) Restart(now store.Clock) {
	d.at(now)
	for len(d.sessions) > 0 {
		d.end(d.sessions[0], history.Forgotten)
	}
	for len(d.waiting) > 0 {
		d.end(d.waiting[0].session, history.Forgotten)
	}
	d.freed = false // no statement waits any more
}

// Evict implements store.Evicter: an operator kills the session that has the lock,
// or deletes the row. One that was there before the run gets the values that it had.
func (d *DB) Evict(now store.Clock, _ string) bool {
	d.at(now)
	defer d.settle()
	if s := d.lockingSession(); s != nil {
		d.Out.Drops = append(d.Out.Drops, s.conn)
		d.end(s, history.Expired)
		return true
	}
	operator := &tx{session: &session{}}
	for _, t := range d.tables {
		for _, r := range t.rows {
			if r.live && d.isLock(r.table, r.vals) && r.writer == nil {
				operator.write(r, r.begun)
			}
		}
	}
	d.commit(operator)
	return len(operator.writes) > 0
}

// lockingSession returns the session that has the named lock or has locked the lock's row for its
// work.
func (d *DB) lockingSession() *session {
	for _, n := range d.named {
		if n.holder != nil && d.isEntry(n) {
			return n.holder
		}
	}
	for _, s := range d.sessions {
		if s.tx != nil && len(s.tx.held) > 0 {
			return s
		}
	}
	return nil
}

func (d *DB) change(kind history.Kind, owner, by history.NodeID, ttl time.Duration) {
	d.Record(store.Change{Kind: kind, Key: d.cfg.Lock.Key, Owner: owner, By: by, TTL: ttl})
}

// wallMS is the server's wall clock in milliseconds since 1970.
func (d *DB) wallMS() int64 { return d.cfg.EpochMS + int64(d.now.Wall/time.Millisecond) }
