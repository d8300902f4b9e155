package bundle

import (
	"math"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// Two of ten runs of half an hour broke it: two in five hours, by the clock of the story. The
// probe's wait does not count, nor does a run that is no evidence, unless its draws spared it.
func TestHowOftenAnHour(t *testing.T) {
	const property = checker.MutualExclusionID
	play := func(n uint64, v checker.Verdict, why say.Phrase, scale int64) *run.Outcome {
		h := history.New(history.Header{Seed: n, ScalePPM: scale})
		at := history.Instant(30 * time.Minute * time.Duration(scale) / 1_000_000)
		h.Add(history.Event{Kind: history.Healed, At: at, Cause: history.NoCause})
		h.Add(history.Event{Kind: history.CutShort, At: at.Add(time.Hour), Cause: history.NoCause})
		o := outcome(n, v, why)
		o.Judgement.History, o.Judgement.Findings[0].Count = h, 3
		return o
	}
	tally := NewTally("x", 1, 20) // interrupted after 11
	for n := uint64(1); n <= 8; n++ {
		tally.Count(play(n, checker.Kept, say.Phrase{}, 1_000_000))
	}
	tally.Count(play(9, checker.Broken, say.Phrase{}, 100_000))
	tally.Count(play(10, checker.Broken, say.NothingDrawn.With(), 1_000_000))
	tally.Count(play(11, checker.Unknown, say.NeverFired.With(1, say.Both{English: "pause A"}), 1_000_000))
	tally.Finish()
	got := tally.PerHour[property]
	if tally.Hours != 5 || math.Abs(got.PerHour-0.4) > 1e-5 {
		t.Errorf("%v an hour in %v hours, want 0.4 in 5", got.PerHour, tally.Hours)
	}
	// Wilson 1927 for 2 of 10 is 5.67 % to 50.98 %; ten runs in five hours are two an hour.
	if math.Abs(got.Low-0.1134) > 1e-3 || math.Abs(got.High-1.0196) > 1e-3 {
		t.Errorf("from %v to %v an hour, want 0.1134 to 1.0196", got.Low, got.High)
	}
	if got, want := tally.HoursText().English(), "in 5.0 hours of the story: mutual-exclusion in 0.40 runs an hour (95 %: 0.11 to 1.0)"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
