package worldspage

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign/crosscheck"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

func someWorlds() *crosscheck.Comparison {
	spans := func(ms ...int) []time.Duration {
		var out []time.Duration
		for _, n := range ms {
			out = append(out, time.Duration(n)*time.Millisecond)
		}
		return out
	}
	pairs := func(letters ...checker.Letter) (out []results.WorldRun) {
		for i := 0; i < len(letters); i += 2 {
			out = append(out, crosscheck.OfLetters(letters[i], letters[i+1], false))
		}
		return out
	}
	c := &crosscheck.Comparison{
		Backend: "process",
		Columns: []matrix.Column{{Code: "GP", Name: say.Text("pause"), Summary: say.Text("A freezes.")}, {Code: "SJ", Name: say.Text("clock"), Summary: say.Text("The clock jumps.")}, {Code: "FO", Name: say.Text("failover"), Summary: say.Text("The primary dies.")}},
		Locks:   []locks.Variant{{ID: "set-nx-lua"}, {ID: "<b>redlock\x1b[31m"}},
		Cells: []crosscheck.Cell{
			{Agreement: results.Agrees, Script: say.Text("A freezes"), Pairs: pairs("V", "V", "V", "V")},
			{Agreement: results.NotPlayed, Why: say.Text("no clock")},
			{Agreement: results.Differs, Script: say.Text("the primary dies"), Pairs: pairs("V", "V", "V", "S")},
			{Agreement: results.Untested, Script: say.Text("</td>"), Pairs: pairs("V", "?", "V", "?"), Why: say.Text("<script>alert(1)</script>")},
			{Agreement: results.NotPlayed, Why: say.Text("no clock")},
			{Agreement: results.Agrees, Pairs: pairs("L", "S")},
		},
		Samples: []crosscheck.Sample{
			{Simulated: crosscheck.Times{Waits: spans(1, 300, 900), Holds: spans(300)}, Real: crosscheck.Times{Waits: spans(2, 310, 950), Holds: spans(301)}},
			{Simulated: crosscheck.Times{Failovers: spans(50)}, Real: crosscheck.Times{Failovers: spans(60)}},
		},
	}
	for i := range c.Cells {
		c.Cells[i].Lock, c.Cells[i].Fault = c.Locks[i/len(c.Columns)].ID, c.Columns[i%len(c.Columns)].Code
	}
	return c
}

func worldsPage(t *testing.T, l say.Language, c *crosscheck.Comparison) string {
	t.Helper()
	return string(must.Get(HTML(l, c, "0.1", "simulate dev compare-worlds --times 2"))(t))
}

func TestWorldsPage(t *testing.T) {
	reporttest.Golden(t, "worlds.html", []byte(worldsPage(t, say.English, someWorlds())))
}

// A comparison of stories has a sign for each, with the story and the results of both worlds.
func TestWorldsPageOfStories(t *testing.T) {
	c := someWorlds()
	c.Columns = nil
	c.Cells = c.Cells[:3]
	for i := range c.Cells {
		x := &c.Cells[i]
		x.Lock, x.Fault, x.Story = "set-nx-lua", "evict+pause", "set-nx-lua/evict+pause"
		for k := range x.Pairs {
			x.Pairs[k] = results.WorldRun{Simulated: "overlap+damage", Real: "overlap+damage", Agreement: results.Agrees}
		}
	}
	c.Cells[2].Pairs[1].Real, c.Cells[2].Pairs[1].Agreement = "overlap", results.Differs
	page := worldsPage(t, say.English, c)
	reporttest.Has(t, page,
		`<span class="agree" title="set-nx-lua under evict&#43;pause: simulated overlap&#43;damage, real overlap&#43;damage, 2 of 2 agree">✓</span>`,
		`<span class="not-played"`, `<span class="differ"`, "<td>overlap&#43;damage</td><td>overlap&#43;damage overlap</td>", "Story by story",
	)
	reporttest.Lacks(t, strings.Split(page, "Medians for each lock")[0], "Letter by letter", "The faults", "redlock")
}

// A page without anything that was played has no figures, and says so.
func TestWorldsPageOfNothing(t *testing.T) {
	c := someWorlds()
	c.Locks, c.Samples = []locks.Variant{{ID: "x"}}, []crosscheck.Sample{{}}
	c.Cells = []crosscheck.Cell{{Agreement: results.NotPlayed, Why: say.NoSuchStep.With()}, {Agreement: results.NotPlayed, Why: say.NoSuchStep.With()}, {Agreement: results.NotPlayed, Why: say.NobodyGetsIt.With("N0")}}
	page := worldsPage(t, say.English, c)
	if strings.Contains(page, "<svg") || strings.Contains(page, "Where they differ") || !strings.Contains(page, "<b>0</b> agree") {
		t.Error("the page shows figures or differences that it has no data for")
	}
}

func TestNoEnglishIsLeftOnAChineseComparisonOfWorlds(t *testing.T) {
	c := someWorlds()
	said := say.Both{English: "It says something.", Chinese: "说了什么"}.Phrase()
	for i := range c.Columns {
		c.Columns[i].Name, c.Columns[i].Summary = said, said
	}
	c.Locks[1].ID = "redlock"
	for i := range c.Cells {
		c.Cells[i].Script, c.Cells[i].Why = said, said
	}
	reporttest.NoEnglish(t, []byte(worldsPage(t, say.Chinese, c)), nil)
}
