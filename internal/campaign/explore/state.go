package explore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	tally
	drawn
	Doubts []string
}

// tally counts schedules.
type tally struct {
	Walked   int64 `json:"walked"`
	Cut      int64 `json:"cut,omitempty"`  // of these, with runs that were cut short
	NoEffect int64 `json:"vain,omitempty"` // of these, with a fault that changed nothing
}

func (t *tally) add(o tally) {
	t.Walked, t.Cut, t.NoEffect = t.Walked+o.Walked, t.Cut+o.Cut, t.NoEffect+o.NoEffect
}

// drawn is set where schedules are drawn.
type drawn struct {
	Each int   `json:"each,omitempty"` // draws of each pair of kinds, or fewer where there are fewer; 0: all are played
	Of   int64 `json:"of,omitempty"`   // how many there are
}

// Walked returns how many schedules were played.
func (s *State) Walked() (n int64) {
	for _, l := range s.Locks {
		n += l.walked()
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

func (l *Lock) walked() (n int64) {
	for _, st := range l.Stages {
		n += st.Walked
	}
	return n
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
	st.add(o.tally)
	st.drawn = o.drawn
	st.Doubts = append(st.Doubts, o.Doubts...)
	l.Found = withFound(l.Found, o.Found)
	for _, s := range o.Singles {
		all := singleIn(&l.Singles, s.Kind, s.During)
		all.add(s.tally)
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

// complete is the number of faults up to which everything was played, for several in the profiles of Together.
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

// batch is a piece of work: branches to extend.
type batch struct {
	st   *stage
	g    *target
	key  string
	from []branch
}

// fewRuns is the number of runs that is worth handing out.
const fewRuns = 50

// stages plays all schedules with this number of faults on the targets, except those whose set is
// known to break the lock: from fewer faults, or from as many in a profile before that index.
func (w *walk) stages(ctx context.Context, l *Lock, targets []*target, faults, profile int) error {
	known, beside := l.plainer(faults, profile), l.beside(faults, profile)
	var todo []batch
	for _, g := range targets {
		more, err := w.stage(ctx, l, g, faults, beside)
		if err != nil {
			return err
		}
		todo = append(todo, more...)
	}
	err := w.playAll(ctx, todo, known, faults, func(b *batch, o *outcome) error {
		if err := w.keep(l, b.st, b.key, o); err != nil {
			return err
		}
		b.st.left--
		w.tell(l, b.st)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return ctx.Err()
}

// playAll plays pieces of work. take takes the results, one at a time.
func (w *walk) playAll(ctx context.Context, all []batch, known *smaller, faults int, take func(*batch, *outcome) error) error {
	var mu sync.Mutex
	return w.share(ctx, len(all), func(ctx context.Context, p *player, i int) error {
		p.on(all[i].g)
		u := &unit{p: p, known: known, faults: faults}
		for k := range all[i].from {
			if err := u.walk(ctx, &all[i].from[k]); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		return take(&all[i], &u.outcome)
	})
}

// stage returns the missing work on one target that belongs to this shard.
func (w *walk) stage(ctx context.Context, l *Lock, g *target, faults int, beside string) (todo []batch, err error) {
	first, err := w.firstFaults(ctx, g, faults)
	if err != nil {
		return nil, err
	}
	size := 1
	if faults == 1 {
		size = fewRuns
	}
	pieces := slices.Collect(slices.Chunk(first, size))
	st := l.stage(g.profile.Name, faults, len(pieces))
	for i, from := range pieces {
		key := fmt.Sprintf("%s/%s/%d/%d%s", l.ID, g.profile.Name, faults, i, beside)
		known, err := w.known(l, st, key)
		if err != nil {
			return nil, err
		}
		if !known && w.mine(g, i, faults) {
			todo = append(todo, batch{st, g, key, from})
			st.left++
		}
	}
	return todo, nil
}

// mine reports whether a piece of work belongs to this shard. The first shard rotates with the target,
// since many targets have few pieces.
func (w *walk) mine(g *target, piece, faults int) bool {
	lock := slices.IndexFunc(w.o.Locks, func(v locks.Variant) bool { return v.ID == g.v.ID })
	return !w.o.AsIs && (faults < w.o.Faults || w.o.Shard.Has(lock+g.index+piece))
}

// known takes the kept result of a piece of work, if there is one. A shard had found fewer sets
// when it played it; those that are not minimal are left out later.
func (w *walk) known(l *Lock, st *stage, key string) (bool, error) {
	line := w.o.Kept.Get(key)
	if line == nil {
		piece, _, _ := strings.Cut(key, besides)
		line = w.ofShards[piece]
	}
	if line == nil {
		return false, nil
	}
	o := &outcome{}
	if err := line.Decode(o); err != nil {
		return false, err
	}
	l.merge(st, o)
	return true, nil
}

// keep takes the result of a piece of work and writes it to the results file.
func (w *walk) keep(l *Lock, st *stage, key string, o *outcome) error {
	l.merge(st, o)
	w.played += o.Walked
	return w.o.Kept.Keep(key, o)
}

// firstFaults returns the single faults with which longer schedules begin.
func (w *walk) firstFaults(ctx context.Context, g *target, faults int) ([]branch, error) {
	p := w.player()
	defer p.Close()
	p.on(g)
	_, h, err := p.play(ctx, nil, true)
	if err != nil {
		return nil, err
	}
	return p.longer(h, &branch{}, faults), nil
}

func (w *walk) tell(l *Lock, st *stage) {
	if w.o.Progress != nil {
		w.o.Progress(Progress{Lock: l.ID, Profile: st.Profile, Faults: st.Faults, Done: st.Units - st.left, Units: st.Units, Walked: w.state.Walked(), Played: w.played})
	}
}
