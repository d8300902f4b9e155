package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// waitingRun is a run of one lock in which the clients wait that long, in
// milliseconds, one after the other, and hold the lock for the other numbers.
func waitingRun(lock string, clients []string, waits, holds []int64) Run {
	w := newWriter(lock, clients...)
	at := int64(0)
	for i := range waits {
		client := clients[i%len(clients)]
		w.add(at, history.Waits, client)
		w.add(at, history.Sent, client)
		at += waits[i]
		w.add(at, history.Acquired, client)
		at += holds[i]
		w.add(at, history.Releasing, client)
		w.add(at, history.Sent, client)
		w.add(at, history.Released, client)
	}
	return Run{Lock: lock, Judgement: checker.Judge(w.h)}
}

func waitingBundle(seed uint64, runs ...Run) *Bundle {
	return &Bundle{Backend: "sim", Seed: seed, Hash: fmt.Sprint("hash-", seed), Replay: fmt.Sprintf("simulate run x.yaml --seed %d", seed), Runs: runs}
}

func testComparison() *RunComparison {
	second := testBundle()
	second.Seed, second.Hash, second.Runs = 8, "77aa", second.Runs[1:]
	p := *second.Plan
	p.Locks = p.Locks[1:]
	second.Plan = &p
	settings := func(lease string, more ...Setting) []Setting {
		return append([]Setting{{"lease", lease, false}, {"workload, work", "2s..3s", false}}, more...)
	}
	return &RunComparison{
		Replay: "simulate report reports/a reports/b",
		Runs: []ComparedRun{
			{testBundle(), "reports/a", "./a/report.html", settings("10s", Setting{"fault 1", "pause: A", false}, Setting{"servers, redis, lag", "0s", true})},
			{second, "reports/b", "./b/report.html", settings("10s", Setting{"fault 1", "pause: A", false}, Setting{"servers, redis, lag", "0s", true})},
			{waitingBundle(7, waitingRun("etcd-mutex", []string{"A", "B"}, []int64{10, 20}, []int64{500, 500})), "reports/c", "", settings("4s", Setting{"expect, etcd-mutex, progress", "kept", true})},
		},
	}
}

func TestComparisonGolden(t *testing.T) {
	page, err := RunsHTML(testComparison())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "comparison.html", page)
	data, err := RunsResult(testComparison())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "comparison.json", data)
	golden(t, "comparison-80.txt", []byte(RunsTerminal(testComparison(), TerminalOptions{Width: 80})))
	golden(t, "comparison-brief.txt", []byte(RunsTerminal(testComparison(), TerminalOptions{Width: 120, Brief: true})))
	if len(page) > MaxHTML {
		t.Errorf("%d bytes", len(page))
	}
}

// Settings that only some locks need are no difference where they are missing;
// a fault is.
func TestPlansAreCompared(t *testing.T) {
	var got []string
	for _, d := range testComparison().settingDiffs() {
		got = append(got, d.Name+"="+strings.Join(d.Values, "|"))
	}
	want := "lease=10s|10s|4s fault 1=pause: A|pause: A|"
	if strings.Join(got, " ") != want {
		t.Errorf("differences %q, want %q", strings.Join(got, " "), want)
	}
	c := testComparison()
	c.Runs[1].Settings[3].Value = "5s" // the servers' lag
	if d := c.settingDiffs(); len(d) != 3 || d[2].Name != "servers, redis, lag" {
		t.Errorf("differences %v", d)
	}
}

func TestStoriesPart(t *testing.T) {
	sides := testComparison().sides()
	if len(sides) != 4 {
		t.Fatalf("%d sides", len(sides))
	}
	for i, want := range []parting{
		{}, {}, // the locks of one run are compared in its own report
		{Against: "run 1, set-nx-lua", Says: "the same history, byte for byte"},
		{Against: "run 1, set-nx-ex-del", Step: 2}, // in both A enters first
	} {
		got := partingOf(sides, i, say.English)
		if want.Step > 0 {
			if !strings.Contains(got.There, "A freezes") || !strings.Contains(got.Here, "A releases") {
				t.Errorf("side %d: %+v", i, got)
			}
			got.Here, got.There = "", ""
		}
		if got != want {
			t.Errorf("side %d: %+v, want %+v", i, got, want)
		}
	}
	// The same story a millisecond later is the same story, but not the same history.
	c := testComparison()
	h := c.Runs[1].Bundle.Runs[0].Judgement.History
	h.Events[len(h.Events)-1].At += ms(1)
	if got := partingOf(c.sides(), 2, say.English); got.Says != "the same steps, at other times" {
		t.Errorf("%+v", got)
	}
}

