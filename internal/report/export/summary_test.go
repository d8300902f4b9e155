package export

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

func TestSummary(t *testing.T) {
	text := string(Summary(reporttest.MissedBundle(), 0))
	reporttest.Has(t, text,
		"### A long pause outlives the lease: NOT as expected\n",
		"| set-nx-ex-del | x broken 1x | x broken 1x | x broken 1x | x broken 1x | v kept | VF, data damaged |\n",
		"| set-nx-lua | x broken 1x | ? unknown | x broken 1x | x broken 1x | v kept | V, data damaged |\n",
		"- set-nx-ex-del let two clients in at once for 5.031 s. Expected kept, got broken.\n",
		"- set-nx-lua: inconclusive: fault 2 never fired: kill B.\n",
		"```sh\nsimulate run scenarios/lessons/pause-past-lease.yaml --seed 7\n```\n",
		"| 15.061 s | **A wakes and writes. The resource takes it.**<br>stale write: ",
	)
	if open, shut := strings.Count(text, "<details>"), strings.Count(text, "</details>"); open != 3 || shut != 3 {
		t.Errorf("%d details open and %d close, want one per lock and one for the faults", open, shut)
	}
	if text := string(Summary(reporttest.Bundle(), 0)); !strings.Contains(text, "lease: as expected\n") {
		t.Errorf("a run that is as expected: %s", text)
	}
	unsure := reporttest.Bundle()
	unsure.Runs[0].Judgement.Untested = say.NeverFired.With(1, say.Both{})
	if text := string(Summary(unsure, 0)); !strings.Contains(text, "lease: inconclusive\n") {
		t.Errorf("a run that tested less than it should: %s", text)
	}
}

// Whatever the limit, the summary stays below it, and says what it leaves out.
func TestSummaryKeepsItsLimit(t *testing.T) {
	b := reporttest.MissedBundle()
	for range 120 {
		b.Runs = append(b.Runs, reporttest.PauseRun("set-nx-lua", false))
	}
	for _, limit := range []int{300, 1000, 5000, 20_000, MaxSummary, 0, 1 << 30} {
		text := string(Summary(b, limit))
		most := limit
		if most == 0 || most > MaxSummary {
			most = MaxSummary
		}
		if len(text) > most {
			t.Errorf("%d bytes, limit %d", len(text), limit)
		}
		if !strings.Contains(text, "Left out, to stay small: ") {
			t.Errorf("limit %d: nothing says that something is left out", limit)
		}
		if strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("limit %d: a fold is cut", limit)
		}
	}
	if n := len(Summary(reporttest.HostileBundle(), 0)); n > MaxSummary {
		t.Errorf("%d bytes of hostile text", n)
	}
}

// Nothing of a scenario's texts becomes markup: what is not escaped in the
// summary of a hostile bundle is what the summary of a tame one has, too.
func TestSummaryOfHostileTexts(t *testing.T) {
	for _, text := range []string{
		reporttest.Hostile, "| a | b |", "`x` ``y``", "![i](https://evil.example/x.png)", "[a](javascript:x)", "<img src=x>", "**b** _i_ ~~s~~",
		"@octocat see #12", "www.evil.example http://evil.example", "# head", "</details>", "\n\n# head", "$x$", "```", "<!-- -->", `\`, `\|`,
		strings.Repeat("n|`@", 3000),
	} {
		b := reporttest.MissedBundle()
		p := b.Plan
		p.Name, b.Backend, b.Hash = text, text, text
		b.Replay = "simulate run " + text
		for i := range b.Runs {
			r := &b.Runs[i]
			r.Lock, r.Judgement.History.Header.Lock, r.Judgement.Untested = text, text, say.NeverFired.With(1, say.Both{English: text})
			for n := range r.Judgement.History.Header.Nodes {
				r.Judgement.History.Header.Nodes[n].Name = fmt.Sprintf("%d%s", n, text)
			}
			r.Judgement.Faults[0].Text = text
		}
		out := string(Summary(b, 0))
		reporttest.Harmless(t, "the summary", out)
		if !strings.Contains(out, "### ") || len(out) > MaxSummary {
			t.Fatalf("%q: %d bytes", text, len(out))
		}
		fence := regexp.MustCompile("(?m)^(`{3,})sh\n.*\n`{3,}$").FindString(out)
		if fence == "" {
			t.Fatalf("%q: the replay line has no fence", text)
		}
		checkMarkdown(t, text, strings.Replace(out, fence, "", 1))
	}
}

// escapes are what makes a character harmless.
var escapes = regexp.MustCompile(`\\[\\|*_~\[\]{}$:.` + "`" + `]|&(amp|lt|gt|quot|apos);`)

