package compare_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/report/compare"
	"lockstep/internal/report/comparepage"
	"lockstep/internal/report/export"
	"lockstep/internal/report/page"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/report/terminal"
	"lockstep/internal/say"
)

func TestComparisonGolden(t *testing.T) {
	drawn := must.Get(comparepage.HTML(comparison()))(t)
	reporttest.Golden(t, "comparison.html", drawn)
	data := must.Get(export.Comparison(comparison()))(t)
	reporttest.Golden(t, "comparison.json", data)
	reporttest.Golden(t, "comparison-80.txt", []byte(terminal.Comparison(comparison(), terminal.Options{Width: 80})))
	reporttest.Golden(t, "comparison-brief.txt", []byte(terminal.Comparison(comparison(), terminal.Options{Width: 120, Brief: true})))
	if len(drawn) > page.MaxHTML {
		t.Errorf("%d bytes", len(drawn))
	}
}

func TestHostileComparison(t *testing.T) {
	c := comparison()
	c.Runs[0].Bundle, c.Runs[2].Bundle = reporttest.HostileBundle(), reporttest.HostileBundle()
	c.Replay, c.Runs[0].Dir, c.Runs[1].Href = reporttest.Hostile, reporttest.Hostile, "javascript:alert(1)"
	c.Runs[0].Settings = []compare.Setting{{Name: reporttest.Hostile, Value: reporttest.Hostile}}
	drawn := must.Get(comparepage.HTML(c))(t)
	if bytes.Contains(drawn, []byte("<script")) || bytes.Contains(drawn, []byte("\x1b")) || bytes.Contains(drawn, []byte(`"javascript:`)) || bytes.Contains(drawn, []byte("\u202e")) {
		t.Error("a hostile text is not escaped")
	}
	if text := terminal.Comparison(c, terminal.Options{Width: 80}); strings.ContainsAny(text, "\x1b\u202e\u009b") {
		t.Error("a hostile text controls the terminal")
	}
	data, err := export.Comparison(c)
	if err != nil || !json.Valid(data) || bytes.ContainsAny(data, "\x1b\u202e\u009b") {
		t.Errorf("the JSON is invalid or unsafe: %v", err)
	}
	if len(drawn) > page.MaxHTML {
		t.Errorf("%d bytes", len(drawn))
	}
}

// Two runs of a million events each, side by side.
func BenchmarkComparison(b *testing.B) {
	c := &compare.Comparison{Runs: []compare.Run{{Bundle: reporttest.MillionBundle(1_000_000)}, {Bundle: reporttest.MillionBundle(1_000_000)}}}
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		page := must.Get(comparepage.HTML(c))(b)
		size = len(page)
	}
	b.ReportMetric(float64(size), "bytes")
}

func TestNoEnglishIsLeftOnAChineseComparison(t *testing.T) {
	c := comparison()
	c.Language = say.Chinese
	for i := range c.Runs {
		b := c.Runs[i].Bundle
		if b.Plan != nil {
			b.Plan.Chinese.Name = "停顿"
		}
		for k := range b.Runs {
			b.Runs[k].Judgement.History.Header.Scenario = "停顿"
		}
	}
	page, err := comparepage.HTML(c)
	reporttest.NoEnglish(t, page, err)
}
