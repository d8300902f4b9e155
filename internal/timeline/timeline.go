// Package timeline is the account of a history that everything but a checker reads: what clients
// believed, which entries servers had and until when, who stood still or was down, what was asked
// and answered, what was written.
//
// It is made in one pass and not changed afterwards. Checkers do not use it, and read the events by
// themselves: an account with a mistake must not be able to hide one in a verdict. See TestItAgreesWithTheCheckers.
package timeline

import (
	"iter"
	"math"
	"time"

	"lockstep/internal/history"
)

// Timeline is the account of one history.
type Timeline struct {
	*history.History
	Holds   []history.Hold // what clients believed, in the order of their beginnings
	Entries []Entry        // what servers had, in the order of their creation
	Freezes []Span         // of processes that stood still, in the order of their beginnings
	Deaths  []Span         // of processes that were down, likewise

	cluster history.NodeID           // the member that stands for all of a quorum; 0 without one
	ofKind  map[history.Kind][]int32 // the events of each kind, by their indices
}

// Of makes the account of a history, which may lack its end and name nodes that its header does not know.
func Of(h *history.History) *Timeline {
	t := &Timeline{History: h, Holds: history.Holds(h), cluster: clusterOf(h), ofKind: map[history.Kind][]int32{}}
	nodes := len(h.Header.Nodes) + 1
	entries := biographer{t: t}
	freezes, deaths := spans{open: make([]int, nodes)}, spans{open: make([]int, nodes)}
	for i := range h.Events {
		n, e := int32(i), &h.Events[i]
		t.ofKind[e.Kind] = append(t.ofKind[e.Kind], n)
		if e.Kind.OnWire() {
			continue
		}
		entries.follow(n, e)
		switch {
		case int(e.Node) >= nodes:
		case e.Kind == history.Froze:
			freezes.begin(n, e, h.End())
		case e.Kind == history.Thawed:
			freezes.end(n, e, true)
		case e.Kind == history.Crashed:
			freezes.end(n, e, false)
			deaths.begin(n, e, h.End())
		case e.Kind == history.Restarted:
			deaths.end(n, e, true)
		}
	}
	for i := range entries.all {
		if l := &entries.all[i]; l.How == 0 {
			l.Over = h.End()
		}
	}
	t.Entries, t.Freezes, t.Deaths = entries.all, freezes.list, deaths.list
	return t
}

// All goes through all events.
func (t *Timeline) All() iter.Seq2[int32, *history.Event] {
	return func(yield func(int32, *history.Event) bool) {
		for i := range t.Events {
			if !yield(int32(i), &t.Events[i]) {
				return
			}
		}
	}
}

// Each goes through the events of some kinds, in the order of the history.
func (t *Timeline) Each(kinds ...history.Kind) iter.Seq2[int32, *history.Event] {
	return func(yield func(int32, *history.Event) bool) {
		lists := make([][]int32, len(kinds))
		for k, kind := range kinds {
			lists[k] = t.ofKind[kind]
		}
		for {
			first, next := -1, int32(math.MaxInt32)
			for k, list := range lists {
				if len(list) > 0 && list[0] < next {
					first, next = k, list[0]
				}
			}
			if first < 0 || !yield(next, &t.Events[next]) {
				return
			}
			lists[first] = lists[first][1:]
		}
	}
}

// Backward goes through the events of some kinds from the last to the first.
func (t *Timeline) Backward(kinds ...history.Kind) iter.Seq2[int32, *history.Event] {
	return func(yield func(int32, *history.Event) bool) {
		lists := make([][]int32, len(kinds))
		for k, kind := range kinds {
			lists[k] = t.ofKind[kind]
		}
		for {
			last, next := -1, int32(-1)
			for k, list := range lists {
				if n := len(list); n > 0 && list[n-1] > next {
					last, next = k, list[n-1]
				}
			}
			if last < 0 || !yield(next, &t.Events[next]) {
				return
			}
			lists[last] = lists[last][:len(lists[last])-1]
		}
	}
}

// After goes through the events after one, as far as a span of time after it.
func (t *Timeline) After(i int32, within time.Duration) iter.Seq2[int32, *history.Event] {
	return func(yield func(int32, *history.Event) bool) {
		limit := t.Events[i].At.Add(within)
		for j := i + 1; int(j) < len(t.Events) && t.Events[j].At <= limit; j++ {
			if !yield(j, &t.Events[j]) {
				return
			}
		}
	}
}

// Before goes through the events before one, the last first, as far as a span of time before it.
func (t *Timeline) Before(i int32, within time.Duration) iter.Seq2[int32, *history.Event] {
	return func(yield func(int32, *history.Event) bool) {
		limit := t.Events[i].At.Add(-within)
		for j := i - 1; j >= 0 && t.Events[j].At >= limit; j-- {
			if !yield(j, &t.Events[j]) {
				return
			}
		}
	}
}

// Ever is as far as any history goes.
const Ever = time.Duration(math.MaxInt64 / 2)

// Count is how many events of a kind there are.
func (t *Timeline) Count(kind history.Kind) int { return len(t.ofKind[kind]) }

// At returns an event by its index, nil for none.
func (t *Timeline) At(i int32) *history.Event {
	if i < 0 || int(i) >= len(t.Events) {
		return nil
	}
	return &t.Events[i]
}

// Request returns the request behind an event, and its index; nil where the history does not say.
func (t *Timeline) Request(i int32) (int32, *history.Event) {
	for range 4 { // removed, executed, sent is the longest chain; in a damaged history there may be circles
		e := t.At(i)
		if e == nil {
			break
		}
		if e.Kind == history.Sent {
			return i, e
		}
		i = e.Cause
	}
	return history.NoCause, nil
}

// Execution returns the first execution of a request, or nil.
func (t *Timeline) Execution(sent int32) *history.Event {
	for i, e := range t.Each(history.Executed) {
		if e.Cause == sent && i > sent {
			return e
		}
	}
	return nil
}

// clusterOf returns the first member of the history's quorum, 0 without one.
func clusterOf(h *history.History) history.NodeID {
	for i, n := range h.Header.Nodes {
		if n.Role == history.RoleStore && h.Header.Quorum() {
			return history.NodeID(i + 1)
		}
	}
	return 0
}

// Cluster is the member of a quorum whose place has the entries of them all; 0 where the servers are none.
func (t *Timeline) Cluster() history.NodeID { return t.cluster }

// InCluster reports whether a node is a member of a quorum. They have the same entries: what one of
// them granted may end on another one, which leads by then.
func (t *Timeline) InCluster(id history.NodeID) bool {
	return t.cluster != 0 && t.Role(id) == history.RoleStore
}

// Place is where the entries of a server are kept: a quorum has one place, that of its first member.
// A node that the header does not know has place 0, so that a damaged history is told badly instead
// of not at all.
func (t *Timeline) Place(id history.NodeID) history.NodeID {
	switch {
	case t.InCluster(id):
		return t.cluster
	case int(id) > len(t.Header.Nodes):
		return 0
	}
	return id
}

// ClockError returns by how much a node's clock was wrong the last time it did something by an instant,
// else the first time after it. A clock that shows 0 shows nothing.
func (t *Timeline) ClockError(id history.NodeID, by history.Instant) (wrong time.Duration, known bool) {
	for i := range t.Events {
		e := &t.Events[i]
		if known && e.At > by {
			break
		}
		if e.Node == id && e.Clock != 0 {
			wrong, known = time.Duration(e.Clock-int64(e.At)), true
		}
	}
	return wrong, known
}
