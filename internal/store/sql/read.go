package sql

import "slices"

// selectRows does SELECT FROM, with or without FOR UPDATE.
func (d *DB) selectRows(r *run) target {
	t := d.tableOf(r.st)
	if !r.st.forUpdate {
		for i, s := range d.sorted(r, t, d.readRows(r, t)) {
			if int64(i) < r.st.limit || r.st.limit == 0 {
				d.emit(r, t, s.vals)
			}
		}
		return target{}
	}
	rows, wait := d.lockRows(r, t)
	for _, on := range rows {
		d.emit(r, t, on.seenBy(r.tx))
		d.hold(r.tx, on, true)
	}
	return wait
}

// sorted sorts rows as the statement says. NULL comes last in PostgreSQL, and first in MySQL.
func (d *DB) sorted(r *run, t *table, rows []seen) []seen {
	f := d.cfg.Flavour
	slices.SortStableFunc(rows, func(a, b seen) int {
		for _, o := range r.st.order {
			x, y := d.eval(r, o.by, t, a.vals), d.eval(r, o.by, t, b.vals)
			order, ok := f.compare(x, y)
			switch none := x.kind == valueNull; {
			case none != (y.kind == valueNull):
				if order = 1; none == (f == MySQL) {
					order = -1
				}
			case x.kind == valueText && x != y, !ok && !none:
				panic(f.beyond("rows in the order of texts, which depends on a collation"))
			}
			if o.down {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	return rows
}

// readRows does a SELECT that locks nothing. Of a unique key InnoDB reads the first row that
// it sees and no other, even when there are two: one that its view still has although it is
// deleted, and behind it the one that the transaction itself has put in its place.
func (d *DB) readRows(r *run, t *table) (out []seen) {
	u, k := unique{}, image(nil)
	if d.cfg.Flavour == MySQL {
		u, k = d.keyOf(r, t)
	}
	for _, s := range d.look(r.tx, t) {
		if d.matches(r, t, s.vals) {
			out = append(out, s)
		}
		if k != nil && d.sameKey(s.vals, u, k) {
			break
		}
	}
	return out
}

// look returns the rows of a table that a transaction sees. PostgreSQL's READ
// COMMITTED looks again for each statement; InnoDB's REPEATABLE READ shows the rows of
// the moment when the transaction first looked, and its own changes.
func (d *DB) look(t *tx, on *table) []seen {
	if d.cfg.Flavour == MySQL && t.session.tx == t {
		return d.lookBack(t, on)
	}
	var out []seen
	for _, r := range on.rows {
		if v := r.seenBy(t); v != nil {
			out = append(out, seen{r, v})
		}
	}
	return out
}

func (d *DB) lookBack(t *tx, on *table) []seen {
	if t.view == nil {
		t.view = []seen{}
		for _, any := range d.tables {
			for _, r := range any.rows {
				if r.vals != nil {
					t.view = append(t.view, seen{r, r.vals})
				}
			}
		}
	}
	var out []seen
	for _, s := range t.view {
		if s.row.writer == t {
			s.vals = s.row.pending
		}
		if s.row.table == on && s.vals != nil {
			out = append(out, s)
		}
	}
	for _, r := range on.rows {
		viewed := slices.ContainsFunc(t.view, func(s seen) bool { return s.row == r })
		if r.writer == t && r.pending != nil && !viewed {
			out = append(slices.DeleteFunc(out, func(s seen) bool { return d.samePlace(on, s.row, r) }), seen{r, r.pending})
		}
	}
	return out
}

// samePlace reports whether two rows have the same primary key: InnoDB keeps rows by it, so
// they are versions of one row.
func (d *DB) samePlace(t *table, a, b *row) bool {
	if len(t.unique) == 0 {
		return false
	}
	return d.sameKey(a.keys, t.unique[0], t.unique[0].of(b.keys))
}

// lockRows locks the rows that a statement is about and returns those that meet its conditions, or
// what it has to wait for.
//
// InnoDB locks every row that it scans, even one that does not meet the conditions, and the gap
// where it finds none. PostgreSQL locks those that met the conditions when the statement began; one
// that was changed while it waited has to meet them again.
func (d *DB) lockRows(r *run, t *table) (out []*row, wait target) {
	u, k := unique{}, image(nil)
	if d.cfg.Flavour == MySQL {
		u, k = d.scan(r, t)
	} else if r.rows == nil {
		r.rows = d.sorted(r, t, d.readRows(r, t))
	}
	for _, s := range r.rows {
		if r.st.limit > 0 && int64(len(out)) == r.st.limit {
			break
		}
		switch wait := d.lockRow(r, s.row, exclusive); {
		case wait.none():
			if d.matches(r, t, s.row.seenBy(r.tx)) {
				out = append(out, s.row)
			}
		case r.st.nowait:
			panic(d.cfg.Flavour.waitTimeout())
		case !r.st.skips:
			return nil, wait
		}
	}
	if d.cfg.Flavour == MySQL && (len(r.rows) == 0 || k == nil) {
		d.lockGap(r.tx, t, u, k)
	}
	return out, target{}
}

// scan finds the rows that InnoDB scans: the one with the value of a unique key, or without such a
// condition all.
func (d *DB) scan(r *run, t *table) (u unique, k image) {
	u, k = d.keyOf(r, t)
	if (r.st.limit > 0 || r.st.order != nil) && k == nil {
		panic(d.cfg.Flavour.beyond("ORDER BY and LIMIT in a statement that locks, without the value of a unique key"))
	}
	if k == nil && slices.ContainsFunc(r.st.where, t.searches) {
		panic(d.cfg.Flavour.beyond("a locking search for several values of a key"))
	}
	r.rows = r.rows[:0]
	for _, on := range t.rows {
		if gone := on.writer == r.tx && on.pending == nil; !gone && (k == nil || d.sameKey(on.keys, u, k)) {
			r.rows = append(r.rows, seen{row: on})
		}
	}
	return u, k
}

// keyOf finds the unique key that conditions fix; k is nil when they fix none.
func (d *DB) keyOf(r *run, t *table) (u unique, k image) {
	for _, u := range t.unique {
		k := image{}
		for _, at := range u.columns {
			if one, ok := d.fixed(r, t, at); ok {
				k = append(k, one)
			}
		}
		if len(k) == len(u.columns) {
			return u, k
		}
	}
	return unique{}, nil
}

// fixed is the value of a column that a condition fixes; false when none does.
func (d *DB) fixed(r *run, t *table, column int) (value, bool) {
	for _, c := range r.st.where {
		if c.op != "=" || c.args[0].kind != exprColumn || c.args[1].columns() || t.column(c.args[0].name) != column {
			continue
		}
		k := d.eval(r, c.args[1], nil, nil)
		if k.kind != valueNull && d.cfg.Flavour == MySQL && k.numeric() != (t.columns[column].kind == valueNumber) {
			panic(d.cfg.Flavour.beyond("comparisons of different types")) // MySQL converts one of the two
		}
		return k, true
	}
	return value{}, false
}

// searches reports whether a condition is about the first column of a unique key, by which a part
// of the key is found.
func (t *table) searches(e *expr) bool {
	return e.kind == exprColumn && t.leads(t.column(e.name)) || slices.ContainsFunc(e.args, t.searches)
}

// matches reports whether a version meets all conditions.
func (d *DB) matches(r *run, t *table, v image) bool {
	for _, c := range r.st.where {
		if v == nil || !d.holds(r, c, t, v).isTrue() {
			return false
		}
	}
	return v != nil
}
