// Package libraries is tests only: it plays the Go libraries of package locks/libraries in virtual time, by
// their own code, and measures their rows of the matrix and what it takes to break them. What was measured
// is stored in measurements/libraries, for a program that has neither these libraries nor a toolchain.
//
//	make libraries
//
// measures them again, with a Go runtime whose choices follow the seed: so each letter has a repeatable
// run. The adapters are those of the live world, with other addresses.
package libraries
