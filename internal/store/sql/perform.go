package sql

import (
	"math"
	"time"
)

// mostLockWait is the most that MariaDB takes for innodb_lock_wait_timeout, in seconds; it
// takes it for whatever is more.
const mostLockWait = 100_000_000

// perform executes a statement as far as the locks of others allow: it returns a
// result or an error, or what the statement has to wait for.
func (d *DB) perform(r *run) (Result, target, *Error) {
	switch st := r.st; st.kind {
	case kindSelect:
		if st.table == "" {
			return d.call(r)
		}
		return d.selectRows(r)
	case kindInsert:
		return d.insert(r)
	case kindUpdate, kindDelete:
		return d.modify(r)
	case kindCreate:
		return d.create(r)
	case kindSet:
		return Result{}, target{}, d.set(r)
	}
	d.control(r)
	return Result{}, target{}, nil
}

// control does BEGIN, COMMIT and ROLLBACK. Each is allowed at any time: MySQL
// commits what is open when another transaction begins, PostgreSQL goes on with it.
func (d *DB) control(r *run) {
	s := r.session
	switch kind := r.st.kind; {
	case kind == kindBegin && s.tx != nil && d.cfg.Flavour == PostgreSQL:
		return
	case s.tx == nil || s.tx.ended:
	case kind == kindRollback:
		d.rollback(s.tx, removed, s.conn.Client)
	default:
		d.commit(s.tx)
	}
	s.tx, s.aborted = nil, false
	if r.st.kind == kindBegin {
		s.tx = d.newTx(s)
	}
}

// create does CREATE TABLE, which ends an open transaction in MySQL.
func (d *DB) create(r *run) (res Result, wait target, err *Error) {
	if s := r.session; s.tx != nil {
		if d.cfg.Flavour == PostgreSQL {
			return res, wait, d.cfg.Flavour.beyond("CREATE TABLE in a transaction")
		}
		d.commit(s.tx)
		s.tx = nil
	}
	before := len(d.tables)
	err = d.createTable(r.st)
	if len(d.tables) > before {
		d.out.Effects = append(d.out.Effects, effectDDL{r.st})
	}
	return res, wait, err
}

// set changes how long the session waits for locks.
func (d *DB) set(r *run) *Error {
	v, err := d.eval(r, r.st.exprs[0], nil, nil)
	f := d.cfg.Flavour
	switch {
	case err != nil:
		return err
	case f == MySQL && r.st.setting == "innodb_lock_wait_timeout" && v.kind == valueNumber && v.num >= 0:
		r.session.lockWait = time.Duration(min(v.num, mostLockWait)) * time.Second
	case f == PostgreSQL && r.st.setting == "lock_timeout" && v.kind == valueNumber && v.num > math.MaxInt32:
		return pgError("22023", `invalid value for parameter "lock_timeout": "`+toText(v)+`"`)
	case f == PostgreSQL && r.st.setting == "lock_timeout" && v.kind == valueNumber && v.num >= 0:
		r.session.lockWait = time.Duration(v.num) * time.Millisecond
		if v.num == 0 {
			r.session.lockWait = noLimit
		}
	default:
		return f.pick(
			mysqlError(1193, "HY000", "Unknown system variable '"+r.st.setting+"'"),
			pgError("42704", `unrecognized configuration parameter "`+r.st.setting+`"`))
	}
	return nil
}

// insert adds one row. Generated ids are drawn first, and lost when the row is
// refused, as in both databases.
func (d *DB) insert(r *run) (res Result, wait target, err *Error) {
	t := d.table(r.st.table)
	if t == nil {
		return res, wait, d.cfg.Flavour.noTable(r.st.table)
	}
	if r.image == nil {
		if r.image, err = d.newImage(r, t); err != nil {
			return res, wait, err
		}
	}
	for _, u := range t.unique {
		if wait, err = d.checkUnique(r, t, u); err != nil || !wait.none() {
			return res, wait, err
		}
	}
	if wait = d.checkGaps(r, t); !wait.none() {
		return res, wait, nil
	}
	d.serial++
	added := &row{serial: d.serial, table: t, keys: r.image}
	t.rows = append(t.rows, added)
	r.tx.write(added, r.image)
	d.lockRow(r, added, exclusive)
	res.Affected = 1
	if g := t.generated(); g >= 0 && d.cfg.Flavour == MySQL {
		res.LastID = r.image[g].num
	}
	return res, target{}, nil
}

