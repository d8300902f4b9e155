package matrix

import (
	"context"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/timeline"
)

// Profile is what a lock does without faults, which shows where scripts can interfere.
type Profile struct {
	Works     bool     // a client alone gets the lock at all
	Acquire   []string // commands until acquire has returned
	Hold      []string // commands while the lock is held for a short while
	Release   []string // commands from the invocation of release until it has returned
	Races     bool     // commands of two names overlap in the acquire, in random order
	Renews    bool     // commands are sent while the lock is held for longer than a lease
	Hasty     bool     // no client gets the lock from a primary whose replica is half a second late
	Reentrant bool     // a holder that acquires again gets the lock at once, and keeps it after one release
}

// profileOf plays the lock without faults and watches client A.
func profileOf(ctx context.Context, w run.World, v locks.Variant) (*Profile, error) {
	p := profilePlan()
	h, err := w.Play(ctx, p, v.ID, 1)
	if err != nil {
		return nil, err
	}
	out := watch(h)
	long := profilePlan()
	long.Workload.Work = plan.Range{Min: 2 * long.Lease, Max: 2 * long.Lease}
	if h, err = w.Play(ctx, long, v.ID, 1); err != nil {
		return nil, err
	}
	out.Renews = len(watch(h).Hold) > len(out.Hold)
	nested := profilePlan()
	nested.Clients = append(nested.Clients, "B") // a waiting client shows whether the lock is still held
	nested.Workload.Nested, nested.Workload.Work = 1, plan.Range{Min: nested.Lease / 2, Max: nested.Lease / 2}
	if h, err = w.Play(ctx, nested, v.ID, 1); err != nil {
		return nil, err
	}
	out.Reentrant = reenters(h, nested.Lease/2)
	if v.Kind().IsRedis() {
		late := profilePlan()
		late.Redis.Replicas, late.Redis.Lag = 1, time.Second/2
		if h, err = w.Play(ctx, late, v.ID, 1); err != nil {
			return nil, err
		}
		out.Hasty = out.Works && !watch(h).Works
	}
	out.Acquire = out.Acquire[:min(len(out.Acquire), mostCommands)]
	return out, nil
}

// profilePlan is one client alone, with constant latencies.
func profilePlan() *plan.Plan {
	p := plan.Default()
	p.Name, p.Clients = "profile", []string{"A"}
	p.Lease = lease
	p.Workload.Work = plan.Range{Min: time.Second, Max: time.Second}
	p.Network.Latency = plan.Range{Min: time.Millisecond, Max: time.Millisecond}
	return &p
}

// watch groups the commands of the first client by its phase.
func watch(h *history.History) *Profile {
	p := &Profile{}
	into := &p.Acquire
	var unanswered []string
	me := history.NodeID(1)
	for _, e := range timeline.Of(h).All() {
		if e.Node != me {
			continue
		}
		switch e.Kind {
		case history.Acquired:
			into, p.Works = &p.Hold, true
		case history.Releasing:
			into = &p.Release
		case history.Released, history.NotHeld, history.ReleaseFailed:
			return p
		case history.Sent:
			name := h.Op(e.Text).Called()
			*into = append(*into, name)
			p.Races = p.Races || into == &p.Acquire && slices.ContainsFunc(unanswered, func(c string) bool { return c != name })
			unanswered = append(unanswered, name)
		case history.Replied, history.TimedOut:
			unanswered = slices.Delete(unanswered, 0, min(1, len(unanswered)))
		}
	}
	return p
}

// mostCommands limits the commands of an acquire that are tampered with: a lock that is never
// acquired sends them without end.
const mostCommands = 12

// reenters reports whether the nested acquisition of client A succeeded soon, and A still had the
// lock after one release. In each world the other client shows that.
func reenters(h *history.History, within time.Duration) bool {
	const a = history.NodeID(1)
	var began history.Instant
	soon := false
	for _, e := range timeline.Of(h).Each(history.Reenters, history.Reentered, history.Removed, history.Acquired, history.Releasing) {
		switch {
		case e.Kind == history.Reenters && e.Node == a:
			began = e.At
		case e.Kind == history.Reentered && e.Node == a:
			soon = e.At.Sub(began) < within
		case e.Kind == history.Removed && e.Peer == a, e.Kind == history.Acquired && e.Node != a:
			return false
		case e.Kind == history.Releasing && e.Node == a:
			return soon
		}
	}
	return false
}

// occurrence says which command of its name the i-th one is.
func occurrence(commands []string, i int) (name string, nth int) {
	for _, c := range commands[:i+1] {
		if c == commands[i] {
			nth++
		}
	}
	return commands[i], nth
}
