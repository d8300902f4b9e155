// Package rng has the random numbers that follow from a seed: a stream for each actor and purpose,
// so that adding or removing one does not change what the others draw.
//
// There are no floats: a compiler may fuse a multiplication and an addition of floats, and two
// builds would then disagree.
package rng

import (
	"math/bits"
	"math/rand/v2"
)

// Rand is a stream of random integers: PCG, seeded from the run's seed and the stream's id.
type Rand struct{ pcg rand.PCG }

// New returns the stream with that id.
func New(seed, stream uint64) Rand {
	var r Rand
	r.Seed(seed, stream)
	return r
}

// Plain returns a stream of math/rand/v2, for the scripts of the matrix and the live world: stored
// results depend on it.
func Plain(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// Seed restarts the stream.
func (r *Rand) Seed(seed, stream uint64) {
	r.pcg.Seed(Mix(seed^Mix(stream)), Mix(stream+0x9e3779b97f4a7c15))
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 { return r.pcg.Uint64() }

// Int64N returns a number in [0, n). n must be positive. It uses one draw and Lemire's
// multiplication without rejection: for n < 2^50 the bias is below 2^-14 of one value's
// probability.
func (r *Rand) Int64N(n int64) int64 {
	if n <= 0 {
		panic("rng: Int64N needs a positive bound")
	}
	hi, _ := bits.Mul64(r.pcg.Uint64(), uint64(n))
	return int64(hi)
}

// ID returns the id of a stream by its name (FNV-1a). The pieces of a name are concatenated.
func ID(name ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, piece := range name {
		for i := 0; i < len(piece); i++ {
			h ^= uint64(piece[i])
			h *= 1099511628211
		}
	}
	return h
}

// Mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}
