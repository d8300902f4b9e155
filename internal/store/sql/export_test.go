package sql

import "lockstep/internal/store"

// What tests in front of a real server, whose live half imports this package, ask of the model.

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
