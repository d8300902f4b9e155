package sql

import (
	"slices"
)

// selectRows does SELECT FROM, with or without FOR UPDATE.
func (d *DB) selectRows(r *run) (res Result, wait target, err *Error) {
	t := d.table(r.st.table)
	if t == nil {
		return res, wait, d.cfg.Flavour.noTable(r.st.table)
	}
	if err := d.known(r, t); err != nil {
		return res, wait, err
	}
	if !r.st.forUpdate {
		return d.readRows(r, t)
	}
	rows, wait, err := d.lockRows(r, t)
	if err != nil || !wait.none() {
		return res, wait, err
	}
	for _, on := range rows {
		if err := d.emit(r, t, on.seenBy(r.tx), &res, false); err != nil {
			return res, wait, err
		}
		d.hold(r.tx, on)
	}
	return res, wait, nil
}

// readRows does a SELECT that locks nothing. Of a unique key InnoDB reads the first row that
// it sees and no other, even when there are two: one that its view still has although it is
// deleted, and behind it the one that the transaction itself has put in its place.
func (d *DB) readRows(r *run, t *table) (res Result, wait target, err *Error) {
	column, k := -1, value{}
	if d.cfg.Flavour == MySQL {
		if column, k, err = d.keyOf(r, t); err != nil {
			return res, wait, err
		}
	}
	for _, s := range d.look(r.tx, t) {
		if err := d.emit(r, t, s.vals, &res, true); err != nil {
			return res, wait, err
		}
		if column >= 0 && d.sameKey(s.vals, column, k) {
			break
		}
	}
	return res, wait, nil
}

// known refuses columns that are not there, also when there is no row.
func (d *DB) known(r *run, t *table) *Error {
	var check func(e *expr, clause string) *Error
	check = func(e *expr, clause string) *Error {
		if e.kind == exprColumn && t.column(e.name) < 0 {
			return d.cfg.Flavour.noColumn(e.name, clause)
		}
		for _, a := range e.args {
			if err := check(a, clause); err != nil {
				return err
			}
		}
		return nil
	}
	if r.st.kind == kindSelect {
		for _, e := range r.st.exprs {
			if err := check(e, "SELECT"); err != nil {
				return err
			}
			if err := d.sound(e, t); err != nil {
				return err
			}
		}
	}
	for _, c := range r.st.where {
		for _, e := range []*expr{c.left, c.right} {
			if err := check(e, "WHERE"); err != nil {
				return err
			}
		}
		for _, side := range []*expr{c.left, c.right} {
			if err := d.sound(side, t); err != nil {
				return err
			}
		}
		if err := d.mixes(c.op, t, c.left, c.right); err != nil {
			return err
		}
	}
	return nil
}

// emit adds a row to a result if it meets the conditions.
func (d *DB) emit(r *run, t *table, v image, res *Result, filter bool) *Error {
	if filter {
		if ok, err := d.matches(r, t, v); err != nil || !ok {
			return err
		}
	}
	var out []Value
	if r.st.star {
		for _, x := range v {
			out = append(out, toWorld(x))
		}
	}
	for _, e := range r.st.exprs {
		x, err := d.eval(r, e, t, v)
		if err != nil {
			return err
		}
		out = append(out, toWorld(x))
	}
	res.Rows = append(res.Rows, out)
	return nil
}

// look returns the rows of a table that a transaction sees. PostgreSQL's READ
// COMMITTED looks again for each statement; InnoDB's REPEATABLE READ keeps to what
// was there when the transaction first looked, and its own changes.
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
		if r.writer == t && r.pending != nil && !viewed(t.view, r) {
			out = append(slices.DeleteFunc(out, func(s seen) bool { return d.samePlace(on, s.row, r) }), seen{r, r.pending})
		}
	}
	return out
}

// samePlace reports whether two rows have the same primary key, which is where InnoDB keeps
// a row: to it they are versions of one.
func (d *DB) samePlace(t *table, a, b *row) bool {
	if len(t.unique) == 0 {
		return false
	}
	column := t.unique[0].column
	return d.sameKey(a.keys, column, b.keys[column])
}

