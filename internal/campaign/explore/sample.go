package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lockstep/internal/campaign/results"
	"lockstep/internal/rng"
)

// sampler draws schedules of two faults on one target. For each pair of kinds, half of them begin
// with one kind and half with the other; all first faults of a kind are equally likely, and so are
// all second faults of a kind that can follow. Each schedule has a number made of its indices, and
// the lowest numbers are drawn, so the draw depends on the schedules alone.
type sampler struct {
	each  int
	known *smaller
	first [][]opening // of each kind, those with the lowest numbers
	all   []int       // how many first faults of each kind there are
}

// opening is a first fault with what can follow it, by the kind of the second one.
type opening struct {
	branch
	next []draws
}

// draws are the schedules of a first fault and a second one of a given kind.
type draws struct {
	of   int      // how many there are
	some []branch // those with the lowest numbers
}

// sample draws schedules of two faults on a target, and plays them.
func (w *walk) sample(ctx context.Context, l *Lock, g *target) error {
	st := l.stage(g.profile.Name, 2, 1)
	key := fmt.Sprintf("%s/%s/drawn-%d", l.ID, st.Profile, w.o.Sample)
	if known, err := w.known(l, st, key); known || err != nil || !w.mine(g, 0, 2) {
		return err
	}
	known := l.plainer(2, 0)
	todo, of, err := w.draw(ctx, g, known)
	if err != nil {
		return err
	}
	done := outcome{Drawn: of}
	var pieces []batch
	for some := range slices.Chunk(todo, fewRuns) {
		pieces = append(pieces, batch{g: g, from: some})
	}
	err = w.playAll(ctx, pieces, known, 2, func(_ *batch, o *outcome) error {
		done.Add(o.Tally)
		done.Doubts, done.Found = append(done.Doubts, o.Doubts...), withFound(done.Found, o.Found)
		return nil
	})
	if err == nil {
		err = w.keep(l, st, key, &done)
	}
	if err != nil {
		return err
	}
	w.reportProgress(l, st)
	return nil
}

// draw draws schedules of two faults on a target.
func (w *walk) draw(ctx context.Context, g *target, known *smaller) (some []branch, of results.Drawn, err error) {
	d, err := w.newSampler(ctx, g, known)
	if err != nil {
		return nil, of, err
	}
	var all []*opening
	for _, first := range d.first {
		for i := range first {
			all = append(all, &first[i])
		}
	}
	if err := w.share(ctx, len(all), func(ctx context.Context, p *player, i int) error {
		p.on(g)
		return d.draw(ctx, p, all[i])
	}); err != nil {
		return nil, of, err
	}
	some = d.choose(&of)
	return some, of, nil
}

// newSampler chooses the first faults.
func (w *walk) newSampler(ctx context.Context, g *target, known *smaller) (*sampler, error) {
	first, err := w.firstFaults(ctx, g, 2)
	if err != nil {
		return nil, err
	}
	d := &sampler{each: w.o.Sample, known: known, first: make([][]opening, len(kindNames)), all: make([]int, len(kindNames))}
	for _, b := range first {
		kind := g.templates[b.s[0].Template].kind
		d.first[kind] = append(d.first[kind], opening{branch: b})
	}
	for kind, all := range d.first {
		d.all[kind] = len(all)
		slices.SortFunc(all, byNumber)
		d.first[kind] = all[:min(len(all), d.each)]
		if known.open(kindSet{}.with(kind)) == [ways]bool{} {
			d.first[kind], d.all[kind] = nil, 0
		}
	}
	return d, nil
}

// draw draws second faults for a first one.
func (d *sampler) draw(ctx context.Context, p *player, b *opening) error {
	_, h, err := p.play(ctx, b.s, true)
	if err != nil {
		return err
	}
	b.next = make([]draws, len(kindNames))
	first := p.g.templates[b.s[0].Template].kind
	most := 1 + d.each/len(d.first[first]) // so that they are enough where few begin, and nothing follows some
	next := p.thinned(p.next(h, b.s))
	byKind := make([][]int, len(kindNames))
	for k := range next {
		kind := p.g.templates[next[k].Template].kind
		byKind[kind] = append(byKind[kind], k)
	}
	for kind, all := range byKind {
		if d.known.open(kindSet{}.with(first).with(kind)) == [ways]bool{} {
			continue
		}
		out := &b.next[kind]
		out.of = len(all)
		number := func(k int) uint64 { return numberOf([]int{b.order[0], k}) }
		slices.SortFunc(all, func(x, y int) int { return cmp.Or(cmp.Compare(number(x), number(y)), cmp.Compare(x, y)) })
		for _, k := range all[:min(len(all), most)] {
			out.some = append(out.some, branch{s: append(slices.Clip(b.s), next[k]), order: append(slices.Clip(b.order), k)})
		}
	}
	return nil
}

// choose takes half of the draws of each pair of kinds in each order. It records the smallest
// number of draws of any pair, and how many schedules there are in all.
func (d *sampler) choose(st *results.Drawn) (todo []branch) {
	type pair struct{ drawn, of int }
	pairs := map[[2]kind]*pair{}
	for one := range d.first {
		of := 0
		for other := range kindNames {
			k := [2]kind(kindSet{}.with(one).with(other))
			p := pairs[k]
			if p == nil {
				p = &pair{}
				pairs[k] = p
			}
			wanted := d.each / 2
			if one == other {
				wanted = d.each
			}
			drawn := 0
			for i := range d.first[one] {
				x := &d.first[one][i].next[other]
				n := min(len(x.some), wanted-drawn)
				todo, drawn, p.of, of = append(todo, x.some[:n]...), drawn+n, p.of+x.of, of+x.of
			}
			p.drawn += drawn
		}
		if n := len(d.first[one]); n > 0 { // the others are as many as these, about
			st.Of += int64(of) * int64(d.all[one]) / int64(n)
		}
	}
	for k, p := range pairs { // order: the least of them
		partly := len(d.first[k[0]]) < d.all[k[0]] || len(d.first[k[1]]) < d.all[k[1]]
		if p.of > 0 && (partly || p.drawn < p.of) && (st.Each == 0 || p.drawn < st.Each) {
			st.Each = p.drawn
		}
	}
	return todo
}

// numberOf hashes the indices of a schedule.
func numberOf(order []int) (n uint64) {
	for _, i := range order {
		n = rng.Mix(n + uint64(i))
	}
	return n
}

func byNumber(a, b opening) int {
	return cmp.Or(cmp.Compare(numberOf(a.order), numberOf(b.order)), slices.Compare(a.order, b.order))
}

// kindsOf are the kinds of a schedule.
func kindsOf(g *target, s schedule) (k kindSet) {
	for i := range s {
		k = k.with(g.templates[s[i].Template].kind)
	}
	return k
}
