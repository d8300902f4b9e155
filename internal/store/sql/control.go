package sql

import (
	"math"
	"strings"
	"time"

	"lockstep/internal/history"
)

// This file holds transactions' beginnings and ends, and settings.

// control reads the statements about transactions and settings.
func (p *parser) control() *statement {
	st := &statement{kind: kindSet}
	switch {
	case p.accept("BEGIN"), p.accept("START", "TRANSACTION"):
		st.kind = kindBegin
	case p.accept("COMMIT"):
		st.kind = kindCommit
	case p.accept("ROLLBACK"):
		st.kind = kindRollback
	default:
		p.expect("SET")
		p.setting(st)
		return st
	}
	_ = p.accept("WORK") || p.flavour == PostgreSQL && p.accept("TRANSACTION")
	if st.kind == kindBegin && p.flavour == PostgreSQL {
		p.isolation()
	}
	return st
}

// setting reads the rest of a SET.
func (p *parser) setting(st *statement) {
	st.local = p.flavour == PostgreSQL && p.accept("LOCAL")
	if p.accept("SESSION"); p.accept("TRANSACTION") && p.isolation() {
		return
	}
	if st.setting = strings.ToLower(p.name()); p.flavour == MySQL || !p.accept("TO") {
		p.expect("=")
	}
	st.exprs = []*expr{p.expr()}
}

// isolation reads the only isolation level that the model has: the server's default.
func (p *parser) isolation() bool {
	if !p.accept("ISOLATION", "LEVEL") {
		return false
	}
	if is := map[Flavour]string{MySQL: "REPEATABLE READ", PostgreSQL: "READ COMMITTED"}[p.flavour]; !p.accept(strings.Fields(is)...) {
		panic(p.flavour.beyond("an isolation other than " + is + ", which the server comes with"))
	}
	return true
}

// control does BEGIN, COMMIT and ROLLBACK. Each is allowed at any time: when another
// transaction begins, MySQL commits the open one and PostgreSQL continues it.
func (d *DB) control(r *run) {
	s := r.session
	switch kind := r.st.kind; {
	case kind == kindBegin && s.tx != nil && d.cfg.Flavour == PostgreSQL:
		return
	case s.tx == nil || s.tx.ended:
	case kind == kindRollback:
		d.rollback(s.tx, history.Removed, s.conn.Client)
	default:
		d.commit(s.tx)
	}
	s.tx, s.aborted = nil, false
	if r.st.kind == kindBegin {
		s.tx = d.newTx(s)
	}
}

// mostLockWait is MariaDB's longest innodb_lock_wait_timeout, in seconds: it shortens longer ones.
const mostLockWait = 100_000_000

// set changes how long the session waits for locks.
func (d *DB) set(r *run) {
	f, s := d.cfg.Flavour, r.session
	if r.st.exprs == nil || r.st.local && s.tx == nil {
		return // the isolation that it has, or a setting until the end of this statement
	}
	v := d.eval(r, r.st.exprs[0], nil, nil)
	if f == PostgreSQL && v.kind == valueText {
		v = number(f.parseInterval(v.text).num / usPerMilli)
	}
	r.tx.local = r.st.local
	mysql := f == MySQL && r.st.setting == "innodb_lock_wait_timeout"
	postgres := f == PostgreSQL && r.st.setting == "lock_timeout"
	switch valid := v.kind == valueNumber && v.num >= 0; {
	case mysql && valid:
		s.lockWait = time.Duration(min(v.num, mostLockWait)) * time.Second
	case postgres && valid && v.num > math.MaxInt32:
		panic(pgError("22023", `invalid value for parameter "lock_timeout": "`+v.digits()+`"`))
	case postgres && valid:
		s.lockWait = time.Duration(v.num) * time.Millisecond
		if v.num == 0 {
			s.lockWait = noLimit
		}
	default:
		unknown := f.beyond("the setting " + r.st.setting + " or this value of it").Message // a server may well know it
		panic(f.pick(1193, "HY000", unknown, "42704", unknown))
	}
}
