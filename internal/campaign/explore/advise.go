package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Advice is what happens to one lock when certain kinds of faults have to be expected.
type Advice struct {
	Lock     string                     `json:"lock"`
	Store    locks.Store                `json:"store"`
	Verdict  string                     `json:"verdict"`
	Complete int                        `json:"complete"` // all sets of so many faults are known
	Searched string                     `json:"searched"` // how several faults were looked for in plain and just-within
	Together []results.Searched         `json:"together"` // the same for each usage profile
	Unknown  int64                      `json:"unknown"`  // schedules whose effect is unknown
	Breaks   map[string]*results.CutSet `json:"breaks"`   // by way: the smallest set that can happen, null when none can

	Rests []results.Rest `json:"-"` // Together in a few words
}

// In is the verdict where only some ways of breaking count.
func (a *Advice) In(of ...checker.Way) string {
	breaks := slices.ContainsFunc(of, func(w checker.Way) bool { return a.Breaks[w.String()] != nil })
	return results.Verdict(breaks, a.Unknown, a.Searched)
}

// Says is the verdict on one way.
func (a *Advice) Says(w checker.Way) say.Phrase {
	switch s := a.Breaks[w.String()]; {
	case s == nil:
		return say.Text(a.In(w))
	case len(s.Kinds) == 0:
		return say.Text("always")
	case len(s.Kinds) > 1:
		return say.BreaksBySeveral.With(say.Number(len(s.Kinds)))
	}
	return say.Text("breaks")
}

// Expected returns the kinds that names stand for: a long kind includes its short form.
func Expected(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if faultkind.Index(name) < 0 {
			return nil, unknownKind(name)
		}
		out = append(out, name)
		if faultkind.Index(name+short) >= 0 {
			out = append(out, name+short)
		}
	}
	return out, nil
}

func unknownKind(name string) error { return unknown("kind of fault", name, kindNames) }

// unknown is the error for an unknown name, with the nearest one or all of them.
func unknown(what, name string, names []string) error {
	return fmt.Errorf("there is no %s %q: %s", what, name, scenario.DidYouMean(name, names, "choose from "+strings.Join(names, ", ")))
}

// WaysNamed returns the ways of breaking with these names, in their order.
func WaysNamed(names []string) (out []checker.Way, err error) {
	known := each.Map(checker.Ways(), checker.Way.String)
	for _, name := range names {
		w, ok := checker.WayNamed(name)
		if !ok || !slices.Contains(known, w.String()) {
			return nil, unknown("way of breaking", name, known)
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out, nil
}

// OfStores returns a result with the locks of the named stores only.
func OfStores(r *results.Explored, names []string) (*results.Explored, error) {
	var known []string
	out := r.Only(func(l *results.ExploredLock) bool {
		v, _ := locks.Lookup(l.Lock)
		known = append(known, string(v.Store))
		return slices.Contains(names, string(v.Store))
	})
	slices.Sort(known)
	known = slices.Compact(known)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, unknown("store", name, known)
		}
	}
	return out, nil
}

// Advise says of each lock whether it breaks under the expected kinds of faults alone: best verdict
// first, fewest ways of breaking first. Designs and misprints are asked about apart.
func Advise(r *results.Explored, expected []string, of []checker.Way) []Advice {
	out := []Advice{} // an empty list in JSON, too
	for i := range r.Locks {
		l := &r.Locks[i]
		if l.Complete == 0 {
			continue // not searched, so unknown
		}
		v, _ := locks.Lookup(l.Lock)
		a := Advice{
			Lock: l.Lock, Store: v.Store, Complete: l.Complete, Searched: l.Survives(), Together: l.Together, Rests: l.Rests(),
			Unknown: l.Cut + int64(len(l.Doubts)), Breaks: map[string]*results.CutSet{},
		}
		for _, way := range of {
			a.Breaks[way.String()] = nil
			sets := l.Within(expected, way)
			if way == checker.NoProgress { // hung work that is expected counts
				sets = append(sets, l.Within(expected, checker.Hung)...)
			}
			if len(sets) > 0 {
				a.Breaks[way.String()] = slices.MinFunc(sets, func(a, b *results.CutSet) int { return cmp.Compare(len(a.Kinds), len(b.Kinds)) })
			}
		}
		a.Verdict = a.In(of...)
		out = append(out, a)
	}
	broken := func(a *Advice) int {
		return each.Count(of, func(way *checker.Way) bool { return a.Breaks[way.String()] != nil })
	}
	rank := func(a *Advice) int { return slices.Index(results.Verdicts, a.Verdict) }
	slices.SortStableFunc(out, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(broken(&a), broken(&b)), cmp.Compare(b.Complete, a.Complete), strings.Compare(a.Lock, b.Lock))
	})
	return out
}
