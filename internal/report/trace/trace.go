// Package trace writes histories for the tools of others: ui.perfetto.dev, and the checkers of
// Jepsen.
package trace

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// MaxEvents is how many events of histories a trace shows in full. Of longer
// ones the messages on the wire are left out, and if need be the stretches far
// away from the first violation; a notice in the trace says so.
const MaxEvents = 100_000

// Chrome draws the runs of a bundle in Chrome's trace format, which
// ui.perfetto.dev opens. All runs share one axis of true time, in microseconds.
//
//	process  "set-nx-lua: clients", "set-nx-lua: stores", "set-nx-lua: faults"
//	track    "A" what it does, "A believes", "redis-1" what it executes,
//	         "redis-1: entry of A"
//
// What a client believes and what a store has granted stand on tracks of their
// own: they overlap without one containing the other, and slices of one track
// must nest. Slices that do not nest move to a track of the same name with a
// number, such as the requests that Redlock sends at once.
//
// A message is an arrow from a slice to a slice. Viewers bind an arrow to the
// slice that is open at its instant, so every arrow stands right behind its
// slice. A message that got lost has no arrow: it would lead nowhere.
func Chrome(b *bundle.Bundle) ([]byte, error) {
	t := &trace{texts: map[string]string{}}
	share := MaxEvents
	if n := len(b.Runs); n > 1 && eventCount(b) > MaxEvents {
		share /= n
	}
	var notices []string
	for i := range b.Runs {
		r := &b.Runs[i]
		if r.Judgement.History == nil {
			continue
		}
		if notice := t.run(r, share); notice != "" {
			notices = append(notices, sanitize.Text(r.Lock, sanitize.MaxName)+": "+notice)
		}
	}
	return t.write(b, notices), nil
}

func eventCount(b *bundle.Bundle) int {
	n := 0
	for i := range b.Runs {
		if h := b.Runs[i].Judgement.History; h != nil {
			n += len(h.Events)
		}
	}
	return n
}

// trace gathers the runs of a bundle.
type trace struct {
	out   []traceItem
	meta  []byte            // process and track names, as JSON
	texts map[string]string // clean and quoted, by the text as it was
	pids  int
	tids  int
	flows int64
}

// firstTID keeps the numbers of tracks apart from those of processes: viewers
// take a track with its process's number for the main thread.
const firstTID = 10_000

// run adds one run and returns the notice about what is left out of it.
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

// write puts the file together.
func (t *trace) write(b *bundle.Bundle, notices []string) []byte {
	// A viewer wants to see a slice before what is inside of it and before the
	// arrows that begin or end in it.
	order := make([]*traceItem, len(t.out))
	for i := range t.out {
		order[i] = &t.out[i]
	}
	slices.SortStableFunc(order, func(x, y *traceItem) int {
		return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(y.to, x.to))
	})
	buf := make([]byte, 0, 200*len(t.out)+len(t.meta)+1000)
	buf = append(buf, `{"displayTimeUnit":"ms","otherData":{`...)
	buf = fmt.Appendf(buf, `"scenario":%s,"seed":"%d","backend":%s,"hash":%s`,
		t.quote(b.Title(say.English)), b.Seed, t.quote(b.Backend), t.quote(b.Hash))
	for n, notice := range notices {
		buf = fmt.Appendf(buf, `,"notice_%d":%s`, n+1, jsonString(sanitize.Text(notice, sanitize.MaxLine)))
	}
	buf = append(buf, "},\n\"traceEvents\":[\n"...)
	buf = append(buf, t.meta...)
	for _, item := range order {
		buf = item.append(buf)
	}
	if n := len(buf); n > 2 && buf[n-2] == ',' {
		buf = append(buf[:n-2], '\n')
	}
	return append(buf, "]}\n"...)
}

