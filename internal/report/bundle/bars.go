package bundle

import (
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Bar is a stretch of rows in the column of a node.
type Bar struct {
	Node  history.NodeID // whose column
	Owner history.NodeID // whose colour
	From  int32          // event
	To    int32          // event, or NoCause when the history ended first
	Lane  int            // 0, 1, ...: bars of one column that overlap lie side by side
	Copy  bool           // of a grant: on a server that answers no client, such as a replica
	Fault int64          // of a fault span: the number of the fault
	Cut   bool           // of a fault span: the node is cut off from others
}

// Bars are the stretches of a history, each with the node that it belongs to: what clients
// believe, what stores have, when processes are frozen, and which nodes other faults hit. The steps
// of the story say the same: see TestPictureAndStory in the package of the run's page.
type Bars struct {
	Beliefs, Grants, Freezes, FaultSpans []Bar
	Timeline                             *timeline.Timeline // what they are bars of
}

// BarsOf are the bars of a history.
func BarsOf(t *timeline.Timeline) *Bars {
	b := &Bars{Timeline: t, FaultSpans: faultSpansOf(t)}
	for _, h := range t.Holds {
		b.Beliefs = append(b.Beliefs, Bar{Node: h.Client, Owner: h.Client, From: h.StartEvent, To: h.EndEvent})
	}
	for _, s := range t.Freezes {
		b.Freezes = append(b.Freezes, Bar{Node: s.Node, From: s.Began, To: s.Ended, Fault: s.Fault})
	}
	b.grants()
	return b
}

// grants takes what the servers have from the story, and puts what overlaps side by side.
func (b *Bars) grants() {
	var open []int // indices of the bars that go on
	for _, held := range b.Timeline.Stored() {
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
