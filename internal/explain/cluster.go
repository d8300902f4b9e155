package explain

import (
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// The members of a cluster have the same entries: an entry that one of them
// granted may end on another one, which leads by then. So they are all kept in
// one place, that of the first member.

// clusterOf returns the first member of the history's cluster, 0 without one.
func clusterOf(h *history.History) history.NodeID {
	for i, n := range h.Header.Nodes {
		if n.Role == history.RoleStore && plan.InCluster(n.Name) {
			return history.NodeID(i + 1)
		}
	}
	return 0
}

// inCluster reports whether a node is a member of a cluster.
func (t *teller) inCluster(id history.NodeID) bool {
	return t.cluster != 0 && t.h.Role(id) == history.RoleStore
}

// place is where the entries of a server are kept.
func (t *teller) place(id history.NodeID) history.NodeID {
	if t.inCluster(id) {
		return t.cluster
	}
	return t.node(id)
}

// lost reports whether what is kept in a place cannot be had any more: a cluster
// outlives its members, and what its majority is up to is not told here.
func (t *teller) lost(place int) bool {
	return t.down[place] && !t.inCluster(history.NodeID(place))
}
