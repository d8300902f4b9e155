package indexpage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/report/export"
	"lockstep/internal/report/page"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// lock is a result with verdicts as in "progress kept".
func lock(id string, impact checker.Impact, verdicts ...string) export.LockResult {
	out := export.LockResult{Lock: id, Impact: impact, Verdicts: map[string]export.VerdictResult{}}
	for _, v := range verdicts {
		at := strings.LastIndex(v, " ")
		out.Verdicts[v[:at]] = export.VerdictResult{Verdict: checker.Verdict(v[at+1:])}
	}
	return out
}

func testIndex() *Index {
	return &Index{
		Total: 4, Pages: []string{"comparison.html", "matrix.html", "notes.html"},
		Runs: []Run{
			{
				Path: "pause-past-lease/20260102T030405.000Z-seed-7", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
				RunResult: export.RunResult{Scenario: "pause-past-lease", Seed: 7, Backend: "sim", Met: true, Locks: []export.LockResult{
					lock("set-nx-lua", checker.ImpactSafe, "progress kept", "no-stale-write broken", "mutual-exclusion broken"),
					lock("etcd-mutex", checker.ImpactKept, "progress kept", "mutual-exclusion kept"),
				}},
			},
			{
				Path: "kill/20260102T030405.000Z-seed-1", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
				RunResult: export.RunResult{Scenario: "kill", Seed: 1, Backend: "process", Locks: []export.LockResult{
					lock("redisson", "", "progress unknown", "mutual-exclusion kept"),
				}},
			},
			{Path: "kill/by-hand", RunResult: export.RunResult{Scenario: "kill", Seed: 1, Backend: "sim", Locks: []export.LockResult{lock("redisson", "")}}},
			{Path: "kill/20260102T030404.000Z-seed-1", RunResult: export.RunResult{Scenario: "kill"}, Problem: "result.json: unexpected end of JSON input"},
		},
	}
}

// Other pages are named by their kind, and those in a folder by the scenario and the run.
func TestOtherPagesHaveNames(t *testing.T) {
	var got []string
	for _, o := range newView(&Index{Pages: []string{
		"log-pods.html", "which-lock.html", "sweep/map/sweep.html", "again/kill/1/report.html", "_site/playground/index.html", "notes.html",
	}}, 0).Others {
		got = append(got, o.Says+": "+o.Name)
	}
	must.Slices(t, got, []string{
		"A log, judged: log-pods.html", "Which lock should I use?: which-lock.html", "Settings varied: map",
		"A run, judged and drawn again: kill/1", "The playground: drag a pause, and watch: ", ": notes.html",
	})
}

func drawIndex(t *testing.T, x *Index) string {
	t.Helper()
	return string(must.Get(HTML(x))(t))
}

func TestIndexGolden(t *testing.T) {
	reporttest.Golden(t, "index.html", []byte(drawIndex(t, testIndex())))
}

var indexRowForm = regexp.MustCompile(`<tr data-verdict="([a-z]+)" data-met="([a-z]+)">`)

// Only a server can offer archives.
func TestAServedIndexOffersArchives(t *testing.T) {
	served := testIndex()
	served.Served = true
	reporttest.Has(t, drawIndex(t, served), `href="./kill/by-hand.zip" download`)
}

func TestIndexOfNothing(t *testing.T) {
	page := drawIndex(t, &Index{})
	reporttest.Has(t, page, "Nothing has been played yet", "simulate run pause-past-lease")
	reporttest.Lacks(t, page, "<table", "<search")
}

func TestIndexKeepsItsBudget(t *testing.T) {
	x := &Index{Total: 3 * MaxRuns}
	for i := range 3 * MaxRuns {
		r := Run{Path: fmt.Sprintf("scenario/run-%d", i), RunResult: export.RunResult{Scenario: "scenario", Seed: uint64(i)}}
		for n := range 43 {
			r.Locks = append(r.Locks, lock(fmt.Sprintf("a-lock-with-a-name-%d", n), "", "mutual-exclusion broken"))
		}
		x.Runs = append(x.Runs, r)
	}
	drawn := drawIndex(t, x)
	rows := len(indexRowForm.FindAllString(drawn, -1))
	if len(drawn) > page.MaxHTML || rows < 30 {
		t.Errorf("%d bytes, %d rows", len(drawn), rows)
	}
	reporttest.Has(t, drawn, fmt.Sprintf("The newest %d of %d runs", rows, 3*MaxRuns), "scenario/run-0/", "simulate list runs")
}

// Names of directories and locks are foreign texts.
func TestHostileNamesInTheIndex(t *testing.T) {
	for _, evil := range []string{
		`"><script>alert(1)</script>`, `javascript:alert(1)`, `//evil.example/x`, `..`, `a"onmouseover="x`, "\x1b[31m", `%2e%2e/x?y#z`, `https://evil.example/`,
	} {
		x := &Index{Total: 1, Served: true, Pages: []string{evil + ".html"}, Runs: []Run{{
			Path:      evil + "/" + evil,
			RunResult: export.RunResult{Scenario: evil, Backend: evil, Locks: []export.LockResult{lock(evil, "", evil+" broken")}},
		}, {Path: evil, Problem: evil}}}
		page := drawIndex(t, x)
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "./") && !strings.HasPrefix(m[1], "#") && m[1] != "data:," {
				t.Errorf("%q: a link leads to %s", evil, m[1])
			}
		}
		if strings.Count(page, "<script") != 1 || strings.Contains(page, "\x1b") || regexp.MustCompile(`<[^>]*\son[a-z]+=`).MatchString(page) {
			t.Errorf("%q is not shown as text", evil)
		}
	}
}

func TestNoEnglishIsLeftOnAChineseIndex(t *testing.T) {
	x := testIndex()
	x.Language, x.Total, x.Served = say.Chinese, MaxRuns+1, true
	x.Runs = slices.DeleteFunc(x.Runs, func(r Run) bool { return r.Problem != "" })
	page, err := HTML(x)
	reporttest.NoEnglish(t, page, err)
	empty, err := HTML(&Index{Language: say.Chinese})
	reporttest.NoEnglish(t, empty, err)
}