func TestRatios(t *testing.T) {
	c := &RunComparison{Runs: []ComparedRun{
		{Bundle: waitingBundle(1, Run{Lock: "never-played"}, waitingRun("a", []string{"A"}, []int64{10, 20, 30}, []int64{100, 100, 100}))},
		{Bundle: waitingBundle(2, waitingRun("a", []string{"A"}, []int64{30, 20, 60}, []int64{150, 200, 400}))},
		{Bundle: waitingBundle(3, waitingRun("a", []string{"A"}, []int64{4000}, []int64{100}))},
	}}
	var got []string
	for _, r := range ratioRows(c.sides(), say.English) {
		text := r.Name + ":"
		for _, c := range r.Cells {
			text += " [" + strings.TrimSpace(c.Value+" "+c.Ratio) + "]"
		}
		got = append(got, text)
	}
	// Two commands for each acquisition; the first line with a value is the measure.
	want := `run 1, never-played: [] [] [] [] [] [] []
run 1, a: [3] [20.0 ms] [30.0 ms] [100.0 ms] [100.0 ms] [2.0] [0.0 ms]
run 2, a: [3 ×1.00] [30.0 ms ×1.50] [60.0 ms ×2.00] [200.0 ms ×2.00] [400.0 ms ×4.00] [2.0 ×1.00] [0.0 ms ×1.00]
run 3, a: [1 ×0.33] [4.000 s ×200] [4.000 s ×133] [100.0 ms ×1.00] [100.0 ms ×1.00] [2.0 ×1.00] [0.0 ms ×1.00]`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	for _, tt := range []struct {
		a, b int64
		want string
	}{{1, 1000, "<0.01"}, {0, 5, "×0.00"}, {5, 0, ""}, {0, 0, "×1.00"}, {25, 2, "×12.5"}} {
		if got := ratioText(tt.a, tt.b); got != tt.want {
			t.Errorf("%d to %d: %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

// Each reason not to trust a comparison is given, by itself.
func TestCares(t *testing.T) {
	many := make([]int64, fewAcquisitions)
	for i := range many {
		many[i] = 1
	}
	run := func() *Bundle { return waitingBundle(1, waitingRun("a", []string{"A", "B"}, many, many)) }
	tests := []struct {
		name   string
		change func(c *RunComparison)
		want   []string
	}{
		{"nothing", func(c *RunComparison) {}, nil},
		{"scenario", func(c *RunComparison) {
			c.Runs[1].Bundle.Runs[0].Judgement.History.Header.Scenario = "Another"
		}, []string{"Run 2 has another scenario than run 1"}},
		{"version", func(c *RunComparison) {
			c.Runs[0].Settings, c.Runs[1].Settings = []Setting{{"lease", "10s", false}}, []Setting{{"lease", "5s", false}}
		}, []string{"not the same in all runs: lease is 10s in run 1, and 5s in run 2"}},
		{"clients", func(c *RunComparison) {
			c.Runs[1].Bundle.Runs[0] = waitingRun("a", []string{"A", "C"}, many, many)
		}, []string{"Run 2 has other clients than run 1 (A, B)"}},
		{"worlds", func(c *RunComparison) { c.Runs[1].Bundle.Backend = "process" }, []string{"Run 2 has another world than run 1 (sim)"}},
		{"scale", func(c *RunComparison) {
			c.Runs[1].Bundle.Runs[0].Judgement.History.Header.ScalePPM = 100_000
		}, []string{"Run 2 has another scale of time than run 1"}},
		{"cut short", func(c *RunComparison) {
			h := c.Runs[1].Bundle.Runs[0].Judgement.History
			h.Add(history.Event{At: h.End(), Kind: history.CutShort, Cause: history.NoCause})
		}, []string{"Cut short: run 2, a."}},
		{"untested", func(c *RunComparison) { c.Runs[1].Bundle.Runs[0].Untested = say.NeverFired.With(1, say.Both{}) }, []string{"Not put to the test: run 2, a (fault 1 never fired)."}},
		{"few", func(c *RunComparison) {
			c.Runs[1].Bundle.Runs[0] = waitingRun("a", []string{"A", "B"}, many[1:], many[1:])
		}, []string{"Fewer than 100 acquisitions: run 2, a."}},
		{"the same", func(c *RunComparison) { c.Runs[1].Bundle.Hash = c.Runs[0].Bundle.Hash }, []string{"Run 2 is run 1 once more, byte for byte."}},
		{"seeds", func(c *RunComparison) { c.Runs[1].Bundle.Seed = 2 }, []string{"Each run is one draw of luck."}},
	}
	for _, tt := range tests {
		c := &RunComparison{Runs: []ComparedRun{{Bundle: run()}, {Bundle: run()}}}
		c.Runs[1].Bundle.Hash = "another"
		tt.change(c)
		got := c.cares(c.sides())
		if len(got) != len(tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], tt.want[i]) {
				t.Errorf("%s: %q, want %q", tt.name, got[i], tt.want[i])
			}
		}
	}
	c := &RunComparison{Runs: []ComparedRun{{Bundle: run()}, {Bundle: run()}, {Bundle: run()}, {Bundle: run()}}}
	for n, names := range []string{"", "Run 2 has", "Runs 2 and 3 have", "Runs 2, 3 and 4 have"} {
		i := 0
		if got := c.others(func(*Bundle) bool { i++; return i <= n }).English(); got != names {
			t.Errorf("%d others: %q, want %q", n, got, names)
		}
	}
}

func TestHostileComparison(t *testing.T) {
	c := testComparison()
	c.Runs[0].Bundle, c.Runs[2].Bundle = hostileBundle(), hostileBundle()
	c.Replay, c.Runs[0].Dir, c.Runs[1].Href = hostile, hostile, "javascript:alert(1)"
	c.Runs[0].Settings = []Setting{{hostile, hostile, false}}
	page, err := RunsHTML(c)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(page, []byte("<script")) || bytes.Contains(page, []byte("\x1b")) || bytes.Contains(page, []byte(`"javascript:`)) || bytes.Contains(page, []byte("\u202e")) {
		t.Error("a text is not shown as text")
	}
	if text := RunsTerminal(c, TerminalOptions{Width: 80}); strings.ContainsAny(text, "\x1b\u202e\u009b") {
		t.Error("a text steers the terminal")
	}
	data, err := RunsResult(c)
	if err != nil || !json.Valid(data) || bytes.ContainsAny(data, "\x1b\u202e\u009b") {
		t.Errorf("the JSON is not harmless: %v", err)
	}
	if len(page) > MaxHTML {
		t.Errorf("%d bytes", len(page))
	}
}

func TestComparisonIsSelfContained(t *testing.T) {
	page, err := RunsHTML(testComparison())
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", `src="`, "@import", "https://", "http://"} {
		if bytes.Contains(bytes.ReplaceAll(page, []byte("http://www.w3.org/2000/svg"), nil), []byte(bad)) {
			t.Errorf("the page contains %s", bad)
		}
	}
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllSubmatch(page, -1) {
		ids[string(m[1])]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %s is given %d times", id, n)
		}
	}
	for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllSubmatch(page, -1) {
		if ids[string(m[1])] == 0 {
			t.Errorf("a link leads to #%s, which does not exist", m[1])
		}
	}
}

// Two runs of a million events each, side by side.
func BenchmarkComparison(b *testing.B) {
	c := &RunComparison{Runs: []ComparedRun{{Bundle: millionBundle(1_000_000)}, {Bundle: millionBundle(1_000_000)}}}
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		page, err := RunsHTML(c)
		if err != nil {
			b.Fatal(err)
		}
		size = len(page)
	}
	b.ReportMetric(float64(size), "bytes")
}
