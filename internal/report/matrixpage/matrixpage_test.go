package matrixpage

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/must"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// tinyMatrix is a matrix built by hand: two locks, three columns, five letters.
func tinyMatrix() *Matrix {
	blind, script := reporttest.PauseRun("set-nx-ex-del", true).Judgement, reporttest.PauseRun("set-nx-lua", false).Judgement
	file := "scenario: \"GP: A freezes\"\nlease: 10s\nfaults:\n  - when: A is in its critical section\n    pause: A\n    for: 15s\n"
	runOf := func(lock string, j *checker.Judgement, varied bool) *Run {
		return &Run{
			Letter: j.Letter, Script: "A freezes in its critical section", Varied: varied, File: lock + "-GP.yaml", YAML: file,
			Command: "simulate run " + lock + "-GP.yaml --lock " + lock + " --seed 7", Hash: "5f0c", Tale: NewTale(j, 0),
		}
	}
	walked := int64(1234)
	return &Matrix{
		Backend: "sim", Seeds: 20, Lease: 10 * time.Second, Replay: "simulate matrix --seeds 20",
		Columns: []Column{
			{Code: "N0", Name: "no fault", Summary: "Clients contend, nothing goes wrong."},
			{Code: "GP", Name: "pause past the lease", Summary: "The whole process freezes for longer than the lease.", Kinds: []faultkind.Hit{{Kind: "pause"}}},
			{Code: "LA", Name: "lost reply to acquire", Summary: "The reply never arrives.", Kinds: []faultkind.Hit{{Kind: "lost-reply", During: "acquire"}}},
		},
		Locks: []Lock{
			{
				ID: "set-nx-ex-del", Group: "Redis, one primary", Store: "Redis, one primary", Idea: "Set and delete.",
				Protocol: []string{"SET NX EX.", "DEL."}, BreaksWhen: "A holder overruns its lease.", Source: "a document, line 7",
				Cells: []Cell{
					{Cell: results.Cell{Letter: "S", Note: "2 scripts and 20 variations", Runs: 22, High: 0.161}, Tried: []string{"three clients", "five clients"}},
					{Cell: results.Cell{Letter: "VF", Note: "A freezes in its critical section", Runs: 21, Untested: 1, Broken: 18, Stuck: 1, Rate: 0.9, Low: 0.699, High: 0.972}, Worst: runOf("set-nx-ex-del", &blind, true)},
					{Cell: results.Cell{Letter: "L", Note: "the reply of SET is lost", Runs: 22, High: 0.161}, Worst: &Run{Letter: "L", Script: "the reply of SET is lost", File: "set-nx-ex-del-LA.yaml", YAML: file, Command: "simulate run set-nx-ex-del-LA.yaml", Hash: "77aa"}},
				},
			},
			{
				ID: "set-nx-lua", Group: "etcd", Store: "etcd", Idea: "Compare and delete.",
				Cells: []Cell{
					{Cell: results.Cell{Letter: "-", Note: "the lock has no such step", Untested: 22}},
					{Cell: results.Cell{Letter: "VF", Note: "A freezes in its critical section", Runs: 22, Broken: 22, Rate: 1, Low: 0.839, High: 1}, Worst: runOf("set-nx-lua", &script, false)},
					{Cell: results.Cell{
						Letter: "D", Note: "found by the exhaustive search, in the profile twice: drop reply", Runs: 2, High: 0.161, Also: []checker.Letter{"L"},
						DamagedBy: "set-nx-lua/pause", Walked: &walked, NoEffect: 7, Cut: 2, Story: "a.yaml --lock set-nx-lua",
					}},
				},
			},
		},
	}
}

func drawMatrix(t *testing.T, m *Matrix) string {
	t.Helper()
	return string(must.Get(HTML(m))(t))
}

// drawPages draws a matrix as a page without evidence, and the pages of its locks.
func drawPages(t *testing.T, m *Matrix) (first string, locks map[string][]byte) {
	t.Helper()
	out, locks, err := Pages(m)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(out), "\u00a0", " "), locks
}

func TestMatrixGolden(t *testing.T) {
	reporttest.Golden(t, "matrix.html", []byte(drawMatrix(t, tinyMatrix())))
}

// wholeMatrix has a main design, one with tokens, and a variant.
func wholeMatrix() *Matrix {
	m := tinyMatrix()
	etcd := m.Locks[1]
	etcd.ID, etcd.Tokens, etcd.Cells = "etcd-txn", true, slices.Clone(etcd.Cells)
	etcd.Cells[2] = Cell{Cell: results.Cell{Letter: "L", Runs: 2}}
	m.Locks[1].More, m.Locks[0].Cells[1].DamagedBy = true, "a script"
	m.Locks[0].Group, etcd.Group = "main", "main"
	m.Locks = append(m.Locks, etcd)
	return m
}

