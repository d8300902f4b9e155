package sql

import "lockstep/internal/store"

// Queries of the model for the tests with real servers, which are in a package of their own.

// Unborn reports whether there is an uncommitted row of that name.
func (d *DB) Unborn(table, name string) bool {
	t := d.table(table)
	for _, r := range t.rows {
		if r.vals == nil && r.keys[t.column("name")].text == name {
			return true
		}
	}
	return false
}

// NamesOf are the named locks that a session has.
func (d *DB) NamesOf(c store.Conn) (names []string) {
	for _, l := range d.named {
		if l.holder != nil && l.holder.conn == c {
			names = append(names, l.key.text)
		}
	}
	return names
}
