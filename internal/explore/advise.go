package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/measured"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Advice is what becomes of one lock when certain kinds of faults have to be expected.
type Advice struct {
	Lock     string                      `json:"lock"`
	Complete int                         `json:"complete"` // all sets of so many faults are known
	Unknown  int64                       `json:"unknown"`  // schedules of which nobody knows what they do
	Breaks   map[string]*measured.CutSet `json:"breaks"`   // by way: the smallest set that can happen, null when none can
}

// Safe reports whether the lock breaks in none of the ways.
func (a *Advice) Safe(of []Way) bool {
	return !slices.ContainsFunc(of, func(w Way) bool { return a.Breaks[w.String()] != nil })
}

// Says is what becomes of the lock in one way.
func (a *Advice) Says(w Way) say.Phrase {
	switch s := a.Breaks[w.String()]; {
	case s == nil && a.Unknown > 0:
		return say.Text("unknown")
	case s == nil:
		return say.NoneUpTo.With(say.Number(a.Complete))
	case len(s.Kinds) == 0:
		return say.Text("always")
	case len(s.Kinds) > 1:
		return say.BreaksBySeveral.With(say.Number(len(s.Kinds)))
	}
	return say.Text("breaks")
}

// Expected are the kinds that a name stands for: what can last long can be short, too.
func Expected(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if kindIndex(name) < 0 {
			return nil, unknownKind(name)
		}
		out = append(out, name)
		if kindIndex(name+short) >= 0 {
			out = append(out, name+short)
		}
	}
	return out, nil
}

func unknownKind(name string) error { return unknown("kind of fault", name, kindNames()) }

// unknown says of a name of nothing which ones there are, or which one was probably meant.
func unknown(what, name string, names []string) error {
	if best := scenario.Nearest(name, names); best != "" {
		return fmt.Errorf("there is no %s %q: did you mean %q?", what, name, best)
	}
	return fmt.Errorf("there is no %s %q: choose of %s", what, name, strings.Join(names, ", "))
}

func kindNames() []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		out[i] = k.Name
	}
	return out
}

// Advise says of each lock of a result whether it breaks when nothing but the expected kinds
// comes about, those first that break in the fewest of the ways.
func Advise(r *measured.Explored, expected []string, of []Way) []Advice {
	var out []Advice
	for i := range r.Locks {
		l := &r.Locks[i]
		if l.Complete == 0 {
			continue // of what was not walked, nothing is known
		}
		a := Advice{Lock: l.Lock, Complete: l.Complete, Unknown: l.Cut + int64(len(l.Doubts)), Breaks: map[string]*measured.CutSet{}}
		for _, way := range of {
			a.Breaks[way.String()] = nil
			for _, s := range l.Breaks[way.String()] {
				if !slices.ContainsFunc(s.Kinds, func(k string) bool { return !slices.Contains(expected, k) }) {
					a.Breaks[way.String()] = &s
					break // the smallest comes first
				}
			}
		}
		out = append(out, a)
	}
	broken := func(a *Advice) (n int) {
		for _, way := range of {
			switch s := a.Breaks[way.String()]; {
			case s != nil && len(s.Kinds) == 0:
				n += len(of) + 1 // it is no lock
			case s != nil:
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b Advice) int {
		return cmp.Or(cmp.Compare(broken(&a), broken(&b)), cmp.Compare(b.Complete, a.Complete), strings.Compare(a.Lock, b.Lock))
	})
	return out
}
