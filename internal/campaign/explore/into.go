package explore

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"lockstep/internal/campaign/results"
	"lockstep/internal/locks"
)

// CheckInto returns why the result cannot be put into a stored one, or nil. The scope has to be the same,
// unless all of its locks are searched, and no known set may be lost. Pairs that are taken over must have
// been searched with the same kinds, clients and so on.
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

// loses reports whether all pairs of a usage profile are stored and would be replaced by some or none.
func (o *Options) loses(stored results.Searched) bool {
	at := profileIndex(stored.Profile)
	return o.Further == nil && stored.How == results.Complete &&
		at >= 0 && !profiles[at].unserved && !o.complete(&profiles[at])
}

// Stale returns the locks of a stored result that were searched, or whose pairs were, with other code
// than that of this program, or with code that is not known.
func Stale(x *results.Explored) (ids []string) {
	versions := locks.Versions()
	for i := range x.Locks {
		if l := &x.Locks[i]; l.Version == "" || l.Version != versions[l.Lock] {
			ids = append(ids, l.Lock)
		}
	}
	return ids
}

// Into merges Result into a stored one, see CheckInto: locks of this search are replaced, others stay.
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
