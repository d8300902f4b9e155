package export

import (
	"strings"
	"testing"

	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

func TestSummaryNamesTheOutcome(t *testing.T) {
	met, untested := reporttest.Bundle(), reporttest.Bundle()
	untested.Runs[0].Judgement.Untested = say.NeverFired.With(1, say.Both{})
	reporttest.Has(t, Summary(met, 0), "lease: as expected\n")
	reporttest.Has(t, Summary(untested, 0), "lease: inconclusive\n")
}

// The summary stays below any limit, and says what it leaves out.
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
			t.Errorf("limit %d: the summary does not say that something is left out", limit)
		}
		if strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("limit %d: a fold is not closed", limit)
		}
	}
	if n := len(Summary(reporttest.HostileBundle(), 0)); n > MaxSummary {
		t.Errorf("%d bytes of hostile text", n)
	}
}

func TestMarkdown(t *testing.T) {
	for give, want := range map[string]string{
		"plain words, 10.031 s": "plain words, 10.031 s",
		"a|b [c] {d} $ ~":       `a\|b \[c\] \{d\} \$ \~`,
		"`x` *y* _z_":           "\\`x\\` \\*y\\* \\_z\\_",
		"<b>&":                  "&lt;b&gt;&amp;",
		"@me #1":                `\@<!-- -->me \#<!-- -->1`,
		"http://x www.x":        `http\://x www\.x`,
		`a\b`:                   `a\\b`,
	} {
		if got := markdown(give); got != want {
			t.Errorf("markdown(%q) = %q, want %q", give, got, want)
		}
	}
	const want = "&lt;b&gt; &amp; &quot;@<!-- -->me&quot; &apos;it&apos; #<!-- -->1"
	if got := htmlText(`<b> & "@me" 'it' #1`); got != want {
		t.Errorf("htmlText gives %q, want %q", got, want)
	}
	if got := fenced("sh", "a ```` b"); got != "`````sh\na ```` b\n`````\n" {
		t.Errorf("the fence: %q", got)
	}
}

func TestAnnotationsOfOtherRuns(t *testing.T) {
	if got := Annotations(reporttest.Bundle()); got != "" {
		t.Errorf("a run that is as expected: %q", got)
	}
	b := reporttest.MissedBundle()
	b.Plan.File = "stdin"
	const want = "::error title=set-nx-ex-del / mutual-exclusion::"
	if got := Annotations(b); !strings.HasPrefix(got, want) {
		t.Errorf("a scenario from stdin has no file: %q", got)
	}
}
