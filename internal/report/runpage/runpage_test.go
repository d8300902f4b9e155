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

func TestHostileTextShowsAsText(t *testing.T) {
	b := reporttest.HostileBundle()
	out := string(drawPage(t, b))
	if n := strings.Count(out, "<script"); n != 3 { // the script, its words and its data
		t.Errorf("%d script elements, want our own only", n)
	}
	reporttest.Lacks(t, out, "<b>", "<script>alert", "\x1b", "\u009b", "\u202e", "\u2066", "\a")
	reporttest.Has(t, out, `\u202e`, `\x1b`, "&lt;script&gt;")
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
	drawPage(t, reporttest.Nonsense())
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
	reporttest.Has(t, drawn, `class="dense"`, "two inside", "told below", fmt.Sprintf("of %d events, around the first break", events))
}

// A figure that has nothing to show is named, with the reason.
func TestThePageSaysWhatItLacks(t *testing.T) {
	page := string(drawPage(t, reporttest.Bundle()))
	reporttest.Has(t, page, "Nothing to show: all clocks showed true time.", "Nothing to show: the lock hands out no token.")
}
