package explore

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"lockstep/internal/locks"
)

// mine reports whether what begins with a first fault belongs to the shard. Grounds begin at
// different shards, for many have few schedules.
func (o *Options) mine(g *ground, b *branch) bool {
	return o.Shard.Has(o.lockIndex(g) + g.index + b.order[0])
}

// lockIndex is where the lock of a ground stands in the list.
func (o *Options) lockIndex(g *ground) int {
	return slices.IndexFunc(o.Locks, func(v locks.Variant) bool { return v.ID == g.v.ID })
}

// Begun reports whether anything of the schedules with the most faults was walked.
func (s *State) Begun(o *Options) bool {
	for _, l := range s.Locks {
		for _, st := range l.Stages {
			if st.Faults >= o.Faults && len(st.Done) > 0 {
				return true
			}
		}
	}
	return false
}

// Join is the walk of which these are all shards, as they were stored.
func Join(o *Options, shards []json.RawMessage) (*State, error) {
	all := NewState(o)
	for _, stored := range shards {
		s, err := readState(stored, o)
		if err != nil {
			return nil, err
		}
		for _, l := range s.Locks {
			at := slices.IndexFunc(all.Locks, func(x *Lock) bool { return x.ID == l.ID })
			if at < 0 {
				all.Locks = append(all.Locks, l)
				continue
			}
			if err := all.Locks[at].join(l, o.Faults); err != nil {
				return nil, fmt.Errorf("%s: %w", l.ID, err)
			}
		}
	}
	for _, l := range all.Locks {
		if !l.walkedTo(o.Faults) {
			return nil, fmt.Errorf("%s: the shards leave out some schedules", l.ID)
		}
	}
	return all, nil
}

// join adds what another shard has walked of the most faults. What was walked of fewer is the same in both.
func (l *Lock) join(o *Lock, most int) error {
	if !slices.Equal(l.Bases, o.Bases) || !slices.Equal(l.Together, o.Together) || !slices.Equal(l.Drawn, o.Drawn) || len(l.Stages) != len(o.Stages) {
		return errors.New("the shards have walked other worlds")
	}
	for i, st := range l.Stages {
		x := o.Stages[i]
		switch {
		case st.Base != x.Base || st.Faults != x.Faults || st.Units != x.Units:
			return errors.New("the shards have walked other worlds")
		case st.Faults < most && !reflect.DeepEqual(st, x):
			return fmt.Errorf("the shards have come to different results for %d faults in the world %s", st.Faults, st.Base)
		case st.Faults == most:
			if err := st.join(x); err != nil {
				return err
			}
		}
	}
	for i := range o.Found {
		l.Found = addFound(l.Found, o.Found[i])
	}
	for _, x := range o.Singles {
		s := singleIn(&l.Singles, x.hit)
		if most == 1 {
			s.add(x.tally)
		} else if s.tally != x.tally {
			return errors.New("the shards have come to different results for single faults")
		}
		for i := range x.Found {
			s.Found = addFound(s.Found, x.Found[i])
		}
	}
	return nil
}

// join adds what another shard has walked of a stage.
func (s *stage) join(o *stage) error {
	was := len(s.missing())
	for _, d := range o.Done {
		for i := d[0]; i < d[1]; i++ {
			if i < 0 || i >= s.Units {
				return fmt.Errorf("a shard has walked piece %d of %d", i, s.Units)
			}
			s.done(i)
			was--
		}
	}
	if len(s.missing()) != was {
		return fmt.Errorf("two shards have walked the same schedules of %d faults in the world %s", s.Faults, s.Base)
	}
	s.add(o.tally)
	s.Each, s.Of = max(s.Each, o.Each), s.Of+o.Of
	s.Doubts = append(s.Doubts, o.Doubts...)
	slices.Sort(s.Doubts)
	return nil
}
