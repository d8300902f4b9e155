package sql

// This file holds subqueries. Each is read once, before its statement begins: none depends on a row
// of that.

// sub reads a subquery, behind its parenthesis, and the other one.
func (p *parser) sub(op string, args ...*expr) *expr {
	p.expect("SELECT")
	st := p.selection()
	if p.expect(")"); st.table == "" || op != "EXISTS" && len(st.output) != 1 {
		panic(p.flavour.beyond("a subquery without a table, or of several columns"))
	}
	st.inner, p.subs = true, append(p.subs, st)
	e := &expr{kind: exprSub, op: op, args: args, index: len(p.subs) - 1}
	switch op {
	case "":
		e.as = st.names[0]
	case "EXISTS":
		e.as = "exists"
	}
	return e
}

// resolve reads the subqueries of a statement.
func (d *DB) resolve(r *run) {
	whole := r.st
	defer func() { r.st = whole }()
	if f := d.cfg.Flavour; f == MySQL && len(whole.subs) > 0 && whole.changes() != "" {
		panic(f.beyond("a subquery in a statement that locks rows, since MySQL locks what it reads, too: read first, with a SELECT of its own"))
	}
	for _, sub := range whole.subs {
		if sub.table == whole.table && !sub.forUpdate && (whole.kind == kindUpdate || whole.kind == kindDelete) {
			panic(d.cfg.Flavour.beyond("a subquery of the table that is changed, without FOR UPDATE: two such statements at once may find the same row"))
		}
	}
	for r.found = nil; len(r.found) < len(whole.subs); {
		r.st = whole.subs[len(r.found)]
		if wait := d.selectRows(r); !wait.none() {
			panic(d.cfg.Flavour.beyond("a subquery that waits for a row: lock it first, with a SELECT of its own, or SKIP LOCKED"))
		}
		r.found = append(r.found, r.result())
		r.rows = nil
	}
}

// subquery is the value of a subquery: its only row, whether there is one, or whether a value is in
// it.
func (d *DB) subquery(r *run, e *expr, t *table, v image) value {
	f, rows := d.cfg.Flavour, r.found[e.index]
	switch {
	case e.op == "EXISTS":
		return f.truth(len(rows) > 0)
	case e.op == "IN":
		x, none := d.eval(r, e.args[0], t, v), f.truth(false)
		for _, row := range rows {
			if is := f.is("=", x, row[0]); is.isTrue() {
				return is
			} else if is.kind == valueNull {
				none = is
			}
		}
		return none
	case len(rows) > 1:
		panic(f.pick(1242, "21000", "Subquery returns more than 1 row",
			"21000", "more than one row returned by a subquery used as an expression"))
	case len(rows) == 0:
		return value{}
	}
	return rows[0][0]
}
