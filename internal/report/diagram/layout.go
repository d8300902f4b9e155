package diagram

import (
	"math/bits"
	"time"

	"lockstep/internal/explain"
	"lockstep/internal/history"
)

// Layout places the events of a space-time diagram: a column per node, a row per event, in the
// order of the events, so events of the same instant do not overlap. The time between rows is
// warped. Long stretches without rows are folded, and so are rounds of commands to several servers.
type Layout struct {
	// Handles adds the index of the event to each message that arrived, for a page that can drag
	// it.
	Handles bool

	h       *history.History
	steps   []explain.Step
	lo, hi  int32   // range of events that is drawn
	Rows    []int32 // events that have a row
	y       []int   // by event minus lo: the row, 0 for none
	step    []int   // by event minus lo: number of the step, 0 for none
	root    []int32 // by event minus lo: the Sent event behind it, or NoCause
	columns []history.NodeID
	Folded  []history.NodeID // clients without a column
	x       []int            // by NodeID; 0: no column
	folds   []fold
	rounds  map[int32]*round // by row
	width   int
	height  int
	spacing int
	numbers []int // by step: the height of its number
}

// Measures of the diagram, in pixels.
const (
	gutter      = 84 // for times and step numbers; with three lanes it fits a phone
	headHeight  = 44
	stepNumberX = 70
	room        = 70 // on the right of the last column, for its labels
	narrow      = 80 // column spacing below which heads are small
	foldHeight  = 54
	stepPitch   = 24 // least distance of two numbered rows
	rowPitch    = 11 // least distance of two rows
	fewClients  = 10 // up to this number, each client with a step has a column
	mostClients = 6  // columns for more clients than that, each with its own colour
	maxColumns  = 16
)

// quietStretch is the least time without rows that is folded.
const quietStretch = 300 * time.Millisecond

// NewLayout lays out the part of a history that the steps tell; nil without steps. first and last
// say whether it includes the first and the last step of all.
func NewLayout(h *history.History, steps []explain.Step, first, last bool) *Layout {
	l := &Layout{h: h, steps: steps, hi: int32(len(h.Events)) - 1}
	if len(steps) == 0 || l.hi < 0 {
		return nil
	}
	if !last {
		l.hi = steps[len(steps)-1].Event
	}
	if !first {
		l.lo = l.causeOf(steps[0].Event)
	}
	n := int(l.hi-l.lo) + 1
	l.y, l.step, l.root = make([]int, n), make([]int, n), make([]int32, n)
	for i, s := range steps {
		l.step[s.Event-l.lo] = i + 1
	}
	l.chooseRows()
	l.chooseColumns()
	l.findRounds()
	l.placeRows()
	l.numberSteps()
	return l
}

// numberSteps places the numbers of the steps beside their rows, or below each other if rows are
// too close.
func (l *Layout) numberSteps() {
	l.numbers = make([]int, len(l.steps))
	last := 0
	for n, s := range l.steps {
		y := l.row(s.Event)
		if n > 0 {
			y = max(y, last+stepPitch-2)
		}
		l.numbers[n], last = y, y
	}
	l.height = max(l.height, last+22)
}

// causeOf follows causes back to a message.
func (l *Layout) causeOf(i int32) int32 {
	for range 8 {
		c := l.h.Events[i].Cause
		if c < 0 || c >= i {
			break
		}
		i = c
	}
	return i
}

