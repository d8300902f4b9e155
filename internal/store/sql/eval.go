package sql

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"lockstep/internal/history"
)

// longestWait is the limit to which GET_LOCK shortens a longer wait.
const longestWait = 365 * 24 * time.Hour

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
	case exprCall:
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
		if x.kind == valueNumber && x.num < 0 && t != nil && t.unsigned(e) {
			panic(mysqlError(1690, "22003", "BIGINT UNSIGNED value is out of range"))
		}
		if f == PostgreSQL && x.kind == valueNumber && x.num != int64(int32(x.num)) && t.int4(e) {
			panic(pgError("22003", "integer out of range"))
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
	x, ok := f.compute(op, a, b)
	if !ok {
		x, ok = f.timeSum(op, a, b)
	}
	if !ok {
		panic(f.beyond("this arithmetic"))
	}
	return x
}

// function computes the functions without an effect.
func (d *DB) function(r *run, e *expr, args [2]value, n int) value {
	f, mysql := d.cfg.Flavour, d.cfg.Flavour == MySQL
	if now, ok := d.timeOf(r, e); ok {
		return now
	}
	switch x := args[0]; {
	case (e.name == toTime || e.name == toInterval || e.name == toBoolean) && x.kind == valueNull:
		return x
	case e.name == toTime:
		return f.fitTime(e.to, x)
	case e.name == toInterval && x.kind == valueInterval:
		return x
	case e.name == toInterval && x.kind == valueText:
		return f.parseInterval(x.text)
	case e.name == toBoolean:
		return toBool(e.args[0], x)
	case e.name == inUTC && (x.kind == valueTime || x.kind == valueNull):
		x.zoned = !x.zoned
		return x
	case e.name == "CAST" && n == 1 && x.kind == valueNull:
		return x
	case e.name == "CAST" && n == 1 && x.numeric():
		return number(x.rounded())
	case mysql && e.name == "UNIX_TIMESTAMP" && n == 1 && x.kind == valueTime,
		!mysql && e.name == "EXTRACT EPOCH" && (x.kind == valueTime || x.kind == valueInterval):
		return f.epoch(x)
	case (e.name == "UNIX_TIMESTAMP" || e.name == "EXTRACT EPOCH") && n == 1 && x.kind == valueNull:
		return x
	case !mysql && e.name == "HASHTEXT" && n == 1 && x.kind == valueText:
		return hashOf(x.text)
	}
	panic(f.beyond("the function " + e.name))
}

// fit converts a value to the type of a column, which has to hold it.
func (f Flavour) fit(c column, v value) value {
	v = f.convert(c, v)
	switch length := int64(utf8.RuneCountInString(v.text)); {
	case c.number && v.kind == valueNumber && (v.num < c.least || v.num > c.most):
		panic(f.outOfRange(c))
	case v.kind == valueText && c.chars > 0 && length > c.chars:
		// Blanks at the end are cut off.
		if text := strings.TrimRight(v.text, " "); int64(utf8.RuneCountInString(text)) > c.chars {
			panic(f.pick(1406, "22001", "Data too long for column '"+c.name+"'",
				"22001", "value too long for type character varying("+strconv.FormatInt(c.chars, 10)+")"))
		}
		v.text = string([]rune(v.text)[:c.chars])
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
	case v.kind == valueNull, c.boolean && v.kind == valueBool:
		return v
	case c.time:
		return f.fitTime(c, v)
	case c.boolean && (v.kind == valueText || v.kind == valueNumber): // a parameter; see assignable
		return parseBool(toText(v))
	case !c.number && v.kind == valueBool:
		return value{kind: valueText, text: strconv.FormatBool(v.num != 0)}
	case c.number && v.numeric():
		return number(v.rounded())
	case c.number && v.kind == valueText:
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
	case !c.number && (v.kind == valueText || v.kind == valueNumber):
		return value{kind: valueText, text: v.digits()}
	}
	panic(f.beyond("this value in the column " + c.name))
}

