package docs

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// Any text stays what it is, in Markdown.
func TestMarkdownHoldsAnything(t *testing.T) {
	pathOf := func(to string) string { return link("x", to) }
	for _, tt := range []struct {
		write      func(string) string
		give, want string
	}{
		{text, "SET key token NX", "SET key token NX"},
		{text, "KEYS[1] == ARGV[1]", `KEYS\[1\] == ARGV\[1\]`},
		{text, "a_b *c* `d` <e> | ~f~ &lt; $", "a\\_b \\*c\\* \\`d\\` \\<e> \\| \\~f\\~ \\&lt; \\$"},
		{text, `C:\x`, `C:\\x`},
		{text, "two\nlines\t here\x1b", "two lines here"},
		{text, "- no list", `\- no list`},
		{text, "# no heading", `\# no heading`},
		{text, "1. no step", `1\. no step`},
		{text, "1.5 s", "1.5 s"},
		{text, "2026.", `2026\.`},
		{text, "", ""},
		{code, "a_b", "`a_b`"},
		{code, "a`b", "``a`b``"},
		{code, "`a`", "`` `a` ``"},
		{code, "a``b`c", "```a``b`c```"},
		{code, "two\nli", "`two li`"},
		{cell, "`a|b` c", "`a\\|b` c"},
		{cell, `a \| b`, `a \| b`},
		{cell, "|", `\|`},
		{pathOf, "../a b/(c)#d?.yaml", "[x](../a%20b/%28c%29%23d%3F.yaml)"},
	} {
		if got := tt.write(tt.give); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.give, got, tt.want)
		}
	}
}

// hostile is a title that would break a page if it were not escaped.
const hostile = "a | b](evil) <script>alert(1)</script> `x` -->\n# not a heading"

// input makes a few pages.
func input(plans ...*plan.Plan) Input {
	root := &cobra.Command{Use: "simulate", Short: "plays <locks>", Long: "Plays <locks>:\n  code <x>\n- no list"}
	root.AddCommand(&cobra.Command{Use: "run <file>", Short: "a | b", Run: func(*cobra.Command, []string) {}})
	return Input{
		Root: root, Plans: plans, Up: "..", Columns: []matrix.Column{
			{Code: "N0", Name: say.Text("no fault"), Summary: say.Text("nothing | goes wrong")}, {Code: "GP", Name: say.Text("pause"), Summary: say.Text("a pause")},
		},
		Group:   func(locks.Variant) (int, string) { return 0, "all of them" },
		Demands: func(locks.Variant) string { return "a server" },
	}
}

// aStory is a scenario in which set-nx-lua breaks mutual exclusion.
func aStory(file, title string) *plan.Plan {
	p := plan.Default()
	p.Name, p.File, p.Question = title, file, title
	p.Locks = []string{"set-nx-lua"}
	p.Expect = []plan.Expectation{{Lock: "set-nx-lua", Property: "mutual-exclusion", Verdict: "broken"}}
	return &p
}

func pageOf(t *testing.T, in Input, path string) string {
	t.Helper()
	for _, p := range must.Get(Pages(in))(t) {
		if p.Path == path {
			return string(p.Data)
		}
	}
	t.Fatalf("no page %s", path)
	return ""
}

func TestScenariosAreEscaped(t *testing.T) {
	got := pageOf(t, input(aStory("scenarios/a b'(x).yaml", hostile)), "locks/set-nx-lua.md")
	reporttest.Has(t, got,
		"[a \\| b\\](evil) \\<script>alert(1)\\</script> \\`x\\` --> # not a heading](../../scenarios/a%20b%27%28x%29.yaml)",
		`simulate run 'scenarios/a b'\''(x).yaml' --lock set-nx-lua`,
	)
	if strings.Contains(got, "<script>") && !strings.Contains(got, `\<script>`) {
		t.Error("a tag of a title is on the page")
	}
}

// TestTablesAreWhole counts the cells of every row.
func TestTablesAreWhole(t *testing.T) {
	in := input(aStory("scenarios/x.yaml", hostile))
	in.Matrix = aMatrix()
	for _, p := range must.Get(Pages(in))(t) {
		columns := 0
		for line := range strings.Lines(string(p.Data)) {
			if !strings.HasPrefix(line, "|") {
				columns = 0
				continue
			}
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if columns != 0 && n != columns {
				t.Errorf("%s: a row of %d cells in a table of %d: %s", p.Path, n-1, columns-1, line)
			}
			columns = n
		}
	}
}

func TestCommandsAreEscaped(t *testing.T) {
	got := pageOf(t, input(), "commands.md")
	reporttest.Has(t, got,
		"## simulate\n\nplays \\<locks>\n", "Plays \\<locks>:\n\n```\ncode <x>\n```\n\n\\- no list\n",
		"## simulate run\n\na \\| b\n",
	)
}

