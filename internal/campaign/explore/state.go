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

// State is what a walk has found so far.
type State struct {
	Scope results.Scope
	Locks []*Lock
}

// Lock is what was walked of one lock.
type Lock struct {
	ID       string
	Profiles []string // nil: not begun; empty: it is used in none of those that were chosen
	Together []string // those in which all schedules of several faults are walked
	Drawn    []string // those in which some of two are drawn
	Stages   []*stage
	Found    []found
	Singles  []*single
	Taken    []taken // of a stored result, see Options.Further
}

// stage is how far the schedules of so many faults in one usage profile were walked.
type stage struct {
	Profile     string
	Faults      int
	Units, Done int // pieces of work
	Taken       bool
	tally
	drawn
	Doubts []string
}

// tally counts schedules.
type tally struct {
	Walked   int64 `json:"walked"`
	Cut      int64 `json:"cut,omitempty"`  // of these, those whose runs had no end
	NoEffect int64 `json:"vain,omitempty"` // those with a fault that changed nothing
}

func (t *tally) add(o tally) {
	t.Walked, t.Cut, t.NoEffect = t.Walked+o.Walked, t.Cut+o.Cut, t.NoEffect+o.NoEffect
}

// drawn says that some schedules were drawn.
type drawn struct {
	Each int   `json:"each,omitempty"` // of each two kinds, or all that there are; 0: all were walked
	Of   int64 `json:"of,omitempty"`   // of so many
}

// Walked returns how many schedules were played.
func (s *State) Walked() (n int64) {
	for _, l := range s.Locks {
		n += l.walked()
	}
	return n
}

// Complete reports whether all that the options ask for was walked.
func (s *State) Complete(o *Options) bool {
	return !slices.ContainsFunc(o.Locks, func(v locks.Variant) bool { return !s.lock(v.ID).walkedTo(o.Faults) })
}

func (s *State) lock(id string) *Lock {
	for _, l := range s.Locks {
		if l.ID == id {
			return l
		}
	}
	l := &Lock{ID: id}
	s.Locks = append(s.Locks, l)
	return l
}

func (l *Lock) walked() (n int64) {
	for _, st := range l.Stages {
		n += st.Walked
	}
	return n
}

// begun reports whether a piece of work is done, or there is none.
func (l *Lock) begun() bool {
	return slices.ContainsFunc(l.Stages, func(st *stage) bool { return st.Done > 0 }) ||
		!slices.ContainsFunc(l.Stages, func(st *stage) bool { return !st.over() })
}

// stage finds the state of a stage, or begins it.
func (l *Lock) stage(profile string, faults, units int) *stage {
	for _, st := range l.Stages {
		if st.Profile == profile && st.Faults == faults {
			return st
		}
	}
	st := &stage{Profile: profile, Faults: faults, Units: units}
	l.Stages = append(l.Stages, st)
	return st
}

// over reports whether all of the stage is done.
func (s *stage) over() bool { return s.Done == s.Units }

// merge takes the result of a piece of work of a stage.
func (l *Lock) merge(st *stage, o *outcome) {
	st.Done++
	st.add(o.tally)
	st.drawn = o.drawn
	st.Doubts = append(st.Doubts, o.Doubts...)
	for i := range o.Found {
		l.Found = addFound(l.Found, o.Found[i])
	}
	for _, s := range o.Singles {
		singleIn(&l.Singles, s.hit).take(s)
	}
}

// smaller are the sets that fewer faults than so many have found.
func (l *Lock) smaller(faults int) *smaller { return l.plainer(faults, 0) }

// plainer are the sets that fewer faults than so many have found, and those that as many have in a plainer usage profile.
func (l *Lock) plainer(faults, profile int) *smaller {
	s := &smaller{}
	for _, f := range l.all() {
		if n := f.faults(); n < faults || n == faults && f.Profile < profile {
			s[f.Way] = append(s[f.Way], f.Kinds)
		}
	}
	return s
}

// beside tells apart what is known of as many faults in plainer usage profiles, which decides what a piece of work looks for:
// a shard has found less of it than one machine. It is "" when nothing is known.
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

// besides stands before what beside says, in the key of a piece.
const besides = "@"

// minimal are the sets of one way that contain no other one, the smallest first.
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

// walkedTo reports whether all schedules of so many faults were walked or drawn, or there are none: the lock is used in none
// of the worlds.
func (l *Lock) walkedTo(faults int) bool {
	if l.Profiles != nil && len(l.Profiles) == 0 {
		return true
	}
	missing := func(profile string) bool { return !l.over(profile, 2) }
	return l.complete(faults) >= faults && (faults < 2 || !slices.ContainsFunc(l.Drawn, missing))
}

// complete is the number of faults up to which all was walked, several together in the usage profiles that are for it.
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
	return slices.ContainsFunc(l.Stages, func(st *stage) bool { return st.Profile == profile && st.Faults == faults && st.over() })
}
