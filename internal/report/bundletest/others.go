package bundletest

import (
	"fmt"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// MillionBundle is a run of about a million events in which two clients are inside
// for 5 ms, once.
func MillionBundle(events int) *bundle.Bundle {
	w := reporttest.NewWriter("set-nx-lua", "A", "B", "C")
	var at history.Instant
	for n := int64(0); len(w.H.Events) < events; n++ {
		client := string(rune('A' + n%3))
		read := w.Acquires(n*100+10, client, n)
		if n == int64(events)/40 {
			at = reporttest.At(n*100 + 12)
			w.Add(n*100+12, history.Acquired, string(rune('A'+(n+1)%3)))
			w.Add(n*100+17, history.Releasing, string(rune('A'+(n+1)%3)))
		}
		w.Writes(n*100+40, client, read, n+1)
		w.Releases(n*100+50, client, "EVAL unlock lock x", client)
	}
	j := checker.Judge(w.H)
	b := &bundle.Bundle{Backend: "sim", Seed: 7, Runs: []bundle.Run{{Lock: "set-nx-lua", Judgement: j}}}
	if f := j.Finding(checker.MutualExclusionID); f.Verdict != checker.Broken || f.Violations[0].From != at {
		panic(fmt.Sprintf("the history by hand is not what it should be: %+v", f))
	}
	return b
}

// Sweep has a cell of each kind: safe, rarely and often broken, always, untested.
func Sweep() *bundle.Sweep {
	cell := func(broken, tested int, rate, low, high int64, first uint64) bundle.SweepCell {
		return bundle.SweepCell{Broken: broken, Tested: tested, Untested: 1000 - tested, Rate: rate, Low: low, High: high, FirstBroke: first}
	}
	return &bundle.Sweep{
		Title: "A pause & a lease", Story: "Who <wins>?", Property: "mutual-exclusion", Seeds: 1000,
		Replay: "simulate sweep x.yaml --seeds 1000",
		Maps: []bundle.SweepMap{{
			Lock: "set-nx-lua", XName: "lease", YName: "pause", XTicks: []string{"1s", "2s", "4500ms"}, YTicks: []string{"0s", "10s"},
			Cells: []bundle.SweepCell{
				cell(0, 1000, 0, 0, 3_827, 0), cell(1, 1000, 1_000, 176, 5_643, 77), cell(0, 0, 0, 0, 1_000_000, 0),
				cell(1000, 1000, 1_000_000, 996_173, 1_000_000, 1), cell(999, 1000, 999_000, 994_357, 999_824, 1), cell(420, 900, 466_667, 434_000, 499_000, 3),
			},
		}, {
			Lock: "redlock", XName: "loss", XTicks: []string{"0%", "5%"}, YTicks: []string{""},
			Cells: []bundle.SweepCell{cell(0, 1000, 0, 0, 3_827, 0), cell(0, 1000, 0, 0, 3_827, 0)},
		}},
	}
}

// MissedBundle is the bundle with a missed expectation, an unknown verdict, one
// that nothing is expected of, and a fault that never fired.
func MissedBundle() *bundle.Bundle {
	b := Bundle()
	first, second := &b.Runs[0], &b.Runs[1]
	first.Expected[0] = bundle.Expected{Property: checker.MutualExclusionID, Expected: "kept", Got: "broken"}
	second.Expected[0] = bundle.Expected{Property: checker.MutualExclusionID, Expected: "broken", Got: "broken", Met: true}
	second.Judgement.Findings[3] = checker.Finding{
		Property: checker.OwnerOnlyReleaseID, Verdict: checker.Unknown, Reason: say.NeverFired.With(2, say.Both{}),
	}
	second.Expected[3] = bundle.Expected{Property: checker.OwnerOnlyReleaseID, Expected: "kept", Got: "unknown"}
	second.Expected[4] = bundle.Expected{Property: checker.ProgressID, Expected: "broken", Got: "kept"}
	second.Expected = append(second.Expected[:1], second.Expected[3:]...) // nothing about writes
	second.Untested = say.NeverFired.With(2, say.Both{English: "kill B"})
	for i, lock := range b.Plan.Locks {
		b.Plan.Expect = append(b.Plan.Expect,
			plan.Expectation{Lock: lock, Property: checker.MutualExclusionID, Verdict: "kept", Line: 27 + i},
			plan.Expectation{Lock: lock, Property: checker.ProgressID, Verdict: "broken", Line: 37 + i})
	}
	return b
}
