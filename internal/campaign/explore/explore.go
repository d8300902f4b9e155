// Package explore searches single faults and their combinations exhaustively: what does it take to
// break a lock? It plays every schedule of one fault in every usage profile, lists the moments that
// its run has reached, puts the next fault at each of them, and plays again. The result is the
// minimal sets of kinds of faults that break a lock, each with the plainest schedule that shows it,
// see DESIGN.md. It depends on the options alone, not on workers, or on which pieces were kept by
// another walk.
package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
)

// GCPercent is the debug.SetGCPercent of a walk: memory is cheaper than collecting it.
const GCPercent = 1000

// WorkerMemory is the memory per worker above which a walk collects more often.
const WorkerMemory = 384 << 20

// Options say what to walk.
type Options struct {
	Locks   []locks.Variant
	Faults  int      // of a schedule, at most
	Clients int      // of each usage profile, at least
	Rounds  int      // of each client, at least
	Only    []string // kinds; nil for all
	In      []string // usage profiles; nil for all
	// Complete are the usage profiles in which all schedules of several faults are walked; nil:
	// those of In, or those of which profiles say so. In the others schedules of two faults are
	// drawn.
	Complete []string
	// Sample is how many schedules of each pair of kinds are drawn; 0: none.
	Sample int
	Jobs   int // workers; 0: one for each core

	// Refuse, if not nil, says why the worlds cannot play a plan with a lock. Faults and uses of
	// the lock that it refuses are left out of the walk.
	Refuse func(p *plan.Plan, lock string) error
	// Shard is which schedules of the most faults are walked. Those of fewer are all walked:
	// which ones of the most are played depends on what breaks with fewer.
	Shard campaign.Shard

	// Kept has the results of earlier pieces of the walk, and takes those of new ones; nil: none
	// are kept.
	Kept *campaign.Results
	// AsIs takes what Kept has, and plays no schedule.
	AsIs bool
	// Further, if not nil, is a stored result whose findings about several faults are taken over.
	// The scope must be the same but for the durations of other profiles.
	Further *results.Explored

	keep func(l *faultTemplate) bool // which templates; nil for all. For tests

	// Worlds makes a world whose runs end at MostEvents and MaxBackToBackRequests.
	Worlds func() World
	// Progress, if not nil, is called after each piece of work, one call at a time.
	Progress func(Progress)
}

// Progress says how far a walk has come.
type Progress struct {
	Lock        string
	Profile     string
	Faults      int
	Done, Units int   // pieces of work of this lock, this usage profile and this number of faults
	Walked      int64 // schedules of all locks
}

// Check returns an error if the options contradict each other.
func (o *Options) Check() error {
	switch {
	case o.Faults < 1 || o.Faults > 4:
		return fmt.Errorf("%d faults in a schedule: choose 1 to 4", o.Faults)
	case o.Clients < 2 || o.Clients > mostClients:
		return fmt.Errorf("%d clients: choose 2 to %d, for a client alone has none to compete with", o.Clients, mostClients)
	case o.Sample < 0:
		return fmt.Errorf("%d schedules of each two kinds: choose one at least, or 0 for none", o.Sample)
	case o.Rounds < 1 || o.Rounds > 5:
		return fmt.Errorf("%d rounds: choose 1 to 5", o.Rounds)
	}
	for _, name := range o.Only {
		if faultkind.Index(name) < 0 {
			return unknownKind(name)
		}
	}
	known := each.Map(profiles, func(b profile) string { return b.Name })
	for _, name := range slices.Concat(o.In, o.Complete) {
		if !slices.Contains(known, name) {
			return unknown("usage profile", name, known)
		}
	}
	return nil
}

// walks reports whether a usage profile is walked.
func (o *Options) walks(profile string) bool { return o.In == nil || slices.Contains(o.In, profile) }

// refuses reports whether the worlds cannot play a plan.
func (o *Options) refuses(p *plan.Plan, lock string) bool {
	return o.Refuse != nil && o.Refuse(p, lock) != nil
}

// walk is a running walk.
type walk struct {
	o     *Options
	state *State

	ofShards map[string]*campaign.Line // kept pieces that depend on sets found elsewhere, by the whole piece
}

// Walk walks until ctx ends, whose error it then returns. The state is never nil: it is the result
// so far.
func Walk(ctx context.Context, o Options) (*State, error) {
	w := &walk{o: &o, state: &State{Scope: o.scope()}}
	return w.state, w.walk(ctx)
}

func (w *walk) walk(ctx context.Context) error {
	if err := w.o.Check(); err != nil {
		return err
	}
	if err := w.further(); err != nil {
		return err
	}
	w.ofShards = map[string]*campaign.Line{}
	for _, line := range w.o.Kept.Lines() {
		if piece, _, ok := strings.Cut(line.Key, besides); ok && w.ofShards[piece] == nil {
			w.ofShards[piece] = line
		}
	}
	next := w.prepare(ctx, 0)
	for i := range w.o.Locks {
		this := <-next
		if this.err != nil {
			return this.err
		}
		next = w.prepare(ctx, i+1) // while this one is walked
		if err := w.lock(ctx, this); err != nil {
			<-next
			return err
		}
		if l := w.state.lock(this.id); w.o.AsIs && !l.begun() {
			*l = Lock{ID: l.ID}
		}
	}
	return nil
}

