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
	entrance  workload.Entrance
}

func (w *World) watched() watched {
	return watched{w.k.Events(), w.dealt, w.k.Scheduled(), len(w.streamed), w.entrance}
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

// Met reports whether a client and a server, or any server for "store", have dealt with each other in the last run,
// which was watched, at any time from one instant to another: whether a partition between them would have been felt.
func (w *World) Met(client, server string, from, to history.Instant) bool {
	a := w.hist.Node(client)
	ids := injector{w}.nodes([]string{server})
	return slices.ContainsFunc(w.network.meets, func(m meeting) bool {
		return m.at >= from && m.at <= to && (m.a == a && slices.Contains(ids, m.b) || m.b == a && slices.Contains(ids, m.a))
	})
}

// Unsent reports, to who is told of a moment, whether since the moment before no primary has sent its replicas anything,
// and nothing has happened that depends on whether a fault has begun: until it ends, a lag comes to the same at both.
func (w *World) Unsent() bool {
	if w.pacer != nil || len(w.streamed) != w.seen.streamed || w.entrance != w.seen.entrance {
		return false
	}
	enters, sooner := w.entrance.IfFaultBegins()
	at := history.Instant(enters)
	return !sooner || at > w.k.Now() && !w.k.AnySince(w.seen.scheduled, func(other history.Instant) bool { return other == at })
}

// Streamed reports whether a primary has sent its replicas something in the last run at any time from one instant to
// another: whether a lag would have been felt.
func (w *World) Streamed(from, to history.Instant) bool {
	return slices.ContainsFunc(w.streamed, func(at history.Instant) bool { return at >= from && at <= to })
}

// lagging is how much later faults make what a primary sends a replica now.
func (w *World) lagging(extra *lateness, replica history.NodeID) time.Duration {
	w.streamed = append(w.streamed, w.k.Now())
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
