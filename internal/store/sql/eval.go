package sql

import (
	"strconv"
	"time"

	"lockstep/internal/history"
)

const removed = history.Removed

// longestWait is what GET_LOCK makes of a longer one.
const longestWait = 365 * 24 * time.Hour

// eval computes an expression; t and v are the row that its columns are of.
func (d *DB) eval(r *run, e *expr, t *table, v image) (value, *Error) {
	switch e.kind {
	case exprLiteral:
		return e.value, nil
	case exprParam:
		x := fromWorld(r.stmt.Args[e.index])
		if d.cfg.Flavour == MySQL && x.kind == valueBool {
			x.kind = valueNumber
		}
		return x, nil
	case exprColumn:
		if t == nil || t.column(e.name) < 0 {
			return value{}, d.cfg.Flavour.noColumn(e.name, "SELECT")
		}
		if v == nil {
			return value{}, nil
		}
		return v[t.column(e.name)], nil
	}
	var args [2]value
	if len(e.args) > len(args) {
		return value{}, d.cfg.Flavour.beyond("the function " + e.name)
	}
	for i, a := range e.args {
		x, err := d.eval(r, a, t, v)
		if err != nil {
			return value{}, err
		}
		args[i] = x
	}
	if e.kind == exprBinary {
		if args[0].kind == valueNull || args[1].kind == valueNull {
			return value{}, nil
		}
		x, ok := d.cfg.Flavour.compute(e.op, args[0], args[1])
		if !ok {
			return value{}, d.cfg.Flavour.beyond("this arithmetic")
		}
		return x, nil
	}
	if e.name == toBoolean {
		return toBool(e.args[0], args[0])
	}
	return d.function(r, e, args, len(e.args))
}

// function computes the functions without an effect.
func (d *DB) function(r *run, e *expr, args [2]value, n int) (value, *Error) {
	mysql := d.cfg.Flavour == MySQL
	switch x := args[0]; {
	case e.name == "CAST" && n == 1 && x.kind == valueNull:
		return x, nil
	case e.name == "CAST" && n == 1 && x.numeric():
		return number(x.rounded()), nil
	case mysql && e.name == "NOW" && n == 1 && x.num == 3:
		return value{kind: valueTime, num: r.wallMS}, nil
	case mysql && e.name == "UNIX_TIMESTAMP" && n == 1 && x.kind == valueTime,
		!mysql && e.name == "EXTRACT EPOCH" && x.kind == valueTime:
		return value{kind: valueMilli, num: x.num}, nil
	case !mysql && e.name == "NOW" && n == 0:
		return value{kind: valueTime, num: r.tx.wall}, nil
	case !mysql && e.name == "CLOCK_TIMESTAMP" && n == 0:
		return value{kind: valueTime, num: d.wallMS()}, nil
	case !mysql && e.name == "HASHTEXT" && n == 1 && x.kind == valueText:
		return hashOf(x.text), nil
	}
	return value{}, d.cfg.Flavour.beyond("the function " + e.name)
}

// fit converts a value to the type of a column.
func (d *DB) fit(c column, v value) (value, *Error) {
	switch {
	case v.kind == valueNull:
		return v, nil
	case c.boolean && v.kind == valueBool:
		return v, nil
	case c.boolean && (v.kind == valueText || v.kind == valueNumber): // a parameter; see assignable
		return parseBool(toText(v))
	case !c.number && v.kind == valueBool:
		return value{kind: valueText, text: strconv.FormatBool(v.num != 0)}, nil
	case c.number && v.numeric():
		return number(v.rounded()), nil
	case c.number && v.kind == valueText:
		n, err := strconv.ParseInt(v.text, 10, 64)
		if err != nil {
			return v, d.cfg.Flavour.pick(
				mysqlError(1366, "22007", "Incorrect integer value: '"+v.text+"' for column '"+c.name+"'"),
				pgError("22P02", `invalid input syntax for type bigint: "`+v.text+`"`))
		}
		return number(n), nil
	case !c.number && v.kind == valueText:
		return v, nil
	case !c.number && v.kind == valueNumber:
		return value{kind: valueText, text: strconv.FormatInt(v.num, 10)}, nil
	}
	return v, d.cfg.Flavour.beyond("this value in the column " + c.name)
}

