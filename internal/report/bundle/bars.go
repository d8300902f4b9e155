package bundle

import "lockstep/internal/history"

// Bar is a stretch of rows in the column of a node.
type Bar struct {
	Node  history.NodeID // whose column
	Owner history.NodeID // whose colour
	From  int32          // event
	To    int32          // event, or NoCause when the history ended first
	Lane  int            // 0, 1, ...: bars of one column that overlap lie side by side
}

// Bars are the three kinds of bars of a history: what clients believe, what
// stores have, and when processes are frozen.
type Bars struct {
	h                        *history.History
	Beliefs, Grants, Freezes []Bar

	believing, frozen []int       // by NodeID: index of the open bar plus one
	open              []openGrant // grants that have not ended
}

type openGrant struct {
	node, owner history.NodeID
	key         history.TextID
	bar         int
}

// BarsOf follows a history for its bars.
func BarsOf(h *history.History) *Bars {
	n := len(h.Header.Nodes) + 1
	b := &Bars{h: h, believing: make([]int, n), frozen: make([]int, n)}
	for i := range h.Events {
		if e := &h.Events[i]; int(e.Node) < n {
			b.grant(int32(i), e)
			b.process(int32(i), e)
		}
	}
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
		b.Freezes = append(b.Freezes, Bar{Node: e.Node, From: i, To: history.NoCause})
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

// grant follows the entries of the stores.
func (b *Bars) grant(i int32, e *history.Event) {
	switch e.Kind {
	case history.Granted, history.Replicated:
		b.end(i, func(g *openGrant) bool { return g.node == e.Node && g.owner == e.Owner && g.key == e.Text })
		b.Grants = append(b.Grants, Bar{Node: e.Node, Owner: e.Owner, From: i, To: history.NoCause, Lane: b.lane(e.Node)})
		b.open = append(b.open, openGrant{e.Node, e.Owner, e.Text, len(b.Grants) - 1})
	case history.Removed, history.Expired, history.Forgotten:
		b.end(i, func(g *openGrant) bool {
			// A copy ends with its original; when, the history does not say.
			copied := b.h.Events[b.Grants[g.bar].From].Kind == history.Replicated
			return g.owner == e.Owner && g.key == e.Text && (g.node == e.Node || copied)
		})
	case history.Crashed:
		b.end(i, func(g *openGrant) bool { return g.node == e.Node })
	}
}

func (b *Bars) end(i int32, match func(g *openGrant) bool) {
	kept := b.open[:0]
	for _, g := range b.open {
		if match(&g) {
			b.Grants[g.bar].To = i
		} else {
			kept = append(kept, g)
		}
	}
	b.open = kept
}

// lane returns the first lane of a column that no open grant takes.
func (b *Bars) lane(node history.NodeID) int {
	for n := 0; ; n++ {
		taken := false
		for _, g := range b.open {
			taken = taken || (g.node == node && b.Grants[g.bar].Lane == n)
		}
		if !taken {
			return n
		}
	}
}
