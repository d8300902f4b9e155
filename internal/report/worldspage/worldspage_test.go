package worldspage

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/report/page"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

func someWorlds() *Worlds {
	spans := func(ms ...int) []time.Duration {
		var out []time.Duration
		for _, n := range ms {
			out = append(out, time.Duration(n)*time.Millisecond)
		}
		return out
	}
	return &Worlds{
		Backend: "process", Scale: "0.1", Least: 1, Most: 2, Replay: "simulate compare-worlds --times 2",
		Columns: []page.Column{{Code: "GP", Name: "pause", Summary: "A freezes."}, {Code: "SJ", Name: "clock", Summary: "The clock jumps."}, {Code: "FO", Name: "failover", Summary: "The primary dies."}},
		Locks: []Lock{
			{
				ID: "set-nx-lua", Waits: BothTimes{spans(1, 300, 900), spans(2, 310, 950)}, Holds: BothTimes{spans(300), spans(301)},
				Cells: []Cell{
					{State: Agree, Script: "A freezes", Simulated: []checker.Letter{"V", "V"}, Real: []checker.Letter{"V", "V"}, Agreeing: 2},
					{State: NotPlayed, Why: "no clock"},
					{State: Differ, Script: "the primary dies", Simulated: []checker.Letter{"V", "V"}, Real: []checker.Letter{"V", "S"}, Agreeing: 1},
				},
			},
			{
				ID: "<b>redlock\x1b[31m", Failovers: BothTimes{spans(50), spans(60)},
				Cells: []Cell{
					{State: Untested, Script: "</td>", Simulated: []checker.Letter{"V", "V"}, Real: []checker.Letter{"?", "?"}, Why: "<script>alert(1)</script>"},
					{State: NotPlayed, Why: "no clock"}, {State: Agree, Simulated: []checker.Letter{"L"}, Real: []checker.Letter{"S"}, Agreeing: 1},
				},
			},
		},
	}
}

func worldsPage(t *testing.T, w *Worlds) string {
	t.Helper()
	page, err := HTML(w)
	if err != nil {
		t.Fatal(err)
	}
	again, err := HTML(w)
	if err != nil || !bytes.Equal(page, again) {
		t.Errorf("the page differs between two renderings, %v", err)
	}
	return string(page)
}

func TestWorldsPage(t *testing.T) {
	page := worldsPage(t, someWorlds())
	reporttest.Golden(t, "worlds.html", []byte(page))
	for _, want := range []string{
		"<b>2</b> agree", "<b>1</b> differ", "<b>1</b> put nothing to the test", "<b>2</b> cannot be played",
		`<td class="agree" title="set-nx-lua under GP: simulated V, real V, 2 of 2 agree">V</td>`,
		`<td class="differ" title="set-nx-lua under FO: simulated V, real V S, 1 of 2 agree">V / V S 1 of 2</td>`, "<td>V S</td><td>1 of 2</td>",
		`<tr><td>2</td><td class="wide">no clock</td></tr>`, "the primary dies", "<td>300.0 ms</td>", "<td>60.0 ms</td>", "played between 1 and 2 times",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	_, differ, _ := strings.Cut(page, "Where they differ")
	differ, untested, _ := strings.Cut(differ, "What put nothing to the test")
	untested, _, _ = strings.Cut(untested, "How long things took")
	if !strings.Contains(differ, "the primary dies") || strings.Contains(differ, "redlock") || !strings.Contains(untested, "&lt;/td&gt;") || strings.Contains(untested, "the primary dies") {
		t.Errorf("cells that differ: %s\ncells that tested nothing: %s", differ, untested)
	}
	if n := strings.Count(page, "Its numbers"); n != 3 || !strings.Contains(page, `<th scope="row">simulated</th><td>3</td><td>300.0`) {
		t.Errorf("%d tables of numbers, want one behind each figure", n)
	}
	if n := strings.Count(page, "<svg"); n != 3 {
		t.Errorf("%d figures, want waits, holds and failovers", n)
	}
	for _, bad := range []string{"<b>redlock", "<script", "\x1b"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
}

// A page without anything that was played has no figures, and says so.
func TestWorldsPageOfNothing(t *testing.T) {
	w := someWorlds()
	w.Locks = []Lock{{ID: "x", Cells: []Cell{{State: NotPlayed, Why: "no"}, {State: NotPlayed, Why: "no"}, {State: NotPlayed, Why: "never"}}}}
	page := worldsPage(t, w)
	if strings.Contains(page, "<svg") || strings.Contains(page, "Where they differ") || !strings.Contains(page, "<b>0</b> agree") {
		t.Error("the page shows what is not there")
	}
}

func TestNoEnglishIsLeftOnAChineseComparisonOfWorlds(t *testing.T) {
	w := someWorlds()
	w.Language = say.Chinese
	const said = "说了什么"
	for i := range w.Columns {
		w.Columns[i].Name, w.Columns[i].Summary = said, said
	}
	w.Locks[1].ID = "redlock"
	for i := range w.Locks {
		for k := range w.Locks[i].Cells {
			w.Locks[i].Cells[k].Script, w.Locks[i].Cells[k].Why = said, said
		}
	}
	for _, text := range reporttest.English([]byte(worldsPage(t, w))) {
		t.Error(text)
	}
}
