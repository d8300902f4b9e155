// Package trace writes histories for other tools: ui.perfetto.dev, and the checkers of Jepsen.
package trace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// maxEvents is how many events a trace shows in full. For longer histories it leaves out the
// messages on the wire and, if need be, what is far from the first violation. A notice says so.
const maxEvents = 100_000

// Chrome draws the runs of a bundle in Chrome's trace format, which
// ui.perfetto.dev opens. All runs share one axis of true time, in microseconds.
//
//	process  "set-nx-lua: clients", "set-nx-lua: stores", "set-nx-lua: faults"
//	track    "A" what it does, "A believes", "redis-1" what it executes,
//	         "redis-1: entry of A"
//
// Slices of one track must nest, so beliefs and grants, which overlap, have tracks of their own.
// Other slices that do not nest, such as the requests that Redlock sends at once, move to a
// numbered track of the same name.
//
// A message is an arrow from a slice to a slice. Viewers bind an arrow to the slice that is open at
// its instant, so every arrow follows its slice. A lost message has no arrow.
func Chrome(b *bundle.Bundle) ([]byte, error) {
	t := &trace{}
	share, events := maxEvents, 0
	for _, h := range b.Histories() {
		events += len(h.Events)
	}
	if events > maxEvents {
		share /= len(b.Runs)
	}
	var notices []string
	for i := range b.Histories() {
		r := &b.Runs[i]
		if notice := t.run(r, share); notice != "" {
			notices = append(notices, sanitize.Text(r.Lock, sanitize.MaxName)+": "+notice)
		}
	}
	return t.write(b, notices), nil
}

// trace gathers the runs of a bundle.
type trace struct {
	out   []traceItem
	meta  []byte // process and track names, as JSON
	pids  int
	tids  int
	flows int64
}

// firstTID separates the numbers of tracks from those of processes: viewers take a track with the
// number of its process for the main thread.
const firstTID = 10_000

// run adds one run and returns the notice about what it leaves out.
func (t *trace) run(r *bundle.Run, budget int) string {
	h := r.Judgement.History
	w := &traceRun{trace: t, h: r.Timeline(), scope: scopeOf(h, r.Judgement.Findings, budget)}
	lock := sanitize.Text(r.Lock, sanitize.MaxName)
	w.clients = t.process(lock + ": clients")
	w.stores = t.process(lock + ": stores")
	w.faults = t.process(lock + ": faults")
	w.nodes = make([]nodeTracks, len(h.Header.Nodes)+1)
	for id := 1; id < len(w.nodes); id++ {
		w.addNode(history.NodeID(id))
	}
	w.play()
	w.addEntries()
	w.addFaults()
	w.addViolations(r.Judgement.Findings)
	w.addCounters()
	for _, tr := range w.tracks {
		t.place(tr)
	}
	return w.scope.notice
}

// process names a new process and returns its number.
func (t *trace) process(name string) int {
	t.pids++
	t.meta = fmt.Appendf(t.meta, `{"ph":"M","name":"process_name","pid":%d,"args":{"name":%s}},`+"\n", t.pids, t.quote(name))
	t.meta = fmt.Appendf(t.meta, `{"ph":"M","name":"process_sort_index","pid":%d,"args":{"sort_index":%d}},`+"\n", t.pids, t.pids)
	return t.pids
}

// traceItem is one event of the file, placed on its track.
type traceItem struct {
	slice
	pid, tid int
}

