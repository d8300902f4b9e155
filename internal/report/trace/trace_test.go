package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
)

// chromeEvent is an event of Chrome's trace format, as a reader sees it.
type chromeEvent struct {
	Phase    string         `json:"ph"`
	Name     string         `json:"name"`
	Category string         `json:"cat"`
	PID      int            `json:"pid"`
	TID      int            `json:"tid"`
	TS       json.Number    `json:"ts"`
	Dur      json.Number    `json:"dur"`
	ID       int64          `json:"id"`
	Bind     string         `json:"bp"`
	Scope    string         `json:"s"`
	Args     map[string]any `json:"args"`
}

type chromeTrace struct {
	Unit   string            `json:"displayTimeUnit"`
	Other  map[string]string `json:"otherData"`
	Events []chromeEvent     `json:"traceEvents"`
}

// nanos reads microseconds with up to three decimals.
func nanos(t *testing.T, n json.Number) int64 {
	t.Helper()
	whole, rest, _ := strings.Cut(n.String(), ".")
	d, err := time.ParseDuration(whole + "." + rest + "0us")
	if err != nil || len(rest) > 3 {
		t.Fatalf("%q is not a time in microseconds: %v", n, err)
	}
	return int64(d)
}

// readTrace parses a trace and checks what holds for every one: slices nest,
// arrows have two ends and stand in slices, tracks have names, time does not go back.
func readTrace(t *testing.T, data []byte) chromeTrace {
	t.Helper()
	var tr chromeTrace
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&tr); err != nil {
		t.Fatalf("not JSON: %v", err)
	}
	if tr.Unit != "ms" {
		t.Errorf("displayTimeUnit %q", tr.Unit)
	}
	type trackID struct{ pid, tid int }
	type open struct{ from, to int64 }
	stacks := map[trackID][]open{}
	named, processes := map[trackID]bool{}, map[int]bool{}
	starts, ends := map[int64]int{}, map[int64]int{}
	tids := map[int]int{} // by tid: its process
	last := int64(0)
	for i, e := range tr.Events {
		id := trackID{e.PID, e.TID}
		if e.Phase == "M" {
			switch e.Name {
			case "process_name":
				processes[e.PID] = true
			case "thread_name":
				if p, ok := tids[e.TID]; ok && p != e.PID || e.TID == e.PID {
					t.Errorf("the number %d is that of two tracks or of a process", e.TID)
				}
				tids[e.TID], named[id] = e.PID, true
			}
			continue
		}
		at := nanos(t, e.TS)
		if at < last {
			t.Fatalf("event %d: time goes back", i)
		}
		last = at
		if !named[id] || !processes[e.PID] {
			t.Fatalf("event %d is on a track or in a process without a name: %+v", i, e)
		}
		stack := stacks[id]
		for len(stack) > 0 && stack[len(stack)-1].to <= at && stack[len(stack)-1].from < at {
			stack = stack[:len(stack)-1]
		}
		switch e.Phase {
		case "X":
			to := at + nanos(t, e.Dur)
			if len(stack) > 0 && to > stack[len(stack)-1].to && at < stack[len(stack)-1].to {
				t.Fatalf("event %d does not nest: %+v in %+v", i, e, stack[len(stack)-1])
			}
			stack = append(stack, open{at, to})
		case "s", "f":
			if e.Name != "message" || e.Category != "message" || e.Phase == "f" && e.Bind != "e" {
				t.Errorf("event %d: a viewer cannot match this arrow: %+v", i, e)
			}
			if len(stack) == 0 || stack[len(stack)-1].from != at {
				t.Fatalf("event %d: no slice begins where the arrow is", i)
			}
			if e.Phase == "s" {
				starts[e.ID]++
			} else {
				ends[e.ID]++
				if starts[e.ID] != 1 {
					t.Errorf("arrow %d ends before it begins", e.ID)
				}
			}
		case "i":
			if e.Scope != "t" {
				t.Errorf("event %d: scope %q", i, e.Scope)
			}
		case "C":
			if len(e.Args) == 0 {
				t.Errorf("event %d: a counter without a value", i)
			}
		default:
			t.Errorf("event %d: phase %q", i, e.Phase)
		}
		stacks[id] = stack
	}
	for id, n := range starts {
		if n != 1 || ends[id] != 1 {
			t.Errorf("arrow %d begins %d times and ends %d times", id, n, ends[id])
		}
	}
	if len(starts) != len(ends) {
		t.Errorf("%d arrows begin and %d end", len(starts), len(ends))
	}
	return tr
}

func drawTrace(t *testing.T, b *bundle.Bundle) chromeTrace {
	t.Helper()
	return readTrace(t, must.Get(Chrome(b))(t))
}

