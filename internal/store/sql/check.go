package sql

import (
	"cmp"
	"slices"
	"strings"
)

// This file refuses statements that are wrong whatever the rows of their table are. Above all that
// is a matter of PostgreSQL's types.

// check refuses a wrong statement; t is nil for a SELECT of functions. Once is enough for all
// tables of one definition.
func (d *DB) check(st *statement, t *table) {
	of := functionsOnly
	if t != nil {
		of = t.definition
	}
	if st.right.Load() == of {
		return
	}
	if st.kind == kindInsert {
		d.checkInsert(st, t)
		d.checkConflict(st, t)
	}
	for i, a := range st.set {
		at, again := t.column(a.column), func(o assignment) bool { return strings.EqualFold(o.column, a.column) }
		switch {
		case at < 0:
			panic(d.cfg.Flavour.noColumn(a.column, "SET"))
		case d.cfg.Flavour == PostgreSQL && slices.ContainsFunc(st.set[:i], again):
			panic(pgError("42601", `multiple assignments to same column "`+a.column+`"`))
		}
		d.checkExpr(st, t, a.value, "SET")
		d.assignable(t.columns[at], a.value, t)
	}
	for _, e := range st.output {
		d.checkExpr(st, t, e, "SELECT")
	}
	for _, o := range st.order {
		d.checkExpr(st, t, o.by, "ORDER BY")
	}
	for _, e := range st.only {
		d.checkExpr(st, nil, e, "WHERE")
		d.condition(e, nil)
	}
	if st.counts && st.forUpdate && d.cfg.Flavour == PostgreSQL {
		panic(pgError("0A000", "FOR UPDATE is not allowed with aggregate functions"))
	}
	for _, c := range st.where {
		d.checkExpr(st, t, c, "WHERE")
		d.condition(c, t)
	}
	st.right.Store(of)
}

// functionsOnly stands for the definition of no table.
var functionsOnly = &definition{}

// called is the name of the statement's table in it.
func (st *statement) called() string { return cmp.Or(st.alias, st.table) }

// checkInsert refuses wrong columns of an INSERT, and values that they do not take.
func (d *DB) checkInsert(st *statement, t *table) {
	f, columns := d.cfg.Flavour, st.columns
	if columns == nil {
		for _, c := range t.columns {
			columns = append(columns, c.name)
		}
		if f == PostgreSQL { // the others get their defaults
			columns = columns[:min(len(columns), len(st.exprs))]
		}
	}
	if len(columns) != len(st.exprs) {
		panic(f.pick(1136, "21S01", "Column count doesn't match value count at row 1",
			"42601", "INSERT has not as many expressions as target columns"))
	}
	if st.only != nil && !slices.ContainsFunc(t.unique, func(u unique) bool {
		return !slices.ContainsFunc(u.columns, func(at int) bool { return !slices.Contains(columns, t.columns[at].name) })
	}) {
		panic(f.beyond("a condition of an INSERT without a unique key: two such statements at once would both add a row"))
	}
	for i, e := range st.exprs {
		at, again := t.column(columns[i]), func(o string) bool { return strings.EqualFold(o, columns[i]) }
		switch {
		case at < 0:
			panic(f.noColumn(columns[i], "INSERT INTO"))
		case slices.ContainsFunc(columns[:i], again):
			panic(f.pick(1110, "42000", "Column '"+columns[i]+"' specified twice",
				"42701", `column "`+columns[i]+`" specified more than once`))
		case t.columns[at].always:
			panic(pgError("428C9", `cannot insert a non-DEFAULT value into column "`+columns[i]+`"`))
		}
		d.checkExpr(st, nil, e, "VALUES")
		d.assignable(t.columns[at], e, t)
	}
}

// checkConflict refuses an ON CONFLICT that is not about a key.
func (d *DB) checkConflict(st *statement, t *table) {
	switch of := st.arbiter; {
	case of.none(), slices.ContainsFunc(t.unique, func(u unique) bool { return st.settles(t, u) }):
	case of.name != "":
		panic(pgError("42704", `constraint "`+of.name+`" for table "`+t.name+`" does not exist`))
	default:
		for _, name := range of.columns {
			if t.column(name) < 0 {
				panic(d.cfg.Flavour.noColumn(name, "ON CONFLICT"))
			}
		}
		panic(pgError("42P10", "there is no unique or exclusion constraint matching the ON CONFLICT specification"))
	}
}

// checkExpr refuses a wrong expression; t is the table that its columns are of, nil for none.
func (d *DB) checkExpr(st *statement, t *table, e *expr, clause string) {
	f := d.cfg.Flavour
	switch {
	case e.kind != exprColumn && e.kind != exprProposed:
	case t == nil && f == MySQL && st.kind == kindInsert:
		panic(f.beyond("a column as the value of another one"))
	case st.inner && (t.column(e.name) < 0 || e.table != "" && e.table != st.called()):
		panic(f.beyond("a subquery about a column outside of its own table"))
	case t == nil, t.column(e.name) < 0, e.table != "" && e.table != st.called() && f == MySQL:
		panic(f.noColumn(e.name, clause))
	case e.kind == exprProposed:
	case e.table != "" && e.table != st.called():
		panic(pgError("42P01", `missing FROM-clause entry for table "`+e.table+`"`))
	case e.table == "" && f == PostgreSQL && st.conflict == conflictUpdates && clause != "SELECT":
		panic(pgError("42702", `column reference "`+e.name+`" is ambiguous`)) // of the row that is there, or EXCLUDED
	}
	for _, a := range e.args {
		d.checkExpr(st, t, a, clause)
	}
	d.sound(e, t)
}

