package sql

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// eval computes an expression; t and v are the row that its columns are of.
func (d *DB) eval(r *run, e *expr, t *table, v image) value {
	f := d.cfg.Flavour
	switch e.kind {
	case exprLiteral:
		return e.value
	case exprParam:
		return f.given(r.stmt.Args[e.index])
	case exprColumn:
		if t == nil || t.column(e.name) < 0 {
			panic(f.noColumn(e.name, "SELECT"))
		}
		return t.get(v, e.name)
	case exprProposed:
		return t.get(r.image, e.name)
	case exprTest:
		return d.test(r, e, t, v)
	case exprSub:
		return d.subquery(r, e, t, v)
	case exprCall:
		if e == r.called {
			return r.gave
		}
		if x, ok := d.choose(r, e, t, v); ok {
			return x
		}
	}
	var args [2]value
	if len(e.args) > len(args) {
		panic(f.beyond("the function " + e.name))
	}
	for i, a := range e.args {
		args[i] = d.eval(r, a, t, v)
	}
	if e.kind == exprBinary {
		x := f.binary(e.op, args[0], args[1])
		over := f == MySQL && x.num < 0 || f == PostgreSQL && x.num != int64(int32(x.num))
		if x.kind == valueNumber && over && t.narrow(f, e) {
			panic(f.pick(1690, "22003", "BIGINT UNSIGNED value is out of range", "22003", "integer out of range"))
		}
		return x
	}
	return d.function(r, e, args, len(e.args))
}

// choose computes a function that computes one of its arguments only; false for any other.
func (d *DB) choose(r *run, e *expr, t *table, v image) (x value, ok bool) {
	switch e.name {
	case either:
		chosen := e.args[2]
		if d.holds(r, e.args[0], t, v).isTrue() {
			chosen = e.args[1]
		}
		return d.eval(r, chosen, t, v), true
	case coalesce:
		for _, a := range e.args {
			if x = d.eval(r, a, t, v); x.kind != valueNull {
				break
			}
		}
		return x, true
	}
	return x, false
}

// binary computes with two operands, NULL if one of them is.
func (f Flavour) binary(op string, a, b value) value {
	if a.kind == valueNull || b.kind == valueNull {
		return value{}
	}
	if op == concat {
		return value{kind: valueText, text: f.asText(a) + f.asText(b)}
	}
	x, ok := f.compute(op, a, b)
	if !ok {
		x, ok = f.timeSum(op, a, b)
	}
	if !ok {
		panic(f.beyond("this arithmetic"))
	}
	return x
}

// extract is the only form of EXTRACT that the model knows.
const extract = "EXTRACT EPOCH"

// strict are the functions that give NULL for NULL.
var strict = []string{toTime, toInterval, toBoolean, asText, inUTC, "CAST", "UNIX_TIMESTAMP", extract}

// function computes the functions without an effect.
func (d *DB) function(r *run, e *expr, args [2]value, n int) value {
	f, mysql := d.cfg.Flavour, d.cfg.Flavour == MySQL
	if now, ok := d.timeOf(r, e); ok {
		return now
	}
	switch x := args[0]; {
	case n > 0 && x.kind == valueNull && slices.Contains(strict, e.name):
		return x
	case e.name == toTime:
		return f.fitTime(e.to, x)
	case e.name == toInterval && x.kind == valueInterval, e.name == "CAST" && x.kind == valueHash:
		return x
	case e.name == toInterval && x.kind == valueText:
		return f.parseInterval(x.text)
	case e.name == asText:
		return value{kind: valueText, text: f.asText(x)}
	case e.name == toBoolean:
		return toBool(e.args[0], x)
	case e.name == inUTC && x.kind == valueTime:
		x.zoned = !x.zoned
		return x
	case e.name == "CAST" && x.numeric():
		return number(x.rounded())
	case (e.name == "CONNECTION_ID" && mysql || e.name == "PG_BACKEND_PID" && !mysql) && n == 0:
		return number(int64(r.session.conn.ID))
	case mysql && e.name == "UNIX_TIMESTAMP" && n == 1 && x.kind == valueTime,
		e.name == extract && (x.kind == valueTime || x.kind == valueInterval):
		return f.epoch(x)
	case !mysql && e.name == "HASHTEXT" && n == 1 && x.kind == valueText:
		return hashOf(x.text)
	case !mysql && e.name == "HASHTEXTEXTENDED" && n == 2 && x.kind == valueText && args[1].kind == valueNumber:
		return hashOf(x.text + ", " + args[1].digits())
	}
	panic(f.beyond("the function " + e.name))
}

