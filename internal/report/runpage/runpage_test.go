package runpage

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/page"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

func drawPage(t *testing.T, b *bundle.Bundle) []byte {
	t.Helper()
	out, err := HTML(b, say.English)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGolden(t *testing.T) {
	b := reporttest.Bundle()
	reporttest.Golden(t, "report.html", drawPage(t, b))
}

// The same bundle, built and drawn twice, gives the same bytes.
func TestBytesAreStable(t *testing.T) {
	if !bytes.Equal(drawPage(t, reporttest.Bundle()), drawPage(t, reporttest.Bundle())) {
		t.Error("HTML differs between two renderings")
	}
}

func TestHostileTextShowsAsText(t *testing.T) {
	b := reporttest.HostileBundle()
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
	if len(out) > page.MaxHTML {
		t.Errorf("%d bytes, more than %d", len(out), page.MaxHTML)
	}
}

// endOfSVG is where the SVG that begins at from ends, with those within it.
func endOfSVG(page string, from int) int {
	for depth, i := 0, from; ; {
		open, shut := strings.Index(page[i:], "<svg"), strings.Index(page[i:], "</svg>")
		if open >= 0 && open < shut {
			depth, i = depth+1, i+open+len("<svg")
			continue
		}
		i += shut + len("</svg>")
		if depth--; depth == 0 || shut < 0 {
			return i
		}
	}
}

// Every SVG of a page is well-formed XML, hostile texts or not.
func TestSVGIsWellFormed(t *testing.T) {
	for name, b := range map[string]*bundle.Bundle{"tame": reporttest.Bundle(), "hostile": reporttest.HostileBundle()} {
		rest := string(drawPage(t, b))
		for n := 0; ; n++ {
			from := strings.Index(rest, "<svg")
			if from < 0 {
				break
			}
			to := endOfSVG(rest, from)
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
	out := string(drawPage(t, reporttest.Bundle()))
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

// A very long story is cut, visibly, and the report stays within its budget.
func TestSizeBudget(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B", "C")
	for n := range int64(3000) {
		client := string(rune('A' + n%3))
		read := w.Acquires(n*100+10, client, n)
		w.Writes(n*100+40, client, read, n+1)
		w.Releases(n*100+50, client, "EVAL unlock lock x", client)
	}
	b := reporttest.Bundle()
	b.Runs = nil
	for range 30 {
		b.Runs = append(b.Runs, bundle.Run{Lock: "set-nx-lua", Judgement: checker.Judgement{
			History: w.H, Findings: []checker.Finding{reporttest.Kept(checker.MutualExclusionID)}, Acquired: 3000,
		}})
	}
	out := drawPage(t, b)
	if len(out) > page.MaxHTML {
		t.Errorf("%d bytes, more than %d", len(out), page.MaxHTML)
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
	j := checker.Judgement{History: h, Findings: []checker.Finding{reporttest.Broke("fifo", -5, 1<<60, nil, 3, -4, 9000)}}
	drawPage(t, &bundle.Bundle{Runs: []bundle.Run{{Lock: "x", Judgement: j}, {Lock: "y", Judgement: checker.Judgement{History: history.New(history.Header{})}}, {}}})
}

func BenchmarkLesson(b *testing.B) {
	bundle := reporttest.Bundle()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := HTML(bundle, say.English); err != nil {
			b.Fatal(err)
		}
	}
}

// A report of a million events: below 5 s and 5 MB, with the violation visible.
func BenchmarkMillionEvents(b *testing.B) {
	bundle := reporttest.MillionBundle(1_000_000)
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

// A page of a long history says what it shows of it, and stays small.
func TestALongHistoryIsDrawn(t *testing.T) {
	b := reporttest.MillionBundle(100_000)
	drawn := drawPage(t, b)
	if len(drawn) > page.MaxHTML {
		t.Errorf("%d bytes", len(drawn))
	}
	events := len(b.Runs[0].Judgement.History.Events)
	for _, want := range []string{`class="dense"`, "two inside", "told below", fmt.Sprintf("of %d events, around the first break", events)} {
		if !bytes.Contains(drawn, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// A figure that has nothing to show is named, with the reason.
func TestThePageSaysWhatItLacks(t *testing.T) {
	page := string(drawPage(t, reporttest.Bundle()))
	for _, want := range []string{"Nothing to show: all clocks showed true time.", "Nothing to show: the lock hands out no token."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say: %s", want)
		}
	}
}
