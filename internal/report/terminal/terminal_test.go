package terminal

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

func TestTerminalFits(t *testing.T) {
	long := reporttest.Bundle()
	long.Runs[0].Lock = "setnx-timestamp-getset"
	missed := reporttest.Bundle()
	missed.Runs[1].Expected[0] = reporttest.Expected(checker.MutualExclusionID, checker.Kept, checker.Broken)
	unknown := reporttest.Bundle()
	for i := range unknown.Runs {
		for n := range unknown.Runs[i].Judgement.Findings {
			unknown.Runs[i].Judgement.Findings[n] = checker.Finding{
				Property: explain.Order[n], Verdict: checker.Unknown, Reason: say.NeverFired.With(1, say.Both{}),
			}
		}
	}
	for name, b := range map[string]*bundle.Bundle{"usual": reporttest.Bundle(), "long": long, "missed": missed, "unknown": unknown, "empty": {}} {
		for _, columns := range []int{60, 80, 100, 140} {
			text := Report(b, Options{Width: columns})
			for _, l := range strings.Split(text, "\n") {
				if say.RulerFor(say.English).Width(l) > columns && !strings.HasPrefix(l, "again") && !strings.HasPrefix(l, "report") {
					t.Errorf("%s, %d columns: %d characters: %s", name, columns, say.RulerFor(say.English).Width(l), l)
				}
			}
			if name == "missed" && !strings.Contains(text, "NOT as expected: mutual-exclusion was broken") {
				t.Errorf("the miss is not told:\n%s", text)
			}
		}
	}
}

func TestTerminalGoldens(t *testing.T) {
	b := reporttest.Bundle()
	reporttest.Golden(t, "terminal-80.txt", []byte(Report(b, Options{Width: 80, Took: 3 * time.Millisecond})))
	reporttest.Golden(t, "terminal-140.txt", []byte(Report(b, Options{Width: 140, Took: 3 * time.Millisecond})))
	reporttest.Golden(t, "terminal-color.txt", []byte(Report(b, Options{Width: 100, Color: true})))
}

// Unicode signs replace the letters, and nothing else changes.
func TestSignsTakeThePlaceOfLetters(t *testing.T) {
	b := reporttest.Bundle()
	for _, columns := range []int{44, 60, 80, 140} {
		for _, l := range []say.Language{say.English, say.Chinese} {
			plain, signed := Report(b, Options{Width: columns, Language: l}), Report(b, Options{Width: columns, Language: l, Signs: true})
			if plain == signed || !strings.Contains(signed, "✗") || strings.Contains(plain, "✗") {
				t.Errorf("%d columns, %s: no signs, or signs without the option:\n%s", columns, l, signed)
			}
			letters := strings.NewReplacer("✓", "v", "✗", "x", "·", ".")
			if back := letters.Replace(signed); back != plain {
				t.Errorf("%d columns, %s: more than signs differs:\n%s\n%s", columns, l, plain, back)
			}
		}
	}
}
