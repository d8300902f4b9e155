package bundle

import (
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

func TestSpeed(t *testing.T) {
	for ppm, want := range map[int64][2]string{
		0: {}, 1_000_000: {}, 100_000: {"ten times faster", "十倍速"}, 300_000: {"3.33 times faster", "3.33 倍速"},
		2_000_000: {"2 times slower", "放慢到 2 分之一"},
	} {
		played := &Bundle{Runs: make([]Run, 2)}
		played.Runs[1].Judgement.History = history.New(history.Header{ScalePPM: ppm})
		simulated := &Bundle{Plan: &plan.Plan{ScalePPM: ppm}, Runs: make([]Run, 1)}
		simulated.Runs[0].Judgement.History = history.New(history.Header{ScalePPM: 1_000_000})
		for _, b := range []*Bundle{played, simulated, {ScalePPM: ppm}} {
			if got := [2]string{b.Speed().In(say.English), b.Speed().In(say.Chinese)}; got != want {
				t.Errorf("%d ppm: %q, want %q", ppm, got, want)
			}
		}
	}
}
