package sql

import "slices"

// lockMode is how a row is locked.
type lockMode uint8

const (
	shared    lockMode = iota // by an INSERT that found the row to be there (InnoDB)
	exclusive                 // by a write or SELECT FOR UPDATE
)

type rowLock struct {
	tx   *tx
	mode lockMode
}

// gapLock keeps others from inserting between two existing values of a unique key, or
// anything at all when it is of none: InnoDB leaves it behind where a locking statement
// found no row. Two transactions may have the same one.
//
// It is identified by the value of the search: a value is in the same gap when no row lies
// between the two. A row that its own transaction inserts there cuts off the rest of the gap;
// InnoDB would keep both halves.
type gapLock struct {
	tx    *tx
	table *table
	of    unique
	key   image
}

func (g gapLock) same(o gapLock) bool {
	return g.tx == o.tx && g.table == o.table && slices.Equal(g.of.columns, o.of.columns) && slices.Equal(g.key, o.key)
}

// target is what a statement waits for.
type target struct {
	row  *row // to lock it
	mode lockMode
	gap  *gapLock   // to insert into it
	over *tx        // the end of a transaction
	name *namedLock // to have it
}

// none is the zero target: the statement need not wait.
func (t target) none() bool { return t.row == nil && t.gap == nil && t.over == nil && t.name == nil }

func (t target) same(o target) bool {
	sameGap := t.gap == o.gap || t.gap != nil && o.gap != nil && t.gap.same(*o.gap)
	return t.row == o.row && t.mode == o.mode && sameGap && t.over == o.over && t.name == o.name
}

// lockRow locks a row for the statement's transaction, or says what to wait for.
func (d *DB) lockRow(r *run, on *row, mode lockMode) target {
	own := slices.IndexFunc(on.locks, func(l rowLock) bool { return l.tx == r.tx })
	if own >= 0 && on.locks[own].mode >= mode {
		return target{}
	}
	want := target{row: on, mode: mode}
	if len(d.blockers(r, want)) > 0 {
		return want
	}
	if own >= 0 {
		on.locks[own].mode = mode
		return target{}
	}
	on.locks = append(on.locks, rowLock{r.tx, mode})
	r.tx.locked = append(r.tx.locked, on)
	return target{}
}

// blockers are the sessions that a statement has to wait for before it gets
// its target: those that have it, and those that came first.
func (d *DB) blockers(r *run, want target) []*session {
	var out []*session
	switch {
	case want.row != nil:
		for _, l := range want.row.locks {
			if l.tx != r.tx && (l.mode == exclusive || want.mode == exclusive) {
				out = append(out, l.tx.session)
			}
		}
		return d.earlier(out, r, func(w target) bool {
			return w.row == want.row && (w.mode == exclusive || want.mode == exclusive)
		})
	case want.gap != nil:
		for _, g := range d.gaps {
			if g.tx != r.tx && g.table == want.gap.table && (g.of.columns == nil || d.sameGap(&g, want.gap)) {
				out = append(out, g.tx.session)
			}
		}
	case want.over != nil:
		if !want.over.ended {
			out = append(out, want.over.session)
		}
	case want.name != nil:
		if h := want.name.holder; h != nil && h != r.session {
			out = append(out, h)
		}
		return d.earlier(out, r, func(w target) bool { return w.name == want.name })
	}
	return out
}

// sameGap reports whether no row lies between the values of two gaps of one table.
func (d *DB) sameGap(a, b *gapLock) bool {
	if !slices.Equal(a.of.columns, b.of.columns) {
		return false
	}
	order, ok := d.cfg.Flavour.order(a.key, b.key)
	if !ok {
		return false
	}
	low, high := a.key, b.key
	if order > 0 {
		low, high = high, low
	}
	return !slices.ContainsFunc(b.table.rows, func(r *row) bool {
		k := a.of.of(r.keys)
		above, ok := d.cfg.Flavour.order(low, k)
		below, _ := d.cfg.Flavour.order(k, high)
		return ok && above < 0 && below < 0
	})
}

// order orders two values of one key; ok is false when one has a NULL in it.
func (f Flavour) order(a, b image) (order int, ok bool) {
	ok = true
	for i := 0; i < len(a) && ok && order == 0; i++ {
		order, ok = f.compare(a[i], b[i])
	}
	return order, ok
}

// earlier adds the sessions whose statements have waited longer than r for a
// target that gets in its way.
func (d *DB) earlier(out []*session, r *run, conflicts func(target) bool) []*session {
	for _, w := range d.waiting {
		if w == r {
			break
		}
		if w.session != r.session && conflicts(w.target) {
			out = append(out, w.session)
		}
	}
	return out
}

// lockGap keeps others from inserting the key that the statement has not found.
func (d *DB) lockGap(t *tx, on *table, u unique, k image) {
	g := gapLock{t, on, u, k}
	if !slices.ContainsFunc(d.gaps, g.same) {
		d.gaps = append(d.gaps, g)
	}
}

// inherit gives a lock on the gap of a row that is gone to all statements that waited to insert
// its key, at once. When two of them then insert, each waits for the other (MySQL
// documentation, "Locks Set by Different SQL Statements in InnoDB": the deadlock of three
// concurrent inserts).
func (d *DB) inherit(gone *row) {
	if d.cfg.Flavour != MySQL {
		return
	}
	for _, w := range d.waiting {
		if w.target.row == gone && w.target.mode == shared {
			d.lockGap(w.tx, gone.table, w.waitKey, w.waitKey.of(w.image))
		}
	}
}

// release gives back all row and gap locks of a transaction.
func (d *DB) release(t *tx) {
	for _, r := range t.locked {
		r.locks = slices.DeleteFunc(r.locks, func(l rowLock) bool { return l.tx == t })
	}
	d.gaps = slices.DeleteFunc(d.gaps, func(g gapLock) bool { return g.tx == t })
	d.freed = true
}

// deadlocked returns the sessions of the cycle in which a waiting statement waits, through others,
// for itself; nil without one.
func (d *DB) deadlocked(r *run) []*session {
	var path, seen []*session
	var visit func(w *run) bool
	visit = func(w *run) bool {
		for _, s := range d.blockers(w, w.target) {
			if s == r.session {
				path = append(path, w.session)
				return true
			}
			if slices.Contains(seen, s) || s.running == nil || !d.sameDetector(r, s.running) {
				continue
			}
			seen = append(seen, s)
			if visit(s.running) {
				path = append(path, w.session)
				return true
			}
		}
		return false
	}
	visit(r)
	return path
}

// sameDetector: InnoDB looks at its own locks only, MariaDB at named locks by
// themselves; PostgreSQL keeps all kinds in one place.
func (d *DB) sameDetector(a, b *run) bool {
	return d.cfg.Flavour == PostgreSQL || (a.target.name != nil) == (b.target.name != nil)
}
