package bundle

import (
	"lockstep/internal/explain"
	"lockstep/internal/history"
)

// Bar is a stretch of rows in the column of a node.
type Bar struct {
	Node  history.NodeID // whose column
	Owner history.NodeID // whose colour
	From  int32          // event
	To    int32          // event, or NoCause when the history ended first
	Lane  int            // 0, 1, ...: bars of one column that overlap lie side by side
	Copy  bool           // of a grant: on a server that answers nobody, such as a replica
	Fault int64          // of a strike: the number of the fault
	Cut   bool           // of a strike: the node is cut off from others
}

// Bars are the stretches of a history, each with the node that it belongs to: what clients
// believe, what stores have, when processes are frozen, and whom other faults strike. The steps
// of the story say the same: see TestPictureAndStory in the package of the run's page.
type Bars struct {
	Beliefs, Grants, Freezes, Strikes []Bar

	h                 *history.History
	believing, frozen []int // by NodeID: index of the open bar plus one
}

// BarsOf follows a history for its bars.
func BarsOf(h *history.History) *Bars {
	n := len(h.Header.Nodes) + 1
	b := &Bars{h: h, believing: make([]int, n), frozen: make([]int, n)}
	s := strikes{h: h}
	for i := range h.Events {
		if e := &h.Events[i]; int(e.Node) < n {
			b.process(int32(i), e)
			s.take(int32(i), e)
		}
	}
	b.Strikes = s.bars
	b.grants()
	return b
}

// process follows the beliefs and freezes of a node.
func (b *Bars) process(i int32, e *history.Event) {
	switch e.Kind {
	case history.Acquired:
		shut(b.Beliefs, b.believing, e.Node, i)
		b.Beliefs = append(b.Beliefs, Bar{Node: e.Node, Owner: e.Node, From: i, To: history.NoCause})
		b.believing[e.Node] = len(b.Beliefs)
	case history.Releasing, history.LostLease:
		shut(b.Beliefs, b.believing, e.Node, i)
	case history.Froze:
		b.Freezes = append(b.Freezes, Bar{Node: e.Node, From: i, To: history.NoCause, Fault: e.Value})
		b.frozen[e.Node] = len(b.Freezes)
	case history.Thawed:
		shut(b.Freezes, b.frozen, e.Node, i)
	case history.Crashed:
		shut(b.Beliefs, b.believing, e.Node, i)
		shut(b.Freezes, b.frozen, e.Node, i)
	}
}

// shut ends the open bar of a node, if there is one.
func shut(list []Bar, open []int, node history.NodeID, i int32) {
	if n := open[node]; n > 0 {
		list[n-1].To = i
		open[node] = 0
	}
}

// grants takes what the servers have from the story, and puts what overlaps side by side.
func (b *Bars) grants() {
	var open []int // indices of the bars that go on
	for _, held := range explain.Holds(b.h) {
		kept, taken := open[:0], 0 // a bit for each lane
		for _, k := range open {
			other := &b.Grants[k]
			if other.To != history.NoCause && other.To <= held.From {
				continue
			}
			kept = append(kept, k)
			if other.Node == held.Node && other.Lane < 31 {
				taken |= 1 << other.Lane
			}
		}
		lane := 0
		for taken&(1<<lane) != 0 {
			lane++
		}
		open = append(kept, len(b.Grants))
		b.Grants = append(b.Grants, Bar{Node: held.Node, Owner: held.Owner, Copy: held.Copy, From: held.From, To: held.To, Lane: lane})
	}
}