// asText is the name of the cast to a text.
const asText = "AS TEXT"

// asText is a text or a whole number as a text.
func (f Flavour) asText(v value) string {
	if v.kind != valueText && v.kind != valueNumber {
		panic(f.beyond("this value as a text"))
	}
	return v.digits()
}

// fit converts a value to the type of a column, which has to hold it.
func (f Flavour) fit(c column, v value) value {
	v = f.convert(c, v)
	switch length := int64(utf8.RuneCountInString(v.text)); {
	case c.kind == valueNumber && v.kind == valueNumber && (v.num < c.least || v.num > c.most):
		panic(f.outOfRange(c))
	case v.kind == valueText && c.chars > 0 && length > c.chars:
		// Blanks at the end are cut off.
		if text := strings.TrimRight(v.text, " "); int64(utf8.RuneCountInString(text)) > c.chars {
			panic(f.pick(1406, "22001", "Data too long for column '"+c.name+"'",
				"22001", "value too long for type character varying("+strconv.FormatInt(c.chars, 10)+")"))
		}
		v.text = string([]rune(v.text)[:c.chars])
	case c.filled && v.kind == valueText && length < c.chars:
		panic(f.beyond("a text that does not fill the column " + c.name + ": make it a VARCHAR"))
	}
	return v
}

// outOfRange refuses a number that a column does not hold.
func (f Flavour) outOfRange(c column) *Error {
	return f.pick(1264, "22003", "Out of range value for column '"+c.name+"'", "22003", "integer out of range")
}

// convert converts a value to the type of a column.
func (f Flavour) convert(c column, v value) value {
	switch {
	case v.kind == valueNull, c.kind == valueBool && v.kind == valueBool:
		return v
	case c.kind == valueTime:
		return f.fitTime(c, v)
	case c.kind == valueBool && (v.kind == valueText || v.kind == valueNumber): // a parameter; see assignable
		return parseBool(v.digits())
	case c.kind == valueText && v.kind == valueBool:
		return value{kind: valueText, text: strconv.FormatBool(v.num != 0)}
	case c.kind == valueNumber && v.numeric():
		return number(v.rounded())
	case c.kind == valueNumber && v.kind == valueText:
		text := strings.Trim(v.text, " \t\n\r\v\f")
		n, err := strconv.ParseInt(text, 10, 64)
		switch looks := strings.TrimLeft(text, "+-."); {
		case errors.Is(err, strconv.ErrRange) && c.unsigned && c.most == math.MaxInt64 && text[0] != '-':
			panic(f.beyond("numbers of 64 bits without a sign"))
		case errors.Is(err, strconv.ErrRange):
			panic(f.outOfRange(c))
		case err != nil && f == MySQL && looks != "" && isDigit(looks[0]): // it takes what it can of such a text
			panic(f.beyond("a text that begins with a number in the column " + c.name))
		case err != nil:
			panic(f.pick(1366, "22007", "Incorrect integer value: '"+v.text+"' for column '"+c.name+"'",
				"22P02", `invalid input syntax for type bigint: "`+v.text+`"`))
		}
		return number(n)
	case c.kind == valueText && (v.kind == valueText || v.kind == valueNumber):
		return value{kind: valueText, text: v.digits()}
	}
	panic(f.beyond("this value in the column " + c.name))
}

// call does a SELECT without a table. Functions with an effect stand alone in
// their place of the list; each is called once, also when a later one has to wait.
func (d *DB) call(r *run) target {
	d.check(r.st, nil)
	for len(r.values) < len(r.st.output) {
		v, wait := d.callOne(r, r.st.output[len(r.values)])
		if !wait.none() {
			return wait
		}
		r.values = append(r.values, v)
	}
	r.out = []image{r.values}
	return target{}
}

// cells are values as a client gets them.
func (f Flavour) cells(values []value) (out []Value) {
	for _, v := range values {
		if v.kind == valueInterval {
			panic(f.beyond("an interval as a result"))
		}
		out = append(out, toWorld(v))
	}
	return out
}
