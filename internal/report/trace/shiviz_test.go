package trace

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/bundletest"
	"lockstep/internal/report/reporttest"
)

func historyKind(n int) history.Kind {
	if n > 255 {
		return 0
	}
	return history.Kind(n)
}

// shivizEvent is one event of a log, as ShiViz sees it.
type shivizEvent struct {
	run, at, event, host string
	clock                map[string]int
}

// readShiviz reads a log as ShiViz does, with the expressions in its first two
// lines, and checks what ShiViz demands of vector clocks.
func readShiviz(t *testing.T, log []byte) []shivizEvent {
	t.Helper()
	head := strings.SplitN(string(log), "\n", 3)
	goNames := strings.NewReplacer("(?<", "(?P<")
	event := regexp.MustCompile(goNames.Replace(head[0]))
	if head[1] != "^=== (?<trace>.*) ===$" {
		t.Fatalf("the delimiter is %q", head[1])
	}
	var all []shivizEvent
	parts := regexp.MustCompile("(?m)"+goNames.Replace(head[1])).Split(head[2], -1)
	names := regexp.MustCompile("(?m)"+goNames.Replace(head[1])).FindAllStringSubmatch(head[2], -1)
	for n, part := range parts[1:] {
		own := map[string]int{}
		matches := event.FindAllStringSubmatch(part, -1)
		if want := strings.Count(strings.TrimSpace(part), "\n") + 1; part != "\n" && 2*len(matches) != want && len(matches) > 0 {
			t.Errorf("run %d: %d events in %d lines", n, len(matches), want)
		}
		for _, m := range matches {
			e := shivizEvent{run: names[n][1], at: m[1], event: m[2], host: m[3]}
			if err := json.Unmarshal([]byte(m[4]), &e.clock); err != nil {
				t.Fatalf("%s: %v", m[0], err)
			}
			if own[e.host]++; e.clock[e.host] != own[e.host] {
				t.Fatalf("%s counts itself as %d, this is its event %d: %s", e.host, e.clock[e.host], own[e.host], m[0])
			}
			for host, count := range e.clock {
				if count > own[host] {
					t.Fatalf("%s knows event %d of %s, which comes later: %s", e.host, count, host, m[0])
				}
			}
			all = append(all, e)
		}
	}
	return all
}

// The clocks of the first commands are worked out by hand: A's request is its
// event 1, the store learns of it, and B learns of both through the store.
func TestShiviz(t *testing.T) {
	b := bundletest.Bundle()
	b.Runs = b.Runs[1:]
	all := readShiviz(t, Shiviz(b))
	var got []string
	for _, e := range all {
		if strings.Contains(e.event, "expire") || e.host == "redis-1" || e.host == "resource" {
			clock, _ := json.Marshal(e.clock) // sorts the names
			got = append(got, fmt.Sprintf("%s %s %s", e.at, e.host, clock))
		}
	}
	want := []string{
		`0.011 s redis-1 {"A":1,"redis-1":1}`,                      // SET of A
		`0.011 s redis-1 {"A":1,"redis-1":2}`,                      // granted
		`0.013 s resource {"A":4,"redis-1":1,"resource":1}`,        // A: sent, reply, acquired, entered
		`10.012 s redis-1 {"A":1,"redis-1":3}`,                     // expired
		`10.030 s redis-1 {"A":1,"B":1,"redis-1":4}`,               // SET of B
		`10.030 s redis-1 {"A":1,"B":1,"redis-1":5}`,               // granted
		`10.032 s resource {"A":4,"B":4,"redis-1":4,"resource":2}`, // B reads
		`15.061 s resource {"A":8,"B":4,"redis-1":4,"resource":3}`, // A: fault, froze, fault, thawed, writes
		`15.063 s redis-1 {"A":10,"B":4,"redis-1":6,"resource":3}`, // A: releasing, sent
		`18.100 s resource {"A":8,"B":4,"redis-1":4,"resource":4}`, // B writes
		`18.102 s redis-1 {"A":10,"B":6,"redis-1":7,"resource":4}`, // B: releasing, sent
		`18.102 s redis-1 {"A":10,"B":6,"redis-1":8,"resource":4}`, // removed
	}
	reporttest.WantLines(t, "the clocks", got, want)
	if all[0].run != "set-nx-lua" {
		t.Errorf("the run is called %q", all[0].run)
	}
	told := false
	for _, e := range all {
		told = told || e.event == "A wakes and writes. The resource takes it."
	}
	if !told {
		t.Error("the story's sentences are missing")
	}
}

// A long history loses its messages, and yet the order that they made stays.
func TestShivizOfALongHistory(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B", "C")
	for n := int64(0); len(w.H.Events) <= MaxShivizEvents; n++ {
		client := string(rune('A' + n%3))
		read := w.Acquires(n*100+10, client, n)
		w.Writes(n*100+40, client, read, n+1)
		w.Releases(n*100+50, client, "EVAL unlock lock x", client)
	}
	all := readShiviz(t, Shiviz(&bundle.Bundle{Runs: []bundle.Run{{Lock: "x", Judgement: checker.Judgement{History: w.H}}}}))
	if last := all[len(all)-1]; last.host != "lockstep" || !strings.Contains(last.event, "left out: the messages on the wire") {
		t.Errorf("the notice: %+v", last)
	}
	for _, e := range all {
		if strings.Contains(e.event, "sends to") {
			t.Fatalf("a message: %+v", e)
		}
		if e.event == "redis-1 creates an entry for B, for 10s: lock" && e.clock["A"] == 0 {
			t.Fatalf("B's entry comes after A's release, and its clock does not know: %+v", e)
		}
	}
}

func TestShivizOfHostileTexts(t *testing.T) {
	log := Shiviz(bundletest.HostileBundle())
	reporttest.Harmless(t, "the log", strings.ReplaceAll(string(log), "\n", ""))
	readShiviz(t, log)
	for _, names := range [][]string{{"A B", "A_B"}, {"run", "lockstep"}, {`a"b`, "a{b", "=== x ==="}, {strings.Repeat("n", 9000), strings.Repeat("n", 9001)}} {
		w := reporttest.NewWriter("x", names...)
		for n, name := range names {
			w.Acquires(int64(n)*100+10, name, 0)
		}
		all := readShiviz(t, Shiviz(&bundle.Bundle{Runs: []bundle.Run{{Lock: "=== y ===", Judgement: checker.Judgement{History: w.H}}}}))
		hosts := map[string]bool{}
		for _, e := range all {
			hosts[e.host] = true
		}
		if len(hosts) != len(names)+2 { // and the store, and the resource
			t.Errorf("%q became the hosts %v", names, hosts)
		}
	}
}

// Every kind of event has words of its own.
func TestEveryKindHasWords(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	names := 0
	for k := checker.MaxViolations; k > 0; k-- { // more than there are kinds
		kind := historyKind(k)
		if kind.String() == "unknown" {
			continue
		}
		names++
		i := w.Add(10, kind, "A", w.From("B", -1, "text"), reporttest.Value(3))
		got := InWords(w.H, int(i))
		if english := got.English(); english == "" || english == "A: "+kind.String() {
			t.Errorf("%s has no words: %q", kind, english)
		}
	}
	if names < 40 {
		t.Errorf("only %d kinds were looked at", names)
	}
	if got := InWords(w.H, -1).English(); got != "no event" {
		t.Errorf("no event: %q", got)
	}
}
