package sql

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// run is the execution of one statement. When it has to wait, it is tried again from the
// beginning whenever a lock is released; its locks stay, and the results of steps that must
// not be repeated are kept here.
type run struct {
	id      uint64
	session *session
	stmt    Stmt
	st      *statement
	tx      *tx
	wallMS  int64 // when it began: NOW() of MySQL

	found   [][]image // by its subqueries
	out     []image   // what it gives so far
	image   image     // INSERT: the row, with its generated id
	rows    []seen    // that it locks; PostgreSQL: those that it saw when it began
	called  *expr     // the function of named locks that has been called, within an expression
	gave    value     // by it
	values  []value   // SELECT of functions: results so far
	waitKey unique    // INSERT: the unique key that it waits for

	target   target
	deadline time.Duration // monotonic, when it gives up; noLimit: never
	lookAt   time.Duration // monotonic, when PostgreSQL looks for a deadlock; noLimit: not any more
	timedOut bool          // it has waited long enough

	answer store.Answer
	done   bool
}

// pgDeadlockTimeout is the default of PostgreSQL's deadlock_timeout.
const pgDeadlockTimeout = time.Second

// begin starts a statement; it is done or waits when begin returns.
func (d *DB) begin(r *run) {
	p := read(d.cfg.Flavour, r.stmt.Query)
	s := r.session
	r.st, r.wallMS = p.st, d.wallMS()
	r.deadline, r.lookAt = noLimit, noLimit
	switch {
	case p.err != nil:
		d.fail(r, p.err)
	case p.st.params != len(r.stmt.Args):
		d.fail(r, d.cfg.Flavour.beyond("a statement with another number of arguments than question marks"))
	case s.aborted && p.st.kind != kindCommit && p.st.kind != kindRollback:
		d.fail(r, pgError("25P02", "current transaction is aborted, commands ignored until end of transaction block"))
	case d.replica && p.st.changes() != "":
		d.fail(r, d.cfg.Flavour.pick(1290, "HY000", "The MariaDB server is running with the --read-only option so it cannot execute this statement",
			"25006", "cannot execute "+p.st.changes()+" in a read-only transaction"))
	default:
		r.tx = s.tx
		if r.tx == nil {
			r.tx = d.newTx(s)
		}
		d.try(r)
	}
}

// try does the statement, or as much as the locks of others allow.
func (d *DB) try(r *run) {
	res, wait, err := d.perform(r)
	switch {
	case wait.none():
		d.finish(r, res, err)
	case r.session.running == r && r.target.same(wait):
	default:
		d.wait(r, wait)
	}
}

// wait lets the statement wait for its target; it keeps its place if it has one.
func (d *DB) wait(r *run, on target) {
	if r.session.running == nil {
		r.session.running = r
		d.waiting = append(d.waiting, r)
	}
	r.target = on
	if on.name == nil || d.cfg.Flavour == PostgreSQL { // GET_LOCK says itself how long it waits
		r.deadline = noLimit
		if limit := r.session.lockWait; limit >= 0 {
			r.deadline = d.now.Mono + limit
		}
	}
	r.lookAt = noLimit
	if d.cfg.Flavour == PostgreSQL {
		r.lookAt = d.now.Mono + pgDeadlockTimeout
	} else if cycle := d.deadlocked(r); len(cycle) > 0 {
		d.refuse(d.victim(cycle))
	}
	if r.deadline >= 0 && r.deadline <= d.now.Mono && !r.done {
		d.timeOut(r)
	}
}

// victim is the session of a deadlock that InnoDB rolls back: the one that has
// changed and locked least, of equals the one that joined the cycle last.
func (d *DB) victim(cycle []*session) *session {
	weight := func(s *session) int {
		t := s.running.tx
		return len(t.writes) + len(t.locked)
	}
	least := cycle[0]
	for _, s := range cycle[1:] {
		if weight(s) <= weight(least) {
			least = s
		}
	}
	return least
}

// refuse ends a session's statement because of a deadlock.
func (d *DB) refuse(s *session) {
	r := s.running
	if d.cfg.Flavour == MySQL && r.target.name == nil && s.tx != nil {
		d.rollback(s.tx, history.Expired, 0)
		s.tx = nil // the whole transaction is undone, not only the statement
	}
	d.fail(r, d.cfg.Flavour.pick(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction",
		"40P01", "deadlock detected"))
}

