package sql

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// isKey reports whether a value is the lock's key; a number is compared by its digits.
func (d *DB) isKey(v value) bool {
	key := d.cfg.Lock.Key
	return v.kind != valueNull && d.cfg.Flavour.fold(v.digits()) == d.cfg.Flavour.fold(key)
}

// digits is the text of a value: of a text, a hashed text, or a whole number.
func (v value) digits() string {
	if v.kind == valueNumber {
		return strconv.FormatInt(v.num, 10)
	}
	return v.text
}

// isLock reports whether a version of a row is the lock's.
func (d *DB) isLock(t *table, v image) bool {
	return t.name == d.cfg.Lock.Table && d.isKey(t.get(v, d.cfg.Lock.Name))
}

// entry reports what a committed change means for the lock, if the row is its entry. An entry
// belongs to the client that wrote it last, until its time is up or that client empties a column.
// by is the client of the transaction; rows of the set-up are no entries.
func (d *DB) entry(r *row, old image, by history.NodeID) {
	t := r.table
	switch {
	case d.cfg.Lock.Held, !d.isLock(t, r.vals) && !d.isLock(t, old):
	case r.vals == nil && d.expired(t, old): // any statement may delete it
		d.drop(r, history.Expired, 0)
	case r.vals == nil:
		d.drop(r, history.Removed, by)
	case old == nil:
		d.enter(r, by)
	case d.expired(t, r.vals), emptied(old, r.vals):
		d.drop(r, history.Removed, by)
	case r.live && r.owner == by && !d.expired(t, old):
		d.change(history.Extended, by, by, d.ttl(r))
	case d.expired(t, old):
		d.drop(r, history.Expired, 0)
		d.enter(r, by)
	default: // it removes another client's
		d.drop(r, history.Removed, by)
		d.enter(r, by)
	}
}

// emptied reports whether a column has lost its value.
func emptied(old, is image) bool {
	return !slices.EqualFunc(old, is, func(o, v value) bool { return o.empty() || !v.empty() })
}

func (v value) empty() bool { return v.kind == valueNull || v.kind == valueText && v.text == "" }

func (d *DB) enter(r *row, by history.NodeID) {
	r.owner, r.live = by, by != 0
	if r.live {
		d.change(history.Granted, by, by, d.ttl(r))
	}
}

func (d *DB) drop(r *row, kind history.Kind, by history.NodeID) {
	if r.live {
		d.change(kind, r.owner, by, 0)
	}
	r.live = false
}

// until is the expiry time in a version, in milliseconds since 1970; false without one.
func (d *DB) until(t *table, v image) (ms int64, ok bool) {
	unit := int64(1)
	if d.cfg.Lock.Seconds {
		unit = msPerSecond
	}
	at := t.get(v, d.cfg.Lock.Expires)
	if at.kind == valueTime {
		return at.num / msPerSecond, true
	}
	return at.num * unit, at.kind == valueNumber
}

const msPerSecond = 1000

// expired reports whether the expiry time of a version has passed.
func (d *DB) expired(t *table, v image) bool {
	at, ok := d.until(t, v)
	return ok && at < d.wallMS()
}

// ttl is how long a row's entry still lives; 0: it has no such limit.
func (d *DB) ttl(r *row) time.Duration {
	at, ok := d.until(r.table, r.vals)
	if !ok {
		return 0
	}
	return time.Duration(max(at-d.wallMS(), 1)) * time.Millisecond
}

// Kept implements store.Model: named locks that the client has, and rows that it has locked or
// written.
func (d *DB) Kept(client history.NodeID) (all []store.Entry) {
	for _, n := range d.named {
		if n.holder != nil && n.holder.conn.Client == client {
			all = append(all, store.Entry{Key: n.key.digits()})
		}
	}
	for _, t := range d.tables {
		for _, r := range t.rows {
			locked := slices.ContainsFunc(r.locks, func(l rowLock) bool {
				return l.mode == exclusive && l.tx.session.conn.Client == client
			})
			v := r.vals
			if r.writer != nil && r.writer.session.conn.Client == client {
				v = r.pending
			}
			if v != nil && (locked || r.by == client) {
				all = append(all, d.keys(r, v, locked)...)
			}
		}
	}
	return all
}

// keys are the columns by which a row may be known: each of a key in which no other row has the
// same, or that has the lock's name in it.
func (d *DB) keys(r *row, v image, held bool) (all []store.Entry) {
	expires, seconds, left := d.expires(r.table, v)
	for i, c := range r.table.columns {
		key := v[i].digits()
		if v[i].empty() || !(r.table.isKey(i) && d.alone(r, i, v[i])) && !strings.Contains(key, d.cfg.Lock.Key) {
			continue
		}
		all = append(all, store.Entry{
			Key: key, Table: r.table.name, Name: c.name, Expires: expires, Seconds: seconds, Held: held, Lease: left,
		})
	}
	return all
}

// alone reports whether no other row has the same in a column.
func (d *DB) alone(r *row, column int, is value) bool {
	u := unique{columns: []int{column}}
	return !slices.ContainsFunc(r.table.rows, func(other *row) bool {
		return other != r && other.vals != nil && d.sameKey(other.vals, u, image{is})
	})
}

// longestLease is how far in the future the end of a lease can be.
const longestLease = 24 * time.Hour

// expires is the column whose value looks like the time at which the row is free, and how long that
// is from now; "" if none does.
func (d *DB) expires(t *table, v image) (column string, seconds bool, in time.Duration) {
	for i, c := range t.columns {
		at := v[i]
		if at.kind == valueTime {
			at = number(at.num / msPerSecond)
		}
		for _, unit := range []int64{1, msPerSecond} {
			left := at.num*unit - d.wallMS()
			if at.kind == valueNumber && left > 0 && left < longestLease.Milliseconds() {
				return c.name, unit == msPerSecond, time.Duration(left) * time.Millisecond
			}
		}
	}
	return "", false, 0
}
