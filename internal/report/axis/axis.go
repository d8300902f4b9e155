// Package axis labels axes of time in plots, drawings and interactive pages. It does not depend on
// the plotting library, so neither does a page with just an axis.
package axis

import (
	"math"
	"strconv"
)

// Tick is a place on an axis.
type Tick struct {
	Value float64 // in seconds
	Label string
}

// Times labels four to ten whole multiples of 1, 2 or 5 times a power of ten, from 0 to end
// seconds.
func Times(end float64) []Tick { return multiples(end, 5, 2, 1) }

// Few labels at most five of them.
func Few(end float64) []Tick { return multiples(end, 2, 1, 0.5) }

// multiples labels multiples of a step: the power of ten below end, divided by one, two or five if
// the first digit of end is below 2, below 5, or larger.
func multiples(end, one, two, five float64) []Tick {
	step := math.Pow(10, math.Floor(math.Log10(end)))
	switch {
	case end/step < 2:
		step /= one
	case end/step < 5:
		step /= two
	default:
		step /= five
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []Tick
	for n := 0; float64(n)*step <= end; n++ {
		at := float64(n) * step
		ticks = append(ticks, Tick{Value: at, Label: strconv.FormatFloat(at, 'f', digits, 64)})
	}
	return ticks
}
