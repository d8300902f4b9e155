// Package sql is the model of one database server, in the two flavours MySQL
// (InnoDB) and PostgreSQL: tables, transactions, row locks, named locks, and what
// becomes of them when a session ends. It is a small SQL engine, not a list of
// known statements: it parses what it is sent and refuses what it does not know.
//
//	db := sql.New(sql.Config{Flavour: sql.MySQL, Lock: store.Entry{Key: "lock"}, Setup: tables})
//	answer, done := db.Exec(now, 1, conn, stmt)
//
// A statement that has to wait for a lock is not done; its answer comes out of
// Output later. The model knows no time but what it is given, and no network.
//
// What it leaves out, because locks do not need it: joins, sorting, changes of
// keys, more than one row per INSERT; the neighbours of a gap lock; the purge of
// deleted rows. The conformance test compares the rest with real servers.
package sql

import (
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// Config says what database it is.
type Config struct {
	Flavour Flavour
	Lock    store.Entry // where it is: a row, or the lock of a session with the name of its key
	EpochMS int64       // what the wall clock 0 is, in milliseconds since 1970
	Setup   []Stmt      // what is executed before the run, as a migration would
	// IdleTimeout is how long a session may say nothing between two statements before
	// the server ends it; 0: for ever. It is wait_timeout of MariaDB, and of PostgreSQL
	// both idle_session_timeout and idle_in_transaction_session_timeout.
	IdleTimeout time.Duration
	// Texts are the statements that other servers have read before; nil when there are none.
	Texts *Texts
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

	freed   bool // a lock was given back: a waiting statement may go on
	current *run // the statement that Exec is about
	out     store.Output
}

var _ store.Follower = (*DB)(nil)

// New makes a server on which the statements of the set-up have been executed. It
// panics when one of them fails: Check tells before.
func New(cfg Config) *DB {
	d := &DB{cfg: cfg}
	d.Reset()
	return d
}

// Check says which statement of the set-up fails, and why; nil when none does.
func (c Config) Check() error {
	d := &DB{cfg: c}
	return d.reset()
}

// Reset makes the server as good as new.
func (d *DB) Reset() {
	if err := d.reset(); err != nil {
		panic("sql: " + err.Error())
	}
}

func (d *DB) reset() error {
	*d = DB{cfg: d.cfg}
	if d.cfg.Texts == nil {
		d.cfg.Texts = &Texts{}
	}
	for i, stmt := range d.cfg.Setup {
		a, done := d.Exec(store.Clock{}, 0, store.Conn{}, stmt)
		switch {
		case !done:
			return fmt.Errorf("statement %d of the set-up waits for a lock that another one has: %s", i+1, stmt.Query)
		case a.Err != nil:
			return fmt.Errorf("statement %d of the set-up fails: %s: %w", i+1, stmt.Query, a.Err)
		}
	}
	d.out = store.Output{}
	return nil
}

// Exec implements store.Model. A connection without a number is any one of a pool:
// the statement is a session of its own.
func (d *DB) Exec(now store.Clock, id uint64, c store.Conn, op store.Op) (store.Answer, bool) {
	stmt, ok := op.(Stmt)
	if !ok {
		panic("sql: a request of another store: " + op.Name())
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

// Closed implements store.Model: the session is over, and with it all that it had.
func (d *DB) Closed(now store.Clock, c store.Conn) {
	d.at(now)
	if s := d.find(c.ID); s != nil {
		d.end(s, history.Expired)
		d.settle()
	}
}

// Lead implements store.Model. One server has no others to lead: what the next
// primary knows is what has been applied to it.
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
// or deletes the row.
func (d *DB) Evict(now store.Clock, _ string) bool {
	d.at(now)
	defer d.settle()
	if s := d.lockingSession(); s != nil {
		d.out.Drops = append(d.out.Drops, s.conn)
		d.end(s, history.Expired)
		return true
	}
	operator := &tx{session: &session{}}
	for _, t := range d.tables {
		for _, r := range t.rows {
			if r.live && d.isLock(r.table, r.vals) && r.writer == nil {
				operator.write(r, nil)
			}
		}
	}
	d.commit(operator)
	return len(operator.writes) > 0
}

// lockingSession returns the session that has the named lock or has locked the lock's row for its work.
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

// Output implements store.Model.
func (d *DB) Output() store.Output {
	out := d.out
	d.out = store.Output{}
	return out
}

func (d *DB) change(kind history.Kind, owner, by history.NodeID, ttl time.Duration) {
	d.out.Changes = append(d.out.Changes, store.Change{Kind: kind, Key: d.cfg.Lock.Key, Owner: owner, By: by, TTL: ttl})
}

// wallMS is the server's wall clock in milliseconds since 1970.
func (d *DB) wallMS() int64 { return d.cfg.EpochMS + int64(d.now.Wall/time.Millisecond) }
