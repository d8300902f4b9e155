package explore

import (
	"cmp"
	"context"
	"slices"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
)

// kind is an index into kindNames; files have the name.
type kind uint8

// MarshalText returns the name.
func (k kind) MarshalText() ([]byte, error) { return []byte(kindNames[k]), nil }

// UnmarshalText reads the name of a known kind.
func (k *kind) UnmarshalText(name []byte) error {
	i := faultkind.Index(string(name))
	if i < 0 {
		return unknownKind(string(name))
	}
	*k = kind(i)
	return nil
}

// kindSet is a sorted multiset of kinds.
type kindSet []kind

func (k kindSet) with(one int) kindSet {
	out := append(slices.Clone(k), kind(one))
	slices.Sort(out)
	return out
}

// within reports whether k is a subset of other, as multisets.
func (k kindSet) within(other kindSet) bool {
	i := 0
	for _, x := range other {
		if i < len(k) && k[i] == x {
			i++
		}
	}
	return i == len(k)
}

func (k kindSet) names() []string { return each.Map(k, func(x kind) string { return kindNames[x] }) }

// found is a set of kinds that breaks a lock in one way, with the plainest schedule of them.
type found struct {
	Way      checker.Way `json:"way"`
	Kinds    kindSet     `json:"kinds"`
	Profile  int         `json:"profile"`
	Plain    int         `json:"plain"`
	Events   int         `json:"events"`
	Order    []int       `json:"order"` // the path to it in the search
	Schedule schedule    `json:"schedule"`

	stored *results.CutSet // what a stored result has of the set, with its story; nil: it was found here
}

// compare puts the plainest schedule first.
func (f *found) compare(o *found) int {
	return cmp.Or(cmp.Compare(f.Profile, o.Profile), cmp.Compare(f.Plain, o.Plain), cmp.Compare(f.Events, o.Events),
		slices.Compare(f.Order, o.Order))
}

// faults is the number of faults per schedule in the stage that found the set.
func (f *found) faults() int {
	if f.stored != nil {
		return max(len(f.Kinds), f.stored.Within)
	}
	return max(len(f.Kinds), len(f.Order))
}

// same reports whether two have the same set and way.
func (f *found) same(o *found) bool { return f.Way == o.Way && slices.Equal(f.Kinds, o.Kinds) }

// smaller are the sets that are known before a stage begins, found with fewer faults.
type smaller [ways][]kindSet

// open returns the ways in which no smaller subset of k breaks the lock.
func (s *smaller) open(k kindSet) (open [ways]bool) {
	for way := range s {
		open[way] = !slices.ContainsFunc(s[way], func(o kindSet) bool { return o.within(k) })
	}
	return open
}

// unit is a piece of work: all schedules that begin with one fault.
type unit struct {
	p      *player
	known  *smaller
	faults int

	outcome
}

// outcome is the result of a unit.
type outcome struct {
	results.Tally
	results.Drawn
	Found   []found   `json:"found,omitempty"`
	Singles []*single `json:"singles,omitempty"` // of schedules of one fault
	Doubts  []string  `json:"doubts,omitempty"`
}

// branch is a schedule and the path to it in the search.
type branch struct {
	s     schedule
	order []int
}

// walk plays all schedules of the unit's length that extend a branch.
func (u *unit) walk(ctx context.Context, b *branch) error {
	return u.longer(ctx, b, u.with(kindsOf(u.p.g, b.s)))
}

// toBreak is a set of kinds and the ways in which no subset is known to break the lock.
type toBreak struct {
	kinds kindSet
	open  [ways]bool
}

func (u *unit) with(kinds kindSet) *toBreak { return &toBreak{kinds, u.known.open(kinds)} }

// longer is walk with the set of the branch looked up.
func (u *unit) longer(ctx context.Context, b *branch, of *toBreak) error {
	if of.open == [ways]bool{} {
		return nil // no set that contains these kinds is minimal
	}
	if len(b.s) == u.faults {
		return u.judge(ctx, b, of)
	}
	_, h, err := u.p.play(ctx, b.s, true)
	if err != nil {
		return err
	}
	more := make([]*toBreak, len(kindNames)) // with each further kind, made on demand
	all := u.p.longer(h, b, u.faults)
	for i := range all {
		kind := u.p.g.templates[all[i].s[len(b.s)].Template].kind
		if more[kind] == nil {
			more[kind] = u.with(of.kinds.with(kind))
		}
		if err := u.longer(ctx, &all[i], more[kind]); err != nil {
			return err
		}
	}
	return nil
}

// judge plays a schedule and records what it breaks that no smaller set does.
func (u *unit) judge(ctx context.Context, b *branch, of *toBreak) error {
	v, _, err := u.p.play(ctx, b.s, false)
	if err != nil {
		return err
	}
	return u.note(ctx, b, of, &v, v.acted == 1<<len(b.s)-1)
}

