package trace

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
)

// grantTrack shows the entries of one owner on one server.
type grantTrack struct {
	*track
	node, owner history.NodeID
	open        []grantOpen
	lost        []grantOpen // went with the server's crash; a restart may bring them back
}

// grantOpen is an entry that exists.
type grantOpen struct {
	key   history.TextID
	since history.Instant
	args  string
}

// grantsOf returns the track for a server and an owner, nil when the header does
// not know the server.
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

// holding finds an open entry. One of a cluster may end on another member than
// the one that created it.
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

// grant draws what a server's entries say.
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
			for i := len(g.lost) - 1; i >= 0; i-- {
				if g.node == e.Node && g.owner == e.Owner && g.lost[i].key == e.Text {
					g.lost = append(g.lost[:i], g.lost[i+1:]...)
				}
			}
		}
	default:
		return false
	}
	return true
}

// lasts is a time to live, in microseconds.
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
	g.open = append(g.open[:i], g.open[i+1:]...)
	name := `"has an entry"`
	w.draw(g.track, slice{ph: 'X', from: o.since, to: at, name: name, args: w.ended(o.args, how)})
}

// restart brings back the entries that a server has not forgotten.
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

// addFaults draws when which fault was at work, one track per fault.
func (w *traceRun) addFaults() {
	tracks := map[int64]*track{}
	for _, f := range w.h.Header.Faults {
		tracks[int64(f.Number)] = w.track(w.faults, fmt.Sprintf("fault %d: %s", f.Number, cmp.Or(f.Told, f.Text)))
	}
	for _, s := range bundle.FaultSpans(w.h) {
		tr := tracks[s.Fault]
		if tr == nil || s.Label == "down" { // the latter stands on the track of its server
			continue
		}
		args := ""
		if s.Node != 0 {
			args = `"on":` + w.quote(w.h.Name(s.Node))
		}
		w.draw(tr, slice{ph: 'X', from: s.From, to: s.To, name: w.quote(s.Label), args: args})
	}
	run := w.track(w.faults, "run")
	for _, e := range w.h.Each(history.Healed, history.CutShort) {
		name := "all faults are over"
		if e.Kind == history.CutShort {
			name = "the run is cut short"
		}
		w.draw(run, slice{ph: 'i', from: e.At, to: e.At, name: w.quote(name)})
	}
	if w.scope.notice != "" {
		w.draw(run, slice{ph: 'i', from: w.scope.from, to: w.scope.from, name: jsonString(sanitize.Text(w.scope.notice, sanitize.MaxLine))})
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
			args := `"until_us":` + string(appendTraceTime(nil, int64(max(v.To, at))))
			for n, id := range v.Clients {
				args = members(args, fmt.Sprintf(`"client_%d":%s`, n+1, w.quote(w.h.Name(id))))
			}
			w.draw(tr, slice{ph: 'i', from: at, to: at, name: name, args: args})
		}
	}
}

// skewStep is how far a clock has to move against true time to be drawn again.
const skewStep = int64(time.Millisecond)

// addCounters draws how many clients are inside, the highest token that the
// resource has seen, and how far the clocks are off.
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
			ms := string(appendTraceTime(nil, max(off, -off)/1000))
			if off < 0 {
				ms = "-" + ms
			}
			counter(tr, e.At, "skew of "+sanitize.Text(w.h.Name(e.Node), sanitize.MaxName), "ms", ms)
		}
	}
}
