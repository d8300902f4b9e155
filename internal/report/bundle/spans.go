package bundle

import (
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Span is a stretch of true time that a figure shades or marks.
type Span struct {
	From, To history.Instant
	Node     history.NodeID
	Fault    int64 // number of the fault; 0 for a server that is down
}

// FaultSpans lists the active time of each fault, from its beginning to its end, and the time in
// which each server was down. A fault without duration has an instant.
func FaultSpans(t *timeline.Timeline) []Span {
	var spans []Span
	var open []int // indices into spans
	begin := func(s Span) {
		open = append(open, len(spans))
		spans = append(spans, s)
	}
	end := func(fault int64, down history.NodeID, at history.Instant) {
		for n, i := range open {
			if s := &spans[i]; s.Fault == fault && (fault != 0 || s.Node == down) {
				s.To = at
				open = slices.Delete(open, n, n+1)
				return
			}
		}
	}
	for _, e := range t.Each(history.FaultBegan, history.FaultEnded, history.Crashed, history.Promoted, history.Restarted) {
		switch e.Kind {
		case history.FaultBegan:
			begin(Span{From: e.At, To: e.At, Node: e.Node, Fault: e.Value})
		case history.Crashed:
			if t.Role(e.Node) == history.RoleStore {
				begin(Span{From: e.At, To: e.At, Node: e.Node})
			}
		case history.FaultEnded:
			end(e.Value, 0, e.At)
		case history.Promoted:
			end(0, e.Peer, e.At)
		case history.Restarted:
			end(0, e.Node, e.At)
		}
	}
	return spans
}

// Shades are the spans that a figure shades behind its curve: active faults and freezes.
func Shades(t *timeline.Timeline) []Span {
	freeze := func(s timeline.Span) Span { return Span{s.From, s.To, s.Node, s.Fault} }
	return append(FaultSpans(t), each.Map(t.Freezes, freeze)...)
}

// ViolationSpans lists the spans of all violations.
func ViolationSpans(findings []checker.Finding) []Span {
	var spans []Span
	for _, f := range findings {
		for _, v := range f.Violations {
			spans = append(spans, Span{From: v.From, To: v.To})
		}
	}
	return spans
}
