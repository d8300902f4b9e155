package sim

import (
	"slices"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/store"
)

// Watch calls f at every moment that a client of the next runs reaches until all faults are healed,
// before any fault acts on it; nil ends that. It changes no history.
func (w *World) Watch(f func(m faults.Moment, at history.Instant)) { w.watch = f }

// Serves reports whether the servers could serve at the end of the last run: the primary, or a
// majority. If they could not, the lock is not to blame.
func (w *World) Serves() bool {
	if s := store.Of(w.variant.Store); s.Topology == store.Replicated {
		return w.backend.primary().up()
	}
	up := 0
	for _, h := range w.hosts {
		if h.up() {
			up++
		}
	}
	return 2*up > len(w.hosts)
}

// independent reports whether the servers know nothing of each other.
func (w *World) independent() bool {
	_, ok := w.backend.(*redisNodes)
	return ok
}

// Kept returns a client's entries on the servers: the keys that it created, the named locks that it
// has, the rows that it wrote last. For callbacks of Watch.
func (w *World) Kept(client string) (all []store.Entry) {
	node := w.hist.Node(client)
	switch b := w.backend.(type) {
	case *redisGroup:
		return b.leader.store.Kept(node)
	case *redisNodes:
		for _, g := range b.groups {
			for _, e := range g.leader.store.Kept(node) {
				if !slices.ContainsFunc(all, func(o store.Entry) bool { return o.Key == e.Key }) {
					all = append(all, e)
				}
			}
		}
	case *cluster:
		return b.model.Kept(node)
	case *database:
		return b.leader.model.Kept(node)
	}
	return all
}
