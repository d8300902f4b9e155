package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/timeline"
)

// slice is a stretch of true time on a track ('X'), an instant ('i') or a value
// of a counter ('C').
type slice struct {
	ph       byte
	depth    uint8 // see nests
	from, to history.Instant
	name     string   // as JSON
	args     string   // the members of a JSON object
	flows    [2]int64 // arrows that end and begin here; 0: none
}

// The depths of slices. A request lies inside the wait or the work that it serves, but never inside
// another request, which would look like its cause.
const (
	depthSection = iota // waiting, inside, releasing
	depthAgain          // a re-entrant acquisition
	depthRequest        // a request, a write, a reply
	depthFrozen         // the process is frozen
)

// track is one line of the picture before its slices are spread over lanes.
type track struct {
	pid    int
	name   string
	slices []slice
}

// place gives every slice of a track a lane in which it nests, and every lane a number. Empty
// tracks are left out.
func (t *trace) place(tr *track) {
	if len(tr.slices) == 0 {
		return
	}
	slices.SortStableFunc(tr.slices, func(x, y slice) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(y.to, x.to), cmp.Compare(x.depth, y.depth))
	})
	var lanes [][]*slice // per lane, the slices that are open
	first := firstTID + t.tids
	for i := range tr.slices {
		s, lane := &tr.slices[i], 0
		for ; lane < len(lanes); lane++ {
			if lanes[lane] = closeBefore(lanes[lane], s.from); nests(lanes[lane], s) {
				break
			}
		}
		if lane == len(lanes) {
			lanes = append(lanes, nil)
			t.lane(tr, lane, first+lane)
		}
		if s.ph == 'X' && s.to > s.from {
			lanes[lane] = append(lanes[lane], s)
		}
		t.out = append(t.out, traceItem{slice: *s, pid: tr.pid, tid: first + lane})
	}
	t.tids += len(lanes)
}

func closeBefore(open []*slice, at history.Instant) []*slice {
	for len(open) > 0 && open[len(open)-1].to <= at {
		open = open[:len(open)-1]
	}
	return open
}

// nests reports whether a slice lies within the innermost of the open ones.
func nests(open []*slice, s *slice) bool {
	if len(open) == 0 || s.ph != 'X' || s.to == s.from {
		return true
	}
	in := open[len(open)-1]
	return s.to <= in.to && (s.depth > in.depth || s.depth == depthAgain && in.depth == depthAgain)
}

// lane names a lane of a track.
func (t *trace) lane(tr *track, lane, tid int) {
	name := tr.name
	if lane > 0 {
		name = fmt.Sprintf("%s (%d)", name, lane+1)
	}
	t.meta = fmt.Appendf(t.meta, `{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":%s}},`+"\n", tr.pid, tid, t.quote(name))
	t.meta = fmt.Appendf(t.meta, `{"ph":"M","name":"thread_sort_index","pid":%d,"tid":%d,"args":{"sort_index":%d}},`+"\n", tr.pid, tid, tid)
}

// traceRun draws one run.
type traceRun struct {
	*trace
	h       *timeline.Timeline
	scope   traceScope
	clients int // the numbers of the processes
	stores  int
	faults  int
	nodes   []nodeTracks // by NodeID
	tracks  []*track     // in the order of the picture
	calls   []call       // by event, when messages are drawn
}

// nodeTracks are the tracks of one node, and its pending work.
type nodeTracks struct {
	does     *track
	believes *track
	open     [stateCount]stretch
	again    []stretch // re-entrant acquisitions, the innermost last
	requests []int32   // sent and unanswered
}

// stretch is a state of a node that has begun.
type stretch struct {
	open  bool
	since history.Instant
	args  string
}

// The states of a node.
const (
	stateWaiting = iota
	stateInside
	stateReleasing
	stateBelieves
	stateFrozen
	stateDown
	stateCount
)

var stateNames = [stateCount]string{
	`"waiting"`, `"inside"`, `"releasing"`, `"believes: mine"`, `"frozen"`, `"down"`,
}

func (w *traceRun) track(pid int, name string) *track {
	tr := &track{pid: pid, name: name}
	w.tracks = append(w.tracks, tr)
	return tr
}

func (w *traceRun) addNode(id history.NodeID) {
	name := sanitize.Text(w.h.Name(id), sanitize.MaxName)
	switch w.h.Role(id) {
	case history.RoleClient, history.RoleProbe:
		w.nodes[id].does = w.track(w.clients, name)
		w.nodes[id].believes = w.track(w.clients, name+" believes")
	default:
		w.nodes[id].does = w.track(w.stores, name)
	}
}

// node returns the tracks of a node, nil when the header does not know it.
func (w *traceRun) node(id history.NodeID) *nodeTracks {
	if id == 0 || int(id) >= len(w.nodes) {
		return nil
	}
	return &w.nodes[id]
}

// draw adds a slice unless it is outside the scope.
func (w *traceRun) draw(tr *track, s slice) {
	if tr == nil || s.to < w.scope.from || s.from > w.scope.to || s.to < s.from {
		return
	}
	tr.slices = append(tr.slices, s)
}

func (w *traceRun) mark(id history.NodeID, at history.Instant, name, args string) {
	if n := w.node(id); n != nil {
		w.draw(n.does, slice{ph: 'i', from: at, to: at, name: w.quote(name), args: args})
	}
}

// begin opens a state of a node.
func (w *traceRun) begin(id history.NodeID, state int, at history.Instant, args string) {
	if n := w.node(id); n != nil {
		w.end(id, state, at, "")
		n.open[state] = stretch{open: true, since: at, args: args}
	}
}

// end closes a state of a node, if it is open, and says how it ended.
func (w *traceRun) end(id history.NodeID, state int, at history.Instant, how string) {
	n := w.node(id)
	if n == nil || !n.open[state].open {
		return
	}
	s := n.open[state]
	n.open[state] = stretch{}
	tr, depth := n.does, uint8(depthSection)
	switch state {
	case stateBelieves:
		tr = n.believes
	case stateFrozen:
		depth = depthFrozen
	}
	w.draw(tr, slice{ph: 'X', depth: depth, from: s.since, to: at, name: stateNames[state], args: w.ended(s.args, how)})
}

func (w *traceRun) ended(args, how string) string {
	if how == "" {
		return args
	}
	return members(args, `"ended":`+w.quote(how))
}

func members(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ",")
}
