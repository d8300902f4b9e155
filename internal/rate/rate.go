// Package rate has rates and their confidence intervals, in millionths and integers: the same
// counts give the same numbers on every machine.
package rate

import (
	"fmt"
	"math/big"
	"time"
)

// One is everything, in millionths.
const One = 1_000_000

// zSquared is the square of the normal quantile 1.959964 of 95 %, in millionths.
const zSquared = 3_841_459

// Of returns bad / all in millionths, 0 for none.
func Of(bad, all int) int64 {
	if all == 0 {
		return 0
	}
	return (int64(bad)*One + int64(all)/2) / int64(all)
}

// Wilson returns the 95 % score interval of a rate (Wilson 1927), in millionths, for a number of
// runs that was fixed beforehand. It is rounded outwards.
func Wilson(bad, runs int) (low, high int64) {
	if runs == 0 {
		return 0, One
	}
	// (2x + z2 -+ sqrt(z2 * (z2 + 4x(n-x)/n))) / (2(n + z2)), all times a million.
	x, n, z2 := big.NewInt(int64(bad)), big.NewInt(int64(runs)), big.NewInt(zSquared)
	million := big.NewInt(One)
	spread := new(big.Int).Mul(x, new(big.Int).Sub(n, x))
	spread.Mul(spread, new(big.Int).Mul(big.NewInt(4), million)).Quo(spread, n)
	spread.Add(spread, z2).Mul(spread, z2).Sqrt(spread)
	mid := new(big.Int).Mul(x, big.NewInt(2*One))
	mid.Add(mid, z2)
	under := new(big.Int).Mul(n, million)
	under.Add(under, z2).Mul(under, big.NewInt(2))
	share := func(v *big.Int, up bool) int64 {
		v.Mul(v, million)
		rest := new(big.Int)
		v.QuoRem(v, under, rest)
		if up && rest.Sign() > 0 {
			v.Add(v, big.NewInt(1))
		}
		return min(max(v.Int64(), 0), One)
	}
	low = share(new(big.Int).Sub(mid, spread), false)
	high = share(new(big.Int).Add(mid, spread), true)
	if bad == 0 {
		low = 0
	}
	if bad == runs {
		high = One
	}
	return low, high
}

// First returns the 95 % interval of a rate, in millionths, when the first bad run was the n-th and
// the last one. (Wilson would be too high: the number of runs was not fixed beforehand.)
func First(n int) (low, high int64) {
	// With rate p, the first n-1 runs are good with probability (1-p)^(n-1), the first n with
	// (1-p)^n.
	low = largest(func(p int64) bool { return power(One-p, n) >= 975_000 })
	high = largest(func(p int64) bool { return power(One-p, n-1) >= 25_000 })
	return low, min(high+1, One)
}

// largest returns the largest number of millionths for which a condition holds, which holds up to
// there.
func largest(holds func(int64) bool) int64 {
	low, high := int64(0), int64(One)
	for low < high {
		mid := (low + high + 1) / 2
		if holds(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// power returns q^n in millionths, computed with 60 bits.
func power(q int64, n int) int64 {
	const bits = 60
	base := new(big.Int).Lsh(big.NewInt(q), bits)
	base.Quo(base, big.NewInt(One))
	out := new(big.Int).Lsh(big.NewInt(1), bits)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out.Mul(out, base).Rsh(out, bits)
		}
		base.Mul(base, base).Rsh(base, bits)
	}
	return out.Mul(out, big.NewInt(One)).Rsh(out, bits).Int64()
}

// InOne converts millionths to a share of one, for other programs.
func InOne(ppm int64) float64 { return float64(ppm) / One }

// Percent writes millionths as a percentage with two significant digits.
func Percent(ppm int64) string {
	switch {
	case ppm == 0 || ppm == One:
		return fmt.Sprintf("%d %%", ppm/10_000)
	case ppm >= 99_500: // it is rounded up to 10 %
		return fmt.Sprintf("%d %%", (ppm+5_000)/10_000)
	case ppm >= 9_950:
		return fmt.Sprintf("%d.%d %%", (ppm+500)/10_000, (ppm+500)/1_000%10)
	case ppm >= 1_000:
		return fmt.Sprintf("0.%02d %%", (ppm+50)/100)
	}
	return fmt.Sprintf("0.%04d %%", ppm)
}

// PerHour returns how often something happens per hour, in millionths, rounded down: in a share of
// runs, in millionths, that take ms in total; 0 for no time.
func PerHour(share int64, runs int, ms int64) int64 {
	if ms <= 0 {
		return 0
	}
	n := new(big.Int).Mul(big.NewInt(share), big.NewInt(int64(runs)))
	n.Mul(n, big.NewInt(time.Hour.Milliseconds())).Quo(n, big.NewInt(ms))
	if !n.IsInt64() {
		return 1<<63 - 1
	}
	return n.Int64()
}

// Decimal writes millionths as a number with two significant digits.
func Decimal(ppm int64) string {
	switch {
	case ppm == 0:
		return "0"
	case ppm >= 9_950_000: // it is rounded up to 10
		return fmt.Sprint((ppm + 500_000) / One)
	case ppm >= 995_000:
		return fmt.Sprintf("%d.%d", (ppm+50_000)/One, (ppm+50_000)/100_000%10)
	case ppm >= 99_500:
		return fmt.Sprintf("0.%02d", (ppm+5_000)/10_000)
	}
	digits, unit := 6, int64(1)
	for ; ppm >= 100*unit; digits-- {
		unit *= 10
	}
	rounded := (ppm + unit/2) / unit
	if rounded == 100 {
		rounded, digits = 10, digits-1
	}
	return fmt.Sprintf("0.%0*d", digits, rounded)
}
