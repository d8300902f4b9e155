package sim

import (
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/store"
)

// Watch has f told of every moment that a client of the next runs reaches until all is
// healed, before any fault acts on it; nil ends that. It changes no history.
func (w *World) Watch(f func(m faults.Moment, at history.Instant)) { w.watch = f }

// Serves reports whether the servers could serve at the end of the last run: a primary, or
// those that decide by majority. What no server can do is no fault of a lock.
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
