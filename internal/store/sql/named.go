package sql

import (
	"math"
	"strings"
	"time"

	"lockstep/internal/history"
)

// This file holds named locks, of sessions and of transactions, and their functions.

// namedLock is a lock that a function takes for a session: GET_LOCK,
// pg_advisory_lock.
type namedLock struct {
	key    value
	holder *session
	count  int // how often the holder has taken it,
	inTx   int // and how often of these for its transaction
}

// lookup returns a named lock. A name without a holder is free. MariaDB tells names apart by their
// bytes, unlike rows: "a", "A" and "a " are three locks (MySQL makes the first two one).
func (d *DB) lookup(key value) *namedLock {
	for _, n := range d.named {
		if n.key == key {
			return n
		}
	}
	n := &namedLock{key: key}
	d.named = append(d.named, n)
	return n
}

// grant gives a named lock to a session, once more if it has it.
func (d *DB) grant(n *namedLock, s *session) {
	n.holder = s
	n.count++
	if n.count == 1 && d.isEntry(n) {
		d.change(history.Granted, s.conn.Client, s.conn.Client, 0)
	}
}

// take gives a named lock to a session that need not wait for it.
func (d *DB) take(r *run, n *namedLock) (got bool) {
	if got = n.holder == r.session || len(d.blockers(r, target{name: n})) == 0; got {
		d.grant(n, r.session)
	}
	return got
}

// free takes a named lock from its holder.
func (d *DB) free(n *namedLock, kind history.Kind, by history.NodeID) {
	if d.isEntry(n) {
		d.change(kind, n.holder.conn.Client, by, 0)
	}
	n.holder, n.count, n.inTx = nil, 0, 0
	d.freed = true
}

func (d *DB) isEntry(n *namedLock) bool { return n.key.digits() == d.cfg.Lock.Key }

// lockFunctions are the functions of named locks, with the number of their arguments.
var lockFunctions = [...]map[string]int{
	MySQL: {"GET_LOCK": 2, "RELEASE_LOCK": 1, "IS_USED_LOCK": 1, "IS_FREE_LOCK": 1, "RELEASE_ALL_LOCKS": 0},
	PostgreSQL: { // all but the last one also take a key in two parts
		"PG_ADVISORY_LOCK": 1, "PG_TRY_ADVISORY_LOCK": 1, "PG_ADVISORY_XACT_LOCK": 1, "PG_TRY_ADVISORY_XACT_LOCK": 1,
		"PG_ADVISORY_UNLOCK": 1, "PG_ADVISORY_UNLOCK_ALL": 0,
	},
}

// locker finds the function of named locks that an expression computes first, nil if there is none.
func (f Flavour) locker(e *expr) *expr {
	for {
		if _, ok := lockFunctions[f][e.name]; ok && e.kind == exprCall {
			return e
		} else if len(e.args) == 0 {
			return nil
		}
		e = e.args[0]
	}
}

func (d *DB) callOne(r *run, e *expr) (value, target) {
	f, whole := d.cfg.Flavour, e
	if e = f.locker(whole); e == nil {
		return d.eval(r, whole, nil, nil), target{}
	}
	n := lockFunctions[f][e.name]
	if len(e.args) != n && !(f == PostgreSQL && n == 1 && len(e.args) == 2) {
		panic(f.beyond("this number of arguments of " + e.name))
	}
	var args [2]value
	for i, a := range e.args {
		args[i] = d.eval(r, a, nil, nil)
	}
	do := d.userLock
	if f == PostgreSQL {
		do = d.advisory
	}
	v, wait := do(r, e.name, args)
	if whole == e || !wait.none() {
		return v, wait
	}
	r.called, r.gave = e, v
	return d.eval(r, whole, nil, nil), target{}
}

// longestWait is the limit to which GET_LOCK shortens a longer wait.
const longestWait = 365 * 24 * time.Hour

// mostLockName is the longest name of a named lock in MariaDB, in bytes (NAME_LEN; MySQL takes 64
// characters).
const mostLockName = 192

