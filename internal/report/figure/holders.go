package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/bundle"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// MaxPoints limits the points of a curve: the plot has no pixels for more.
const MaxPoints = 900

// Holders plots the number of clients that believed they held the lock. A line marks the limit 1,
// and the area above it is filled. Faults are shaded, and violations have a lane of their own
// below, where even the shortest one is visible.
func Holders(t *timeline.Timeline, findings []checker.Finding, points int, l say.Language) []byte {
	most := t.MostInside()
	p := newPlot(l, "true time in seconds", "clients inside")
	top := float64(max(most, 2)) + 0.5
	p.Y.Min, p.Y.Max = laneBottom-0.1, top
	p.X.Min, p.X.Max = 0, math.Max(t.End().Duration().Seconds(), 0.001)
	lane := plot.Tick{Value: (laneTop + laneBottom) / 2, Label: say.Verdict(checker.Broken).In(l)}
	p.X.Tick.Marker = ticks(axis.Times(p.X.Max))
	p.Y.Tick.Marker = append(wholeBetween(0, int64(max(most, 2))), lane)
	faults, broken := bundle.Shades(t), bundle.ViolationSpans(findings)
	levels := thinned(each.Map(t.Levels(), func(l timeline.Level) point {
		return point{x: l.At.Duration().Seconds(), y: float64(l.Inside)}
	}), points)
	paint(p, func(c draw.Canvas, x, y scale) {
		merged(faults, x, 1, func(from, to vg.Length) { fill(c, shade, from, to, y(0), c.Max.Y) })
		drawLevels(c, levels, x, y)
		merged(broken, x, 2.5, func(from, to vg.Length) { fill(c, vermilion, from, to, y(laneBottom), y(laneTop)) })
	})
	title := say.InsideOver.With(say.Seconds(t.End()), say.Number(most))
	return drawnSized(7.6*vg.Inch, 2.3*vg.Inch, p.Draw, title.In(l))
}

// The lane of violations, below the axis of the curve.
const (
	laneTop    = -0.25
	laneBottom = -0.65
)

func drawLevels(c draw.Canvas, levels []point, x, y scale) {
	for i := 1; i < len(levels); i++ {
		if n := levels[i-1].y; n > 1 {
			fill(c, excess, x(levels[i-1].x), x(levels[i].x), y(1), y(n))
		}
	}
	across(c, law, y(1))
	across(c, thin, y(0))
	c.StrokeLines(draw.LineStyle{Color: black, Width: 1.8}, stairs(levels, x, y))
}

// stairs are a curve that keeps each value until the next one.
func stairs(points []point, x, y scale) (curve []vg.Point) {
	for i, one := range points {
		if i > 0 {
			curve = append(curve, vg.Point{X: x(one.x), Y: y(points[i-1].y)})
		}
		curve = append(curve, vg.Point{X: x(one.x), Y: y(one.y)})
	}
	return curve
}

// merged calls f for the spans in the order of time, each with the width least or more. Spans that
// touch on the canvas become one.
func merged(spans []bundle.Span, x scale, least vg.Length, f func(from, to vg.Length)) {
	sorted := slices.SortedStableFunc(slices.Values(spans), func(a, b bundle.Span) int { return cmp.Compare(a.From, b.From) })
	var from, to vg.Length
	some := false
	for _, s := range sorted {
		a, b := x(s.From.Duration().Seconds()), x(s.To.Duration().Seconds())
		if b-a < least {
			a, b = (a+b-least)/2, (a+b+least)/2
		}
		switch {
		case !some:
			from, to, some = a, b, true
		case a <= to:
			to = max(to, b)
		default:
			f(from, to)
			from, to = a, b
		}
	}
	if some {
		f(from, to)
	}
}

func fill(c draw.Canvas, col color.Color, x0, x1, y0, y1 vg.Length) {
	if x1 <= x0 || y1 <= y0 {
		return
	}
	c.FillPolygon(col, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}