// timeOut ends the waiting of a statement: GET_LOCK answers 0, others fail.
func (d *DB) timeOut(r *run) {
	r.timedOut = true
	if r.target.name != nil && d.cfg.Flavour == MySQL {
		d.try(r)
		return
	}
	d.fail(r, d.cfg.Flavour.waitTimeout())
}

// fail ends a statement with an error.
func (d *DB) fail(r *run, err *Error) { d.finish(r, Result{}, err) }

// finish ends a statement and its transaction, unless BEGIN has opened it.
func (d *DB) finish(r *run, res Result, err *Error) {
	s := r.session
	if s.running == r {
		d.stopWaiting(r)
	}
	s.idle = d.now.Mono
	switch {
	case r.tx == nil || r.tx.ended:
	case r.tx != s.tx && err == nil:
		d.commit(r.tx)
	case r.tx != s.tx:
		d.rollback(r.tx, history.Removed, s.conn.Client)
	}
	if err != nil && s.tx != nil && d.cfg.Flavour == PostgreSQL && !s.aborted {
		s.aborted = true // its locks are free already, but it lasts until the client ends it
		d.rollback(s.tx, history.Expired, 0)
	}
	if s.conn.ID == pooled {
		d.end(s, history.Expired)
	}
	r.done, r.answer = true, store.Answer{Value: res}
	if err != nil {
		r.answer.Err = err
	}
	if r != d.current {
		d.Late(r.id, r.answer)
	}
}

func (d *DB) stopWaiting(r *run) {
	r.session.running = nil
	d.waiting = slices.DeleteFunc(d.waiting, func(w *run) bool { return w == r })
}

// settle resumes the statements that waited for a released lock, in the order of their
// arrival, and then those that waited behind a statement of their own session.
func (d *DB) settle() {
	for d.freed {
		d.freed = false
		for i := 0; i < len(d.waiting); i++ {
			r := d.waiting[i]
			if d.try(r); r.done {
				d.freed = true // its place is free, at least
				break
			}
		}
		if d.nextOfBacklog() {
			d.freed = true
		}
	}
}

// nextOfBacklog starts the next statement of a session that has become idle.
func (d *DB) nextOfBacklog() bool {
	for _, s := range d.sessions {
		if s.running == nil && len(s.backlog) > 0 {
			r := s.backlog[0]
			s.backlog = s.backlog[1:]
			d.begin(r)
			return true
		}
	}
	return false
}

// at sets the time. MariaDB and MySQL let GET_LOCK wait until an instant of the wall clock
// (MDL_context::acquire_lock), so a step ahead ends waits early, and a step back makes them
// longer. Steps do not change InnoDB's lock waits and PostgreSQL's timers.
func (d *DB) at(now store.Clock) {
	step := (now.Wall - now.Mono) - (d.now.Wall - d.now.Mono)
	d.now = now
	if step == 0 || d.cfg.Flavour == PostgreSQL {
		return
	}
	for _, r := range d.waiting {
		if r.target.name != nil && r.deadline >= 0 {
			r.deadline = max(r.deadline-step, 0)
		}
	}
}

// Due implements store.Model.
func (d *DB) Due() (time.Duration, bool) {
	at, any := time.Duration(0), false
	for _, r := range d.waiting {
		for _, t := range [...]time.Duration{r.deadline, r.lookAt} {
			if t >= 0 && (!any || t < at) {
				at, any = t, true
			}
		}
	}
	for _, s := range d.sessions {
		if t, ok := d.idleUntil(s); ok && (!any || t < at) {
			at, any = t, true
		}
	}
	return at, any
}

// Tick implements store.Model.
func (d *DB) Tick(now store.Clock) {
	d.at(now)
	for i := 0; i < len(d.waiting); i++ {
		r := d.waiting[i]
		if r.lookAt >= 0 && r.lookAt <= now.Mono {
			r.lookAt = noLimit
			if len(d.deadlocked(r)) > 0 {
				d.refuse(r.session)
			}
		}
		if !r.done && r.deadline >= 0 && r.deadline <= now.Mono {
			d.timeOut(r)
		}
		if r.done {
			i = -1 // the list has changed
			d.freed = true
		}
	}
	d.endIdle()
	d.settle()
}
