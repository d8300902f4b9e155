//go:build lockstepseeded

package bubble

import "runtime"

// Seeded reports whether the choices of Go's runtime follow the seed.
func Seeded() bool { return true }

// SeedRuntime seeds the choices of Go's runtime in the bubbles that are made from now on. 0 would
// leave them to Go.
func SeedRuntime(seed uint64) { runtime.BubbleSeed = seed*2 + 1 }
