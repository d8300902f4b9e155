package report

import "lockstep/internal/history"

// bar is a stretch of rows in the column of a node.
type bar struct {
	node  history.NodeID // whose column
	owner history.NodeID // whose colour
	from  int32          // event
	to    int32          // event, or NoCause when the history ended first
	lane  int            // 0, 1, ...: bars of one column that overlap lie side by side
}

// bars are the three kinds of bars of a history: what clients believe, what
// stores have, and when processes are frozen.
type bars struct {
	h                        *history.History
	beliefs, grants, freezes []bar

	believing, frozen []int       // by NodeID: index of the open bar plus one
	open              []openGrant // grants that have not ended
}

type openGrant struct {
	node, owner history.NodeID
	key         history.TextID
	bar         int
}

func barsOf(h *history.History) *bars {
	n := len(h.Header.Nodes) + 1
	b := &bars{h: h, believing: make([]int, n), frozen: make([]int, n)}
	for i := range h.Events {
		if e := &h.Events[i]; int(e.Node) < n {
			b.grant(int32(i), e)
			b.process(int32(i), e)
		}
	}
	return b
}

// process follows the beliefs and freezes of a node.
func (b *bars) process(i int32, e *history.Event) {
	switch e.Kind {
	case history.Acquired:
		shut(b.beliefs, b.believing, e.Node, i)
		b.beliefs = append(b.beliefs, bar{node: e.Node, owner: e.Node, from: i, to: history.NoCause})
		b.believing[e.Node] = len(b.beliefs)
	case history.Releasing, history.LostLease:
		shut(b.beliefs, b.believing, e.Node, i)
	case history.Froze:
		b.freezes = append(b.freezes, bar{node: e.Node, from: i, to: history.NoCause})
		b.frozen[e.Node] = len(b.freezes)
	case history.Thawed:
		shut(b.freezes, b.frozen, e.Node, i)
	case history.Crashed:
		shut(b.beliefs, b.believing, e.Node, i)
		shut(b.freezes, b.frozen, e.Node, i)
	}
}

// shut ends the open bar of a node, if there is one.
func shut(list []bar, open []int, node history.NodeID, i int32) {
	if n := open[node]; n > 0 {
		list[n-1].to = i
		open[node] = 0
	}
}

// grant follows the entries of the stores.
func (b *bars) grant(i int32, e *history.Event) {
	switch e.Kind {
	case history.Granted, history.Replicated:
		b.end(i, func(g *openGrant) bool { return g.node == e.Node && g.owner == e.Owner && g.key == e.Text })
		b.grants = append(b.grants, bar{node: e.Node, owner: e.Owner, from: i, to: history.NoCause, lane: b.lane(e.Node)})
		b.open = append(b.open, openGrant{e.Node, e.Owner, e.Text, len(b.grants) - 1})
	case history.Removed, history.Expired, history.Forgotten:
		b.end(i, func(g *openGrant) bool {
			// A copy ends with its original; when, the history does not say.
			copied := b.h.Events[b.grants[g.bar].from].Kind == history.Replicated
			return g.owner == e.Owner && g.key == e.Text && (g.node == e.Node || copied)
		})
	case history.Crashed:
		b.end(i, func(g *openGrant) bool { return g.node == e.Node })
	}
}

func (b *bars) end(i int32, match func(g *openGrant) bool) {
	kept := b.open[:0]
	for _, g := range b.open {
		if match(&g) {
			b.grants[g.bar].to = i
		} else {
			kept = append(kept, g)
		}
	}
	b.open = kept
}

// lane returns the first lane of a column that no open grant takes.
func (b *bars) lane(node history.NodeID) int {
	for n := 0; ; n++ {
		taken := false
		for _, g := range b.open {
			taken = taken || (g.node == node && b.grants[g.bar].lane == n)
		}
		if !taken {
			return n
		}
	}
}
