package matrix

import (
	"time"

	"lockstep/internal/rng"
	"lockstep/internal/rng/spread"
)

// luck draws the variations of a script with integer arithmetic only, so that
// the same seed gives the same plan in every build.
type luck struct{ rand spread.Luck }

func newLuck(script string, seed uint64) luck { return luck{rng.Plain(seed, rng.ID(script))} }

// around draws between a half of d and its double, in milliseconds when d has no
// smaller part.
func (l luck) around(d time.Duration) time.Duration {
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

// work varies how long the work takes. Work that fits into a lease goes on to fit:
// else a variation would bring about a fault that the script is not about.
func (l luck) work(d time.Duration) time.Duration {
	varied := l.around(d)
	if d < lease {
		varied = min(varied, max(d, lease/2))
	}
	return varied
}

// below draws from [0, n).
func (l luck) below(n int64) int64 { return l.rand.Int64N(n) }

// one is true once in n times.
func (l luck) one(n int64) bool { return l.below(n) == 0 }
