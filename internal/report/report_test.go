package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file below testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; look at the change and run: go test ./internal/report -update", path)
	}
}

func drawPage(t *testing.T, b *Bundle) []byte {
	t.Helper()
	out, err := HTML(b, say.English)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGolden(t *testing.T) {
	b := testBundle()
	golden(t, "report.html", drawPage(t, b))
	golden(t, "terminal-80.txt", []byte(Terminal(b, TerminalOptions{Width: 80, Took: 3 * time.Millisecond})))
	golden(t, "terminal-140.txt", []byte(Terminal(b, TerminalOptions{Width: 140, Took: 3 * time.Millisecond})))
	golden(t, "terminal-color.txt", []byte(Terminal(b, TerminalOptions{Width: 100, Color: true})))
	result, err := Result(b)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "result.json", result)
	j := b.Runs[1].Judgement
	svg, err := HoldersOverTime(j.History, j.Findings)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "holders.svg", svg)
	steps := explain.Steps(j.History, j.Findings)
	golden(t, "spacetime.svg", []byte(diagram(newLayout(j.History, steps, true, true), barsOf(j.History), "l2-s", say.English)))
}

// The same bundle, built and drawn twice, gives the same bytes.
func TestBytesAreStable(t *testing.T) {
	if !bytes.Equal(drawPage(t, testBundle()), drawPage(t, testBundle())) {
		t.Error("HTML differs between two renderings")
	}
	one, _ := Result(testBundle())
	two, _ := Result(testBundle())
	if !bytes.Equal(one, two) {
		t.Error("the result differs between two renderings")
	}
}

func TestHostileTextShowsAsText(t *testing.T) {
	b := hostileBundle()
	out := string(drawPage(t, b))
	if n := strings.Count(out, "<script"); n != 3 { // the script, its words and its data
		t.Errorf("%d script elements, want our own only", n)
	}
	for _, bad := range []string{"<b>", "<script>alert", "\x1b", "\u009b", "\u202e", "\u2066", "\a"} {
		if strings.Contains(out, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	for _, want := range []string{`\u202e`, `\x1b`, "&lt;script&gt;"} {
		if !strings.Contains(out, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if len(out) > MaxHTML {
		t.Errorf("%d bytes, more than %d", len(out), MaxHTML)
	}
	text := Terminal(b, TerminalOptions{Width: 80})
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("the terminal gets %U", r)
		}
	}
	result, err := Result(b)
	if err != nil || !json.Valid(result) || strings.ContainsAny(string(result), "\x1b\u202e\u009b") {
		t.Errorf("the result is not harmless JSON: %v", err)
	}
}

// Every SVG of a page is well-formed XML, hostile texts or not.
func TestSVGIsWellFormed(t *testing.T) {
	for name, b := range map[string]*Bundle{"tame": testBundle(), "hostile": hostileBundle()} {
		rest := string(drawPage(t, b))
		for n := 0; ; n++ {
			from := strings.Index(rest, "<svg")
			if from < 0 {
				break
			}
			to := strings.Index(rest[from:], "</svg>") + len("</svg>") + from
			d := xml.NewDecoder(strings.NewReader(rest[from:to]))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s, SVG %d: %v", name, n, err)
				}
			}
			rest = rest[to:]
		}
	}
}

// A page loads nothing and names each id once.
func TestPageIsSelfContained(t *testing.T) {
	out := string(drawPage(t, testBundle()))
	for _, bad := range []string{`src="`, `<link rel="s`, `<link href`, "@import", "fetch(", "https://"} {
		if strings.Contains(out, bad) {
			t.Errorf("the page contains %s", bad)
		}
	}
	if !strings.Contains(out, "default-src &#39;none&#39;") && !strings.Contains(out, "default-src 'none'") {
		t.Error("no content security policy")
	}
	seen := map[string]bool{}
	for _, part := range strings.Split(out, ` id="`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		if seen[id] {
			t.Errorf("id %s is given twice", id)
		}
		seen[id] = true
	}
	html, _, _ := strings.Cut(out, "<script>") // the script builds such links itself
	for _, part := range strings.Split(html, `href="#`)[1:] {
		if id, _, _ := strings.Cut(part, `"`); !seen[id] {
			t.Errorf("a link leads to #%s, which does not exist", id)
		}
	}
}