// append writes the item, with its arrows behind it, each followed by a comma
// and a line break.
func (i *traceItem) append(buf []byte) []byte {
	head := func(ph byte, name string) {
		buf = append(buf, `{"ph":"`...)
		buf = append(buf, ph, '"')
		buf = append(buf, `,"name":`...)
		buf = append(buf, name...)
		buf = append(buf, `,"pid":`...)
		buf = strconv.AppendInt(buf, int64(i.pid), 10)
		buf = append(buf, `,"tid":`...)
		buf = strconv.AppendInt(buf, int64(i.tid), 10)
		buf = append(buf, `,"ts":`...)
		buf = appendTraceTime(buf, int64(i.from))
	}
	head(i.ph, i.name)
	switch i.ph {
	case 'X':
		buf = append(buf, `,"dur":`...)
		buf = appendTraceTime(buf, int64(i.to-i.from))
	case 'i':
		buf = append(buf, `,"s":"t"`...)
	}
	if i.args != "" {
		buf = append(buf, `,"args":{`...)
		buf = append(buf, i.args...)
		buf = append(buf, '}')
	}
	buf = append(buf, "},\n"...)
	for n, id := range i.flows {
		if id == 0 {
			continue
		}
		head("fs"[n], `"message"`)
		buf = append(buf, `,"cat":"message","id":`...)
		buf = strconv.AppendInt(buf, id, 10)
		if n == 0 {
			buf = append(buf, `,"bp":"e"`...)
		}
		buf = append(buf, "},\n"...)
	}
	return buf
}

// appendTraceTime writes nanoseconds as microseconds with up to three decimals.
func appendTraceTime(buf []byte, nanos int64) []byte {
	buf = strconv.AppendInt(buf, nanos/1000, 10)
	if rest := nanos % 1000; rest > 0 {
		text := strconv.AppendInt(nil, 1000+rest, 10)
		text[0] = '.'
		for text[len(text)-1] == '0' {
			text = text[:len(text)-1]
		}
		buf = append(buf, text...)
	}
	return buf
}

// quote cleans a text and writes it as a JSON string. The same texts come again
// and again, so they are kept.
func (t *trace) quote(s string) string {
	quoted, ok := t.texts[s]
	if !ok {
		quoted = jsonString(cleaned(s, maxTraceText))
		t.texts[s] = quoted
	}
	return quoted
}

// cleaned is clean, and quick with the plain texts that most texts are.
func cleaned(s string, limit int) string {
	if len(s) > limit || s == "" || s[0] == ' ' || s[len(s)-1] == ' ' {
		return sanitize.Text(s, limit)
	}
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && s[i+1] == ' ' {
			return sanitize.Text(s, limit)
		}
	}
	return s
}

// maxTraceText is how long a text in a trace may be, in characters.
const maxTraceText = 120

// jsonString writes a clean text as a JSON string. It also escapes what would
// matter if the JSON were put into a page.
func jsonString(s string) string {
	buf := make([]byte, 0, len(s)+2)
	buf = append(buf, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\':
			buf = append(buf, '\\', c)
		case c < ' ', c == '<', c == '>', c == '&', c == 0x7f:
			buf = fmt.Appendf(buf, `\u%04x`, c)
		default:
			buf = append(buf, c)
		}
	}
	return string(append(buf, '"'))
}

// traceScope says which part of a history is drawn.
type traceScope struct {
	wire     bool // messages too
	from, to history.Instant
	notice   string // what is left out; "" when nothing is
}

func (s *traceScope) has(at history.Instant) bool { return at >= s.from && at <= s.to }

// scopeOf chooses what to draw of a history when only so many events fit: first
// the messages go, which are most of it, then what is far from the first violation.
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
	first := sort.Search(len(miles), func(i int) bool { return h.Events[miles[i]].At >= firstBreak(findings) })
	if first == len(miles) {
		first = 0
	}
	lo := max(0, min(first-budget/3, len(miles)-budget))
	s.from, s.to = h.Events[miles[lo]].At, h.Events[miles[lo+budget-1]].At
	left := len(h.Events) - budget
	s.notice = fmt.Sprintf("some %d of %d events are left out: the messages on the wire, and what was before %s and after %s",
		left, len(h.Events), s.from, s.to)
	return s
}

// firstBreak is the instant of the first violation, or far away without one.
func firstBreak(findings []checker.Finding) history.Instant {
	first := history.Instant(1<<63 - 1)
	for i := range findings {
		for _, v := range findings[i].Violations {
			first = min(first, v.From)
		}
	}
	return first
}
