package sql

import "strings"

// This file holds what a statement gives of its rows, and how many.

// outputOf reads what a statement gives of each row, or counts.
func (p *parser) outputOf(st *statement) {
	if st.star = p.accept("*"); st.star {
		return
	}
	p.list(func() {
		from := p.peek().at
		e, counts := p.counted()
		if !counts {
			e = p.expr()
		}
		text := strings.TrimSpace(p.query[from:p.peek().at])
		if len(st.output) > 0 && st.counts != counts {
			panic(p.flavour.beyond("a count beside something else"))
		}
		name := p.called()
		if name == "" {
			name = p.flavour.nameOf(e, text, counts)
		}
		st.output, st.names, st.counts = append(st.output, e), append(st.names, name), counts
	})
}

// counted reads what COUNT counts, as a condition; false if no COUNT comes next.
func (p *parser) counted() (e *expr, ok bool) {
	if !p.accept("COUNT", "(") {
		return nil, false
	}
	if e = (&expr{value: p.flavour.truth(true)}); !p.accept("*") {
		e = test("NOT", test(isNull, p.expr()))
	}
	p.expect(")")
	return e, true
}

// returning reads what a changing statement gives of each row.
func (p *parser) returning(st *statement) {
	if p.flavour == PostgreSQL && p.accept("RETURNING") {
		if p.outputOf(st); st.counts {
			p.fail()
		}
	}
}

// nameOf is what the server calls a column of a result. text is the expression as written.
func (f Flavour) nameOf(e *expr, text string, counts bool) string {
	switch {
	case e.kind == exprColumn:
		return e.name
	case f == MySQL && e.isText():
		return e.value.text
	case f == MySQL:
		return text
	case e.to.name != "":
		return e.to.name
	case counts:
		return "count"
	case e.op == "EXISTS":
		return "exists"
	case e.kind != exprCall:
		return nameless
	}
	of, own := 0, typeNames[e.name] // a cast is called as what it casts, and a CASE as its last part, if that has a name
	switch {
	case e.name == toTime && e.to.zoned:
		own = "timestamptz"
	case e.name == either:
		of, own = 2, "case"
	case own == "":
		return strings.ToLower(e.name)
	}
	if inner := f.nameOf(e.args[of], text, false); inner != nameless {
		return inner
	}
	return own
}

// nameless is what PostgreSQL calls a column that has no name.
const nameless = "?column?"

// typeNames are those of the types of casts in PostgreSQL.
var typeNames = map[string]string{toInterval: "interval", toBoolean: "bool", asText: "text", toTime: "timestamp", "CAST": "int8"}

// emit adds a row to the result, if the statement gives any.
func (d *DB) emit(r *run, t *table, row image) {
	if !r.st.star {
		v := image{}
		for _, e := range r.st.output {
			v = append(v, d.eval(r, e, t, row))
		}
		row = v
	}
	if len(row) > 0 {
		r.out = append(r.out, row)
	}
}

// result takes what the statement has given: rows, or how many of them have a true condition.
func (r *run) result() []image {
	out := r.out
	if r.out = nil; !r.st.counts {
		return out
	}
	all := make(image, len(r.st.output))
	for i := range all {
		all[i] = number(0)
		for _, v := range out {
			if v[i].isTrue() {
				all[i].num++
			}
		}
	}
	return []image{all}
}

// tell puts the rows that the statement gives into its result, with the names of their columns.
func (d *DB) tell(r *run, res *Result) {
	res.Columns = r.st.names
	if r.st.star {
		for _, c := range d.table(r.st.table).columns {
			res.Columns = append(res.Columns, c.name)
		}
	}
	for _, v := range r.result() {
		res.Rows = append(res.Rows, d.cfg.Flavour.cells(v))
	}
}
