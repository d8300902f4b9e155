package sql

import (
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// effect is one committed change of a row, as it travels to replicas. Sessions,
// row locks and named locks do not travel.
type effect struct {
	table  string
	serial int64
	vals   image // nil: the row was deleted
	owner  history.NodeID
	live   bool
}

// effectDDL is a new table.
type effectDDL struct{ st *statement }

// SetReplica says whether the server follows another one. Rows of a replica are changed and
// locked by its primary only, but a replica has named locks of its own.
func (d *DB) SetReplica(is bool) { d.replica = is }

// changing are the statements that a replica refuses its clients, besides SELECT FOR UPDATE.
var changing = map[statementKind]string{
	kindInsert: "INSERT", kindUpdate: "UPDATE", kindDelete: "DELETE", kindCreate: "CREATE TABLE",
}

// changes names the change that a replica refuses; "" for a statement that it executes.
func (st *statement) changes() string {
	if st.forUpdate || slices.ContainsFunc(st.subs, func(sub *statement) bool { return sub.forUpdate }) {
		return "SELECT FOR UPDATE"
	}
	return changing[st.kind]
}

// Apply implements store.Follower. A new entry comes out as a Replicated change.
func (d *DB) Apply(now store.Clock, e any) {
	d.at(now)
	if ddl, ok := e.(effectDDL); ok {
		if d.table(ddl.st.table) == nil { // else CopyTo has brought it
			d.createTable(ddl.st)
		}
		return
	}
	change := e.(effect)
	t := d.table(change.table)
	r := t.bySerial(change.serial)
	switch {
	case change.vals == nil && r != nil:
		t.remove(r)
		return
	case change.vals == nil:
		return
	case r == nil:
		r = &row{serial: change.serial, table: t, keys: change.vals}
		t.rows = append(t.rows, r)
		d.serial = max(d.serial, r.serial)
	}
	if g := t.generated(); g >= 0 {
		t.nextID = max(t.nextID, change.vals[g].num+1)
	}
	isNew := change.live && (!r.live || r.owner != change.owner)
	r.vals, r.owner, r.live = change.vals, change.owner, change.live
	if isNew && d.isLock(t, r.vals) {
		d.change(history.Replicated, r.owner, 0, 0)
	}
}

func (t *table) bySerial(serial int64) *row {
	return store.First(t.rows, func(r *row) bool { return r.serial == serial })
}

// CopyTo implements store.Follower: another server gets the same committed rows and nothing else,
// as a replica that begins to follow this one. Entries that only the other one had
// come out of it as Forgotten changes.
func (d *DB) CopyTo(other store.Follower, now store.Clock) {
	to := other.(*DB)
	to.Restart(now)
	for _, t := range to.tables {
		for _, r := range t.rows {
			mine := d.table(t.name)
			if r.live && (mine == nil || mine.bySerial(r.serial) == nil) {
				to.change(history.Forgotten, r.owner, 0, 0)
			}
		}
	}
	to.tables, to.serial = nil, d.serial
	for _, t := range d.tables {
		c := &table{name: t.name, columns: t.columns, unique: t.unique, nextID: t.nextID, definition: t.definition}
		for _, r := range t.rows {
			if r.vals != nil {
				c.rows = append(c.rows, &row{serial: r.serial, table: c, keys: r.keys, vals: r.vals, begun: r.begun, owner: r.owner, live: r.live})
			}
		}
		to.tables = append(to.tables, c)
	}
}