// call does a SELECT without a table. Functions with an effect stand alone in
// their place of the list; each is called once, also when a later one has to wait.
func (d *DB) call(r *run) (res Result, wait target) {
	for _, e := range r.st.output {
		d.checkExpr(r.st, nil, e, "SELECT")
	}
	for len(r.values) < len(r.st.output) {
		v, wait := d.callOne(r, r.st.output[len(r.values)])
		if !wait.none() {
			return res, wait
		}
		r.values = append(r.values, v)
	}
	res.Rows = [][]Value{d.cfg.Flavour.cells(r.values)}
	return res, wait
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

// lockFunctions are the functions of named locks, with the number of their arguments.
var lockFunctions = [...]map[string]int{
	MySQL:      {"GET_LOCK": 2, "RELEASE_LOCK": 1, "IS_USED_LOCK": 1},
	PostgreSQL: {"PG_ADVISORY_LOCK": 1, "PG_TRY_ADVISORY_LOCK": 1, "PG_ADVISORY_UNLOCK": 1},
}

func (d *DB) callOne(r *run, e *expr) (value, target) {
	n, isLock := lockFunctions[d.cfg.Flavour][e.name]
	if e.kind != exprCall || !isLock {
		return d.eval(r, e, nil, nil), target{}
	}
	if len(e.args) != n {
		panic(d.cfg.Flavour.beyond("this number of arguments of " + e.name))
	}
	var args [2]value
	for i, a := range e.args {
		args[i] = d.eval(r, a, nil, nil)
	}
	if d.cfg.Flavour == PostgreSQL {
		return d.advisory(r, e.name, args[0])
	}
	return d.userLock(r, e.name, args)
}

// mostLockName is the longest name of a named lock in MariaDB, in bytes (NAME_LEN; MySQL takes 64 characters).
const mostLockName = 192

// userLock does MySQL's functions: 1, 0 or NULL.
func (d *DB) userLock(r *run, function string, args [2]value) (value, target) {
	if args[0].kind != valueText {
		panic(d.cfg.Flavour.beyond("a lock whose name is not a text"))
	}
	if args[0].text == "" {
		return value{}, target{}
	}
	if len(args[0].text) > mostLockName {
		panic(mysqlError(1059, "42000", "Identifier name '"+args[0].text+"' is too long"))
	}
	n := d.lookup(args[0])
	switch {
	case function == "GET_LOCK":
		return d.getLock(r, n, args[1])
	case n.holder == nil:
		return value{}, target{}
	case function == "IS_USED_LOCK":
		return number(int64(n.holder.conn.ID)), target{}
	case n.holder != r.session:
		return number(0), target{}
	}
	d.letGo(n)
	return number(1), target{}
}

// getLock does GET_LOCK. A negative wait is NULL in MariaDB.
func (d *DB) getLock(r *run, n *namedLock, wait value) (value, target) {
	switch {
	case wait.kind == valueText:
		panic(d.cfg.Flavour.beyond("a wait of GET_LOCK that is a text"))
	case !wait.numeric():
		return value{}, target{}
	}
	if seconds, _ := wait.parts(); seconds < 0 {
		return value{}, target{}
	}
	want := target{name: n}
	if n.holder == r.session || len(d.blockers(r, want)) == 0 {
		d.grant(n, r.session)
		return number(1), target{}
	}
	limit := longestWait
	if milli, fits := wait.milli(); fits && milli < longestWait.Milliseconds() {
		limit = time.Duration(milli) * time.Millisecond
	}
	if r.timedOut || limit <= 0 {
		return number(0), target{}
	}
	if r.deadline < 0 {
		r.deadline = d.now.Mono + limit
	}
	return value{}, want
}

// advisory does PostgreSQL's functions. An unlock of a lock that the session does
// not have is false and a warning.
func (d *DB) advisory(r *run, function string, key value) (value, target) {
	if key.kind != valueNumber && key.kind != valueHash {
		panic(d.cfg.Flavour.beyond("an advisory lock whose key is not a number"))
	}
	n, s := d.lookup(key), r.session
	if function == "PG_ADVISORY_UNLOCK" {
		mine := n.holder == s
		if mine {
			d.letGo(n)
		}
		return PostgreSQL.truth(mine), target{}
	}
	want := target{name: n}
	free := n.holder == s || len(d.blockers(r, want)) == 0
	if free {
		d.grant(n, s)
	}
	switch {
	case function == "PG_TRY_ADVISORY_LOCK":
		return PostgreSQL.truth(free), target{}
	case !free:
		return value{}, want
	}
	return value{kind: valueText}, target{} // void
}

// letGo gives back a named lock once.
func (d *DB) letGo(n *namedLock) {
	if n.count > 1 {
		n.count--
		return
	}
	d.free(n, history.Removed, n.holder.conn.Client)
}
