package rate

import (
	"math"
	"testing"

	"lockstep/internal/must"
)

// The textbook formula, in floats, is the oracle.
func TestWilsonIsTheFormula(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 37, 100, 1000, 99_999, 10_000_000} {
		for _, x := range []int{0, 1, n / 3, n / 2, n - 1, n} {
			const z = 1.959964
			nf := float64(n)
			p := float64(x) / nf
			mid := (p + z*z/(2*nf)) / (1 + z*z/nf)
			half := z / (1 + z*z/nf) * math.Sqrt(p*(1-p)/nf+z*z/(4*nf*nf))
			low, high := Wilson(x, n)
			if math.Abs(float64(low)-max(mid-half, 0)*One) > 2 || math.Abs(float64(high)-min(mid+half, 1)*One) > 2 {
				t.Errorf("%d of %d: %d to %d, want %.1f to %.1f", x, n, low, high, (mid-half)*One, (mid+half)*One)
			}
			if rate := Of(x, n); rate < low || rate > high {
				t.Errorf("%d of %d: the rate %d is outside of its interval %d to %d", x, n, rate, low, high)
			}
		}
	}
	if low, high := Wilson(0, 0); low != 0 || high != One {
		t.Errorf("of nothing: %d to %d", low, high)
	}
}

func TestFirstIsTheFormula(t *testing.T) {
	for _, n := range []int{1, 2, 3, 37, 1000, 10_000, 1_000_000} {
		low, high := First(n)
		wantLow := (1 - math.Pow(0.975, 1/float64(n))) * One
		wantHigh := float64(One)
		if n > 1 {
			wantHigh = (1 - math.Pow(0.025, 1/float64(n-1))) * One
		}
		if math.Abs(float64(low)-wantLow) > 2 || math.Abs(float64(high)-wantHigh) > 2 {
			t.Errorf("first at %d: %d to %d, want %.1f to %.1f", n, low, high, wantLow, wantHigh)
		}
	}
}

func TestPercent(t *testing.T) {
	for ppm, want := range map[int64]string{
		0: "0 %", 999: "0.0999 %", 1_000: "0.10 %", 9_949: "0.99 %", 9_950: "1.0 %", 9_999: "1.0 %", 10_000: "1.0 %",
		99_499: "9.9 %", 99_500: "10 %", 100_000: "10 %", 999_999: "100 %", One: "100 %",
	} {
		must.Equalf(t, Percent(ppm), want, "%d", ppm)
	}
}

// Newcombe's intervals of the score method (1998, table I, method 3).
func TestWilsonAsPublished(t *testing.T) {
	for _, tt := range []struct {
		bad, runs int
		low, high int64
	}{{81, 263, 255_300, 366_200}, {15, 148, 62_400, 160_500}, {0, 20, 0, 161_100}, {1, 29, 6_100, 171_800}} {
		low, high := Wilson(tt.bad, tt.runs)
		if d := low - tt.low; d < -50 || d > 50 || high-tt.high < -50 || high-tt.high > 50 {
			t.Errorf("%d of %d: got %d to %d, want %d to %d", tt.bad, tt.runs, low, high, tt.low, tt.high)
		}
	}
}

func TestPerHour(t *testing.T) {
	const hour = 3_600_000
	for _, tt := range []struct {
		share int64
		runs  int
		ms    int64
		want  string
	}{
		{200_000, 10, 5 * hour, "0.40"}, {One, 1, 1000, "3600"}, {One, 10_000_000, 1000 * hour, "10000"},
		{1, 10_000_000, 10_000_000 * hour, "0.000001"}, {0, 5, hour, "0"}, {One, 5, 0, "0"},
		{One, 119, 100 * hour, "1.2"}, {One, 999, 1000 * hour, "1.0"}, {One, 99, 100 * hour, "0.99"},
		{One, 996, 100 * hour, "10"}, {One, 5, 100 * hour, "0.050"},
		{47_810, 100, 100 * hour, "0.048"}, {13_128, 1, hour, "0.013"},
	} {
		must.Equalf(t, Decimal(PerHour(tt.share, tt.runs, tt.ms)), tt.want,
			"%d millionths of %d runs in %d ms: an hour", tt.share, tt.runs, tt.ms)
	}
}
