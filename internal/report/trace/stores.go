package trace

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// grantTrack shows the entries of one owner on one server.
type grantTrack struct {
	*track
	node, owner history.NodeID
	open        []grantOpen
	lost        []grantOpen // lost in a crash of the server; a restart may bring them back
}

// grantOpen is an entry that exists.
type grantOpen struct {
	key   history.TextID
	since history.Instant
	args  string
}

// grantsOf returns the track for a server and an owner, nil for a server that is not in the header.
func (w *traceRun) grantsOf(node, owner history.NodeID) *grantTrack {
	if w.node(node) == nil {
		return nil
	}
	for _, g := range w.grants {
		if g.node == node && g.owner == owner {
			return g
		}
	}
	name := fmt.Sprintf("%s: entry of %s", sanitize.Text(w.h.Name(node), sanitize.MaxName), sanitize.Text(w.h.Name(owner), sanitize.MaxName))
	g := &grantTrack{track: w.track(w.stores, name), node: node, owner: owner}
	w.grants = append(w.grants, g)
	return g
}

// holding finds an open entry. In a cluster it may end on another member than the one that created it.
func (w *traceRun) holding(e *history.Event) (*grantTrack, int) {
	for _, here := range []bool{true, false} {
		for _, g := range w.grants {
			if g.owner != e.Owner || (g.node == e.Node) != here {
				continue
			}
			for i := range g.open {
				if g.open[i].key == e.Text {
					return g, i
				}
			}
		}
	}
	return nil, 0
}

// grant draws the changes of a server's entries.
func (w *traceRun) grant(e *history.Event) bool {
	switch e.Kind {
	case history.Granted, history.Replicated:
		if g := w.grantsOf(e.Node, e.Owner); g != nil {
			args := members(`"key":`+w.quote(w.h.Text(e.Text)), lasts(e.Value))
			g.open = append(g.open, grantOpen{e.Text, e.At, args})
		}
	case history.Extended:
		if g, _ := w.holding(e); g != nil {
			args := members(`"by":`+w.quote(w.h.Name(e.Peer)), lasts(e.Value))
			w.draw(g.track, slice{ph: 'i', from: e.At, to: e.At, name: `"extended"`, args: args})
		}
	case history.Removed:
		w.over(e, "removed by "+w.h.Name(e.Peer))
	case history.Expired:
		w.over(e, "expired")
	case history.Forgotten:
		w.over(e, "forgotten")
		for _, g := range w.grants {
			if g.node == e.Node && g.owner == e.Owner {
				g.lost = slices.DeleteFunc(g.lost, func(o grantOpen) bool { return o.key == e.Text })
			}
		}
	default:
		return false
	}
	return true
}

// lasts is the member for a time to live, in microseconds; "" without one.
func lasts(nanos int64) string {
	if nanos <= 0 {
		return ""
	}
	return `"lasts_us":` + strconv.FormatInt(nanos/1000, 10)
}

func (w *traceRun) over(e *history.Event, how string) {
	if g, i := w.holding(e); g != nil {
		w.close(g, i, e.At, how)
	}
}

// close ends the i-th open entry of a track.
func (w *traceRun) close(g *grantTrack, i int, at history.Instant, how string) {
	o := g.open[i]
	g.open = slices.Delete(g.open, i, i+1)
	w.draw(g.track, slice{ph: 'X', from: o.since, to: at, name: `"has an entry"`, args: w.ended(o.args, how)})
}

func (w *traceRun) closeAll(g *grantTrack, at history.Instant, how string) {
	for len(g.open) > 0 {
		w.close(g, 0, at, how)
	}
}

// restart restores the entries that a server has not forgotten.
func (w *traceRun) restart(e *history.Event) {
	for _, g := range w.grants {
		if g.node != e.Node {
			continue
		}
		for _, o := range g.lost {
			o.since = e.At
			g.open = append(g.open, o)
		}
		g.lost = nil
	}
}

// addFaults draws the active time of each fault on a track of its own, and the phases of the run.
func (w *traceRun) addFaults() {
	tracks := map[int64]*track{}
	for _, f := range w.h.Header.Faults {
		tracks[int64(f.Number)] = w.track(w.faults, fmt.Sprintf("fault %d: %s", f.Number, faults.Told(f.Values, f.Text).In(say.English)))
	}
	for _, s := range bundle.FaultSpans(w.h) {
		tr := tracks[s.Fault]
		if tr == nil || s.Fault == 0 { // a server that is down has this on its own track
			continue
		}
		args := ""
		if s.Node != 0 {
			args = `"on":` + w.quote(w.h.Name(s.Node))
		}
		w.draw(tr, slice{ph: 'X', from: s.From, to: s.To, name: fmt.Sprintf(`"fault %d"`, s.Fault), args: args})
	}
	run := w.track(w.faults, "run")
	for _, e := range w.h.Each(history.Healed, history.CutShort) {
		name := "all faults that end are over"
		if e.Kind == history.CutShort {
			name = "the run is cut short"
		}
		w.draw(run, slice{ph: 'i', from: e.At, to: e.At, name: w.quote(name)})
	}
	if w.scope.notice != "" {
		w.draw(run, slice{ph: 'i', from: w.scope.from, to: w.scope.from, name: jsonString(w.scope.notice, sanitize.MaxLine)})
	}
}

// addViolations marks where properties break.
func (w *traceRun) addViolations(findings []checker.Finding) {
	tr := w.track(w.faults, "violations")
	for i := range findings {
		f := &findings[i]
		name := w.quote(f.Property + " broken")
		for _, v := range f.Violations {
			at := max(v.From, 0)
			args := `"until_us":` + micros(int64(max(v.To, at)))
			for n, id := range v.Clients {
				args = members(args, fmt.Sprintf(`"client_%d":%s`, n+1, w.quote(w.h.Name(id))))
			}
			w.draw(tr, slice{ph: 'i', from: at, to: at, name: name, args: args})
		}
	}
}

// skewStep is the least change of a clock's offset that is drawn.
const skewStep = int64(time.Millisecond)

// addCounters draws the number of clients inside, the highest token that the resource has seen, and
// the offsets of the clocks.
func (w *traceRun) addCounters() {
	clients, stores := w.track(w.clients, "counters"), w.track(w.stores, "counters")
	counter := func(tr *track, at history.Instant, name, key string, value string) {
		w.draw(tr, slice{ph: 'C', from: at, to: at, name: w.quote(name), args: `"` + key + `":` + value})
	}
	for _, l := range w.h.Levels() {
		counter(clients, l.At, "holders", "inside", strconv.Itoa(l.Inside))
	}
	highest := int64(0)
	shown := make([]int64, len(w.nodes)) // by NodeID: the skew in nanoseconds
	for _, e := range w.h.All() {
		switch e.Kind {
		case history.ReadDone, history.WriteAccepted, history.WriteRefused:
			if e.Token > highest {
				highest = e.Token
				counter(stores, e.At, "token", "highest seen", strconv.FormatInt(highest, 10))
			}
		}
		if w.node(e.Node) == nil || e.Clock == 0 {
			continue
		}
		off := e.Clock - int64(e.At)
		if d := off - shown[e.Node]; d >= skewStep || d <= -skewStep {
			shown[e.Node] = off
			tr := stores
			if w.nodes[e.Node].believes != nil {
				tr = clients
			}
			ms := micros(max(off, -off) / 1000)
			if off < 0 {
				ms = "-" + ms
			}
			counter(tr, e.At, "skew of "+sanitize.Text(w.h.Name(e.Node), sanitize.MaxName), "ms", ms)
		}
	}
}
