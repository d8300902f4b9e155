package runpage

import (
	"bytes"
	"encoding/xml"
	"regexp"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/page"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

func drawPage(t *testing.T, b *bundle.Bundle) []byte {
	t.Helper()
	return must.Get(HTML(b, say.English))(t)
}

func TestGolden(t *testing.T) {
	b := reporttest.Bundle()
	reporttest.Golden(t, "report.html", drawPage(t, b))
}

// Every SVG of a page is well-formed XML, and the page has its budget, hostile texts or not.
func TestSVGIsWellFormed(t *testing.T) {
	svg := regexp.MustCompile(`<svg\b`)
	for _, b := range []*bundle.Bundle{reporttest.Bundle(), reporttest.HostileBundle()} {
		drawn := drawPage(t, b)
		if len(drawn) > page.MaxHTML {
			t.Errorf("%d bytes, more than %d", len(drawn), page.MaxHTML)
		}
		for n, at := range svg.FindAllIndex(drawn, -1) {
			d := xml.NewDecoder(bytes.NewReader(drawn[at[0]:]))
			if err := d.Decode(new(struct{})); err != nil {
				t.Fatalf("SVG %d: %v", n, err)
			}
		}
	}
}

// A very long story is cut, visibly, and the report stays within its budget.
func TestSizeBudget(t *testing.T) {
	h := reporttest.MillionBundle(42_000).Runs[0].Judgement.History
	b := reporttest.Bundle()
	b.Runs = nil
	for range 30 {
		b.Runs = append(b.Runs, bundle.Run{Lock: "set-nx-lua", Judgement: checker.Judgement{
			History: h, Acquired: 3000,
			Findings: []checker.Finding{reporttest.Kept(checker.MutualExclusionID)},
		}})
	}
	out := drawPage(t, b)
	if len(out) > page.MaxHTML {
		t.Errorf("%d bytes, more than %d", len(out), page.MaxHTML)
	}
	if !bytes.Contains(out, []byte("of 9001 steps")) {
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
		must.Get(HTML(bundle, say.English))(b)
	}
}

// A report of a million events: below 5 s and 5 MB, with the violation visible.
func BenchmarkMillionEvents(b *testing.B) {
	bundle := reporttest.MillionBundle(1_000_000)
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		page := must.Get(HTML(bundle, say.English))(b)
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
	reporttest.Has(t, drawn, `class="dense"`, "two inside", "told below", say.Number(events).In(say.English)+", around the first break")
}
