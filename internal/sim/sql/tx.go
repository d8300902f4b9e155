package sql

import (
	"slices"
	"time"

	"lockstep/internal/history"
)

// tx is a transaction, of BEGIN or of one statement.
type tx struct {
	session *session
	wall    int64  // milliseconds, when it began
	writes  []*row // in order
	locked  []*row
	held    []*row // of the lock's name, locked by SELECT FOR UPDATE
	view    []seen // what plain SELECTs see (MySQL); nil before the first
	ended   bool
}

// seen is a row as it was when a transaction first looked.
type seen struct {
	row  *row
	vals image
}

func (d *DB) newTx(s *session) *tx { return &tx{session: s, wall: d.wallMS()} }

// write makes a new version of a row; nil deletes it.
func (t *tx) write(r *row, v image) {
	if r.writer != t {
		r.writer = t
		t.writes = append(t.writes, r)
	}
	r.pending = v
}

// commit makes a transaction's versions the rows.
func (d *DB) commit(t *tx) {
	for _, r := range t.writes {
		old := r.vals
		r.vals, r.writer, r.pending = r.pending, nil, nil
		if r.vals == nil {
			r.table.remove(r)
		}
		if old == nil && r.vals == nil {
			continue
		}
		d.entry(r, old, t.session.conn.Client)
		d.out.Effects = append(d.out.Effects, effectOf(r))
	}
	d.over(t, history.Removed, t.session.conn.Client)
}

// rollback forgets a transaction's versions; one that is over already has none.
func (d *DB) rollback(t *tx, kind history.Kind, by history.NodeID) {
	if t.ended {
		return
	}
	for _, r := range t.writes {
		r.writer, r.pending = nil, nil
		if r.vals == nil {
			r.table.remove(r)
			d.inherit(r)
		}
	}
	d.over(t, kind, by)
}

// over gives back what a transaction had.
func (d *DB) over(t *tx, kind history.Kind, by history.NodeID) {
	t.ended = true
	for range t.held {
		d.change(kind, t.session.conn.Client, by, 0)
	}
	d.release(t)
}

// hold notes that a client works under the lock on a row.
func (d *DB) hold(t *tx, r *row) {
	isLock := d.isKey(r.table.get(r.vals, nameColumn), d.cfg.LockKey)
	if t.session.tx != t || r.live || !isLock || slices.Contains(t.held, r) {
		return
	}
	t.held = append(t.held, r)
	d.change(history.Granted, t.session.conn.Client, t.session.conn.Client, 0)
}

// entry notes what a committed change means for the lock: rows of its name are
// its entries. by is the client whose transaction it was; nobody's entry, of the
// set-up, is none.
func (d *DB) entry(r *row, old image, by history.NodeID) {
	t := r.table
	if !d.isKey(t.get(r.vals, nameColumn), d.cfg.LockKey) && !d.isKey(t.get(old, nameColumn), d.cfg.LockKey) {
		return
	}
	switch {
	case r.vals == nil:
		d.drop(r, history.Removed, by)
	case old == nil:
		d.enter(r, by)
	case t.get(old, ownerColumn) != t.get(r.vals, ownerColumn):
		kind := history.Removed
		if d.expired(t, old) {
			kind = history.Expired
			d.drop(r, kind, 0)
		} else {
			d.drop(r, kind, by)
		}
		d.enter(r, by)
	case t.get(old, expiresColumn) == t.get(r.vals, expiresColumn):
	case d.expired(t, r.vals):
		d.drop(r, history.Removed, by)
	case r.live:
		d.change(history.Extended, r.owner, by, d.ttl(r))
	default:
		d.enter(r, by)
	}
}

func (d *DB) enter(r *row, by history.NodeID) {
	r.owner, r.live = by, by != 0
	if r.live {
		d.change(history.Granted, by, by, d.ttl(r))
	}
}

func (d *DB) drop(r *row, kind history.Kind, by history.NodeID) {
	if r.live {
		d.change(kind, r.owner, by, 0)
	}
	r.live = false
}

// expired reports whether a version says that its time is up.
func (d *DB) expired(t *table, v image) bool {
	at := t.get(v, expiresColumn)
	return at.kind == valueNumber && at.num < d.wallMS()
}

// ttl is how long a row's entry still lives; 0: it has no such limit.
func (d *DB) ttl(r *row) time.Duration {
	at := r.table.get(r.vals, expiresColumn)
	if at.kind != valueNumber {
		return 0
	}
	return time.Duration(max(at.num-d.wallMS(), 1)) * time.Millisecond
}