// The page of a whole matrix has no evidence: its letters lead to a page for each lock, which also
// explains the letters.
func TestEvidenceHasPagesOfItsOwn(t *testing.T) {
	out, locks := drawPages(t, wholeMatrix())
	if strings.Contains(out, "<details") || strings.Contains(out, "when: A is in its critical section") {
		t.Error("the page has evidence")
	}
	links := regexp.MustCompile(`href="matrix/([^"#]*)#([^"]*)"`).FindAllStringSubmatch(out, -1)
	if len(links) != 3*4 {
		t.Errorf("%d links to evidence, want one for each lock and cell", len(links))
	}
	for _, l := range links {
		page := string(locks[l[1]])
		if !strings.Contains(page, `id="`+l[2]+`"`) || !strings.Contains(page, `href="../matrix.html"`) || !strings.Contains(page, `<table class="letters">`) {
			t.Errorf("%s has no %s, no way back, or no letters", l[1], l[2])
		}
	}
	// The least harmed lock comes first, the variant behind the switch.
	order := regexp.MustCompile(`<tbody( class="more")?>|<th scope="row" class="lock"><a href="[^"]*">([^<]*)`).FindAllStringSubmatch(out, -1)
	var got []string
	for _, o := range order {
		got = append(got, o[1]+o[2])
	}
	if want := []string{"", "etcd-txn", "set-nx-ex-del", ` class="more"`, "set-nx-lua", ""}; !slices.Equal(got[:5], want[:5]) {
		t.Errorf("%q", got)
	}
}

// An overlap is harmless by tokens only if the lock has them and the cell no damage.
func TestTokensMakeOverlapsHarmless(t *testing.T) {
	m := wholeMatrix()
	out, _ := drawPages(t, m)
	if !strings.Contains(out, `id="tokens"`) || strings.Count(out, `<td class="cVF fenced">`) != 1 || !strings.Contains(out, "although two clients can hold one at once: etcd-txn.") {
		t.Error("the overlap of etcd-txn is not shown as one that tokens make harmless")
	}
	m.Locks[2].Cells[1].DamagedBy = "a script"
	out, _ = drawPages(t, m)
	reporttest.Has(t, out, `<td class="cVF damaged">`)
	reporttest.Lacks(t, out, `<td class="cVF fenced">`, "hold one at once: etcd-txn")
	for i := range m.Locks {
		m.Locks[i].Tokens, m.Locks[i].Cells[1].DamagedBy = false, ""
	}
	out, _ = drawPages(t, m)
	reporttest.Lacks(t, out, `id="tokens"`, `<td class="cVF fenced">`)
}

// Harm with a check of tokens leaves out the overlaps that it makes harmless, in rows, columns and
// facts.
func TestHarmIsCountedWithACheck(t *testing.T) {
	m := wholeMatrix()
	etcd := &m.Locks[2]
	etcd.Cells[0] = Cell{Cell: results.Cell{Letter: "S", Runs: 22}}
	out, _ := drawPages(t, m)
	reporttest.Has(t, out,
		`<td class="sum"><span class="as">1</span><span class="with">0</span></td>`, // the row of etcd-txn
		`<span class="as">3</span><span class="with">2</span>`,                      // the column of the pause
		`<span class="as">3 of 3</span><span class="with">2 of 3</span>`,
		"None of the 3 locks gets through every column", "Only 1 lock of 3 gets through every column: etcd-txn.", "Counted with a resource that checks tokens",
	)
	etcd.Cells[1].DamagedBy = "a script" // which the check does not prevent
	if out, _ = drawPages(t, m); strings.Contains(out, `<span class="with">`) {
		t.Error("damage is left out")
	}
}

// Harm by an unexpected fault is marked, and its evidence names the store.
func TestUnexpectedHarmIsMarked(t *testing.T) {
	m := wholeMatrix()
	for i := range m.Locks {
		for k := range m.Locks[i].Cells {
			m.Locks[i].Cells[k].NotExpected, m.Locks[i].Cells[k].Unexpected = "not expected with one Redis", k == 1
		}
	}
	out, locks := drawPages(t, m)
	page := string(locks["set-nx-ex-del.html"])
	if strings.Count(out, ` rare"><a`) != 3 || !strings.Contains(out, `id="only-rare"`) || !strings.Contains(out, `of 21); not expected"`) {
		t.Error("the three letters of unexpected harm are not marked")
	}
	if strings.Count(page, "This fault is not expected with one Redis: what breaks here") != 1 {
		t.Error("not only the evidence of harm says that the fault is not expected")
	}
}