// userLock does MySQL's functions: 1, 0 or NULL.
func (d *DB) userLock(r *run, function string, args [2]value) (value, target) {
	if function == "RELEASE_ALL_LOCKS" {
		return number(d.letAllGo(r.session)), target{}
	}
	switch name := args[0]; {
	case name.kind != valueText:
		panic(d.cfg.Flavour.beyond("a lock whose name is not a text"))
	case name.text == "":
		return value{}, target{}
	case len(name.text) > mostLockName:
		panic(mysqlError(1059, "42000", "Identifier name '"+name.text+"' is too long"))
	}
	n := d.lookup(args[0])
	switch {
	case function == "GET_LOCK":
		return d.getLock(r, n, args[1])
	case function == "IS_FREE_LOCK":
		return MySQL.truth(n.holder == nil), target{}
	case n.holder == nil:
		return value{}, target{}
	case function == "IS_USED_LOCK":
		return number(int64(n.holder.conn.ID)), target{}
	case n.holder != r.session:
		return number(0), target{}
	}
	d.letGo(n)
	return number(1), target{}
}

// getLock does GET_LOCK.
func (d *DB) getLock(r *run, n *namedLock, wait value) (value, target) {
	seconds, _ := wait.parts()
	switch {
	case wait.kind == valueText:
		panic(d.cfg.Flavour.beyond("a wait of GET_LOCK that is a text"))
	case !wait.numeric():
		return value{}, target{}
	case seconds < 0:
		panic(d.cfg.Flavour.beyond("a negative wait of GET_LOCK: MySQL waits for ever, MariaDB answers NULL at once"))
	case d.take(r, n):
		return number(1), target{}
	}
	limit := longestWait
	if milli, fits := wait.milli(); fits && milli < longestWait.Milliseconds() {
		limit = time.Duration(milli) * time.Millisecond
	}
	if r.timedOut || limit <= 0 {
		return number(0), target{}
	}
	if r.deadline < 0 {
		r.deadline = d.now.Mono + limit
	}
	return value{}, target{name: n}
}

// advisory does PostgreSQL's functions. An unlock of a lock that the session does
// not have is false and a warning.
func (d *DB) advisory(r *run, function string, args [2]value) (value, target) {
	s := r.session
	if function == "PG_ADVISORY_UNLOCK_ALL" {
		d.letAllGo(s)
		return value{kind: valueText}, target{} // void
	}
	key := args[0]
	for i, part := range args {
		if part.kind != valueNumber && part.kind != valueHash && (i == 0 || part.kind != valueNull) {
			panic(d.cfg.Flavour.beyond("an advisory lock whose key is not a number"))
		}
	}
	if args[1].kind != valueNull {
		if max(abs(key.num), abs(args[1].num)) > math.MaxInt32 {
			panic(d.cfg.Flavour.beyond("a part of an advisory key that is larger than 32 bits"))
		}
		key = value{kind: valueText, text: key.digits() + ", " + args[1].digits()}
	}
	n := d.lookup(key)
	if function == "PG_ADVISORY_UNLOCK" {
		mine := n.holder == s && n.count > n.inTx
		if mine {
			d.letGo(n)
		}
		return PostgreSQL.truth(mine), target{}
	}
	got := d.take(r, n)
	if got && strings.Contains(function, "XACT") {
		n.inTx++
	}
	switch {
	case strings.HasPrefix(function, "PG_TRY"):
		return PostgreSQL.truth(got), target{}
	case !got:
		return value{}, target{name: n}
	}
	return value{kind: valueText}, target{} // void
}

// letGo gives back a named lock once.
func (d *DB) letGo(n *namedLock) {
	if n.count > 1 {
		n.count--
		return
	}
	d.free(n, history.Removed, n.holder.conn.Client)
}

// letAllGo gives back all named locks of a session but those of its transaction; n is how often it
// had taken them.
func (d *DB) letAllGo(s *session) (n int64) {
	for _, l := range d.named {
		for l.holder == s && l.count > l.inTx {
			d.letGo(l)
			n++
		}
	}
	return n
}

// endNames gives back the named locks of a transaction.
func (d *DB) endNames(t *tx, kind history.Kind, by history.NodeID) {
	for _, l := range d.named {
		if l.holder != t.session || l.inTx == 0 {
			continue
		}
		if l.count, l.inTx = l.count-l.inTx, 0; l.count == 0 {
			d.free(l, kind, by)
		}
	}
}
