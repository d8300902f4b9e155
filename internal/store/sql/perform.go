package sql

import "slices"

// perform executes a statement as far as the locks of others allow: it returns a
// result or an error, or what the statement has to wait for. What it calls panics with an
// error of the statement, see catch.
func (d *DB) perform(r *run) (res Result, wait target, err *Error) {
	defer catch(&err)
	if r.out = nil; r.found == nil {
		d.resolve(r)
	}
	switch st := r.st; {
	case st.kind == kindSelect && st.table == "":
		wait = d.call(r)
	case st.kind == kindSelect:
		wait = d.selectRows(r)
	case st.kind == kindInsert:
		res, wait = d.insert(r)
	case st.kind == kindUpdate, st.kind == kindDelete:
		res, wait = d.modify(r)
	case st.kind == kindCreate:
		d.create(r)
	case st.kind == kindSet:
		d.set(r)
	default:
		d.control(r)
	}
	if wait.none() {
		d.fillResult(r, &res)
	}
	return res, wait, nil
}

// create does CREATE TABLE, which ends an open transaction in MySQL.
func (d *DB) create(r *run) {
	if s := r.session; s.tx != nil {
		if d.cfg.Flavour == PostgreSQL {
			panic(d.cfg.Flavour.beyond("CREATE TABLE in a transaction"))
		}
		d.commit(s.tx)
		s.tx = nil
	}
	before := len(d.tables)
	d.createTable(r.st)
	if len(d.tables) > before {
		d.Out.Effects = append(d.Out.Effects, effectDDL{r.st})
	}
}

// insert adds one row. Generated ids are drawn first, and lost when the row is
// refused, as in both databases.
func (d *DB) insert(r *run) (res Result, wait target) {
	t := d.tableOf(r.st)
	if r.image == nil {
		for _, c := range r.st.only {
			if !d.holds(r, c, nil, nil).isTrue() {
				return res, wait
			}
		}
		r.image = d.newImage(r, t)
	}
	for _, arbiter := range []bool{true, false} { // the keys of ON CONFLICT come first
		for _, u := range t.unique {
			if r.st.settles(t, u) != arbiter {
				continue
			}
			other, wait := d.duplicateOf(r, t, u)
			switch {
			case !wait.none():
				return res, wait
			case other != nil && arbiter:
				return d.settleConflict(r, t, other)
			case other != nil:
				panic(d.cfg.Flavour.duplicate(u.name, u.of(r.image)))
			}
		}
	}
	if wait = d.checkGaps(r, t); !wait.none() {
		return res, wait
	}
	d.serial++
	added := &row{serial: d.serial, table: t, keys: r.image}
	t.rows = append(t.rows, added)
	r.tx.write(added, r.image)
	d.hold(r.tx, added, false)
	d.lockRow(r, added, exclusive)
	res.Affected = 1
	if g := t.generated(); g >= 0 && d.cfg.Flavour == MySQL {
		res.LastID = r.image[g].num
	}
	d.emit(r, t, r.image)
	return res, wait
}

// What an INSERT does when its key is there: INSERT IGNORE and ON DUPLICATE KEY UPDATE of MySQL, ON
// CONFLICT of PostgreSQL.

// settles reports whether the statement says what to do when there is a row with the same value of
// a key.
func (st *statement) settles(t *table, u unique) bool {
	of := st.arbiter
	named := func(at int) bool { return slices.Contains(of.columns, t.columns[at].name) }
	return st.conflict != conflictFails && (of.none() || of.name == u.name ||
		len(of.columns) == len(u.columns) && !slices.ContainsFunc(u.columns, func(at int) bool { return !named(at) }))
}

// settleConflict does what the statement says when its key is in another row.
func (d *DB) settleConflict(r *run, t *table, other *row) (res Result, wait target) {
	if r.st.conflict == conflictIgnored {
		return res, wait
	}
	if wait = d.lockRow(r, other, exclusive); !wait.none() || !d.matches(r, t, other.seenBy(r.tx)) {
		return res, wait
	}
	d.hold(r.tx, other, false)
	if d.assign(r, t, other) {
		res.Affected = 1
		if d.cfg.Flavour == MySQL {
			res.Affected = 2 // so that 1 means a new row
			if g := t.generated(); g >= 0 {
				res.LastID = other.pending[g].num
			}
		}
		d.emit(r, t, other.pending)
	}
	return res, wait
}

// onlyDuplicates is deferred around an INSERT IGNORE, which makes warnings of other errors, too,
// and changes the row to fit.
func (d *DB) onlyDuplicates() {
	if e := recover(); e != nil {
		panic(d.cfg.Flavour.beyond("INSERT IGNORE of a row with a mistake: " + e.(*Error).Message))
	}
}