// note records the verdict on one schedule.
func (u *unit) note(ctx context.Context, b *branch, of *toBreak, v *verdict, acted bool) error {
	one := results.Tally{Walked: 1}
	switch {
	case !v.whole:
		one.Cut = 1
	case !acted:
		one.NoEffect = 1
	}
	u.Add(one)
	if len(b.s) == 1 {
		u.single(b.s).Add(one)
	}
	breaks := v.breaks(&of.open)
	switch {
	case breaks == [ways]bool{}:
	case acted:
		u.finds(b, of.kinds, &breaks, v.events)
	default:
		return u.withoutIdle(ctx, b, &breaks, v.acted)
	}
	return nil
}

// single returns the record of the fault of a schedule that has only one.
func (u *unit) single(s schedule) *single {
	return singleIn(&u.Singles, kind(u.p.g.templates[s[0].Template].kind), s[0].during)
}

// breaks returns the open ways in which the lock is broken; none for a run that was cut short.
func (v *verdict) breaks(open *[ways]bool) (breaks [ways]bool) {
	for way := range open {
		breaks[way] = v.whole && open[way] && v.broken[way]
	}
	return breaks
}

// finds records that a schedule, or a part of it, breaks the lock in some ways.
func (u *unit) finds(b *branch, used kindSet, breaks *[ways]bool, events int) {
	for way := range breaks {
		if !breaks[way] {
			continue
		}
		f := newFound(u.p.g, checker.Way(way), used, b.s, events, b.order)
		u.Found = addFound(u.Found, f)
		if len(b.order) == 1 {
			alone := u.single(b.s)
			alone.Found = addFound(alone.Found, f)
		}
	}
}

// withoutIdle plays a schedule that breaks the lock again, without the faults that had no effect.
// That is how single faults at moments of another client are found. A way that does not show again
// is a doubt.
func (u *unit) withoutIdle(ctx context.Context, b *branch, breaks *[ways]bool, acted uint) error {
	less := branch{order: b.order}
	for i := range b.s {
		if acted>>i&1 == 1 {
			less.s = append(less.s, b.s[i])
		}
	}
	var also [ways]bool
	if len(less.s) > 0 {
		v, _, err := u.p.play(ctx, less.s, false)
		if err != nil {
			return err
		}
		if v.acted == 1<<len(less.s)-1 {
			also = v.breaks(breaks)
		}
		u.finds(&less, kindsOf(u.p.g, less.s), &also, v.events)
	}
	for way := range breaks {
		if breaks[way] && !also[way] {
			u.Doubts = append(u.Doubts, checker.Way(way).String()+" by "+u.p.g.sentence(b.s).English()+", of which one has no effect")
		}
	}
	return nil
}

func newFound(g *target, way checker.Way, used kindSet, s schedule, events int, order []int) found {
	f := found{Way: way, Kinds: used, Profile: g.index, Events: events, Order: slices.Clone(order), Schedule: slices.Clone(s)}
	for i := range s {
		f.Plain += s[i].When.plainness()
	}
	return f
}

// withFound adds the sets of one search to those of another.
func withFound(all, more []found) []found {
	for i := range more {
		all = addFound(all, more[i])
	}
	return all
}

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

// What a client does when a fault hits it, in the words of results; "" for faults of servers, which
// affect all clients.
const (
	acquiring = "acquire"
	holding   = "hold"
	releasing = "release"
)

// single is the result of one kind of fault alone, and of what it interrupts: a crash in the
// critical section differs from one between two commands of the acquire.
type single struct {
	Kind   kind   `json:"kind"`
	During string `json:"during,omitempty"`
	results.Tally
	Found []found `json:"found,omitempty"` // the plainest of each way
}

// singleIn finds or adds a record.
func singleIn(all *[]*single, k kind, during string) *single {
	for _, s := range *all {
		if s.Kind == k && s.During == during {
			return s
		}
	}
	s := &single{Kind: k, During: during}
	*all = append(*all, s)
	return s
}

// singles returns the results of single faults, with their stories.
func (l *Lock) singles(cutSetOf func(f *found) (results.CutSet, error)) ([]results.Single, error) {
	all := slices.Clone(l.Singles)
	slices.SortFunc(all, func(a, b *single) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.During, b.During)) })
	out := []results.Single{}
	for _, s := range all {
		one := results.Single{
			Kind: kindNames[s.Kind], During: s.During, Tally: s.Tally, Breaks: map[string]*results.Shown{},
		}
		for i := range s.Found {
			set, err := cutSetOf(&s.Found[i])
			if err != nil {
				return nil, err
			}
			one.Breaks[s.Found[i].Way.String()] = &set.Shown
		}
		out = append(out, one)
	}
	return out, nil
}
