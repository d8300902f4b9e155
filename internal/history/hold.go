package history

// Hold is a hold interval: the time in which one client believed that it held the lock. It starts
// when acquire returned success, and ends when the client invoked release, learned of its loss, or
// died.
type Hold struct {
	Client     NodeID
	Start, End Instant
	StartEvent int32 // index of the Acquired event
	EndEvent   int32 // index of the event that ended it, or NoCause
	How        Kind  // of that event: Releasing, LostLease, Crashed, or Acquired once more; 0 when the history ended first
}

// Holds returns all hold intervals in the order of their starts. It is O(n).
func Holds(h *History) (holds []Hold) {
	open := make([]int32, len(h.Header.Nodes)+1) // by NodeID: index into holds plus one; 0 when the client holds nothing
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		switch e.Kind {
		case Acquired, Releasing, LostLease, Crashed:
		default:
			continue
		}
		if int(e.Node) >= len(open) {
			continue // no such client
		}
		if n := open[e.Node]; n > 0 {
			hold := &holds[n-1]
			hold.End, hold.EndEvent, hold.How = e.At, i, e.Kind
			open[e.Node] = 0
		}
		if e.Kind == Acquired {
			holds = append(holds, Hold{Client: e.Node, Start: e.At, StartEvent: i, EndEvent: NoCause})
			open[e.Node] = int32(len(holds))
		}
	}
	for i := range holds {
		if holds[i].EndEvent == NoCause {
			holds[i].End = h.End()
		}
	}
	return holds
}