// The evidence of a lock with tokens shows a run with a check of them below the one without.
func TestTheCheckIsShown(t *testing.T) {
	m := wholeMatrix()
	run := *m.Locks[2].Cells[1].Worst
	again := reporttest.PauseRun("set-nx-lua", true).Judgement
	run.Checked, run.CheckedCommand = run.Tale.Again(&again, 0), "simulate run x.yaml --set workload.fence=..."
	m.Locks[2].Cells[1].Worst = &run
	_, locks := drawPages(t, m)
	with, without := string(locks["etcd-txn.html"]), string(locks["set-nx-ex-del.html"])
	checked := []string{"In this run the resource checks nothing.", "The same with a resource that checks tokens, in reads and writes:", run.CheckedCommand}
	reporttest.Has(t, with, checked...)
	reporttest.Lacks(t, without, checked...)
	pictures := regexp.MustCompile(`(?s)<figure class="scroll">(.*?)(?:<figcaption|</figure>)`).FindAllStringSubmatch(with, -1)
	if len(pictures) != 2 || pictures[0][1] == pictures[1][1] {
		t.Error("the two runs are not both drawn, or drawn alike")
	}
}

// A row that stands apart is not counted.
func TestCountsAreOfTheDesigns(t *testing.T) {
	m := tinyMatrix()
	m.Locks[1].Apart = true
	out := strings.ReplaceAll(drawMatrix(t, m), "\u00a0", " ")
	reporttest.Has(t, out, "1 lock design under", "None of the 1 locks", "Most harmful: pause past the lease (GP), with 1 of 1 locks", "broken or stuck, of 1")
}

// bigMatrix has sixty locks and seventeen columns, half of the cells with the
// longest tale and the others without, as measured matrices have them.
func bigMatrix(file string) *Matrix {
	m := tinyMatrix()
	cell := m.Locks[0].Cells[1]
	run := *cell.Worst
	run.YAML = file
	step := run.Tale.Steps[3]
	tale := *run.Tale
	tale.Steps = slices.Repeat([]explain.Step{step}, maxTaleSteps)
	run.Tale, cell.Worst = &tale, &run
	m.Columns = nil
	lock := Lock{Group: "Redis, one primary", Idea: strings.Repeat("idea ", 40), Protocol: []string{strings.Repeat("step ", 20)}}
	for k := range 17 {
		m.Columns = append(m.Columns, Column{Code: fmt.Sprintf("C%d", k), Name: "pause past the lease", Summary: "The process freezes."})
		c := cell
		if k%2 == 1 {
			quiet := run
			quiet.Tale = nil
			c.Letter, c.Worst = "L", &quiet
		}
		lock.Cells = append(lock.Cells, c)
	}
	m.Locks = nil
	for i := range 60 {
		lock.ID = fmt.Sprintf("lock-%d", i)
		m.Locks = append(m.Locks, lock)
	}
	return m
}

func TestMatrixBudget(t *testing.T) {
	const notice = "There is more evidence than this page has room for"
	out := drawMatrix(t, bigMatrix(strings.Repeat("  line: of a scenario\n", 25)))
	if len(out) > MaxHTML || strings.Contains(out, notice) {
		t.Errorf("a usual matrix takes %d bytes, more than %d", len(out), MaxHTML)
	}
	out = drawMatrix(t, bigMatrix(strings.Repeat("  line: of a scenario\n", 300)))
	if len(out) > MaxHTML {
		t.Errorf("%d bytes, more than %d", len(out), MaxHTML)
	}
	if !strings.Contains(out, notice) {
		t.Error("the page does not say that it leaves evidence out")
	}
}

func TestNumbersOfTheMatrix(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := say.Grouped(n).In(say.English); got != want {
			t.Errorf("say.Grouped(%d).In(say.English) = %s, want %s", n, got, want)
		}
	}
	for rate, want := range map[float64]string{0: "0 %", 1: "100 %", 0.5: "50.0 %", 0.001: "0.1 %", 0.9999: "100 %"} {
		if got := say.Percent(rate).In(say.English); got != want {
			t.Errorf("say.Percent(%g).In(say.English) = %s, want %s", rate, got, want)
		}
	}
}

func BenchmarkMatrix(b *testing.B) {
	m := bigMatrix(strings.Repeat("  line: of a scenario\n", 25))
	b.ReportAllocs()
	for b.Loop() {
		if out, err := HTML(m); err != nil || !bytes.HasSuffix(bytes.TrimSpace(out), []byte("</html>")) {
			b.Fatal(err)
		}
	}
}

func TestNoEnglishIsLeftOnAChineseMatrix(t *testing.T) {
	m := tinyMatrix()
	m.Language = say.Chinese
	const said = "说了什么"
	for i := range m.Columns {
		m.Columns[i].Name, m.Columns[i].Summary = said, said
	}
	for i := range m.Locks {
		l := &m.Locks[i]
		l.Group, l.Store, l.Idea, l.BreaksWhen, l.Source = said, said, said, said, said
		for k := range l.Cells {
			c := &l.Cells[k]
			c.Note, c.Tried = said, []string{said}
			if c.Worst != nil {
				c.Worst.Script = said
			}
		}
	}
	reporttest.NoEnglish(t, []byte(drawMatrix(t, m)), nil)
}