// call does a SELECT without a table. Functions with an effect stand alone in
// their place of the list; each is called once, also when a later one has to wait.
func (d *DB) call(r *run) (res Result, wait target, err *Error) {
	for _, e := range r.st.exprs {
		if err := d.sound(e, nil); err != nil {
			return res, wait, err
		}
	}
	for len(r.values) < len(r.st.exprs) {
		e := r.st.exprs[len(r.values)]
		v, wait, err := d.callOne(r, e)
		if err != nil || !wait.none() {
			return res, wait, err
		}
		r.values = append(r.values, v)
	}
	var out []Value
	for _, v := range r.values {
		out = append(out, toWorld(v))
	}
	res.Rows = [][]Value{out}
	return res, wait, nil
}

// lockFunctions are the functions of named locks, with the number of their arguments.
var lockFunctions = [...]map[string]int{
	MySQL:      {"GET_LOCK": 2, "RELEASE_LOCK": 1, "IS_USED_LOCK": 1},
	PostgreSQL: {"PG_ADVISORY_LOCK": 1, "PG_TRY_ADVISORY_LOCK": 1, "PG_ADVISORY_UNLOCK": 1},
}

func (d *DB) callOne(r *run, e *expr) (v value, wait target, err *Error) {
	n, isLock := lockFunctions[d.cfg.Flavour][e.name]
	if e.kind != exprCall || !isLock {
		v, err = d.eval(r, e, nil, nil)
		return v, wait, err
	}
	if len(e.args) != n {
		return v, wait, d.cfg.Flavour.beyond("this number of arguments of " + e.name)
	}
	var args [2]value
	for i, a := range e.args {
		if args[i], err = d.eval(r, a, nil, nil); err != nil {
			return v, wait, err
		}
	}
	if d.cfg.Flavour == PostgreSQL {
		return d.advisory(r, e.name, args[0])
	}
	return d.userLock(r, e.name, args)
}

// userLock does MySQL's functions: 1, 0 or NULL.
func (d *DB) userLock(r *run, function string, args [2]value) (value, target, *Error) {
	if args[0].kind != valueText {
		return value{}, target{}, d.cfg.Flavour.beyond("a lock whose name is not a text")
	}
	if args[0].text == "" {
		return value{}, target{}, nil
	}
	n, s := d.lookup(args[0]), r.session
	switch function {
	case "GET_LOCK":
		return d.getLock(r, n, args[1])
	case "IS_USED_LOCK":
		if n.holder == nil {
			return value{}, target{}, nil
		}
		return number(int64(n.holder.conn.ID)), target{}, nil
	}
	switch {
	case n.holder == nil:
		return value{}, target{}, nil
	case n.holder != s:
		return number(0), target{}, nil
	}
	d.letGo(n)
	return number(1), target{}, nil
}

// getLock does GET_LOCK. A wait of less than nothing is NULL in MariaDB.
func (d *DB) getLock(r *run, n *namedLock, wait value) (value, target, *Error) {
	if !wait.numeric() || wait.num < 0 {
		return value{}, target{}, nil
	}
	want := target{name: n}
	if n.holder == r.session || len(d.blockers(r, want)) == 0 {
		d.grant(n, r.session)
		return number(1), target{}, nil
	}
	limit := longestWait
	if milli, fits := wait.milli(); fits && milli < longestWait.Milliseconds() {
		limit = time.Duration(milli) * time.Millisecond
	}
	if r.timedOut || limit == 0 {
		return number(0), target{}, nil
	}
	if r.deadline < 0 {
		r.deadline = d.now.Mono + limit
	}
	return value{}, want, nil
}

// advisory does PostgreSQL's functions. An unlock of a lock that the session does
// not have is false and a warning.
func (d *DB) advisory(r *run, function string, key value) (value, target, *Error) {
	if key.kind != valueNumber && key.kind != valueHash {
		return value{}, target{}, d.cfg.Flavour.beyond("an advisory lock whose key is not a number")
	}
	n, s := d.lookup(key), r.session
	if function == "PG_ADVISORY_UNLOCK" {
		mine := n.holder == s
		if mine {
			d.letGo(n)
		}
		return truth(mine), target{}, nil
	}
	want := target{name: n}
	free := n.holder == s || len(d.blockers(r, want)) == 0
	if free {
		d.grant(n, s)
	}
	switch {
	case function == "PG_TRY_ADVISORY_LOCK":
		return truth(free), target{}, nil
	case !free:
		return value{}, want, nil
	}
	return value{kind: valueText}, target{}, nil // void
}

// letGo gives back a named lock once.
func (d *DB) letGo(n *namedLock) {
	if n.count > 1 {
		n.count--
		return
	}
	d.free(n, history.Removed, n.holder.conn.Client)
}
