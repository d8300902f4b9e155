package explore

import (
	"context"
	"time"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/scenario"
	"lockstep/internal/timeline"
)

// Costs are those of all locks that the simulator plays, by their names.
func Costs(ctx context.Context, w World) (map[string]results.Cost, error) {
	out := map[string]results.Cost{}
	for _, v := range locks.Simulated() {
		c, err := costOf(ctx, w, v)
		if err != nil {
			return nil, err
		}
		out[v.ID] = c
	}
	return out, nil
}

// costOf plays two stories without random draws and measures them.
func costOf(ctx context.Context, w World, v locks.Variant) (results.Cost, error) {
	var out results.Cost
	alone, err := playCost(ctx, w, profiles[0].sketch(&v, 1, 2, false))
	if err != nil {
		return out, err
	}
	out.Servers = len(alone.NodesOf(history.RoleStore))
	out.Acquire = roundTrips(alone, history.Waits, history.Acquired)
	out.Release = roundTrips(alone, history.Releasing, history.Released)
	dies := profiles[0].sketch(&v, 2, 1, false)
	dies.Faults = []string{faultItem("crash: A", "A is in its critical section", 0)}
	orphaned, err := playCost(ctx, w, dies)
	if err != nil {
		return out, err
	}
	out.DeadHolder = -1
	var since history.Instant // since when a client waits for a dead holder
	dead := false
	for _, e := range timeline.Of(orphaned).Each(history.Crashed, history.Waits, history.Acquired) {
		switch {
		case e.Kind == history.Crashed:
			dead, since = true, e.At
		case e.Kind == history.Waits && dead:
			since = e.At
		case e.Kind == history.Acquired && dead:
			out.DeadHolder = time.Duration(e.At - since)
			return out, nil
		}
	}
	return out, nil
}

func playCost(ctx context.Context, w World, s scenario.Sketch) (*history.History, error) {
	_, p, err := s.Plan()
	if err != nil {
		return nil, err
	}
	// Clients wait long enough to get the lock, and replicas are as close as the client.
	p.Workload.Wait = 10 * time.Minute
	p.SetLag(time.Millisecond)
	w.Watch(nil)
	return w.Play(ctx, p, s.Lock, 1)
}

// roundTrip is the round-trip time of the plain profile.
const roundTrip = 2 * time.Millisecond

// roundTrips counts the round trips between the last event of a kind and the next one of another; 0
// without such events.
func roundTrips(h *history.History, from, to history.Kind) int {
	var began, took time.Duration
	for _, e := range timeline.Of(h).Each(from, to) {
		switch e.Kind {
		case from:
			began = time.Duration(e.At)
		case to:
			took = time.Duration(e.At) - began
		}
	}
	return int((took + roundTrip - 1) / roundTrip)
}

// Unchecked plays the overlaps of each design with tokens again, with a resource that checks none.
func Unchecked(ctx context.Context, w World, x *results.Explored) (map[string][]results.Unchecked, error) {
	out := map[string][]results.Unchecked{}
	for i := range x.Locks {
		l := &x.Locks[i]
		if !locks.Main(l.Lock) || !l.Fenced() {
			continue
		}
		for _, set := range l.By(checker.Overlap) {
			shown := set.Shown
			shown.Fence = false
			_, p, err := storyOf(&x.Scope, l.Lock, &shown)
			if err != nil {
				return nil, err
			}
			w.Watch(nil)
			h, err := w.Play(ctx, p, l.Lock, 1)
			if err != nil {
				return nil, err
			}
			out[l.Lock] = append(out[l.Lock], results.Unchecked{Kinds: set.Kinds, Damaged: checker.Damaged(h)})
		}
	}
	return out, nil
}
