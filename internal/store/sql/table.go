package sql

import (
	"math"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// table is one table with its rows, in the order in which they were inserted.
type table struct {
	name    string
	columns []column
	unique  []unique // the primary key first
	rows    []*row
	nextID  int64 // of the generated column

	definition *definition
}

// unique is a unique key.
type unique struct {
	name    string
	columns []int
}

// of is the value of the key in a version of a row.
func (u unique) of(v image) image {
	k := make(image, len(u.columns))
	for i, at := range u.columns {
		k[i] = v[at]
	}
	return k
}

// image is one version of a row, immutable. nil: no row.
type image []value

// row is one row. While a transaction has written it, there are two versions.
type row struct {
	serial  int64 // the same on all servers
	table   *table
	keys    image // some version of it: unique keys do not change
	vals    image // committed
	writer  *tx   // the open transaction that has written the row
	pending image // the version that it has written
	locks   []rowLock
	begun   image // by the set-up; nil: by a client

	// The entry of a lock that the row stands for.
	owner history.NodeID // the client that created it
	live  bool           // neither given back nor taken over

	by history.NodeID // the client that has written the row last
}

// seenBy is the version that a transaction works on: its own, or the committed one.
func (r *row) seenBy(t *tx) image {
	if r.writer == t && t != nil {
		return r.pending
	}
	return r.vals
}

// column returns the position of a column, -1 if it does not exist.
func (t *table) column(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
}

// generated returns the position of the generated column, -1 without one.
func (t *table) generated() int {
	return slices.IndexFunc(t.columns, func(c column) bool { return c.generated })
}

// isKey reports whether a column belongs to a unique key, leads whether one begins with it.
func (t *table) isKey(column int) bool {
	return slices.ContainsFunc(t.unique, func(u unique) bool { return slices.Contains(u.columns, column) })
}

func (t *table) leads(column int) bool {
	return slices.ContainsFunc(t.unique, func(u unique) bool { return u.columns[0] == column })
}

func (t *table) remove(r *row) {
	t.rows = slices.DeleteFunc(t.rows, func(other *row) bool { return other == r })
}

func (d *DB) table(name string) *table {
	return store.First(d.tables, func(t *table) bool { return t.name == name })
}

// narrow reports whether the result of an expression has a type that may be too small for it:
// without a sign in MySQL, of 32 bits in PostgreSQL, where an argument takes the type of the other
// operand.
func (t *table) narrow(f Flavour, e *expr) bool {
	switch e.kind {
	case exprLiteral:
		return f == PostgreSQL && e.value.kind == valueNumber && e.value.num == int64(int32(e.value.num))
	case exprColumn:
		c := t.columns[t.column(e.name)]
		return f == MySQL && c.unsigned || f == PostgreSQL && c.most == math.MaxInt32
	case exprBinary:
		a, b := t.narrow(f, e.args[0]), t.narrow(f, e.args[1])
		return f == MySQL && e.op != "/" && (a || b) || f == PostgreSQL && a && b
	}
	return f == PostgreSQL && e.kind == exprParam
}

// tableOf is the table of a statement, which has to exist and to suit it.
func (d *DB) tableOf(st *statement) *table {
	t, f := d.table(st.table), d.cfg.Flavour
	switch {
	case t != nil:
	case f == MySQL && strings.EqualFold(st.table, "DUAL"), f == PostgreSQL && strings.HasPrefix(st.table, "pg_"):
		panic(f.beyond("the table " + st.table))
	default:
		panic(f.pick(1146, "42S02", "Table '"+st.table+"' doesn't exist",
			"42P01", `relation "`+st.table+`" does not exist`))
	}
	d.check(st, t)
	return t
}

// get is a column of a version by its name; NULL if there is no such column.
func (t *table) get(v image, name string) value {
	if at := t.column(name); at >= 0 && v != nil {
		return v[at]
	}
	return value{}
}

// sameKey reports whether a version has this value of a key.
func (d *DB) sameKey(v image, u unique, k image) bool {
	for i, at := range u.columns {
		if order, ok := d.cfg.Flavour.compare(v[at], k[i]); !ok || order != 0 {
			return false
		}
	}
	return true
}