func (t *trace) write(b *bundle.Bundle, notices []string) []byte {
	// Viewers expect a slice before those inside of it, and before its arrows.
	slices.SortStableFunc(t.out, func(x, y traceItem) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(y.to, x.to))
	})
	buf := make([]byte, 0, 200*len(t.out)+len(t.meta)+1000)
	buf = append(buf, `{"displayTimeUnit":"ms","otherData":{`...)
	buf = fmt.Appendf(buf, `"scenario":%s,"seed":"%d","backend":%s,"hash":%s`,
		t.quote(b.Title(say.English)), b.Seed, t.quote(b.Backend), t.quote(b.Hash))
	for n, notice := range notices {
		buf = fmt.Appendf(buf, `,"notice_%d":%s`, n+1, jsonString(notice, sanitize.MaxLine))
	}
	buf = append(buf, "},\n\"traceEvents\":[\n"...)
	buf = append(buf, t.meta...)
	for i := range t.out {
		buf = t.out[i].append(buf)
	}
	if n := len(buf); n > 2 && buf[n-2] == ',' {
		buf = append(buf[:n-2], '\n')
	}
	return append(buf, "]}\n"...)
}

// append writes the item and then its arrows, each followed by a comma and a line break.
func (i *traceItem) append(buf []byte) []byte {
	head := func(ph byte, name string) {
		buf = fmt.Appendf(buf, `{"ph":"%c","name":%s,"pid":%d,"tid":%d,"ts":%s`, ph, name, i.pid, i.tid, micros(int64(i.from)))
	}
	head(i.ph, i.name)
	switch i.ph {
	case 'X':
		buf = fmt.Appendf(buf, `,"dur":%s`, micros(int64(i.to-i.from)))
	case 'i':
		buf = append(buf, `,"s":"t"`...)
	}
	if i.args != "" {
		buf = fmt.Appendf(buf, `,"args":{%s}`, i.args)
	}
	buf = append(buf, "},\n"...)
	for n, id := range i.flows {
		if id == 0 {
			continue
		}
		head("fs"[n], `"message"`)
		buf = fmt.Appendf(buf, `,"cat":"message","id":%d`, id)
		if n == 0 {
			buf = append(buf, `,"bp":"e"`...)
		}
		buf = append(buf, "},\n"...)
	}
	return buf
}

// micros writes nanoseconds as microseconds with up to three decimals.
func micros(nanos int64) string {
	text := fmt.Sprintf("%d.%03d", nanos/1000, max(nanos%1000, 0))
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// quote cleans a text and writes it as a JSON string.
func (t *trace) quote(s string) string { return jsonString(s, maxTraceText) }

// maxTraceText limits a text in a trace, in characters.
const maxTraceText = 120

// jsonString cleans a text and writes it as a JSON string that is safe inside a page, too.
func jsonString(s string, limit int) string {
	quoted, err := json.Marshal(sanitize.Text(s, limit))
	if err != nil {
		return `""` // not reached: every string can be written
	}
	return string(quoted)
}

// traceScope is the part of a history that is drawn.
type traceScope struct {
	wire     bool // with messages
	from, to history.Instant
	notice   string // about what is left out; "" for nothing
}

// scopeOf chooses the part of a history to draw within a budget of events. It leaves out the
// messages first, which are most events, then what is far from the first violation.
func scopeOf(h *history.History, findings []checker.Finding, budget int) traceScope {
	s := traceScope{wire: true, to: h.End()}
	if len(h.Events) <= budget {
		return s
	}
	s.wire = false
	miles := h.Milestones()
	s.notice = fmt.Sprintf("%d of %d events are left out: the messages on the wire", len(h.Events)-len(miles), len(h.Events))
	if len(miles) <= budget {
		return s
	}
	first := 0
	if v, _ := bundle.FirstBreach(findings); v != nil {
		first = sort.Search(len(miles), func(i int) bool { return h.Events[miles[i]].At >= v.From })
	}
	lo := max(0, min(first-budget/3, len(miles)-budget))
	s.from, s.to = h.Events[miles[lo]].At, h.Events[miles[lo+budget-1]].At
	left := len(h.Events) - budget
	s.notice = fmt.Sprintf("some %d of %d events are left out: the messages on the wire, and what was before %s and after %s",
		left, len(h.Events), s.from, s.to)
	return s
}