// What PostgreSQL knows of an expression before it has a value is the kind of that value, or one of
// these.
const (
	typeOther   = valueMilli
	typeUnknown = valueNull // a text in quotes, a parameter, NULL: takes the type of its context
)

// known reports whether only this type will do. The types of numbers mix.
func (k valueKind) known() bool { return k != typeOther && k != typeUnknown }

// typeOf is the type of an expression; t is the table that its columns are of, if any.
func (d *DB) typeOf(e *expr, t *table) valueKind {
	switch {
	case e.kind == exprParam, e.isText():
		return typeUnknown
	case e.kind == exprLiteral && e.value.kind != valueInterval:
		return e.value.kind
	case e.op == concat, e.name == asText:
		return valueText
	case e.kind == exprBinary && d.typeOf(e.args[0], t) == valueNumber:
		return d.typeOf(e.args[1], t)
	case e.kind == exprBinary && d.typeOf(e.args[0], t) == valueTime && d.typeOf(e.args[1], t) == typeOther,
		e.kind == exprCall && (e.name == "NOW" || e.name == toTime || e.name == inUTC || strings.HasSuffix(e.name, "_TIMESTAMP")):
		return valueTime
	case e.kind == exprTest, e.kind == exprSub && e.op != "":
		return valueBool
	case e.name == either && d.typeOf(e.args[1], t) == d.typeOf(e.args[2], t):
		return d.typeOf(e.args[1], t)
	case (e.kind == exprColumn || e.kind == exprProposed) && t != nil && t.column(e.name) >= 0:
		if is := t.columns[t.column(e.name)].kind; is != valueNumber {
			return is
		}
	case e.kind == exprCall && (e.name == toBoolean || strings.HasPrefix(e.name, "PG_TRY_ADVISORY") || e.name == "PG_ADVISORY_UNLOCK"):
		return valueBool
	}
	return typeOther
}

// isText reports whether the expression is a text in quotes.
func (e *expr) isText() bool { return e.kind == exprLiteral && e.value.kind == valueText }

// sound refuses a wrong use of types in an expression whose operands are right, before there is a
// row.
func (d *DB) sound(e *expr, t *table) {
	if d.cfg.Flavour == MySQL {
		return
	}
	switch {
	case e.op == concat:
	case e.kind == exprBinary, e.kind == exprTest && strings.Contains("<>=", e.op[:1]):
		d.mixes(e.op, t, e.args[0], e.args[1])
	case e.kind == exprTest && e.op != isNull:
		for _, a := range e.args {
			d.condition(a, t)
		}
	case e.name == either:
		d.condition(e.args[0], t)
	case e.name == toBoolean && e.args[0].isText():
		parseBool(e.args[0].value.text)
	case e.name == "CAST" && d.typeOf(e.args[0], t) == valueBool,
		e.name == toBoolean && d.typeOf(e.args[0], t) == typeOther && e.args[0].name != "HASHTEXT":
		panic(pgError("42846", "cannot cast between boolean and this type"))
	}
}

// condition refuses an expression that cannot be true or false, before there is a row.
func (d *DB) condition(e *expr, t *table) {
	if d.cfg.Flavour == PostgreSQL {
		d.boolean(e, t, pgError("42804", "a condition must be of type boolean"))
	}
}

// boolean refuses an expression that is no boolean of PostgreSQL and cannot become one.
func (d *DB) boolean(e *expr, t *table, refusal *Error) {
	switch is := d.typeOf(e, t); {
	case is == valueBool:
	case is != typeUnknown:
		panic(refusal)
	case e.isText():
		parseBool(e.value.text)
	}
}

// mixes refuses a meaningless comparison or arithmetic with a boolean or a time, before there is a
// row.
func (d *DB) mixes(op string, t *table, left, right *expr) {
	a, b := d.typeOf(left, t), d.typeOf(right, t)
	none := pgError("42883", "operator does not exist: "+op+" with these types")
	switch {
	case (a == valueTime || b == valueTime) && a != b && a.known() && b.known():
		panic(none)
	case a != valueBool && b != valueBool:
	case strings.Contains("+-*/", op):
		panic(none)
	default:
		d.boolean(left, t, none)
		d.boolean(right, t, none)
	}
}

// assignable refuses a value of a type that a column of PostgreSQL does not take, before there is a
// row. A text takes any.
func (d *DB) assignable(c column, e *expr, t *table) {
	is, no := d.typeOf(e, t), pgError("42804", `column "`+c.name+`" is of another type than its expression`)
	switch {
	case d.cfg.Flavour == MySQL:
	case c.kind == valueBool:
		d.boolean(e, t, no)
	case c.kind != valueText && is.known() && is != c.kind:
		panic(no)
	}
}
