package sql

import "strings"

// This file holds PostgreSQL's type boolean. MariaDB has no such type: TRUE is 1 there.

// given is a value from outside.
func (f Flavour) given(v Value) value {
	x := fromWorld(v)
	if f == MySQL && x.kind == valueBool {
		x.kind = valueNumber
	}
	return x
}

// parseBool reads a boolean as PostgreSQL does: a word, or a prefix that no other word has
// (bool.c, parse_bool_with_len).
func parseBool(text string) value {
	word := strings.ToLower(strings.Trim(text, " \t\n\r\v\f"))
	for _, w := range [...]struct {
		word  string
		least int
		is    bool
	}{
		{"true", 1, true}, {"false", 1, false}, {"yes", 1, true}, {"no", 1, false},
		{"on", 2, true}, {"off", 2, false}, {"1", 1, true}, {"0", 1, false},
	} {
		if len(word) >= w.least && strings.HasPrefix(w.word, word) {
			return truth(w.is)
		}
	}
	panic(pgError("22P02", `invalid input syntax for type boolean: "`+text+`"`))
}

// toBool is a cast to boolean that sound has accepted.
func toBool(of *expr, x value) value {
	switch {
	case x.kind == valueNull, x.kind == valueBool:
		return x
	case x.kind == valueText, of.kind == exprParam:
		return parseBool(toText(x))
	}
	return truth(x.num != 0)
}

// staticType is what PostgreSQL knows of an expression before it has a value.
type staticType uint8

const (
	typeOther   staticType = iota
	typeUnknown            // a text in quotes, a parameter, NULL: takes the type of its context
	typeInteger
	typeBool
	typeText
)

// typeOf is the type of an expression; t is the table that its columns are of, if any.
func (d *DB) typeOf(e *expr, t *table) staticType {
	switch {
	case e.kind == exprParam, e.kind == exprLiteral && (e.value.kind == valueText || e.value.kind == valueNull):
		return typeUnknown
	case e.kind == exprLiteral && e.value.kind == valueBool:
		return typeBool
	case e.kind == exprLiteral && e.value.kind == valueNumber:
		return typeInteger
	case e.kind == exprBinary && d.typeOf(e.args[0], t) == typeInteger:
		return d.typeOf(e.args[1], t)
	case e.kind == exprColumn && t != nil && t.column(e.name) >= 0:
		return t.columns[t.column(e.name)].static()
	case e.kind == exprCall && (e.name == toBoolean || e.name == "PG_TRY_ADVISORY_LOCK" || e.name == "PG_ADVISORY_UNLOCK"):
		return typeBool
	}
	return typeOther
}

func (c column) static() staticType {
	switch {
	case c.boolean:
		return typeBool
	case c.number:
		return typeOther
	}
	return typeText
}

// toBoolean is the name of the cast.
const toBoolean = "TO BOOLEAN"

// isText reports whether the expression is a text in quotes.
func (e *expr) isText() bool { return e.kind == exprLiteral && e.value.kind == valueText }

// sound refuses a wrong use of booleans in an expression, before there is a row.
func (d *DB) sound(e *expr, t *table) {
	if d.cfg.Flavour == MySQL {
		return
	}
	for _, a := range e.args {
		d.sound(a, t)
	}
	switch {
	case e.kind == exprBinary:
		d.mixes(string(e.op), t, e.args[0], e.args[1])
	case e.name == toBoolean && e.args[0].isText():
		parseBool(e.args[0].value.text)
	case e.name == "CAST" && d.typeOf(e.args[0], t) == typeBool,
		e.name == toBoolean && d.typeOf(e.args[0], t) == typeOther && e.args[0].name != "HASHTEXT":
		panic(pgError("42846", "cannot cast between boolean and this type"))
	}
}

// mixes refuses a meaningless comparison or arithmetic with a boolean, before there is a row.
func (d *DB) mixes(op string, t *table, left, right *expr) {
	if d.cfg.Flavour == MySQL {
		return
	}
	a, b := d.typeOf(left, t), d.typeOf(right, t)
	if a != typeBool && b != typeBool {
		return
	}
	none := pgError("42883", "operator does not exist: "+op+" with a boolean")
	if strings.Contains("+-*/", op) {
		panic(none)
	}
	for _, side := range []struct {
		e  *expr
		is staticType
	}{{left, a}, {right, b}} {
		switch {
		case side.is == typeBool:
		case side.is != typeUnknown:
			panic(none)
		case side.e.isText():
			parseBool(side.e.value.text)
		}
	}
}

// alike converts a value that is compared with a boolean; mixes has accepted it.
func (f Flavour) alike(a, b value) (value, value) {
	switch {
	case f == MySQL || (a.kind == valueBool) == (b.kind == valueBool):
	case a.kind == valueBool && b.kind != valueNull:
		b = parseBool(toText(b))
	case b.kind == valueBool && a.kind != valueNull:
		a = parseBool(toText(a))
	}
	return a, b
}

// assignable refuses a value of a type that a column does not take, before there is a row.
func (d *DB) assignable(c column, e *expr, t *table) {
	d.sound(e, t)
	is := d.typeOf(e, t)
	switch {
	case c.boolean && e.isText():
		parseBool(e.value.text)
	case d.cfg.Flavour == MySQL, is == typeUnknown, is == typeBool && (c.boolean || c.static() == typeText):
	case is != typeBool && !c.boolean && !(c.number && is == typeText):
	default:
		panic(pgError("42804", `column "`+c.name+`" is of another type than its expression`))
	}
}
