package matrix

import (
	"time"

	"lockstep/internal/rng"
	"lockstep/internal/rng/spread"
)

// random draws the variations of a script with integer arithmetic only, so that a seed gives the
// same plan in every build.
type random struct{ rand spread.Source }

func newRandom(script string, seed uint64) random { return random{rng.Plain(seed, rng.ID(script))} }

// around draws between half of d and twice d, in milliseconds when d has no smaller part.
func (l random) around(d time.Duration) time.Duration {
	switch {
	case d == 0:
		return 0
	case d < 0:
		return -l.around(-d)
	}
	varied := d / 1000 * time.Duration(500+l.below(1501))
	if d%time.Millisecond == 0 && varied >= time.Millisecond {
		varied = varied.Truncate(time.Millisecond)
	}
	return max(varied, 1)
}

// work varies how long the work takes. Work that fits into a lease still does, as the script is not
// about slow work.
func (l random) work(d time.Duration) time.Duration {
	varied := l.around(d)
	if d < lease {
		varied = min(varied, max(d, lease/2))
	}
	return varied
}

// below draws from [0, n).
func (l random) below(n int64) int64 { return l.rand.Int64N(n) }

// one is true once in n times.
func (l random) one(n int64) bool { return l.below(n) == 0 }