// on lists what a trace has on the track of that name, in its first process of
// that name: "X waiting 9998..10000".
func (tr *chromeTrace) on(t *testing.T, process, track string) []string {
	t.Helper()
	pid, tid := 0, 0
	for _, e := range tr.Events {
		switch {
		case e.Name == "process_name" && e.Args["name"] == process:
			pid = e.PID
		case e.Name == "thread_name" && e.PID == pid && e.Args["name"] == track:
			tid = e.TID
		}
	}
	if tid == 0 {
		t.Fatalf("there is no track %q in %q", track, process)
	}
	var out []string
	for _, e := range tr.Events {
		if e.PID != pid || e.TID != tid || e.Phase == "M" || e.Phase == "s" || e.Phase == "f" {
			continue
		}
		at := nanos(t, e.TS) / 1e6
		text := fmt.Sprintf("%s %s %d", e.Phase, e.Name, at)
		if e.Phase == "X" {
			text += fmt.Sprintf("..%d", at+nanos(t, e.Dur)/1e6)
		}
		if e.Phase == "C" {
			text += fmt.Sprint(" ", e.Args)
		}
		out = append(out, text)
	}
	return out
}

// The expected slices were read from pauseRun by hand.
func TestTraceTellsTheStory(t *testing.T) {
	b := reporttest.Bundle()
	tr := drawTrace(t, b)
	const clients, stores, faults = "set-nx-lua: clients", "set-nx-lua: stores", "set-nx-lua: faults"
	reporttest.WantLines(t, "A", tr.on(t, clients, "A"), []string{
		"X SET lock A-1 NX PX 10000 10..12",
		"X inside 12..15062",
		"X reply 12..12",
		"X read version 0 13..13",
		"X frozen 60..15060",
		"X write version 1 15061..15061",
		"X releasing 15062..15064",
		"X EVAL unlock lock A-1 15062..15064",
		"X reply 15064..15064",
	})
	reporttest.WantLines(t, "A believes", tr.on(t, clients, "A believes"), []string{"X believes: mine 12..15062"})
	reporttest.WantLines(t, "B believes", tr.on(t, clients, "B believes"), []string{"X believes: mine 10031..18101"})
	reporttest.WantLines(t, "the entry of A", tr.on(t, stores, "redis-1: entry of A"), []string{"X has an entry 11..10012"})
	reporttest.WantLines(t, "the entry of B", tr.on(t, stores, "redis-1: entry of B"), []string{"X has an entry 10030..18102"})
	reporttest.WantLines(t, "the store", tr.on(t, stores, "redis-1"), []string{
		"X SET 11..11", "X SET 10030..10030", "X unlock 15063..15063", "X unlock 18102..18102",
	})
	reporttest.WantLines(t, "the resource", tr.on(t, stores, "resource"), []string{
		"X read version 0 13..13", "X read version 0 10032..10032", "X write version 1 15061..15061", "X write version 2 18100..18100",
	})
	reporttest.WantLines(t, "the fault", tr.on(t, faults, "fault 1: pause A for 15 s when A is in its critical section"), []string{"X fault 1 60..15060"})
	reporttest.WantLines(t, "the violations", tr.on(t, faults, "violations"), []string{
		"i mutual-exclusion broken 10031", "i no-stale-write broken 15061", "i no-lost-update broken 18100",
	})
	reporttest.WantLines(t, "the counters", tr.on(t, clients, "counters"), []string{
		"C holders 0 map[inside:0]", "C holders 12 map[inside:1]", "C holders 10031 map[inside:2]",
		"C holders 15062 map[inside:1]", "C holders 18101 map[inside:0]", "C holders 18103 map[inside:0]",
	})
	arrows := 0
	for _, e := range tr.Events {
		if e.Phase == "s" {
			arrows++
		}
	}
	if arrows != 16 { // two locks, four commands each, there and back
		t.Errorf("%d arrows, want 16", arrows)
	}
	if len(tr.Other) != 4 {
		t.Errorf("other data: %v", tr.Other)
	}
}

// Overlapping slices move to another lane: Redlock asks all servers at once, and a renewal may be
// pending when its client begins to release.
func TestTraceLanes(t *testing.T) {
	w := reporttest.NewWriter("redlock", "A")
	w.Write("10ms A sent peer=redis-1 as=one text=SET 1; 10ms A sent peer=redis-1 as=two text=SET 2; " +
		"20ms A timed-out peer=redis-1 cause=one; 22ms A entered; 25ms A timed-out peer=redis-1 cause=two; 30ms A releasing")
	tr := drawTrace(t, &bundle.Bundle{Runs: []bundle.Run{{Lock: "redlock", Judgement: checker.Judgement{History: w.H}}}})
	reporttest.WantLines(t, "A", tr.on(t, "redlock: clients", "A"), []string{"X SET 2 10..25", "X releasing 30..30"})
	reporttest.WantLines(t, "A (2)", tr.on(t, "redlock: clients", "A (2)"), []string{"X SET 1 10..20", "X inside 22..30"})
}

