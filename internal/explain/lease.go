package explain

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/history"
)

// Lease is the entry of a client on one server, with the end that the server has promised it.
type Lease struct {
	Node, Owner history.NodeID
	Promises    []Promise       // the first with the entry, the others are renewals
	Over        history.Instant // when the entry was gone; the end of the history when it stays
	RanOut      bool            // because its time was up
	Released    bool            // by its owner
}

// Promise is an end that a server has set, as it comes if the server's clock runs true.
type Promise struct{ At, Until history.Instant }

func promiseOf(e *history.Event) Promise {
	return Promise{e.At, e.At.Add(time.Duration(e.Value))}
}

// From is when the entry was created.
func (l *Lease) From() history.Instant { return l.Promises[0].At }

// Until is the end as last promised by an instant.
func (l *Lease) Until(at history.Instant) history.Instant {
	until := l.Promises[0].Until
	for _, p := range l.Promises {
		if p.At <= at {
			until = p.Until
		}
	}
	return until
}

// Leases lists the entries that have an end, in the order of their creation.
func Leases(h *history.History) []Lease {
	var all []Lease
	for _, l := range livesOf(h) {
		if l.ttl <= 0 {
			continue
		}
		lease := Lease{
			Node: l.node, Owner: l.owner, Promises: l.promises, Over: l.over, RanOut: l.how == history.Expired,
			Released: l.how == history.Removed && l.by == l.owner,
		}
		if l.how == 0 {
			lease.Over = h.End()
		}
		all = append(all, lease)
	}
	return all
}

// Nap is a freeze of a client that had an entry: what the lesson of every lease is about.
type Nap struct {
	Client history.NodeID
	From   history.Instant
	Slept  time.Duration
	Left   time.Duration // of the lease, when it began
}

// LongestNap finds the longest freeze of a client while a server had its entry.
func LongestNap(h *history.History) (longest Nap, ok bool) {
	leases := map[history.NodeID][]Lease{} // by owner
	for _, l := range Leases(h) {
		leases[l.Owner] = append(leases[l.Owner], l)
	}
	froze := make([]history.Instant, len(h.Header.Nodes)+1)
	for i := range froze {
		froze[i] = -1
	}
	for i := range h.Events {
		e := &h.Events[i]
		if int(e.Node) >= len(froze) {
			continue
		}
		switch from := froze[e.Node]; {
		case e.Kind == history.Froze:
			froze[e.Node] = e.At
		case e.Kind == history.Thawed && from >= 0:
			froze[e.Node] = -1
			l := during(leases[e.Node], from)
			if l != nil && e.At.Sub(from) > longest.Slept {
				longest, ok = Nap{e.Node, from, e.At.Sub(from), l.Until(from).Sub(from)}, true
			}
		}
	}
	return longest, ok
}

// quorum is more than the servers on which a client has entries at once.
const quorum = 16

// during returns a lease of one owner that lasts at an instant, or nil.
func during(leases []Lease, at history.Instant) *Lease {
	n, _ := slices.BinarySearchFunc(leases, at+1, func(l Lease, at history.Instant) int { return cmp.Compare(l.From(), at) })
	for i := n - 1; i >= max(n-quorum, 0); i-- {
		if at < leases[i].Over {
			return &leases[i]
		}
	}
	return nil
}
