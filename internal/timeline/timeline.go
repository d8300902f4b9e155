// Package timeline derives from a history what reports need: what clients believed, which entries
// servers had and until when, which processes were frozen or down.
//
// Checkers do not use it and read the events themselves: a mistake here must not change a verdict.
// See TestItAgreesWithTheCheckers.
package timeline

import (
	"iter"
	"math"
	"slices"
	"time"

	"lockstep/internal/history"
)

// Timeline is a history with what follows from it. It is not changed after Of.
type Timeline struct {
	*history.History
	Holds   []history.Hold // what clients believed, by start
	Entries []Entry        // what servers had, by creation
	Freezes []Span         // of frozen processes, by start
	Deaths  []Span         // of processes that were down, by start

	cluster history.NodeID           // the member that stands for all of a quorum; 0 without one
	ofKind  map[history.Kind][]int32 // the indices of the events of each kind
}

// Of makes the timeline of a history, which may lack its end and name unknown nodes.
func Of(h *history.History) *Timeline {
	t := &Timeline{History: h, Holds: history.Holds(h), cluster: clusterOf(h), ofKind: map[history.Kind][]int32{}}
	nodes := len(h.Header.Nodes) + 1
	followed := entries{t: t}
	freezes, deaths := spans{open: make([]int, nodes)}, spans{open: make([]int, nodes)}
	for i := range h.Events {
		kind := h.Events[i].Kind
		t.ofKind[kind] = append(t.ofKind[kind], int32(i))
	}
	for i := range h.Events {
		n, e := int32(i), &h.Events[i]
		if e.Kind.OnWire() {
			continue
		}
		followed.follow(n, e)
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
	for i := range followed.all {
		if l := &followed.all[i]; l.How == 0 {
			l.Over = h.End()
		}
	}
	t.Entries, t.Freezes, t.Deaths = followed.all, freezes.list, deaths.list
	return t
}

// All yields all events.
func (t *Timeline) All() iter.Seq2[int32, *history.Event] {
	return func(yield func(int32, *history.Event) bool) {
		for i := range t.Events {
			if !yield(int32(i), &t.Events[i]) {
				return
			}
		}
	}
}

// Each yields the events of some kinds, in order.
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

// Backward yields the events of some kinds, the last one first.
func (t *Timeline) Backward(kinds ...history.Kind) iter.Seq2[int32, *history.Event] {
	return func(yield func(int32, *history.Event) bool) {
		for i := int32(len(t.Events)) - 1; i >= 0; i-- {
			if e := &t.Events[i]; slices.Contains(kinds, e.Kind) && !yield(i, e) {
				return
			}
		}
	}
}

// After yields the events after event i, up to a time after it.
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

// Next returns the first event after event i, up to a time after it, that is such a one; NoCause
// for none.
func (t *Timeline) Next(i int32, within time.Duration, is func(*history.Event) bool) int32 {
	for j, e := range t.After(i, within) {
		if is(e) {
			return j
		}
	}
	return history.NoCause
}

// Before yields the events before event i, the last one first, down to a time before it.
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

// Ever is longer than any history.
const Ever = time.Duration(math.MaxInt64 / 2)

// Count returns how many events of a kind there are.
func (t *Timeline) Count(kind history.Kind) int { return len(t.ofKind[kind]) }

// At returns an event by its index, or nil.
func (t *Timeline) At(i int32) *history.Event {
	if i < 0 || int(i) >= len(t.Events) {
		return nil
	}
	return &t.Events[i]
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

// Cluster returns the member of a quorum whose place has the entries of all; 0 without a quorum.
func (t *Timeline) Cluster() history.NodeID { return t.cluster }

// InCluster reports whether a node is a member of a quorum. All members have the same entries.
func (t *Timeline) InCluster(id history.NodeID) bool {
	return t.cluster != 0 && t.Role(id) == history.RoleStore
}

// Place is where the entries of a server are kept: a quorum has one place, that of its first
// member. An unknown node of a damaged history has place 0.
func (t *Timeline) Place(id history.NodeID) history.NodeID {
	switch {
	case t.InCluster(id):
		return t.cluster
	case int(id) > len(t.Header.Nodes):
		return 0
	}
	return id
}

// ClockError returns by how much a node's clock was wrong at the last reading by an instant, else
// at the first one after it. A reading of 0 is none.
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