// checkMarkdown looks for markup that is not ours in a summary without its code.
func checkMarkdown(t *testing.T, give, out string) {
	t.Helper()
	columns := 0
	short := func(s string) string { return s[:min(len(s), 200)] }
	give = short(give)
	for _, line := range strings.Split(out, "\n") {
		if inner, found := strings.CutPrefix(line, "<details><summary>"); found {
			inner = strings.TrimSuffix(inner, "</summary>")
			for _, sign := range []string{"@", "#"} {
				inner = strings.ReplaceAll(inner, sign+"<!-- -->", "")
			}
			if strings.ContainsAny(inner, "<>@#") {
				t.Errorf("%q: markup in %s", give, short(line))
			}
			continue // a line of HTML is not Markdown
		}
		bare := strings.NewReplacer(`\@<!-- -->`, "", `\#<!-- -->`, "").Replace(line)
		bare = escapes.ReplaceAllString(bare, "")
		line = short(line)
		if strings.ContainsAny(bare, "`[]{}$~_") {
			t.Errorf("%q: markup in %s", give, line)
		}
		for _, ours := range []string{"</details>", "<br>", "<code>", "</code>", "**"} {
			bare = strings.ReplaceAll(bare, ours, "")
		}
		if strings.ContainsAny(bare, "<>*") || strings.Contains(bare, "@") {
			t.Errorf("%q: markup in %s", give, line)
		}
		if strings.Contains(bare, "://") || strings.Contains(bare, "www.") {
			t.Errorf("%q: a link in %s", give, line)
		}
		if strings.HasPrefix(bare, "#") && !strings.HasPrefix(bare, "### ") {
			t.Errorf("%q: a heading: %s", give, line)
		}
		if strings.Contains(strings.TrimPrefix(bare, "###"), "#") {
			t.Errorf("%q: an issue in %s", give, line)
		}
		// All rows of one table have as many cells.
		n := strings.Count(bare, "|")
		switch {
		case n == 0:
			columns = 0
		case columns == 0:
			columns = n
		case n != columns:
			t.Errorf("%q: %d cells instead of %d in %s", give, n, columns, line)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for give, want := range map[string]string{
		"plain words, 10.031 s": "plain words, 10.031 s",
		"a|b":                   `a\|b`,
		"`x`":                   "\\`x\\`",
		"<b>&":                  "&lt;b&gt;&amp;",
		"@me #1":                `\@<!-- -->me \#<!-- -->1`,
		"http://x www.x":        `http\://x www\.x`,
		`a\b`:                   `a\\b`,
	} {
		if got := markdown(give); got != want {
			t.Errorf("markdown(%q) = %q, want %q", give, got, want)
		}
	}
	if got := fenced("sh", "a ```` b"); got != "`````sh\na ```` b\n`````\n" {
		t.Errorf("the fence: %q", got)
	}
}

func TestAnnotations(t *testing.T) {
	reporttest.WantLines(t, "the annotations", strings.Split(Annotations(reporttest.MissedBundle()), "\n"), []string{
		"::error file=scenarios/lessons/pause-past-lease.yaml,line=27,title=set-nx-ex-del / mutual-exclusion::" +
			"set-nx-ex-del let two clients in at once for 5.031 s.%0AExpected kept, got broken.%0A" +
			"again: simulate run scenarios/lessons/pause-past-lease.yaml --seed 7",
		"::warning file=scenarios/lessons/pause-past-lease.yaml,title=set-nx-lua / owner-only-release::" +
			"set-nx-lua: owner-only-release is unknown, since fault 2 never fired.%0AExpected kept, got unknown.%0A" +
			"again: simulate run scenarios/lessons/pause-past-lease.yaml --seed 7",
		"::error file=scenarios/lessons/pause-past-lease.yaml,line=38,title=set-nx-lua / progress::" +
			"set-nx-lua kept progress.%0AExpected broken, got kept: a known-bad lock was not caught.%0A" +
			"again: simulate run scenarios/lessons/pause-past-lease.yaml --seed 7",
		"::warning file=scenarios/lessons/pause-past-lease.yaml,title=set-nx-lua::Inconclusive: fault 2 never fired: kill B.%0A" +
			"again: simulate run scenarios/lessons/pause-past-lease.yaml --seed 7",
		"",
	})
	if got := Annotations(reporttest.Bundle()); got != "" {
		t.Errorf("a run that is as expected: %q", got)
	}
	b := reporttest.MissedBundle()
	b.Plan.File = "stdin"
	if got := Annotations(b); !strings.HasPrefix(got, "::error title=set-nx-ex-del / mutual-exclusion::") {
		t.Errorf("a scenario from stdin has no file: %q", got)
	}
}

// A hostile text starts no command of its own and adds no parameter.
func TestAnnotationsOfHostileTexts(t *testing.T) {
	for _, text := range []string{"x\n::error::y", "a,line=1::b", "100%0A::stop-commands::x", "\r\n::set-output name=a::b", reporttest.Hostile, "::x", strings.Repeat("n", 10_000)} {
		b := reporttest.MissedBundle()
		b.Plan.File, b.Replay, b.Runs[0].Lock, b.Runs[1].Judgement.Untested = text, text, text, say.NeverFired.With(1, say.Both{English: text})
		b.Runs[0].Judgement.History.Header.Lock = text
		out := Annotations(b)
		reporttest.Harmless(t, "the annotations", out)
		rows := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(rows) != 4 {
			t.Fatalf("%q: %d commands: %s", text, len(rows), out)
		}
		for _, row := range rows {
			head, _, found := strings.Cut(strings.TrimPrefix(row, "::"), "::")
			if !found || !strings.HasPrefix(row, "::error file=") && !strings.HasPrefix(row, "::warning file=") {
				t.Errorf("%q: not a command: %s", text, row)
			}
			if n := strings.Count(head, ","); n > 2 {
				t.Errorf("%q: %d parameters in %s", text, n+1, head)
			}
		}
	}
}
