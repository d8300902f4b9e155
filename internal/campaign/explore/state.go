package explore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"lockstep/internal/campaign/measured"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
)

// State is what was walked so far. It can be stored and read back.
type State struct {
	Schema int            `json:"schema"`
	Scope  measured.Scope `json:"scope"`
	Locks  []*Lock        `json:"locks"`
	Ended  bool           `json:"ended,omitempty"` // nothing was left of the walk that stored it
}

// stateSchema is the version of the stored form. Raise it when a stored walk cannot be gone
// on with: when worlds, letters, moments or their order change.
const stateSchema = 1

// Lock is what was walked of one lock.
type Lock struct {
	ID       string    `json:"lock"`
	Bases    []string  `json:"bases"`              // nil: not begun; empty: it is used in none of those that were chosen
	Together []string  `json:"together,omitempty"` // those in which all schedules of several faults are walked; walks of old do not say it, they had one
	Drawn    []string  `json:"drawn,omitempty"`    // those in which some of two are drawn
	Stages   []*stage  `json:"stages"`
	Found    []found   `json:"found"`
	Singles  []*single `json:"singles"`
	Taken    []taken   `json:"taken,omitempty"` // of a stored result, see Take
}

// stage is how far the schedules of so many faults in one base world were walked.
type stage struct {
	Base   string `json:"base"`
	Faults int    `json:"faults"`
	Units  int    `json:"units"`
	Done   []span `json:"done"`
	tally
	Doubts []string `json:"doubts,omitempty"`
	Taken  bool     `json:"taken,omitempty"` // from a stored result
	Each   int      `json:"each,omitempty"`  // schedules of each two kinds were drawn, or all that there are; 0: all were walked
	Of     int64    `json:"of,omitempty"`    // of so many
}

// tally counts schedules.
type tally struct {
	Walked int64 `json:"walked"`
	Cut    int64 `json:"cut"`  // of these, those whose runs had no end
	Vain   int64 `json:"vain"` // those of which a fault has changed nothing
}

func (t *tally) add(o tally) {
	t.Walked, t.Cut, t.Vain = t.Walked+o.Walked, t.Cut+o.Cut, t.Vain+o.Vain
}

// span are pieces of work from one index on, before another.
type span [2]int

// NewState is a walk of which nothing is done.
func NewState(o *Options) *State { return &State{Schema: stateSchema, Scope: o.scope()} }

// ReadState reads a stored walk, which must be one with the same options. Walks of old did not say
// what became of each kind alone: what such a one has walked of single faults, the work of minutes,
// is walked anew.
func ReadState(data []byte, o *Options) (*State, error) {
	s, err := readState(data, o)
	if err != nil {
		return nil, err
	}
	for _, l := range s.Locks {
		if len(l.Singles) == 0 {
			l.Stages = slices.DeleteFunc(l.Stages, func(st *stage) bool { return st.Faults == 1 })
		}
	}
	return s, nil
}

