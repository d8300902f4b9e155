package spread

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockstep/internal/must"
)

const ms = time.Millisecond

// pauses are like those of a garbage collector: p50 20ms, p99.9 4s.
var pauses = Range{Max: 40 * time.Second, Percentiles: []Percentile{{500_000, 20 * ms}, {999_000, 4 * time.Second}}}

func TestDrawsHaveTheGivenPercentiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 200_000
	drawn := make([]time.Duration, n)
	for i := range drawn {
		drawn[i] = pauses.Draw(rng)
	}
	slices.Sort(drawn)
	for _, tt := range []struct {
		share float64
		want  time.Duration // by a power law through the two percentiles, worked out by hand
	}{
		{0.25, 10 * ms}, {0.5, 20 * ms}, {0.9, 78_900 * time.Microsecond}, {0.99, 562 * ms}, {0.999, 4 * time.Second}, {0.9999, 28500 * ms},
	} {
		got := drawn[int(tt.share*n)]
		if ratio := float64(got) / float64(tt.want); ratio < 0.8 || ratio > 1.25 {
			t.Errorf("%v of the draws are below %v, want about %v", tt.share, got, tt.want)
		}
	}
	if last := drawn[n-1]; last > pauses.Max {
		t.Errorf("a draw of %v is longer than the longest", last)
	}
}

func TestAUniformRangeUsesOneNumberAndAFixedOneNone(t *testing.T) {
	var asked []int64
	rng := randomFunc(func(n int64) int64 { asked = append(asked, n); return n - 1 })
	must.Equalf(t, (Range{Min: 2, Max: 5}).Draw(rng), 5, "the largest number gives")
	must.Equalf(t, Fixed(7).Draw(rng), 7, "a fixed range gives")
	must.Slicesf(t, asked, []int64{4}, "numbers were asked for below")
}

type randomFunc func(int64) int64

func (f randomFunc) Int64N(n int64) int64 { return f(n) }

func TestLogarithms(t *testing.T) {
	for _, x := range []uint64{1, 2, 3, 10, 1000, 20_000_000, 4_000_000_000, 86_400_000_000_000} {
		got := float64(log2(x)) / (1 << point)
		if want := math.Log2(float64(x)); math.Abs(got-want) > 1e-8 {
			t.Errorf("log2(%d) = %v, want %v", x, got, want)
		}
		if back := exp2(log2(x)); math.Abs(float64(back)-float64(x)) > 1+float64(x)*1e-8 {
			t.Errorf("2 to the logarithm of %d is %d", x, back)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		of   Range
		want string
	}{
		{Fixed(time.Second), "1s"},
		{Range{Min: time.Second, Max: 2 * time.Second}, "1s..2s"},
		{pauses, "p50 20ms, p99.9 4s, max 40s"},
		{Range{Min: ms, Max: time.Second, Percentiles: []Percentile{{1, 2 * ms}, {999_999, 3 * ms}}}, "min 1ms, p0.0001 2ms, p99.9999 3ms, max 1s"},
	} {
		must.Equal(t, tt.of.Text(time.Duration.String), tt.want)
	}
}

func TestTheMeanIsThatOfTheDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	sum := time.Duration(0)
	const n = 100_000
	for range n {
		sum += pauses.Draw(rng) / n
	}
	if mean := pauses.Mean(); float64(mean) < 0.8*float64(sum) || float64(mean) > 1.25*float64(sum) {
		t.Errorf("the mean is %v, and that of the draws %v", mean, sum)
	}
}
