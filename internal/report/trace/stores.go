package trace

import (
	"fmt"
	"strconv"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// addEntries draws what servers had, as the pictures of reports do: a track for each owner on each
// server, with the renewals as instants.
func (w *traceRun) addEntries() {
	tracks := map[[2]history.NodeID]*track{}
	of := func(node, owner history.NodeID) *track {
		pair := [2]history.NodeID{node, owner}
		if tracks[pair] == nil && w.node(node) != nil {
			name := func(id history.NodeID) string { return sanitize.Text(w.h.Name(id), sanitize.MaxName) }
			tracks[pair] = w.track(w.stores, name(node)+": entry of "+name(owner))
		}
		return tracks[pair]
	}
	for _, s := range w.h.Stored() {
		from, to, how := w.h.At(s.From), w.h.End(), "with the run"
		if e := w.h.At(s.To); e != nil {
			to, how = e.At, w.over(e)
		}
		what := `"has an entry"`
		if s.Copy {
			what = `"has a copy"`
		}
		args := members(`"key":`+w.quote(w.h.Text(s.Key)), lasts(from))
		w.draw(of(s.Node, s.Owner), slice{ph: 'X', from: from.At, to: to, name: what, args: w.ended(args, how)})
	}
	for _, e := range w.h.Each(history.Extended) {
		args := members(`"by":`+w.quote(w.h.Name(e.Peer)), lasts(e))
		w.draw(of(e.Node, e.Owner), slice{ph: 'i', from: e.At, to: e.At, name: `"extended"`, args: args})
	}
}

// lasts is the member for the time to live of an entry that an event gives it, in microseconds; ""
// without one.
func lasts(e *history.Event) string {
	switch e.Kind {
	case history.Granted, history.Replicated, history.Extended:
		if e.Value > 0 {
			return `"lasts_us":` + strconv.FormatInt(e.Value/1000, 10)
		}
	}
	return ""
}

func (w *traceRun) over(e *history.Event) string {
	switch e.Kind {
	case history.Removed:
		return "removed by " + w.h.Name(e.Peer)
	case history.Crashed:
		return "its server died"
	case history.Granted:
		return "replaced by that of " + w.h.Name(e.Owner)
	case history.Promoted:
		return "its server was promoted"
	}
	return e.Kind.String()
}

// addFaults draws the active time of each fault on a track of its own, and the phases of the run.
func (w *traceRun) addFaults() {
	tracks := map[int64]*track{}
	for _, f := range w.h.Header.Faults {
		tracks[int64(f.Number)] = w.track(w.faults, fmt.Sprintf("fault %d: %s", f.Number, faults.Sentence(f.Values, f.Text).In(say.English)))
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