func viewed(view []seen, r *row) bool {
	for _, s := range view {
		if s.row == r {
			return true
		}
	}
	return false
}

// lockRows locks the rows that a statement is about and returns those that meet
// its conditions, or what it has to wait for.
func (d *DB) lockRows(r *run, t *table) ([]*row, target, *Error) {
	if err := d.known(r, t); err != nil {
		return nil, target{}, err
	}
	if d.cfg.Flavour == PostgreSQL {
		return d.lockSeen(r, t)
	}
	return d.lockScanned(r, t)
}

// lockScanned is InnoDB's way. It locks all rows that it comes across, be they
// what it looks for or not: the one with the value of a unique key, or without
// such a condition the whole table. Where it finds none, it locks the gap.
func (d *DB) lockScanned(r *run, t *table) ([]*row, target, *Error) {
	column, k, err := d.keyOf(r, t)
	if err != nil {
		return nil, target{}, err
	}
	var out []*row
	found := false
	for _, on := range t.rows {
		mine := on.writer == r.tx
		if mine && on.pending == nil || column >= 0 && !d.sameKey(on.keys, column, k) {
			continue
		}
		if wait := d.lockRow(r, on, exclusive); !wait.none() {
			return nil, wait, nil
		}
		found = true
		ok, err := d.matches(r, t, on.seenBy(r.tx))
		if err != nil {
			return nil, target{}, err
		}
		if ok {
			out = append(out, on)
		}
	}
	if !found || column < 0 {
		d.lockGap(r.tx, t, column, k)
	}
	return out, target{}, nil
}

// keyOf finds the unique key that a condition fixes; column -1: there is none.
func (d *DB) keyOf(r *run, t *table) (column int, k value, err *Error) {
	for _, u := range t.unique {
		for _, c := range r.st.where {
			if c.op != "=" || c.left.kind != exprColumn || c.right.columns() || t.column(c.left.name) != u.column {
				continue
			}
			k, err := d.eval(r, c.right, nil, nil)
			return u.column, k, err
		}
	}
	return -1, value{}, nil
}

// lockSeen is PostgreSQL's way. It locks only what meets the conditions, of the
// rows that it saw when the statement began; one that was changed while it
// waited has to meet them again.
func (d *DB) lockSeen(r *run, t *table) ([]*row, target, *Error) {
	if !r.looked {
		r.looked = true
		for _, s := range d.look(r.tx, t) {
			ok, err := d.matches(r, t, s.vals)
			if err != nil {
				return nil, target{}, err
			}
			if ok {
				r.rows = append(r.rows, s)
			}
		}
	}
	var out []*row
	for _, s := range r.rows {
		if wait := d.lockRow(r, s.row, exclusive); !wait.none() {
			return nil, wait, nil
		}
		v := s.row.seenBy(r.tx)
		if v == nil {
			continue
		}
		ok, err := d.matches(r, t, v)
		if err != nil {
			return nil, target{}, err
		}
		if ok {
			out = append(out, s.row)
		}
	}
	return out, target{}, nil
}

// matches reports whether a version meets all conditions.
func (d *DB) matches(r *run, t *table, v image) (bool, *Error) {
	for _, c := range r.st.where {
		left, err := d.eval(r, c.left, t, v)
		if err != nil {
			return false, err
		}
		right, err := d.eval(r, c.right, t, v)
		if err != nil {
			return false, err
		}
		if left.kind == valueNull || right.kind == valueNull {
			return false, nil
		}
		left, right, err = d.cfg.Flavour.alike(left, right)
		if err != nil {
			return false, err
		}
		order, ok := d.cfg.Flavour.compare(left, right)
		if !ok {
			return false, d.cfg.Flavour.beyond("comparisons of different types")
		}
		if !holds(order, c.op) {
			return false, nil
		}
	}
	return v != nil, nil
}

func holds(order int, op string) bool {
	switch op {
	case "<":
		return order < 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	case ">=":
		return order >= 0
	}
	return order == 0
}
