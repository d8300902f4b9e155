package bundle

import (
	"slices"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// faultSpans collects the faults that last and have no event of their own on the node, as a pause
// has the freeze, and a crash the death.
type faultSpans struct {
	t               *timeline.Timeline
	bars            []Bar
	holder, primary history.NodeID
}

// verbOf is the verb of a fault by its number; an empty one for an unknown one.
func verbOf(h *history.History, number int64) faults.Spec {
	verb, _ := faults.Lookup(h.Fault(number).Verb)
	return verb
}

func faultSpansOf(t *timeline.Timeline) []Bar {
	s := faultSpans{t: t}
	for i, e := range t.Each(
		history.Acquired, history.Promoted, history.FaultBegan, history.FaultEnded, history.Releasing, history.LostLease, history.Crashed,
	) {
		if int(e.Node) <= len(t.Header.Nodes) {
			s.take(i, e)
		}
	}
	return s.bars
}

func (s *faultSpans) take(i int32, e *history.Event) {
	switch e.Kind {
	case history.Acquired:
		s.holder = e.Node
	case history.Promoted:
		s.primary = e.Node
	case history.FaultBegan:
		s.begin(i, e)
	case history.FaultEnded:
		s.end(i, func(b *Bar) bool { return b.Fault == e.Value })
	case history.Releasing, history.LostLease, history.Crashed: // slow work is over
		s.end(i, func(b *Bar) bool {
			return b.Node == e.Node && verbOf(s.t.History, b.Fault).Acts == faults.SpanOfWork
		})
	}
}

func (s *faultSpans) begin(i int32, e *history.Event) {
	switch verb := verbOf(s.t.History, e.Value); {
	case verb.Acts == faults.SpanOfEvents:
	case e.Node != 0:
		s.bars = append(s.bars, Bar{Node: e.Node, From: i, To: history.NoCause, Fault: e.Value})
	default:
		for _, id := range s.cutOff(s.t.Fault(e.Value).Sides) {
			s.bars = append(s.bars, Bar{Node: id, From: i, To: history.NoCause, Fault: e.Value, Cut: true})
		}
	}
}

func (s *faultSpans) end(i int32, over func(b *Bar) bool) {
	for k := range s.bars {
		if b := &s.bars[k]; b.To == history.NoCause && over(b) {
			b.To = i
		}
	}
}

// cutOff lists the nodes that a fault cuts off from the others: its smallest side, the first of
// several.
func (s *faultSpans) cutOff(sides [][]string) []history.NodeID {
	var least []history.NodeID
	for _, side := range sides {
		var ids []history.NodeID
		for _, name := range side {
			ids = append(ids, s.named(name)...)
		}
		if len(ids) > 0 && (least == nil || len(ids) < len(least)) {
			least = ids
		}
	}
	slices.Sort(least)
	return slices.Compact(least)
}

// named resolves a name in a side of a fault: a node, or a group of nodes.
func (s *faultSpans) named(name string) (ids []history.NodeID) {
	primary := s.primary
	for k, n := range s.t.Header.Nodes {
		id := history.NodeID(k + 1)
		if primary == 0 && n.Role == history.RoleStore {
			primary = id // until another one is promoted
		}
		switch {
		case n.Name == name,
			name == faults.Sentinels && n.Role == history.RoleSentinel,
			name == faults.TheStore && n.Role == history.RoleStore,
			name == faults.TheReplicas && n.Role == history.RoleStore && id != primary,
			name == faults.ThePrimary && id == primary,
			(name == faults.TheHolder || name == faults.NextHolder) && id == s.holder:
			ids = append(ids, id)
		}
	}
	return ids
}
