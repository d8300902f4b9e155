package timeline

import (
	"cmp"
	"slices"

	"lockstep/internal/history"
)

// Span is a time in which a process was frozen or down.
type Span struct {
	Node         history.NodeID
	Fault        int64 // number of the fault that caused it; 0 for none
	From, To     history.Instant
	Began, Ended int32 // events; Ended is NoCause when the history ends first
	Over         bool  // the process ran again
}

type spans struct {
	list []Span
	open []int // by NodeID: the index of the open span plus one
}

// begin begins a span, which lasts until the end of the history unless it ends before. In a damaged
// history it may end one that is open.
func (s *spans) begin(i int32, e *history.Event, end history.Instant) {
	s.end(i, e, false)
	s.list = append(s.list, Span{Node: e.Node, Fault: e.Value, From: e.At, To: end, Began: i, Ended: history.NoCause})
	s.open[e.Node] = len(s.list)
}

func (s *spans) end(i int32, e *history.Event, over bool) {
	if n := s.open[e.Node]; n > 0 {
		at := &s.list[n-1]
		at.To, at.Ended, at.Over = e.At, i, over
		s.open[e.Node] = 0
	}
}

// Frozen returns the freeze of a process at an instant, if the process ran again afterwards, or
// nil.
func (t *Timeline) Frozen(id history.NodeID, at history.Instant) *Span {
	for i := range t.Freezes {
		if s := &t.Freezes[i]; s.Node == id && s.Over && s.From <= at && at <= s.To {
			return s
		}
	}
	return nil
}

// FreezeAt returns the freeze that begins with an event, or the zero Span.
func (t *Timeline) FreezeAt(i int32) Span {
	n, found := slices.BinarySearchFunc(t.Freezes, i, func(s Span, i int32) int { return cmp.Compare(s.Began, i) })
	if !found {
		return Span{}
	}
	return t.Freezes[n]
}

// Level is how many clients believe that they hold the lock, from an instant on.
type Level struct {
	At     history.Instant
	Inside int
}

// Levels returns the number of clients inside over time, the probe included.
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

// MostInside returns how many clients believed at once at most.
func (t *Timeline) MostInside() (most int) {
	for _, l := range t.Levels() {
		most = max(most, l.Inside)
	}
	return most
}
