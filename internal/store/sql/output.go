package sql

import (
	"cmp"
	"strings"
)

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
		if as := p.called(); as != "" {
			e.as = as
		} else if p.flavour == MySQL && e.isText() {
			e.as = e.value.text
		} else if p.flavour == MySQL && e.kind != exprColumn {
			e.as = text
		}
		st.output, st.counts = append(st.output, e), counts
		st.names = append(st.names, cmp.Or(e.as, e.weakly, "?column?"))
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
	e.as = "count"
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

// fillResult puts the rows that the statement gives into its result, with the names of their columns.
func (d *DB) fillResult(r *run, res *Result) {
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
