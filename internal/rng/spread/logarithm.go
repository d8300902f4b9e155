package spread

import (
	"math/big"
	"math/bits"
	"time"
)

// Logarithms to base 2, in integers with 32 fractional bits: two builds could disagree about a
// float's last bit.

const point = 32

// log2 returns the logarithm of x >= 1, rounded down.
func log2(x uint64) int64 {
	whole := bits.Len64(x) - 1
	y := x << (63 - whole) // from 1 to 2, with 63 fractional bits
	out := int64(whole)
	for range point { // if the square is 2 or more, the next bit is 1, and y is half of the square
		high, low := bits.Mul64(y, y)
		out <<= 1
		if high>>63 == 1 {
			out, y = out|1, high
		} else {
			y = high<<1 | low>>63
		}
	}
	return out
}

// exp2 returns 2 to the power of l >= 0 as a duration, rounded down; at most 1<<62.
func exp2(l int64) time.Duration {
	whole := l >> point
	if whole >= 62 {
		return 1 << 62
	}
	y := uint64(1) << 63
	for i, root := range roots {
		if l>>(point-1-i)&1 == 1 {
			high, low := bits.Mul64(y, root)
			y = high<<1 | low>>63
		}
	}
	return time.Duration(y >> (63 - whole))
}

// roots are the 2nd, 4th, 8th, ... root of 2, with 63 fractional bits.
var roots = func() (out [point]uint64) {
	root := new(big.Int).Lsh(big.NewInt(2), 63)
	for i := range out {
		root.Sqrt(root.Lsh(root, 63))
		out[i] = root.Uint64()
	}
	return out
}()

// mulDiv returns a * b / c for c > 0, rounded towards zero, without overflow of the product. A
// quotient that does not fit is 1<<62 - 1.
func mulDiv(a, b, c int64) int64 {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	if high >= uint64(c) {
		return 1<<62 - 1
	}
	q, _ := bits.Div64(high, low, uint64(c))
	q = min(q, 1<<62-1)
	if (a < 0) != (b < 0) {
		return -int64(q)
	}
	return int64(q)
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-v)
	}
	return uint64(v)
}
