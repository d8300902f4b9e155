package sql

import "strings"

// This file holds conditions, and PostgreSQL's types as far as a statement may be wrong whatever its rows are. MariaDB has
// no type boolean: TRUE is 1 there.

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
	typeTime
)

func (s staticType) known() bool { return s != typeOther && s != typeUnknown }

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
	case e.kind == exprBinary && d.typeOf(e.args[0], t) == typeTime && d.typeOf(e.args[1], t) == typeOther,
		e.kind == exprCall && (e.name == "NOW" || e.name == toTime || e.name == inUTC || strings.HasSuffix(e.name, "_TIMESTAMP")):
		return typeTime
	case e.kind == exprTest:
		return typeBool
	case e.name == either && d.typeOf(e.args[1], t) == d.typeOf(e.args[2], t):
		return d.typeOf(e.args[1], t)
	case (e.kind == exprColumn || e.kind == exprProposed) && t != nil && t.column(e.name) >= 0:
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
	case c.time:
		return typeTime
	case c.number:
		return typeOther
	}
	return typeText
}

// isTrue is the truth of a condition's value.
func (v value) isTrue() bool { return v.kind != valueNull && v.num != 0 }

// holds is whether a condition is true, false or NULL, for a row.
func (d *DB) holds(r *run, e *expr, t *table, v image) value {
	x, f := d.eval(r, e, t, v), d.cfg.Flavour
	switch {
	case x.kind == valueNull, x.kind == valueBool, f == MySQL && x.numeric():
		return x
	case f == PostgreSQL && x.kind == valueText:
		return parseBool(x.text)
	}
	panic(f.beyond("this condition"))
}

// test computes a test.
func (d *DB) test(r *run, e *expr, t *table, v image) value {
	f := d.cfg.Flavour
	is := func(b bool) value { return f.given(Bool(b)) }
	switch e.op {
	case "AND", "OR":
		decides, all := e.op == "OR", is(e.op == "AND")
		for _, a := range e.args {
			x := d.holds(r, a, t, v)
			if x.kind == valueNull {
				all = x
			} else if x.isTrue() == decides {
				return is(decides)
			}
		}
		return all
	case "NOT":
		x := d.holds(r, e.args[0], t, v)
		if x.kind == valueNull {
			return x
		}
		return is(!x.isTrue())
	case isNull:
		return is(d.eval(r, e.args[0], t, v).kind == valueNull)
	}
	left, right := d.eval(r, e.args[0], t, v), d.eval(r, e.args[1], t, v)
	if left.kind == valueNull || right.kind == valueNull {
		return value{}
	}
	order, ok := f.compare(f.alike(left, right))
	if !ok {
		panic(f.beyond("comparisons of different types"))
	}
	return is(strings.Contains(e.op, [...]string{"<", "=", ">"}[1+order]))
}

// toBoolean is the name of the cast.
const toBoolean = "TO BOOLEAN"

// isText reports whether the expression is a text in quotes.
func (e *expr) isText() bool { return e.kind == exprLiteral && e.value.kind == valueText }

// sound refuses a wrong use of types in an expression whose operands are right, before there is a row.
func (d *DB) sound(e *expr, t *table) {
	if d.cfg.Flavour == MySQL {
		return
	}
	switch {
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
	case e.name == "CAST" && d.typeOf(e.args[0], t) == typeBool,
		e.name == toBoolean && d.typeOf(e.args[0], t) == typeOther && e.args[0].name != "HASHTEXT":
		panic(pgError("42846", "cannot cast between boolean and this type"))
	}
}

// condition refuses an expression that cannot be true or false, before there is a row.
func (d *DB) condition(e *expr, t *table) {
	is := d.typeOf(e, t)
	switch {
	case d.cfg.Flavour == MySQL, is == typeBool, is == typeUnknown && !e.isText():
	case is == typeUnknown:
		parseBool(e.value.text)
	default:
		panic(pgError("42804", "a condition must be of type boolean"))
	}
}

// mixes refuses a meaningless comparison or arithmetic with a boolean or a time, before there is a row.
func (d *DB) mixes(op string, t *table, left, right *expr) {
	if d.cfg.Flavour == MySQL {
		return
	}
	a, b := d.typeOf(left, t), d.typeOf(right, t)
	none := pgError("42883", "operator does not exist: "+op+" with these types")
	if (a == typeTime || b == typeTime) && a != b && a.known() && b.known() {
		panic(none)
	}
	if a != typeBool && b != typeBool {
		return
	}
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

// alike converts a value that is compared with a boolean or a time; mixes has accepted it.
func (f Flavour) alike(a, b value) (value, value) {
	switch {
	case a.kind == b.kind, a.kind == valueNull, b.kind == valueNull:
	case f == PostgreSQL && a.kind == valueBool:
		b = parseBool(toText(b))
	case f == PostgreSQL && b.kind == valueBool:
		a = parseBool(toText(a))
	case a.kind == valueTime && b.kind == valueText:
		b = f.fitTime(column{time: true, zoned: a.zoned, digits: mostDigits}, b)
	case a.kind == valueText && b.kind == valueTime:
		b, a = f.alike(b, a)
	}
	return a, b
}

// assignable refuses a value of a type that a column does not take, before there is a row.
func (d *DB) assignable(c column, e *expr, t *table) {
	is := d.typeOf(e, t)
	switch {
	case c.boolean && e.isText():
		parseBool(e.value.text)
	case d.cfg.Flavour == PostgreSQL && is.known() && c.time != (is == typeTime) && c.static() != typeText:
		panic(notOf(c))
	case d.cfg.Flavour == MySQL, is == typeUnknown, is == typeBool && (c.boolean || c.static() == typeText):
	case is != typeBool && !c.boolean && !(c.number && is == typeText):
	default:
		panic(notOf(c))
	}
}

func notOf(c column) *Error {
	return pgError("42804", `column "`+c.name+`" is of another type than its expression`)
}