// newImage is the row that an INSERT describes.
func (d *DB) newImage(r *run, t *table) (image, *Error) {
	f := d.cfg.Flavour
	if len(r.st.columns) != len(r.st.exprs) {
		return nil, f.pick(
			mysqlError(1136, "21S01", "Column count doesn't match value count at row 1"),
			pgError("42601", "INSERT has not as many expressions as target columns"))
	}
	v, given := make(image, len(t.columns)), make([]bool, len(t.columns))
	for i, name := range r.st.columns {
		at := t.column(name)
		if at < 0 {
			return nil, f.noColumn(name, "INSERT INTO")
		}
		x, err := d.eval(r, r.st.exprs[i], nil, nil)
		if err == nil {
			err = d.assignable(t.columns[at], r.st.exprs[i], t)
		}
		if err == nil {
			x, err = d.fit(t.columns[at], x)
		}
		if err != nil {
			return nil, err
		}
		v[at], given[at] = x, true
	}
	if f == MySQL { // it draws an id for a row that is complete
		if err := d.complete(t, v, given); err != nil {
			return nil, err
		}
		d.generate(t, v, given)
		return v, nil
	}
	d.generate(t, v, given)
	return v, d.complete(t, v, given)
}

// generate draws an id for a new row, unless one was given. MySQL takes NULL and 0
// for none and goes on behind a given one; PostgreSQL's sequence knows nothing of it.
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

// complete refuses a new row that lacks what it must have.
func (d *DB) complete(t *table, v image, given []bool) *Error {
	for i, c := range t.columns {
		switch isNull := v[i].kind == valueNull && c.notNull; {
		case !isNull, c.generated && d.cfg.Flavour == MySQL:
		case given[i]:
			return d.cfg.Flavour.isNull(c.name)
		default:
			return d.cfg.Flavour.noDefault(c.name)
		}
	}
	return nil
}

// checkUnique says whether a new row's key is there already, or whom to wait for
// to know it.
func (d *DB) checkUnique(r *run, t *table, u unique) (target, *Error) {
	k := r.image[u.column]
	if k.kind == valueNull {
		return target{}, nil
	}
	for _, other := range t.rows {
		mine := other.writer == r.tx
		switch {
		case !d.sameKey(other.keys, u.column, k), mine && other.pending == nil:
		case mine, other.writer == nil && d.cfg.Flavour == PostgreSQL:
			return target{}, d.cfg.Flavour.duplicate(u.name, k)
		case d.cfg.Flavour == PostgreSQL:
			return target{over: other.writer}, nil
		default:
			r.waitColumn = u.column
			if wait := d.lockRow(r, other, shared); !wait.none() {
				return wait, nil
			}
			return target{}, d.cfg.Flavour.duplicate(u.name, k)
		}
	}
	return target{}, nil
}

// checkGaps says whether another transaction keeps the new row out (InnoDB).
func (d *DB) checkGaps(r *run, t *table) target {
	for _, u := range t.unique {
		g := target{gap: &gapLock{table: t, column: u.column, key: r.image[u.column]}}
		if len(d.blockers(r, g)) > 0 {
			return g
		}
	}
	if len(t.unique) == 0 {
		g := target{gap: &gapLock{table: t, column: -1}}
		if len(d.blockers(r, g)) > 0 {
			return g
		}
	}
	return target{}
}

// modify does UPDATE and DELETE: it locks all rows first, then changes them.
func (d *DB) modify(r *run) (res Result, wait target, err *Error) {
	t := d.table(r.st.table)
	if t == nil {
		return res, wait, d.cfg.Flavour.noTable(r.st.table)
	}
	targets := make([]int, len(r.st.columns))
	for i, name := range r.st.columns {
		if targets[i] = t.column(name); targets[i] < 0 {
			return res, wait, d.cfg.Flavour.noColumn(name, "SET")
		}
		for _, u := range t.unique {
			if u.column == targets[i] {
				return res, wait, d.cfg.Flavour.beyond("changes of a key")
			}
		}
		if err := d.assignable(t.columns[targets[i]], r.st.exprs[i], t); err != nil {
			return res, wait, err
		}
	}
	rows, wait, err := d.lockRows(r, t)
	if err != nil || !wait.none() {
		return res, wait, err
	}
	for _, on := range rows {
		changed := true
		if r.st.kind == kindDelete {
			r.tx.write(on, nil)
		} else if changed, err = d.assign(r, t, on, targets); err != nil {
			return res, target{}, err
		}
		if changed {
			res.Affected++
		}
	}
	return res, target{}, nil
}

// assign does the SET clause on one row. MySQL's assignments see the ones before
// them, and a row that comes out the same does not count.
func (d *DB) assign(r *run, t *table, on *row, targets []int) (changed bool, err *Error) {
	old := on.seenBy(r.tx)
	v := append(image(nil), old...)
	for i, at := range targets {
		from := old
		if d.cfg.Flavour == MySQL {
			from = v
		}
		x, err := d.eval(r, r.st.exprs[i], t, from)
		if err == nil {
			x, err = d.fit(t.columns[at], x)
		}
		if err != nil {
			return false, err
		}
		if x.kind == valueNull && t.columns[at].notNull {
			return false, d.cfg.Flavour.isNull(t.columns[at].name)
		}
		v[at] = x
	}
	same := true
	for i := range v {
		same = same && v[i] == old[i]
	}
	if same && d.cfg.Flavour == MySQL {
		return false, nil
	}
	r.tx.write(on, v)
	return true, nil
}
