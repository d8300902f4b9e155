package explore

import (
	"cmp"
	"context"
	"slices"
)

// kindSet are kinds of faults, sorted; a kind may be in it twice.
type kindSet []uint8

func (k kindSet) with(kind int) kindSet {
	out := append(slices.Clone(k), uint8(kind))
	slices.Sort(out)
	return out
}

// within reports whether all of k are in other, each as often.
func (k kindSet) within(other kindSet) bool {
	i := 0
	for _, x := range other {
		if i < len(k) && k[i] == x {
			i++
		}
	}
	return i == len(k)
}

func (k kindSet) names() []string {
	out := make([]string, len(k))
	for i, x := range k {
		out[i] = kinds[x].Name
	}
	return out
}

// found is a set of kinds that breaks a lock in one way, with the plainest schedule of them.
type found struct {
	Way      Way      `json:"way"`
	Kinds    kindSet  `json:"-"`
	Base     int      `json:"base"`
	Plain    int      `json:"plain"`
	Events   int      `json:"events"`
	Order    []int    `json:"order"` // the indices at which the walk came to it
	Schedule schedule `json:"schedule"`

	Names []string `json:"kinds"` // Kinds, as they are stored
}

// compare orders the schedules of a set, the one to tell first: in the plainest world, at
// the plainest moments, the shortest run, the one that the walk comes to first.
func (f *found) compare(o *found) int {
	return cmp.Or(cmp.Compare(f.Base, o.Base), cmp.Compare(f.Plain, o.Plain), cmp.Compare(f.Events, o.Events),
		slices.Compare(f.Order, o.Order))
}

// same reports whether two are of one set and one way.
func (f *found) same(o *found) bool { return f.Way == o.Way && slices.Equal(f.Kinds, o.Kinds) }

// smaller are sets that are known before a stage begins: those of fewer faults.
type smaller [ways][]kindSet

// open are the ways in which no smaller set breaks the lock, of kinds k.
func (s *smaller) open(k kindSet) (open [ways]bool) {
	for way := range s {
		open[way] = !slices.ContainsFunc(s[way], func(o kindSet) bool { return o.within(k) })
	}
	return open
}

// unit is one piece of work: all schedules that begin with one fault.
type unit struct {
	p      *player
	known  *smaller
	faults int
	tries  int // see Options.Tries; at least one is made
	first  hit

	tally
	found  []found
	doubts []string
	closed int64 // beginnings that were left out: whatever comes of them, their set is not minimal
}

// walk plays all schedules of the unit's length that begin with s, which the walk has come to
// by order.
func (u *unit) walk(ctx context.Context, s schedule, order []int) error {
	var used kindSet
	for i := range s {
		used = used.with(u.p.g.letters[s[i].Letter].kind)
	}
	return u.longer(ctx, s, u.with(used), order)
}

// toBreak are some kinds, and the ways in which no smaller set of theirs is known to break the lock.
type toBreak struct {
	kinds kindSet
	open  [ways]bool
}

func (u *unit) with(kinds kindSet) *toBreak { return &toBreak{kinds, u.known.open(kinds)} }

// longer is walk for a schedule whose kinds have been looked at.
func (u *unit) longer(ctx context.Context, s schedule, of *toBreak, order []int) error {
	if of.open == [ways]bool{} {
		u.closed++
		return nil
	}
	if len(s) == u.faults {
		return u.judge(ctx, s, of, order)
	}
	_, h, err := u.p.play(ctx, s, true)
	if err != nil {
		return err
	}
	long := append(slices.Clone(s), place{})
	path := append(slices.Clone(order), 0)
	more := make([]*toBreak, len(kinds)) // with one kind more, as far as anybody has asked
	for i, next := range u.p.next(h, s) {
		long[len(s)], path[len(order)] = next, i
		kind := u.p.g.letters[next.Letter].kind
		if more[kind] == nil {
			more[kind] = u.with(of.kinds.with(kind))
		}
		if err := u.longer(ctx, long, more[kind], path); err != nil {
			return err
		}
	}
	return nil
}

// judge plays one schedule and notes what it breaks that no smaller set does.
func (u *unit) judge(ctx context.Context, s schedule, of *toBreak, order []int) error {
	var v verdict
	acted := false
	for try := 0; try == 0 || try < u.tries && !acted; try++ {
		var err error
		if v, _, err = u.p.play(ctx, s, false); err != nil {
			return err
		}
		acted = v.acted == 1<<len(s)-1
	}
	u.Walked++
	if !v.whole {
		u.Cut++
		return nil
	}
	if !acted {
		u.Vain++
	}
	for way := range of.open {
		if !of.open[way] || !v.broken[way] {
			continue
		}
		if !acted {
			u.doubts = append(u.doubts, Way(way).String()+" by "+u.p.g.told(s).English()+", of which one has no effect")
			continue
		}
		u.add(newFound(u.p.g, Way(way), of.kinds, s, v.events, order))
	}
	return nil
}

func newFound(g *ground, way Way, used kindSet, s schedule, events int, order []int) found {
	f := found{Way: way, Kinds: used, Base: g.index, Events: events, Order: slices.Clone(order), Schedule: slices.Clone(s)}
	for i := range s {
		f.Plain += s[i].When.plainness()
	}
	return f
}

func (u *unit) add(f found) { u.found = addFound(u.found, f) }

// addFound keeps the plainest schedule of each set.
func addFound(all []found, f found) []found {
	for i := range all {
		if all[i].same(&f) {
			if f.compare(&all[i]) < 0 {
				all[i] = f
			}
			return all
		}
	}
	return append(all, f)
}
