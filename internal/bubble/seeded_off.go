//go:build !lockstepseeded

package bubble

// Seeded reports whether the choices of Go's runtime follow the seed.
func Seeded() bool { return false }

// SeedRuntime seeds the choices of Go's runtime in the bubbles that are made until done is called,
// if it is one that can be seeded.
func SeedRuntime(uint64) (done func()) { return func() {} }