// further takes over the stored results of another search.
func (w *walk) further() error {
	if w.o.Further == nil {
		return nil
	}
	for _, v := range w.o.Locks {
		if stored := w.o.Further.Lock(v.ID); stored != nil && stored.Complete >= 2 {
			if err := w.state.lock(v.ID).take(w.o, stored); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare prepares a lock for its walk.
func (w *walk) prepare(ctx context.Context, i int) <-chan *prepared {
	out := make(chan *prepared, 1)
	if i == len(w.o.Locks) {
		close(out)
		return out
	}
	go func() { out <- w.targets(ctx, w.o.Locks[i]) }()
	return out
}

// player is a player with a world of its own, to be closed.
func (w *walk) player() *player { return &player{World: w.o.Worlds()} }

// share spreads pieces of work over the workers, each of which has a player.
func (w *walk) share(ctx context.Context, pieces int, do func(ctx context.Context, p *player, i int) error) error {
	return run.Share(ctx, w.o.Jobs, pieces, nil, func(ctx context.Context, worlds []run.World, i int) error {
		return do(ctx, worlds[0].(*player), i)
	}, func() run.World { return w.player() })
}

// lock walks one lock: fewest faults first.
func (w *walk) lock(ctx context.Context, p *prepared) error {
	l := w.state.lock(p.id)
	complete, drawn := w.o.together(p.targets)
	l.Profiles, l.Together, l.Drawn, l.targets = profilesOf(p.targets), profilesOf(complete), profilesOf(drawn), p.played
	l.Found = withFound(l.Found, p.found)
	if err := w.stages(ctx, l, p.targets, 1, 0); err != nil {
		return err
	}
	if err := l.checkTaken(); err != nil {
		return err
	}
	for faults := 2; faults <= w.o.Faults; faults++ {
		for _, g := range complete { // in this order: what breaks in a plainer profile is not looked for in the next
			if l.taken(g.profile.Name, faults) {
				continue
			}
			if err := w.stages(ctx, l, []*target{g}, faults, g.index); err != nil {
				return err
			}
		}
		for _, g := range drawn {
			if faults > 2 || l.taken(g.profile.Name, faults) {
				continue
			}
			if err := w.sample(ctx, l, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// profilesOf are the names of their usage profiles, never nil.
func profilesOf(targets []*target) []string {
	return each.Map(targets, func(g *target) string { return g.profile.Name })
}

// together returns the targets on which several faults are combined: those where all schedules are
// walked, and those where some are drawn. Where no client gets a lock, runs are retries and nothing
// else, so all are walked in the world that is for such locks, and none in others.
func (o *Options) together(targets []*target) (complete, drawn []*target) {
	unserved := o.In == nil && slices.ContainsFunc(targets, func(g *target) bool { return g.profile.unserved })
	for _, g := range targets {
		switch {
		case unserved != g.profile.unserved && o.In == nil:
		case unserved || o.complete(g.profile):
			complete = append(complete, g)
		case o.Sample > 0:
			drawn = append(drawn, g)
		}
	}
	return complete, drawn
}

// complete reports whether all schedules of several faults are walked in a usage profile.
func (o *Options) complete(b *profile) bool {
	switch {
	case o.Complete != nil:
		return slices.Contains(o.Complete, b.Name)
	case o.In != nil:
		return true
	}
	return b.several
}

// prepared is a lock whose walk can begin.
type prepared struct {
	id      string
	targets []*target
	played  map[int]*target // also those that are not walked, by the indices of their usage profiles
	found   []found         // what breaks without a fault
	err     error
}

// targets are the usage profiles for a lock, each played without faults. What breaks there is the
// empty set of kinds, and other uses of such a lock do not matter. The plain one is always played:
// it shows whether the lock hands out tokens and whether a client gets it.
func (w *walk) targets(ctx context.Context, v locks.Variant) *prepared {
	p := w.player()
	defer p.Close()
	out := &prepared{id: v.ID, played: map[int]*target{}}
	fence, broken, unserved := false, false, false
	for i, b := range profiles {
		if broken && !b.unserved || b.unserved && !unserved {
			continue
		}
		if b.fits != nil && !b.fits(&v) || !w.o.walks(b.Name) && b.Name != plainProfile {
			continue
		}
		g, err := w.o.newTarget(v, i, fence)
		if err != nil {
			return &prepared{err: err}
		}
		if w.o.refuses(g.plan, v.ID) {
			continue
		}
		p.on(g)
		first, h, err := p.play(ctx, nil, false)
		if err == nil && i == 0 && checker.HandsOutTokens(h) {
			fence = true
			if g, err = w.o.newTarget(v, i, fence); err == nil {
				p.on(g)
				first, h, err = p.play(ctx, nil, false)
			}
		}
		if err != nil {
			return &prepared{err: err}
		}
		if b.stands && (first.broken != [ways]bool{} || refusesItself(h)) {
			continue
		}
		if !first.whole {
			return &prepared{err: fmt.Errorf("%s in the profile %s does not end without a fault", v.ID, b.Name)}
		}
		for way := range first.broken {
			if first.broken[way] {
				out.found = append(out.found, newFound(g, checker.Way(way), nil, nil, first.events, nil))
			}
		}
		if b.Name == plainProfile && first.broken[checker.NoProgress] {
			unserved = true
			g.timing = shortProbe
		}
		out.played[i] = g
		if !w.o.walks(b.Name) {
			continue
		}
		out.targets = append(out.targets, g)
		broken = broken || first.broken != [ways]bool{}
	}
	return out
}

// refusesItself reports whether the holder did not get the lock again, or lost it by one release.
func refusesItself(h *history.History) bool {
	inside := map[history.NodeID]bool{}
	for _, i := range h.Milestones() {
		switch e := &h.Events[i]; e.Kind {
		case history.ReenterFailed:
			return true
		case history.Reentered:
			inside[e.Node] = true
		case history.Releasing:
			inside[e.Node] = false
		case history.Removed:
			if inside[e.Peer] {
				return true
			}
		}
	}
	return false
}