// chooseRows picks the events to draw: the steps, the bounds of bars, and the messages of commands
// that changed something or were lost, late or without effect.
func (l *Layout) chooseRows() {
	wanted := make([]bool, len(l.root)) // by Sent event
	busy := make([]bool, len(l.h.Header.Nodes)+1)
	for i := l.lo; i <= l.hi; i++ {
		e := &l.h.Events[i]
		root := history.NoCause
		switch {
		case e.Kind == history.Sent:
			root = i
		case e.Cause >= l.lo && e.Cause < i:
			root = l.root[e.Cause-l.lo]
		}
		l.root[i-l.lo] = root
		if int(e.Node) < len(busy) {
			switch e.Kind {
			case history.Releasing:
				busy[e.Node] = true
			case history.Released, history.NotHeld, history.ReleaseFailed, history.Crashed:
				busy[e.Node] = false
			case history.Sent:
				wanted[i-l.lo] = wanted[i-l.lo] || busy[e.Node]
			}
		}
		if root >= 0 && (l.step[i-l.lo] > 0 || e.Kind == history.Granted || e.Kind == history.Removed) {
			wanted[root-l.lo] = true
		}
	}
	for i := l.lo; i <= l.hi; i++ {
		e := &l.h.Events[i]
		root := l.root[i-l.lo]
		show := l.step[i-l.lo] > 0 || bounds(e.Kind)
		switch e.Kind {
		case history.Sent, history.Executed, history.Replied, history.TimedOut:
			show = show || (root >= 0 && wanted[root-l.lo])
		case history.ReadDone:
			show = show || l.readMatters(i)
		}
		if l.h.Role(e.Node) == history.RoleProbe || l.h.Role(e.Peer) == history.RoleProbe || l.h.Role(e.Owner) == history.RoleProbe {
			show = l.step[i-l.lo] > 0
		}
		if show {
			l.Rows = append(l.Rows, i)
		}
	}
}

// bounds reports whether a bar begins or ends at such an event, or a write is drawn.
func bounds(k history.Kind) bool {
	switch k {
	case history.Acquired, history.Releasing, history.LostLease,
		history.Granted, history.Removed, history.Expired, history.Forgotten,
		history.Froze, history.Thawed, history.Crashed, history.Restarted, history.Promoted,
		history.WriteAccepted, history.WriteRefused, history.RequestDropped, history.ReplyDropped:
		return true
	}
	return false
}

// readMatters reports whether a later write in the drawn part was computed from the read at i.
func (l *Layout) readMatters(i int32) bool {
	client := l.h.Events[i].Peer
	for j := i + 1; j <= l.hi; j++ {
		e := &l.h.Events[j]
		if e.Peer != client {
			continue
		}
		switch e.Kind {
		case history.WriteAccepted:
			return e.Cause == i
		case history.ReadDone:
			return false
		}
	}
	return false
}

// placeRows places the rows from top to bottom. The distance of two rows grows slowly with the time
// between them.
func (l *Layout) placeRows() {
	y, lastStep := headHeight, 0
	before := l.h.Events[l.Rows[0]].At
	if l.lo == 0 {
		before = 0
	}
	for n := 0; n < len(l.Rows); n++ {
		i := l.Rows[n]
		e := &l.h.Events[i]
		gap := e.At.Sub(before)
		switch {
		case gap >= quietStretch:
			l.folds = append(l.folds, fold{y + foldHeight/2, before, e.At})
			y += foldHeight
		case n == 0:
			y += 22
		default:
			y += rowPitch + 2*bits.Len64(uint64(gap/time.Millisecond))
		}
		if e.Kind == history.Sent {
			y += 4 // its label is above the arrow
		}
		if l.step[i-l.lo] > 0 {
			y = max(y, lastStep+stepPitch)
			lastStep = y
		}
		l.y[i-l.lo] = y
		if r := l.rounds[i]; r != nil {
			l.placeRound(l.Rows[n:n+r.rows], y)
			n += r.rows - 1
			y += 2 * roundPitch
			e = &l.h.Events[l.Rows[n]]
		}
		before = e.At
	}
	l.height = y + 26
}

// row returns the height of an event's row, or of the next row below it; events outside the drawn
// part are at the edges.
func (l *Layout) row(i int32) int {
	if i < l.lo {
		return headHeight
	}
	for ; i <= l.hi; i++ {
		if y := l.y[i-l.lo]; y > 0 {
			return y
		}
	}
	return l.height - 8
}

func (l *Layout) shown(i int32) bool {
	return i >= l.lo && i <= l.hi && l.y[i-l.lo] > 0
}

// column returns the x of a node, 0 when it has no column.
func (l *Layout) column(id history.NodeID) int {
	if int(id) >= len(l.x) {
		return 0
	}
	return l.x[id]
}