// An entry of a server that dies is gone, and comes back if a restart finds it.
func TestTraceOfACrash(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A")
	w.Acquires(12, "A", 0)
	w.Write("100ms redis-1 crashed; 200ms redis-1 restarted; 300ms redis-1 removed owner=A peer=A; 400ms A crashed")
	tr := drawTrace(t, &bundle.Bundle{Runs: []bundle.Run{{Lock: "x", Judgement: checker.Judgement{History: w.H}}}})
	reporttest.WantLines(t, "the entry", tr.on(t, "x: stores", "redis-1: entry of A"), []string{"X has an entry 11..100", "X has an entry 200..300"})
	reporttest.WantLines(t, "the store", tr.on(t, "x: stores", "redis-1"), []string{"X SET 11..11", "X down 100..200"})
	reporttest.WantLines(t, "the belief", tr.on(t, "x: clients", "A believes"), []string{"X believes: mine 12..400"})
}

// A replica's copy ends with the entry that it is of, and a promotion makes it the entry.
func TestTraceOfACopy(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	w.H.Header.Nodes = append(w.H.Header.Nodes, history.Node{Name: "redis-2", Role: history.RoleStore})
	w.Acquires(12, "A", 0)
	w.Write("20ms redis-2 replicated owner=A peer=redis-1")
	w.Releases(100, "A", "EVAL unlock lock A-1", "A")
	w.Acquires(200, "B", 1)
	w.Write("210ms redis-2 replicated owner=B peer=redis-1; 300ms redis-1 crashed; 400ms redis-2 promoted peer=redis-1")
	tr := drawTrace(t, &bundle.Bundle{Runs: []bundle.Run{{Lock: "x", Judgement: checker.Judgement{History: w.H}}}})
	reporttest.WantLines(t, "A's", tr.on(t, "x: stores", "redis-2: entry of A"), []string{"X has a copy 20..101"})
	reporttest.WantLines(t, "B's", tr.on(t, "x: stores", "redis-2: entry of B"), []string{"X has a copy 210..400", "X has an entry 400..400"})
}

// A lost message has no arrow, nor has one whose execution is unknown.
func TestTraceOfLostMessages(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A")
	w.Write(`10ms A sent peer=redis-1 as=lost text=SET lock; 11ms A request-dropped peer=redis-1 cause=lost
		3010ms A timed-out peer=redis-1 cause=lost text=i/o timeout; 4 A sent peer=redis-1 as=real text=GET lock
		4002ms A replied peer=redis-1 cause=real text=(nil); 5 A sent peer=redis-1 text=DEL lock; 6 A finished`)
	tr := drawTrace(t, &bundle.Bundle{Runs: []bundle.Run{{Lock: "x", Judgement: checker.Judgement{History: w.H}}}})
	reporttest.WantLines(t, "A", tr.on(t, "x: clients", "A"), []string{
		"X SET lock 10..3010", "i a request is lost 11", "X GET lock 4000..4002", "X reply 4002..4002",
		"X DEL lock 5000..6000", "i has played all its rounds 6000",
	})
	for _, e := range tr.Events {
		if e.Phase == "s" || e.Phase == "f" {
			t.Errorf("an arrow: %+v", e)
		}
	}
}

// A long history keeps what matters, and says what it left out.
func TestTraceOfALongHistory(t *testing.T) {
	b := reporttest.MillionBundle(maxEvents + 1)
	tr := drawTrace(t, b)
	notice := tr.Other["notice_1"]
	if !strings.Contains(notice, "the messages on the wire") || strings.Contains(notice, "what was before") {
		t.Errorf("the notice: %q", notice)
	}
	if run := tr.on(t, "set-nx-lua: faults", "run"); len(run) != 1 || !strings.Contains(run[0], "are left out") {
		t.Errorf("the trace itself does not say it: %v", run)
	}
	for _, e := range tr.Events {
		if e.Phase == "s" || strings.HasPrefix(e.Name, "SET") {
			t.Fatalf("a message: %+v", e)
		}
	}

	h := b.Runs[0].Judgement.History
	at := reporttest.At(500_000)
	scope := scopeOf(h, []checker.Finding{reporttest.Broke("fifo", at, at, nil)}, 900)
	if scope.wire || scope.from > at || scope.from <= reporttest.At(1000) || scope.to < at || scope.to >= h.End() {
		t.Errorf("the scope around a violation: %+v", scope)
	}
	if !strings.Contains(scope.notice, "what was before") {
		t.Errorf("the notice: %q", scope.notice)
	}
}

// Any history, and hostile texts, give a trace that can be read, with names of limited length.
func TestNonsenseIsTraced(t *testing.T) {
	drawTrace(t, reporttest.Nonsense())
	for _, e := range drawTrace(t, reporttest.HostileBundle()).Events {
		if len(e.Name) > 10*maxTraceText { // the escapes of a character have ten letters at most
			t.Fatalf("a name of %d bytes", len(e.Name))
		}
	}
}

// The trace has the same bytes every time, and can be read.
func TestGolden(t *testing.T) {
	data := must.Get(Chrome(reporttest.MissedBundle()))(t)
	readTrace(t, data)
	reporttest.Golden(t, "trace.json", data)
}
