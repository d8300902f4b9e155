package timeline

import (
	"cmp"
	"slices"

	"lockstep/internal/history"
)

// Span is a stretch of a process's life: it stood still, or was down.
type Span struct {
	Node         history.NodeID
	Fault        int64 // number of the fault behind it; 0 for none
	From, To     history.Instant
	Began, Ended int32 // events; Ended is NoCause when the history ends first
	Over         bool  // it ended as it should: the process ran again
}

// spans follows what keeps processes from running.
type spans struct {
	list []Span
	open []int // by NodeID: index of the span that goes on plus one
}

// begin begins a span, which ends with the history unless it ends before. One that goes on, which no whole
// history has, ends where it begins again.
func (s *spans) begin(i int32, e *history.Event, end history.Instant) {
	s.end(i, e, false)
	s.list = append(s.list, Span{Node: e.Node, Fault: e.Value, From: e.At, To: end, Began: i, Ended: history.NoCause})
	s.open[e.Node] = len(s.list)
}

// end ends the span of a node that goes on, if there is one.
func (s *spans) end(i int32, e *history.Event, over bool) {
	if n := s.open[e.Node]; n > 0 {
		at := &s.list[n-1]
		at.To, at.Ended, at.Over = e.At, i, over
		s.open[e.Node] = 0
	}
}

// Frozen returns the freeze of a process that is on at an instant and that ends with the process
// running again; nil where there is none, or where its length is not known.
func (t *Timeline) Frozen(id history.NodeID, at history.Instant) *Span {
	for i := range t.Freezes {
		if s := &t.Freezes[i]; s.Node == id && s.Over && s.From <= at && at <= s.To {
			return s
		}
	}
	return nil
}

// FreezeAt returns the freeze that begins with an event; an empty one where none does.
func (t *Timeline) FreezeAt(i int32) Span {
	n, found := slices.BinarySearchFunc(t.Freezes, i, func(s Span, i int32) int { return cmp.Compare(s.Began, i) })
	if !found {
		return Span{}
	}
	return t.Freezes[n]
}

// Level is how many clients believed that they hold the lock, from an instant on.
type Level struct {
	At     history.Instant
	Inside int
}

// Levels is how the number of clients inside changes, from the beginning to the end. The probe counts
// like any other client.
func (t *Timeline) Levels() []Level {
	out := []Level{{}}
	inside := make([]bool, len(t.Header.Nodes)+1)
	now := 0
	for _, e := range t.Each(history.Acquired, history.Releasing, history.LostLease, history.Crashed) {
		is := e.Kind == history.Acquired
		if int(e.Node) >= len(inside) || inside[e.Node] == is {
			continue
		}
		if inside[e.Node] = is; is {
			now++
		} else {
			now--
		}
		out = append(out, Level{e.At, now})
	}
	return append(out, Level{t.End(), now})
}

// MostInside is how many clients believed at once at most.
func (t *Timeline) MostInside() (most int) {
	for _, l := range t.Levels() {
		most = max(most, l.Inside)
	}
	return most
}
