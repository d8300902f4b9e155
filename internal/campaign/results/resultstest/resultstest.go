// Package resultstest reads the shipped measurements, for tests.
package resultstest

import (
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/must"
	"lockstep/measurements"
)

// Explored is the shipped search, for this test alone.
func Explored(t testing.TB) *results.Explored {
	t.Helper()
	return read(t, results.ReadExplored)(measurements.Explore())
}

// Matrix is the shipped matrix, for this test alone.
func Matrix(t testing.TB) *results.Matrix {
	t.Helper()
	return read(t, results.ReadMatrix)(measurements.Matrix())
}

func read[T any](t testing.TB, from func([]byte) (*T, error)) func(data []byte, err error) *T {
	return func(data []byte, err error) *T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return must.Get(from(data))(t)
	}
}
