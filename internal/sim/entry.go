package sim

import (
	"slices"

	"lockstep/internal/store"
)

// Kept returns what the servers keep of a client: the keys that it has created, the named locks that it has,
// the rows that it has written last. For callbacks of Watch.
func (w *World) Kept(client string) (all []store.Entry) {
	node := w.hist.Node(client)
	switch b := w.backend.(type) {
	case *redisGroup:
		return b.leader.store.Kept(node)
	case *redisNodes:
		for _, g := range b.groups {
			for _, e := range g.leader.store.Kept(node) {
				if !slices.Contains(all, e) {
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