func TestTerminalFits(t *testing.T) {
	long := testBundle()
	long.Runs[0].Lock = "setnx-timestamp-getset"
	missed := testBundle()
	missed.Runs[1].Expected[0] = Expected{"mutual-exclusion", "kept", "broken", false, false}
	unknown := testBundle()
	for i := range unknown.Runs {
		for n := range unknown.Runs[i].Judgement.Findings {
			unknown.Runs[i].Judgement.Findings[n] = checker.Finding{
				Property: explain.Order[n], Verdict: checker.Unknown, Reason: say.NeverFired.With(1, say.Both{}),
			}
		}
	}
	for name, b := range map[string]*Bundle{"usual": testBundle(), "long": long, "missed": missed, "unknown": unknown, "empty": {}} {
		for _, columns := range []int{60, 80, 100, 140} {
			text := Terminal(b, TerminalOptions{Width: columns})
			for _, l := range strings.Split(text, "\n") {
				if say.RulerFor(say.English).Width(l) > columns && !strings.HasPrefix(l, "again") && !strings.HasPrefix(l, "report") {
					t.Errorf("%s, %d columns: %d characters: %s", name, columns, say.RulerFor(say.English).Width(l), l)
				}
			}
			if name == "missed" && !strings.Contains(text, "NOT as expected: mutual-exclusion was broken") {
				t.Errorf("the miss is not told:\n%s", text)
			}
		}
	}
}

// A very long story is cut, visibly, and the report stays within its budget.
func TestSizeBudget(t *testing.T) {
	w := newWriter("set-nx-lua", "A", "B", "C")
	for n := range int64(3000) {
		client := string(rune('A' + n%3))
		read := w.acquires(n*100+10, client, n)
		w.writes(n*100+40, client, read, n+1)
		w.releases(n*100+50, client, "EVAL unlock lock x", client)
	}
	b := testBundle()
	b.Runs = nil
	for range 30 {
		b.Runs = append(b.Runs, Run{Lock: "set-nx-lua", Judgement: checker.Judgement{
			History: w.h, Findings: []checker.Finding{kept(checker.MutualExclusionID)}, Acquired: 3000,
		}})
	}
	out := drawPage(t, b)
	if len(out) > MaxHTML {
		t.Errorf("%d bytes, more than %d", len(out), MaxHTML)
	}
	if !bytes.Contains(out, []byte("of 9000 steps")) {
		t.Error("the report does not say that it leaves steps out")
	}
}

// Histories of any content are drawn without a panic.
func TestNonsenseIsDrawn(t *testing.T) {
	h := history.New(history.Header{Nodes: []history.Node{{Name: "A", Role: history.RoleClient}}})
	for k := range history.Kind(60) {
		h.Add(history.Event{Kind: k, Node: history.NodeID(k % 4), Peer: 901, Owner: 902, Cause: int32(k) + 5, Value: -5, At: history.Instant(k)})
	}
	j := checker.Judgement{History: h, Findings: []checker.Finding{at("fifo", -5, 1<<60, nil, 3, -4, 9000)}}
	drawPage(t, &Bundle{Runs: []Run{{Lock: "x", Judgement: j}, {Lock: "y", Judgement: checker.Judgement{History: history.New(history.Header{})}}, {}}})
}

func TestClean(t *testing.T) {
	tests := []struct {
		give  string
		limit int
		want  string
	}{
		{"plain", 40, "plain"},
		{"  many \n\t blanks ", 40, "many blanks"},
		{"\x1b[31mred", 40, `\x1b[31mred`},
		{"a\u202eb", 40, `a\u202eb`},
		{"\xff", 40, `\xff`},
		{"Grüße, 世界", 40, "Grüße, 世界"},
		{"abcdef", 3, "abc..."},
	}
	for _, tt := range tests {
		if got := clean(tt.give, tt.limit); got != tt.want {
			t.Errorf("clean(%q, %d) = %q, want %q", tt.give, tt.limit, got, tt.want)
		}
	}
}

func BenchmarkLesson(b *testing.B) {
	bundle := testBundle()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := HTML(bundle, say.English); err != nil {
			b.Fatal(err)
		}
	}
}

// A report of a million events: below 5 s and 5 MB, with the violation visible.
func BenchmarkMillionEvents(b *testing.B) {
	bundle := millionBundle(1_000_000)
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		page, err := HTML(bundle, say.English)
		if err != nil {
			b.Fatal(err)
		}
		size = len(page)
	}
	b.ReportMetric(float64(size), "bytes")
}
