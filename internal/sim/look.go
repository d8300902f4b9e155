package sim

import (
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/workload"
)

// Watch has f told of every moment that a client of the next runs reaches until all is
// healed, before any fault acts on it; nil ends that. It changes no history.
func (w *World) Watch(f func(m faults.Moment, at history.Instant)) { w.watch = f }

// watched is how far a run had come at a moment.
type watched struct {
	events    int64
	dealt     int
	scheduled uint64
	streamed  int
	meets     int
	entrance  workload.Entrance
}

func (w *World) watched() watched {
	return watched{w.k.Events(), w.dealt, w.k.Scheduled(), len(w.streamed), len(w.network.meets), w.entrance}
}

// Alone reports, to who is told of a moment, whether since the moment before nothing but code of clients has
// run: no time has passed, nobody has sent anything, opened a connection or looked for a server. What a fault
// does to servers or to the network it does at both moments alike. But where this code has set a timer that
// fires together with something that follows from the fault, who comes first depends on the moment: the
// answer is no, then, if coincides is true of the time until it fires.
func (w *World) Alone(coincides func(d time.Duration) bool) bool {
	now := w.watched()
	if w.pacer != nil || now.events != w.seen.events || now.dealt != w.seen.dealt {
		return false
	}
	return !w.k.AnySince(w.seen.scheduled, func(at history.Instant) bool { return coincides(at.Sub(w.k.Now())) })
}

// Felt reports whether a partition or a lag would have been felt in the last run at any time from one instant to another.
// True of any other fault, and if it is not known: if nobody has watched the run and it is not recalled.
func (w *World) Felt(f *faults.Fault, from, to history.Instant) bool {
	return w.watch == nil && !w.Recall || w.felt(f, watched{}, from, to)
}

// FeltSince reports, to who is told of a moment, whether a partition or a lag would have been felt since the moment before, or
// something has happened since that depends on whether a fault has begun: if not, it comes to the same at both moments
// until it ends. True of any other fault, and if it is not known.
func (w *World) FeltSince(f *faults.Fault) bool {
	if w.pacer != nil || w.entrance != w.seen.entrance || !w.onlyAsked() {
		return true
	}
	now := w.k.Now()
	enters, sooner := w.entrance.IfFaultBegins()
	if sooner && history.Instant(enters) <= now || w.felt(f, w.seen, 0, now) {
		return true
	}
	// Who is let in by a fault, and its end, come before or after what has been scheduled for the same instant.
	return w.k.AnySince(w.seen.scheduled, func(at history.Instant) bool {
		return sooner && at == history.Instant(enters) || at == now.Add(f.End.For)
	})
}

// felt is Felt of what has come about since a moment.
func (w *World) felt(f *faults.Fault, since watched, from, to history.Instant) bool {
	if f.Verb.Name() == "lag" {
		return slices.ContainsFunc(w.streamed[since.streamed:], func(at history.Instant) bool { return at >= from && at <= to })
	}
	meets := w.network.meets[since.meets:]
	switch {
	case len(f.Args.Sides) != 2:
		return true
	case len(meets) == 0 && w.onlyAsked():
		return false
	}
	one, other := injector{w}.nodes(f.Args.Sides[0]), injector{w}.nodes(f.Args.Sides[1])
	if !w.onlyAsked() && w.haveServer(one) && w.haveServer(other) {
		return true
	}
	return slices.ContainsFunc(meets, func(m meeting) bool {
		return m.at >= from && m.at <= to &&
			(slices.Contains(one, m.a) && slices.Contains(other, m.b) || slices.Contains(one, m.b) && slices.Contains(other, m.a))
	})
}

func (w *World) haveServer(nodes []history.NodeID) bool {
	return slices.ContainsFunc(nodes, func(id history.NodeID) bool { return w.hist.Role(id) != history.RoleClient })
}

// onlyAsked reports whether servers notice a partition between them when they have something to send, and not as soon as it
// begins.
func (w *World) onlyAsked() bool {
	switch w.backend.(type) {
	case *redisGroup, *redisNodes, *database:
		return true
	}
	return false
}

// lagging is how much later faults make what a primary sends a replica now.
func (w *World) lagging(extra *lateness, replica history.NodeID) time.Duration {
	if w.watch != nil || w.Recall {
		w.streamed = append(w.streamed, w.k.Now())
	}
	return extra.felt(w, replica)
}

// Serves reports whether the servers could serve at the end of the last run: a primary, or
// those that decide by majority. What no server can do is no fault of a lock.
func (w *World) Serves() bool {
	if c, ok := w.backend.(*redisCluster); ok {
		return c.primary().up()
	}
	names := w.plan.Servers(plan.StoreOf(&w.variant))
	if !plan.InCluster(names[0]) && !w.independent() {
		return w.backend.primary().up()
	}
	up := 0
	for _, h := range w.backend.hosts()[:len(names)] {
		if h.up() {
			up++
		}
	}
	return 2*up > len(names)
}

// independent reports whether the servers know nothing of each other.
func (w *World) independent() bool {
	_, ok := w.backend.(*redisNodes)
	return ok
}
