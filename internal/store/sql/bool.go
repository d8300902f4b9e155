package sql

import (
	"strings"
)

// This file holds PostgreSQL's type boolean. MariaDB has none: TRUE is 1 there.

// literalTruth is TRUE and FALSE.
func (f Flavour) literalTruth(b bool) value {
	v := truth(b)
	if f == MySQL {
		v.kind = valueNumber
	}
	return v
}

// parseBool reads a boolean as PostgreSQL does: a word or the beginning of one that no other has
// (bool.c, parse_bool_with_len).
func parseBool(text string) (value, *Error) {
	word := strings.ToLower(strings.Trim(text, " \t\n\r\v\f"))
	for _, w := range [...]struct {
		word  string
		least int
		is    bool
	}{{"true", 1, true}, {"false", 1, false}, {"yes", 1, true}, {"no", 1, false}, {"on", 2, true}, {"off", 2, false}, {"1", 1, true}, {"0", 1, false}} {
		if len(word) >= w.least && strings.HasPrefix(w.word, word) {
			return truth(w.is), nil
		}
	}
	return value{}, pgError("22P02", `invalid input syntax for type boolean: "`+text+`"`)
}

// toBool is a cast to boolean, which sound has let through.
func toBool(of *expr, x value) (value, *Error) {
	switch {
	case x.kind == valueNull, x.kind == valueBool:
		return x, nil
	case x.kind == valueText:
		return parseBool(x.text)
	case of.kind == exprParam:
		return parseBool(toText(x))
	}
	return truth(x.num != 0), nil
}

// staticType is what PostgreSQL knows of an expression before it has a value.
type staticType uint8

const (
	typeOther   staticType = iota
	typeUnknown            // a text in quotes, a parameter, NULL: what is wanted of it
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

// sound refuses what an expression does with booleans and must not, before there is a row.
func (d *DB) sound(e *expr, t *table) *Error {
	if d.cfg.Flavour == MySQL {
		return nil
	}
	for _, a := range e.args {
		if err := d.sound(a, t); err != nil {
			return err
		}
	}
	switch {
	case e.kind == exprBinary:
		return d.mixes(string(e.op), t, e.args[0], e.args[1])
	case e.name == "CAST" && d.typeOf(e.args[0], t) == typeBool:
		return noCast()
	case e.name == toBoolean && e.args[0].kind == exprLiteral && e.args[0].value.kind == valueText:
		_, err := parseBool(e.args[0].value.text)
		return err
	case e.name == toBoolean && d.typeOf(e.args[0], t) == typeOther && e.args[0].name != "HASHTEXT":
		return noCast()
	}
	return nil
}

func noCast() *Error { return pgError("42846", "cannot cast between boolean and this type") }

// mixes refuses a comparison or arithmetic with a boolean that has no meaning, before there is a row.
func (d *DB) mixes(op string, t *table, left, right *expr) *Error {
	if d.cfg.Flavour == MySQL {
		return nil
	}
	a, b := d.typeOf(left, t), d.typeOf(right, t)
	if a != typeBool && b != typeBool {
		return nil
	}
	none := pgError("42883", "operator does not exist: "+op+" with a boolean")
	if strings.Contains("+-*/", op) {
		return none
	}
	for _, side := range []struct {
		e  *expr
		is staticType
	}{{left, a}, {right, b}} {
		switch {
		case side.is == typeBool:
		case side.is != typeUnknown:
			return none
		case side.e.kind == exprLiteral && side.e.value.kind == valueText:
			if _, err := parseBool(side.e.value.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// alike makes a boolean of what is compared with one: mixes has let through what can be one.
func (f Flavour) alike(a, b value) (value, value, *Error) {
	var err *Error
	switch {
	case f == MySQL || (a.kind == valueBool) == (b.kind == valueBool):
	case a.kind == valueBool && b.kind != valueNull:
		b, err = parseBool(toText(b))
	case b.kind == valueBool && a.kind != valueNull:
		a, err = parseBool(toText(a))
	}
	return a, b, err
}

// assignable refuses a value of a type that a column does not take, before there is a row.
func (d *DB) assignable(c column, e *expr, t *table) *Error {
	if err := d.sound(e, t); err != nil {
		return err
	}
	is := d.typeOf(e, t)
	switch {
	case c.boolean && e.kind == exprLiteral && e.value.kind == valueText:
		_, err := parseBool(e.value.text)
		return err
	case d.cfg.Flavour == MySQL, is == typeUnknown, c.boolean == (is == typeBool), is == typeBool && c.static() == typeText:
		return nil
	}
	return pgError("42804", `column "`+c.name+`" is of another type than its expression`)
}