// readState reads a stored walk as it stands.
func readState(data []byte, o *Options) (*State, error) {
	s := &State{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("this is no stored walk: %w", err)
	}
	if s.Schema != stateSchema {
		return nil, fmt.Errorf("this walk was stored by another version of the program (%d, this one has %d): start over", s.Schema, stateSchema)
	}
	walked := s.Scope
	if walked.Faults == 1 {
		walked.Sample = o.scope().Sample // nothing is drawn of single faults
	}
	walked.Faults = max(walked.Faults, o.Faults) // a walk may go deeper than it was meant to
	if !reflect.DeepEqual(walked, o.scope()) {
		return nil, fmt.Errorf("this is a walk of another scope: go on with the options that it began with (%d faults, %d clients, %d rounds, %d kinds, %d worlds)",
			s.Scope.Faults, s.Scope.Clients, s.Scope.Rounds, len(s.Scope.Kinds), len(s.Scope.Worlds))
	}
	s.Scope = walked
	for _, l := range s.Locks {
		if err := l.read(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Unfinished is how many schedules a stored walk has that was interrupted; 0 of one that was not, and of what is no walk.
func Unfinished(data []byte) int64 {
	s := &State{}
	if json.Unmarshal(data, s) != nil || s.Schema != stateSchema || s.Ended {
		return 0
	}
	return s.Walked()
}

// Store is the stored form, which does not depend on the order in which workers were done.
func (s *State) Store() ([]byte, error) {
	for _, l := range s.Locks {
		slices.SortFunc(l.Found, bySet)
		slices.SortFunc(l.Singles, (*single).compare)
		for _, s := range l.Singles {
			slices.SortFunc(s.Found, bySet)
		}
		for i := range l.Found {
			l.Found[i].Names = l.Found[i].Kinds.names()
		}
	}
	return json.Marshal(s)
}

func bySet(a, b found) int {
	return cmp.Or(cmp.Compare(a.Way, b.Way), slices.Compare(a.Kinds, b.Kinds))
}

// read takes a lock as it was stored.
func (l *Lock) read() error {
	for i := range l.Found {
		var err error
		if l.Found[i].Kinds, err = kindsNamed(l.Found[i].Names); err != nil {
			return err
		}
	}
	if err := l.readTaken(); err != nil {
		return err
	}
	return l.readSingles()
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

// stage finds the state of a stage, or begins it.
func (l *Lock) stage(base string, faults, units int) *stage {
	for _, st := range l.Stages {
		if st.Base == base && st.Faults == faults {
			return st
		}
	}
	st := &stage{Base: base, Faults: faults, Units: units}
	l.Stages = append(l.Stages, st)
	return st
}

// over reports whether all of the stage is done.
func (s *stage) over() bool { return len(s.missing()) == 0 }

// missing are the pieces of work that are not done.
func (s *stage) missing() []int {
	var out []int
	i := 0
	for _, d := range append(slices.Clone(s.Done), span{s.Units, s.Units}) {
		for ; i < d[0]; i++ {
			out = append(out, i)
		}
		i = d[1]
	}
	return out
}

// finish takes what some work has come to, and returns how many pieces that were.
func (s *stage) finish(from []branch, u *unit) (pieces int) {
	s.add(u.tally)
	s.Doubts = append(s.Doubts, u.doubts...)
	slices.Sort(s.Doubts)
	for _, b := range from {
		s.done(b.order[0])
	}
	return len(from)
}

// done notes that a piece of work is done.
func (s *stage) done(i int) {
	at, _ := slices.BinarySearchFunc(s.Done, i, func(d span, i int) int { return d[0] - i })
	s.Done = slices.Insert(s.Done, at, span{i, i + 1})
	for k := min(at+1, len(s.Done)-1); k > 0 && k >= at; k-- {
		if s.Done[k-1][1] == s.Done[k][0] {
			s.Done[k-1][1] = s.Done[k][1]
			s.Done = slices.Delete(s.Done, k, k+1)
		}
	}
}

// merge takes what a piece of work has found.
func (l *Lock) merge(u *unit) {
	for i := range u.found {
		l.Found = addFound(l.Found, u.found[i])
	}
	for _, s := range u.singles {
		singleIn(&l.Singles, s.hit).take(s)
	}
}

// smaller are the sets that fewer faults than so many have found.
func (l *Lock) smaller(faults int) *smaller { return l.plainer(faults, 0) }

// plainer are the sets that fewer faults than so many have found, and those that as many have in a plainer base world.
func (l *Lock) plainer(faults, base int) *smaller {
	s := &smaller{}
	for _, f := range l.all() {
		if n := f.faults(); n < faults || n == faults && f.Base < base {
			s[f.Way] = append(s[f.Way], f.Kinds)
		}
	}
	return s
}

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
	if l.Bases != nil && len(l.Bases) == 0 {
		return true
	}
	missing := func(base string) bool { return !l.over(base, 2) }
	return l.complete(faults) >= faults && (faults < 2 || !slices.ContainsFunc(l.Drawn, missing))
}

// complete is the number of faults up to which all was walked, several together in the base worlds that are for it.
func (l *Lock) complete(most int) int {
	for faults := 1; faults <= most; faults++ {
		bases := l.Bases
		if faults > 1 {
			bases = l.Together
		}
		if len(bases) == 0 || slices.ContainsFunc(bases, func(base string) bool { return !l.over(base, faults) }) {
			return faults - 1
		}
	}
	return most
}

// over reports whether a stage is done.
func (l *Lock) over(base string, faults int) bool {
	return slices.ContainsFunc(l.Stages, func(st *stage) bool { return st.Base == base && st.Faults == faults && st.over() })
}
