// Package tidy holds tests about the code itself: who may import whom, which
// calls would end determinism, which half of an addition was forgotten. It has
// no code of its own.
package tidy
