package explore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
)

// State is what a search has found so far.
type State struct {
	Scope results.Scope
	Locks []*Lock
}

// Lock is the state of one lock.
type Lock struct {
	ID       string
	Profiles []string // nil: not begun; empty: the lock fits none of the chosen ones
	Together []string // where all schedules of several faults are played
	Drawn    []string // where schedules of two faults are drawn
	Stages   []*stage
	Found    []found
	Singles  []*single
	Taken    []found // of a stored result, see Options.Further
	TakenOf  *string // the code of the lock in that result; nil: nothing was taken

	targets map[int]*target // by the indices of their usage profiles
}

// stage is the progress with schedules of so many faults in one usage profile.
type stage struct {
	Profile     string
	Faults      int
	Units, Done int // pieces of work
	left        int // of these, those that this shard still has to do
	Taken       bool
	results.Tally
	results.Drawn
	Doubts []string
}

// Walked returns how many schedules were played.
func (s *State) Walked() (n int64) {
	for _, l := range s.Locks {
		for _, st := range l.Stages {
			n += st.Walked
		}
	}
	return n
}

// Complete reports whether all that the options ask for is done.
func (s *State) Complete(o *Options) bool {
	return !slices.ContainsFunc(o.Locks, func(v locks.Variant) bool { return !s.lock(v.ID).walkedTo(o.Faults) })
}

func (s *State) lock(id string) *Lock {
	if at := slices.IndexFunc(s.Locks, func(l *Lock) bool { return l.ID == id }); at >= 0 {
		return s.Locks[at]
	}
	l := &Lock{ID: id}
	s.Locks = append(s.Locks, l)
	return l
}

// begun reports whether a piece of work is done, or none exists.
func (l *Lock) begun() bool {
	return slices.ContainsFunc(l.Stages, func(st *stage) bool { return st.Done > 0 }) ||
		!slices.ContainsFunc(l.Stages, func(st *stage) bool { return !st.over() })
}

// stage finds or adds a stage.
func (l *Lock) stage(profile string, faults, units int) *stage {
	if st := l.known(profile, faults); st != nil {
		return st
	}
	st := &stage{Profile: profile, Faults: faults, Units: units}
	l.Stages = append(l.Stages, st)
	return st
}

// known returns a stage; nil when it was not begun.
func (l *Lock) known(profile string, faults int) *stage {
	at := slices.IndexFunc(l.Stages, func(st *stage) bool { return st.Profile == profile && st.Faults == faults })
	if at < 0 {
		return nil
	}
	return l.Stages[at]
}

// over reports whether the stage is complete.
func (s *stage) over() bool { return s.Done == s.Units }

// merge takes the result of a piece of work.
func (l *Lock) merge(st *stage, o *outcome) {
	st.Done++
	st.Add(o.Tally)
	st.Drawn = o.Drawn
	st.Doubts = append(st.Doubts, o.Doubts...)
	l.Found = withFound(l.Found, o.Found)
	for _, s := range o.Singles {
		all := singleIn(&l.Singles, s.Kind, s.During)
		all.Add(s.Tally)
		all.Found = withFound(all.Found, s.Found)
	}
}

// plainer returns the sets found with fewer faults, or with as many in a plainer usage profile.
func (l *Lock) plainer(faults, profile int) *smaller {
	s := &smaller{}
	for _, f := range l.all() {
		if n := f.faults(); n < faults || n == faults && f.Profile < profile {
			s[f.Way] = append(s[f.Way], f.Kinds)
		}
	}
	return s
}

// beside is a hash of the sets found with as many faults in plainer profiles, "" for none: they
// decide what a piece of work searches for, and a shard has found fewer of them.
func (l *Lock) beside(faults, profile int) string {
	var all []string
	for _, f := range l.all() {
		if f.faults() == faults && f.Profile < profile {
			all = append(all, fmt.Sprint(f.Way, f.Kinds.names()))
		}
	}
	if all == nil {
		return ""
	}
	slices.Sort(all)
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return besides + hex.EncodeToString(sum[:4])
}

// besides separates the hash of beside in the key of a piece.
const besides = "@"

// minimal returns the sets of one way that contain no other one, smallest first.
func (l *Lock) minimal(way checker.Way) []found {
	var out []found
	all := l.all()
	for i := range all {
		f := &all[i]
		if f.Way != way || slices.ContainsFunc(all, func(o found) bool {
			return o.Way == way && len(o.Kinds) < len(f.Kinds) && o.Kinds.within(f.Kinds)
		}) {
			continue
		}
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b found) int {
		if len(a.Kinds) != len(b.Kinds) {
			return len(a.Kinds) - len(b.Kinds)
		}
		return slices.Compare(a.Kinds, b.Kinds)
	})
	return out
}

// walkedTo reports whether all schedules with this number of faults were played or drawn, or none
// exist because the lock fits none of the profiles.
func (l *Lock) walkedTo(faults int) bool {
	if l.Profiles != nil && len(l.Profiles) == 0 {
		return true
	}
	missing := func(profile string) bool { return !l.over(profile, 2) }
	return l.complete(faults) >= faults && (faults < 2 || !slices.ContainsFunc(l.Drawn, missing))
}

// complete is the number of faults up to which everything was played, for several in the profiles
// of Together.
func (l *Lock) complete(most int) int {
	for faults := 1; faults <= most; faults++ {
		profiles := l.Profiles
		if faults > 1 {
			profiles = l.Together
		}
		if len(profiles) == 0 || slices.ContainsFunc(profiles, func(profile string) bool { return !l.over(profile, faults) }) {
			return faults - 1
		}
	}
	return most
}

// over reports whether a stage is done.
func (l *Lock) over(profile string, faults int) bool {
	st := l.known(profile, faults)
	return st != nil && st.over()
}