func aMatrix() *results.Matrix {
	walked := int64(1234)
	return &results.Matrix{Schema: 1, Seeds: 200, Cells: []results.Cell{
		{Lock: "set-nx-lua", Fault: "GP", Letter: "V", Runs: 201, Rate: 0.5, Low: 0.4312, High: 0.568, Note: "A | B"},
		{Lock: "set-nx-lua", Fault: "N0", Letter: "S", Runs: 201},
		{
			Lock: "redlock", Fault: "GP", Letter: "V", Runs: 201, Walked: &walked, Damage: true, Also: []checker.Letter{"D", "L"}, Note: "found by the exhaustive search",
			Story: "redlock/pause@hold",
		},
	}}
}

func TestTheMatrixIsShownWhenThereIsOne(t *testing.T) {
	in := input()
	without := pageOf(t, in, "locks/set-nx-lua.md")
	reporttest.Has(t, without, "No measured matrix is stored", "simulate matrix --lock set-nx-lua\n")
	in.Matrix = aMatrix()
	with := pageOf(t, in, "locks/set-nx-lua.md")
	reporttest.Has(t, with, "| `N0` no fault | **S** safe | 201 |  | 0 % (0 % to 0 %) |  |\n"+
		"| `GP` pause | **V** two holders | 201 |  | 50 % (43.1 % to 56.8 %) | A \\| B |\n")
	with = pageOf(t, in, "locks/redlock.md")
	reporttest.Has(t, with, "| `GP` pause | **V** two holders; *damaged*; also D, L | 201 | 1,234 | 0 % (0 % to 0 %) | "+
		"found by the exhaustive search: `redlock/pause@hold` |\n")
	reporttest.Has(t, pageOf(t, in, "locks/setnx.md"), "is older than this lock") // which it lacks
}

func TestTheSmallestStoryIsNamed(t *testing.T) {
	large, small, other := aStory("a-large.yaml", "Large"), aStory("b-small.yaml", "Small"), aStory("c-other.yaml", "Other")
	large.Clocks = make([]plan.Clock, 1)
	other.Clients = []string{"A"}
	other.Expect[0].Property = "progress" // smaller, but not about mutual exclusion
	got := pageOf(t, input(large, small, other), "locks/set-nx-lua.md")
	reporttest.Has(t, got, "simulate run b-small.yaml --lock set-nx-lua\n")
}

// Misprints and false claims have a page, and misprints stand behind the designs or not at all.
func TestTheCourseHasAPageOfItsOwn(t *testing.T) {
	many, few := aStory("scenarios/a.yaml", "Many"), aStory("scenarios/b.yaml", "Few")
	many.Locks, few.Locks = []string{"lit-del-key", "lit-etcd-key", "setnx"}, []string{"lit-del-key", "setnx"}
	in := input(many, few)
	in.Claims = []results.Claim{{N: 1, Text: "So it is.", Verdict: "true"}, {N: 2, Text: "It is not.", Verdict: "false"}}
	in.Explored = &results.Explored{Locks: []results.ExploredLock{{Lock: "etcd-txn"}, {Lock: "lit-del-key"}, {Lock: "setnx"}}}
	course := pageOf(t, in, "course.md")
	reporttest.Has(t, course, "| `simulate run b` |\n", "| `simulate run a` |\n", "Of 2 claims 1 are true, 1 are false", "| [2](claims.md#claim-2) | It is not. | `simulate dev claims --claim 2` |\n")
	if index := pageOf(t, in, "README.md"); strings.Contains(index, "](locks/lit-") || !strings.Contains(index, "](course.md)") {
		t.Error("the index lists misprints, or does not lead to the course")
	}
	explored := pageOf(t, in, "explore.md")
	if a, b := strings.Index(explored, "locks/setnx.md"), strings.Index(explored, "The course: misprints"); a < 0 || a > b || b > strings.Index(explored, "locks/lit-del-key.md") {
		t.Errorf("designs do not stand before misprints:\n%s", explored)
	}
}

func TestALongCounterexampleIsCut(t *testing.T) {
	in := input()
	steps := make([]explain.Step, 1000)
	for i := range steps {
		steps[i] = explain.Step{At: 1e9, Sentence: say.Verbatim("A tries again.").Phrase()}
	}
	in.Explored = &results.Explored{Scope: results.Scope{Profiles: []results.Profile{{Name: "plain", Summary: "2 clients"}}}}
	set := results.CutSet{Shown: results.Shown{Profile: "plain", Name: "set-nx-lua/pause", Text: "pause A"}}
	in.Examples = map[string]Example{"set-nx-lua": {Set: set, Steps: steps}}
	got := pageOf(t, in, "locks/set-nx-lua.md")
	reporttest.Has(t, got, "\n\nPause A. The usage profile is `plain`: 2 clients.\n\n1. ", "simulate run set-nx-lua/pause\n", "\n15. 1.000 s: A tries again.\n\nand so on for 970 more steps, until\n\n986. ", "\n1000. ")
	if n := strings.Count(got, "A tries again."); n != 2*shownSteps {
		t.Errorf("%d steps are shown, want %d", n, 2*shownSteps)
	}
}
