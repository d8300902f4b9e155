// Package libraries has only tests: they play the Go libraries of package locks/libraries in
// virtual time and measure their rows of the matrix and the faults that break them. The results are
// stored in measurements/libraries, for programs that have neither these libraries nor a toolchain.
//
//	make libraries
//
// measures them again, with a Go runtime whose choices follow the seed: so each letter has a
// repeatable run. The adapters are those of the live world, with other addresses.
package libraries
