package explore

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
)

// CheckInto returns why the result cannot be put into a stored one, or nil. The scope has to be the
// same, unless all of its locks are searched, and no known set may be lost.
func (o *Options) CheckInto(stored *results.Explored) error {
	scope := o.scope()
	scope.Faults = stored.Scope.Faults
	others := slices.ContainsFunc(stored.Locks, func(l results.ExploredLock) bool {
		return !slices.ContainsFunc(o.Locks, func(v locks.Variant) bool { return v.ID == l.Lock })
	})
	if others && !reflect.DeepEqual(scope, stored.Scope) {
		return errors.New("it is of another scope (profiles, kinds, clients, rounds or durations): search with the options that it was made with, or all of its locks again")
	}
	scope.Classes = stored.Scope.Classes
	if o.Further != nil && !reflect.DeepEqual(scope, stored.Scope) {
		return errors.New("its pairs are of another scope (profiles, kinds, clients, rounds or draws) than those to be " +
			"searched: search with the options that it was made with, or without --further")
	}
	for _, v := range o.Locks {
		l := stored.Lock(v.ID)
		if l == nil {
			continue
		}
		if l.Complete > o.Faults {
			return fmt.Errorf("it has all sets of %d faults of %s, and would lose them: search with --faults %d",
				l.Complete, v.ID, l.Complete)
		}
		if i := slices.IndexFunc(l.Together, o.loses); i >= 0 {
			return fmt.Errorf("it has all pairs of %s in the profile %s, and would lose them: search all there with "+
				"--complete, or add --further", v.ID, l.Together[i].Profile)
		}
	}
	return nil
}

// loses reports whether all pairs of a usage profile are stored and would be replaced by some or
// none.
func (o *Options) loses(stored results.Searched) bool {
	at := profileIndex(stored.Profile)
	return o.Further == nil && stored.How == results.Complete &&
		at >= 0 && !profiles[at].unserved && !o.complete(&profiles[at])
}

// Stale returns the locks of a stored result that were searched with other or unknown code.
func Stale(x *results.Explored) (ids []string) {
	versions := locks.Versions()
	for i := range x.Locks {
		if l := &x.Locks[i]; l.Version == "" || l.Version != versions[l.Lock] {
			ids = append(ids, l.Lock)
		}
	}
	return ids
}

// Into merges Result into a stored one, see CheckInto: locks of this search are replaced, others
// stay.
func (s *State) Into(o *Options, stored *results.Explored) (*results.Explored, error) {
	if err := o.CheckInto(stored); err != nil {
		return nil, err
	}
	for _, v := range o.Locks {
		if s.lock(v.ID).complete(o.Faults) < o.Faults {
			return nil, fmt.Errorf("%s is not searched to its end with %d faults", v.ID, o.Faults)
		}
	}
	r, err := s.Result(o)
	if err != nil {
		return nil, err
	}
	r.Scope.Faults = max(s.Scope.Faults, stored.Scope.Faults)
	for i := range stored.Locks {
		if r.Lock(stored.Locks[i].Lock) == nil {
			r.Locks = append(r.Locks, stored.Locks[i])
		}
	}
	slices.SortStableFunc(r.Locks, func(a, b results.ExploredLock) int { return strings.Compare(a.Lock, b.Lock) })
	return r, nil
}

// take takes over the stored results of several faults, except in profiles that were drawn and are
// now to be searched. Single faults have to be found again, because the others depend on them.
func (l *Lock) take(o *Options, stored *results.ExploredLock) (err error) {
	for _, x := range stored.Together {
		at := profileIndex(x.Profile)
		if at < 0 || x.How == results.NotSearched || x.How == results.Sampled && o.complete(&profiles[at]) {
			continue
		}
		l.TakenOf = &stored.Version
		l.Stages = append(l.Stages, &stage{
			Profile: x.Profile, Faults: 2, Units: 1, Done: 1, Taken: true, Drawn: x.Drawn, Tally: x.Tally, Doubts: stored.Doubts,
		})
	}
	for _, way := range checker.Ways() {
		sets := stored.By(way)
		if way == checker.NoProgress {
			sets = slices.Concat(sets, stored.By(checker.Hung))
		}
		for i := range sets {
			one := found{Way: way, Profile: profileIndex(sets[i].Profile), stored: &sets[i]}
			if one.Kinds, err = kindsNamed(sets[i].Kinds); err != nil {
				return fmt.Errorf("%s: %w", l.ID, err)
			}
			l.Taken = append(l.Taken, one)
		}
	}
	return nil
}

// taken reports whether a stage was taken from a stored result.
func (l *Lock) taken(profile string, faults int) bool {
	st := l.known(profile, faults)
	return st != nil && st.Taken
}

// checkTaken fails if a set on which a stored result depends was not found again.
func (l *Lock) checkTaken() error {
	for i := range l.Taken {
		x := &l.Taken[i]
		if x.faults() < 2 && !slices.ContainsFunc(l.Found, func(f found) bool { return f.same(x) }) {
			return fmt.Errorf("%s: what is stored of several faults rests on %v alone, which shows no %s any more: search all of it, without --further", l.ID, x.stored.Kinds, x.Way)
		}
	}
	return nil
}

// all returns the found and the taken sets, the plainer one where both exist.
func (l *Lock) all() []found {
	out := slices.Clone(l.Found)
	for _, f := range l.Taken {
		at := slices.IndexFunc(out, func(o found) bool { return o.same(&f) })
		switch {
		case f.faults() < 2:
		case at < 0:
			out = append(out, f)
		case f.Profile < out[at].Profile:
			out[at] = f
		}
	}
	return out
}

// kindsNamed looks up kinds by name.
func kindsNamed(names []string) (k kindSet, err error) {
	for _, name := range names {
		var one kind
		if err := one.UnmarshalText([]byte(name)); err != nil {
			return nil, err
		}
		k = k.with(int(one))
	}
	return k, nil
}
