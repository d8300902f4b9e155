//go:build lockstepseeded

package bubble

import (
	"runtime"
	"runtime/debug"
)

// Seeded reports whether the choices of Go's runtime follow the seed.
func Seeded() bool { return true }

// SeedRuntime seeds the choices of Go's runtime in the bubbles that are made until done is called.
// It disables the garbage collector until then: a collection stops goroutines, which continue in
// another order.
func SeedRuntime(seed uint64) (done func()) {
	percent := debug.SetGCPercent(-1)
	runtime.BubbleSeed = seed*2 + 1 // 0 would leave them to Go
	return func() {
		runtime.BubbleSeed = 0
		debug.SetGCPercent(percent)
	}
}