// newImage is the row that an INSERT describes.
func (d *DB) newImage(r *run, t *table) image {
	f := d.cfg.Flavour
	if r.st.conflict == conflictIgnored && f == MySQL {
		defer d.onlyDuplicates()
	}
	v, given := make(image, len(t.columns)), make([]bool, len(t.columns))
	for i, e := range r.st.exprs {
		at := i
		if r.st.columns != nil {
			at = t.column(r.st.columns[i])
		}
		v[at], given[at] = f.fit(t.columns[at], d.eval(r, e, nil, nil)), true
	}
	for i, c := range t.columns {
		if !given[i] && c.absent != nil {
			v[i] = f.fit(c, d.eval(r, c.absent, nil, nil))
		}
	}
	if f == PostgreSQL {
		d.generate(t, v, given)
	}
	d.complete(t, v, given)
	if f == MySQL { // it draws an id only for a complete row
		d.generate(t, v, given)
	}
	return v
}

// generate draws an id for a new row, unless one was given. MySQL treats NULL and 0
// as missing, and counts on from a given id; PostgreSQL's sequence ignores given ids.
func (d *DB) generate(t *table, v image, given []bool) {
	g := t.generated()
	if g < 0 {
		return
	}
	mysql := d.cfg.Flavour == MySQL
	switch {
	case !given[g], mysql && v[g].num == 0:
		v[g] = number(t.nextID)
		t.nextID++
	case mysql:
		t.nextID = max(t.nextID, v[g].num+1)
	}
}

// complete refuses a new row without a value in a column that is NOT NULL.
func (d *DB) complete(t *table, v image, given []bool) {
	for i, c := range t.columns {
		if v[i].kind == valueNull && c.notNull && !(c.generated && d.cfg.Flavour == MySQL) {
			panic(d.cfg.Flavour.noValue(c.name, given[i]))
		}
	}
}

// duplicateOf returns the row that has the key of a new one, or what to wait for until that is
// decided.
func (d *DB) duplicateOf(r *run, t *table, u unique) (*row, target) {
	k := u.of(r.image) // with a NULL in it, it is the same as none
	for _, other := range t.rows {
		mine := other.writer == r.tx
		switch {
		case !d.sameKey(other.keys, u, k), mine && other.pending == nil:
		case mine, other.writer == nil && d.cfg.Flavour == PostgreSQL:
			return other, target{}
		case d.cfg.Flavour == PostgreSQL:
			return nil, target{over: other.writer}
		default:
			r.waitKey = u
			mode := shared
			if r.st.conflict == conflictUpdates {
				mode = exclusive
			}
			return other, d.lockRow(r, other, mode)
		}
	}
	return nil, target{}
}

// checkGaps returns the gap lock of another transaction that keeps the new row out (InnoDB).
func (d *DB) checkGaps(r *run, t *table) target {
	for _, u := range t.unique {
		g := target{gap: &gapLock{table: t, of: u, key: u.of(r.image)}}
		if len(d.blockers(r, g)) > 0 {
			return g
		}
	}
	g := target{gap: &gapLock{table: t}}
	if len(t.unique) == 0 && len(d.blockers(r, g)) > 0 {
		return g
	}
	return target{}
}

// modify does UPDATE and DELETE: it locks all rows first, then changes them.
func (d *DB) modify(r *run) (res Result, wait target) {
	t := d.tableOf(r.st)
	rows, wait := d.lockRows(r, t)
	if !wait.none() {
		return res, wait
	}
	for _, on := range rows {
		d.hold(r.tx, on, false)
		switch {
		case r.st.kind == kindDelete:
			d.emit(r, t, on.seenBy(r.tx))
			r.tx.write(on, nil)
			res.Affected++
		case d.assign(r, t, on):
			d.emit(r, t, on.pending)
			res.Affected++
		}
	}
	return res, wait
}

// assign does the assignments on one row. MySQL's see the ones before
// them, and a row that comes out the same does not count.
func (d *DB) assign(r *run, t *table, on *row) (changed bool) {
	f, old := d.cfg.Flavour, on.seenBy(r.tx)
	v := slices.Clone(old)
	for _, a := range r.st.set {
		at, from := t.column(a.column), old
		if f == MySQL {
			from = v
		}
		x := f.fit(t.columns[at], d.eval(r, a.value, t, from))
		switch {
		case x.kind == valueNull && t.columns[at].notNull:
			panic(f.noValue(t.columns[at].name, true))
		case x != old[at] && t.isKey(at):
			panic(f.beyond("changes of a key"))
		}
		v[at] = x
	}
	if f == MySQL && slices.Equal(v, old) {
		return false
	}
	r.tx.write(on, v)
	return true
}
