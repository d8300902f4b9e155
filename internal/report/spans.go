package report

import (
	"fmt"
	"sort"

	"lockstep/internal/checker"
	"lockstep/internal/history"
)

// span is a stretch of true time that a figure shades or marks.
type span struct {
	from, to history.Instant
	node     history.NodeID
	fault    int64
	label    string
}

// faultSpans lists when which fault was at work: freezes, stretches between the
// beginning and the end of a fault, and instants for faults that only strike.
func faultSpans(h *history.History) []span {
	var spans []span
	var open []int // indices into spans
	shut := func(match func(s *span) bool, at history.Instant) {
		for n, i := range open {
			if match(&spans[i]) {
				spans[i].to = at
				open = append(open[:n], open[n+1:]...)
				return
			}
		}
	}
	for i := range h.Events {
		e := &h.Events[i]
		switch e.Kind {
		case history.FaultBegan:
			spans = append(spans, span{from: e.At, to: e.At, node: e.Node, fault: e.Value, label: fmt.Sprintf("fault %d", e.Value)})
			open = append(open, len(spans)-1)
		case history.Crashed:
			if h.Role(e.Node) == history.RoleStore {
				spans = append(spans, span{from: e.At, to: e.At, node: e.Node, label: "down"})
				open = append(open, len(spans)-1)
			}
		case history.FaultEnded:
			shut(func(s *span) bool { return s.fault == e.Value && s.label != "down" }, e.At)
		case history.Promoted:
			shut(func(s *span) bool { return s.label == "down" && s.node == e.Peer }, e.At)
		case history.Restarted:
			shut(func(s *span) bool { return s.label == "down" && s.node == e.Node }, e.At)
		}
	}
	return spans
}

// frozenSpans lists the freezes of processes.
func frozenSpans(h *history.History) []span {
	var spans []span
	for i := range h.Events {
		e := &h.Events[i]
		switch e.Kind {
		case history.Froze:
			spans = append(spans, span{from: e.At, to: h.End(), node: e.Node, fault: e.Value})
		case history.Thawed, history.Crashed:
			for n := len(spans) - 1; n >= 0; n-- {
				if spans[n].node == e.Node {
					if spans[n].to == h.End() {
						spans[n].to = e.At
					}
					break
				}
			}
		}
	}
	return spans
}

// violationSpans lists where properties broke.
func violationSpans(findings []checker.Finding) []span {
	var spans []span
	for _, f := range findings {
		for _, v := range f.Violations {
			spans = append(spans, span{from: v.From, to: v.To, label: f.Property})
		}
	}
	return spans
}

// level is how many clients believed from an instant on.
type level struct {
	at     history.Instant
	inside int
}

// levels returns how the number of clients inside changes over time. The probe
// counts like any other client.
func levels(h *history.History) []level {
	out := []level{{}}
	inside := make([]bool, len(h.Header.Nodes)+1)
	now := 0
	for i := range h.Events {
		e := &h.Events[i]
		if int(e.Node) >= len(inside) {
			continue
		}
		switch e.Kind {
		case history.Acquired:
			if inside[e.Node] {
				continue
			}
			inside[e.Node] = true
			now++
		case history.Releasing, history.LostLease, history.Crashed:
			if !inside[e.Node] {
				continue
			}
			inside[e.Node] = false
			now--
		default:
			continue
		}
		out = append(out, level{e.At, now})
	}
	return append(out, level{h.End(), now})
}

func most(ls []level) int {
	n := 0
	for _, l := range ls {
		n = max(n, l.inside)
	}
	return n
}

// thin keeps the shape of a long curve with at most about n points: within one
// slot of time only the extremes stay.
func thin(ls []level, n int) []level {
	if len(ls) <= n || ls[len(ls)-1].at <= 0 {
		return ls
	}
	slots := int64(n / 3)
	end := int64(ls[len(ls)-1].at)
	slot := func(l level) int64 { return int64(float64(l.at) / float64(end) * float64(slots)) }
	var out []level
	for i := 0; i < len(ls); {
		low, high, j := ls[i], ls[i], i
		for ; j < len(ls) && slot(ls[j]) == slot(ls[i]); j++ {
			if ls[j].inside < low.inside {
				low = ls[j]
			}
			if ls[j].inside > high.inside {
				high = ls[j]
			}
		}
		last := ls[j-1]
		if low.at > high.at {
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

func sortSpans(spans []span) {
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
}
