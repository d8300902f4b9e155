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

	lockWait time.Duration // of its session when it began
	local    bool          // SET LOCAL has changed it
}

// seen is a row as it was when a transaction first looked.
type seen struct {
	row  *row
	vals image
}

func (d *DB) newTx(s *session) *tx { return &tx{session: s, wall: d.wallMS(), lockWait: s.lockWait} }

// write makes a new version of a row; nil deletes it.
func (t *tx) write(r *row, v image) {
	if r.writer != t {
		r.writer = t
		t.writes = append(t.writes, r)
	}
	r.pending = v
}

// commit makes a transaction's versions the committed ones.
func (d *DB) commit(t *tx) {
	for _, r := range t.writes {
		old := r.vals
		r.vals, r.writer, r.pending, r.by = r.pending, nil, nil, t.session.conn.Client
		if r.vals == nil {
			r.table.remove(r)
			d.inherit(r)
		}
		if old == nil && r.vals == nil {
			continue
		}
		d.entry(r, old, t.session.conn.Client)
		d.becomes(t, r)
		d.Out.Effects = append(d.Out.Effects, effect{r.table.name, r.serial, r.vals, r.owner, r.live})
	}
	d.over(t, history.Removed, t.session.conn.Client)
}

// becomes makes the lock of a transaction on a row the entry that the transaction has made of it.
func (d *DB) becomes(t *tx, r *row) {
	if i := slices.Index(t.held, r); i >= 0 && r.live {
		t.held = slices.Delete(t.held, i, i+1)
		d.Out.Changes[len(d.Out.Changes)-1].Kind = history.Extended
	}
}

// rollback drops a transaction's versions, unless it has ended. In PostgreSQL it undoes SET as
// well.
func (d *DB) rollback(t *tx, kind history.Kind, by history.NodeID) {
	if t.ended {
		return
	}
	t.local = d.cfg.Flavour == PostgreSQL
	for _, r := range t.writes {
		r.writer, r.pending = nil, nil
		if r.vals == nil {
			r.table.remove(r)
			d.inherit(r)
		}
	}
	d.over(t, kind, by)
}

// over ends a transaction and releases its locks.
func (d *DB) over(t *tx, kind history.Kind, by history.NodeID) {
	t.ended = true
	if t.local {
		t.session.lockWait = t.lockWait
	}
	for range t.held {
		d.change(kind, t.session.conn.Client, by, 0)
	}
	d.endNames(t, kind, by)
	d.release(t)
}

// hold notes that a client works under the lock on a row, which it has read or, if that is what its
// lock does, changed.
func (d *DB) hold(t *tx, r *row, reads bool) {
	if !reads && !d.cfg.Lock.Held || t.session.tx != t || r.live || !d.isLock(r.table, r.seenBy(t)) || slices.Contains(t.held, r) {
		return
	}
	t.held = append(t.held, r)
	d.change(history.Granted, t.session.conn.Client, t.session.conn.Client, 0)
}
