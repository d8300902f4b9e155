package sql

import "slices"

// This file holds what an INSERT does when its key is there: INSERT IGNORE and ON DUPLICATE KEY UPDATE of MySQL,
// ON CONFLICT of PostgreSQL.

// settles reports whether the statement says what to do when there is a row with the same value of a key.
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

// onlyDuplicates is deferred around an INSERT IGNORE, which makes warnings of other errors, too, and changes the row to fit.
func (d *DB) onlyDuplicates() {
	if e := recover(); e != nil {
		panic(d.cfg.Flavour.beyond("INSERT IGNORE of a row with a mistake: " + e.(*Error).Message))
	}
}
