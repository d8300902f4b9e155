package bundle

import (
	"fmt"
	"sort"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Span is a stretch of true time that a figure shades or marks.
type Span struct {
	From, To history.Instant
	Node     history.NodeID
	Fault    int64
	Label    string
}

// FaultSpans lists when which fault was at work: freezes, stretches between the
// beginning and the end of a fault, and instants for faults that only strike.
func FaultSpans(t *timeline.Timeline) []Span {
	var spans []Span
	var open []int // indices into spans
	shut := func(match func(s *Span) bool, at history.Instant) {
		for n, i := range open {
			if match(&spans[i]) {
				spans[i].To = at
				open = append(open[:n], open[n+1:]...)
				return
			}
		}
	}
	for _, e := range t.Each(history.FaultBegan, history.FaultEnded, history.Crashed, history.Promoted, history.Restarted) {
		switch e.Kind {
		case history.FaultBegan:
			spans = append(spans, Span{From: e.At, To: e.At, Node: e.Node, Fault: e.Value, Label: fmt.Sprintf("fault %d", e.Value)})
			open = append(open, len(spans)-1)
		case history.Crashed:
			if t.Role(e.Node) == history.RoleStore {
				spans = append(spans, Span{From: e.At, To: e.At, Node: e.Node, Label: "down"})
				open = append(open, len(spans)-1)
			}
		case history.FaultEnded:
			shut(func(s *Span) bool { return s.Fault == e.Value && s.Label != "down" }, e.At)
		case history.Promoted:
			shut(func(s *Span) bool { return s.Label == "down" && s.Node == e.Peer }, e.At)
		case history.Restarted:
			shut(func(s *Span) bool { return s.Label == "down" && s.Node == e.Node }, e.At)
		}
	}
	return spans
}

// Shades are the spans that a figure over time has behind its curve: faults at work, and freezes.
func Shades(t *timeline.Timeline) []Span {
	spans := FaultSpans(t)
	for _, s := range t.Freezes {
		spans = append(spans, Span{From: s.From, To: s.To, Node: s.Node, Fault: s.Fault})
	}
	return spans
}

// ViolationSpans lists where properties broke.
func ViolationSpans(findings []checker.Finding) []Span {
	var spans []Span
	for _, f := range findings {
		for _, v := range f.Violations {
			spans = append(spans, Span{From: v.From, To: v.To, Label: f.Property})
		}
	}
	return spans
}

// Thin keeps the shape of a long curve with at most about n points: within one
// slot of time only the extremes stay.
func Thin(ls []timeline.Level, n int) []timeline.Level {
	if len(ls) <= n || ls[len(ls)-1].At <= 0 {
		return ls
	}
	slots := int64(n / 3)
	end := int64(ls[len(ls)-1].At)
	slot := func(l timeline.Level) int64 { return int64(float64(l.At) / float64(end) * float64(slots)) }
	var out []timeline.Level
	for i := 0; i < len(ls); {
		low, high, j := ls[i], ls[i], i
		for ; j < len(ls) && slot(ls[j]) == slot(ls[i]); j++ {
			if ls[j].Inside < low.Inside {
				low = ls[j]
			}
			if ls[j].Inside > high.Inside {
				high = ls[j]
			}
		}
		last := ls[j-1]
		if low.At > high.At {
			low, high = high, low
		}
		out = append(out, low)
		if high != low {
			out = append(out, high)
		}
		if last != low && last != high {
			out = append(out, last)
		}
		i = j
	}
	return out
}

// SortSpans sorts spans by when they begin.
func SortSpans(spans []Span) {
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].From < spans[j].From })
}
