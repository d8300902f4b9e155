package bundle

import (
	"math/bits"
	"slices"

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
	Fault int64          // of a fault span or a freeze: the number of the fault
	Cut   bool           // of a fault span: the node is cut off from others
}

// Bars are the bars of a history: beliefs of clients, entries of stores, freezes, and the nodes hit
// by other faults. TestPictureAndStory in package runpage compares them with the steps of the
// story.
type Bars struct {
	Beliefs, Grants, Freezes, FaultSpans []Bar
	Timeline                             *timeline.Timeline // of the same history
}

// BarsOf collects the bars of a history.
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

// grants makes a bar of each stored entry, and gives those that overlap lanes side by side.
func (b *Bars) grants() {
	var open []int // indices of the bars that have not ended
	for _, held := range b.Timeline.Stored() {
		open = slices.DeleteFunc(open, func(k int) bool {
			return b.Grants[k].To != history.NoCause && b.Grants[k].To <= held.From
		})
		taken := uint32(0) // a bit for each lane
		for _, k := range open {
			if other := &b.Grants[k]; other.Node == held.Node && other.Lane < 31 {
				taken |= 1 << other.Lane
			}
		}
		open = append(open, len(b.Grants))
		b.Grants = append(b.Grants, Bar{
			Node: held.Node, Owner: held.Owner, Copy: held.Copy, From: held.From, To: held.To, Lane: bits.TrailingZeros32(^taken),
		})
	}
}
