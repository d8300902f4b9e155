package sql

import "strings"

// This file holds conditions, and PostgreSQL's type boolean. MariaDB has no such type: TRUE is 1
// there.

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
			return PostgreSQL.truth(w.is)
		}
	}
	panic(pgError("22P02", `invalid input syntax for type boolean: "`+text+`"`))
}

// toBoolean is the name of the cast.
const toBoolean = "TO BOOLEAN"

// toBool is a cast to boolean that sound has accepted.
func toBool(of *expr, x value) value {
	switch {
	case x.kind == valueBool:
		return x
	case x.kind == valueText, of.kind == exprParam:
		return parseBool(x.digits())
	}
	return PostgreSQL.truth(x.num != 0)
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

// truth is a boolean as a condition gives it.
func (f Flavour) truth(b bool) value {
	v := value{kind: valueBool}
	if f == MySQL {
		v.kind = valueNumber
	}
	if b {
		v.num = 1
	}
	return v
}

// test computes a test.
func (d *DB) test(r *run, e *expr, t *table, v image) value {
	f := d.cfg.Flavour
	switch e.op {
	case "AND", "OR":
		decides, all := e.op == "OR", f.truth(e.op == "AND")
		for _, a := range e.args {
			x := d.holds(r, a, t, v)
			if x.kind == valueNull {
				all = x
			} else if x.isTrue() == decides {
				return f.truth(decides)
			}
		}
		return all
	case "NOT":
		x := d.holds(r, e.args[0], t, v)
		if x.kind == valueNull {
			return x
		}
		return f.truth(!x.isTrue())
	case isNull:
		return f.truth(d.eval(r, e.args[0], t, v).kind == valueNull)
	}
	return f.is(e.op, d.eval(r, e.args[0], t, v), d.eval(r, e.args[1], t, v))
}

// is compares two values.
func (f Flavour) is(op string, left, right value) value {
	if left.kind == valueNull || right.kind == valueNull {
		return value{}
	}
	order, ok := f.compare(f.alike(left, right))
	if !ok {
		panic(f.beyond("comparisons of different types"))
	}
	return f.truth(strings.Contains(op, [...]string{"<", "=", ">"}[1+order]))
}

// alike converts a value that is compared with a boolean or a time; mixes has accepted it.
func (f Flavour) alike(a, b value) (value, value) {
	switch {
	case a.kind == b.kind, a.kind == valueNull, b.kind == valueNull:
	case f == PostgreSQL && a.kind == valueBool:
		b = parseBool(b.digits())
	case f == PostgreSQL && b.kind == valueBool:
		a = parseBool(a.digits())
	case a.kind == valueTime && b.kind == valueText:
		b = f.fitTime(column{kind: valueTime, zoned: a.zoned, digits: mostDigits}, b)
	case a.kind == valueText && b.kind == valueTime:
		b, a = f.alike(b, a)
	}
	return a, b
}
