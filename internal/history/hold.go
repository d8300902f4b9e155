package history

// HoldEnd says how a hold interval ended.
type HoldEnd uint8

// How holds end.
const (
	HoldOpen     HoldEnd = iota // the history ended first
	HoldReleased                // the client invoked release
	HoldLost                    // the design told the client that its lock was lost
	HoldCrashed                 // the client's process died
	HoldRenewed                 // the client acquired again without a release
)

// Hold is a hold interval: the time in which one client believed that it held the lock. It starts
// when acquire returned success, and ends when the client invoked release, was told of the loss, or
// died.
type Hold struct {
	Client     NodeID
	Start, End Instant
	StartEvent int32 // index of the Acquired event
	EndEvent   int32 // index of the event that ended it, or NoCause for HoldOpen
	How        HoldEnd
}

// Holds returns all hold intervals in the order of their starts. It is O(n).
func Holds(h *History) (holds []Hold) {
	var openBuf [64]int32 // by NodeID: index into holds plus one; 0 when the client holds nothing
	open := openBuf[:]
	if n := len(h.Header.Nodes) + 1; n > len(open) {
		open = make([]int32, n)
	}
	end := func(client NodeID, at Instant, event int32, how HoldEnd) {
		if int(client) >= len(open) || open[client] == 0 {
			return
		}
		hold := &holds[open[client]-1]
		hold.End, hold.EndEvent, hold.How = at, event, how
		open[client] = 0
	}
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		switch e.Kind {
		case Acquired:
			if int(e.Node) >= len(open) {
				continue // no such client
			}
			end(e.Node, e.At, i, HoldRenewed)
			holds = append(holds, Hold{Client: e.Node, Start: e.At, StartEvent: i, EndEvent: NoCause})
			open[e.Node] = int32(len(holds))
		case Releasing:
			end(e.Node, e.At, i, HoldReleased)
		case LostLease:
			end(e.Node, e.At, i, HoldLost)
		case Crashed:
			end(e.Node, e.At, i, HoldCrashed)
		}
	}
	for i := range holds {
		if holds[i].EndEvent == NoCause {
			holds[i].End = h.End()
		}
	}
	return holds
}
