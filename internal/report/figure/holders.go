package figure

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/bundle"
	"lockstep/internal/say"
)

// MaxPoints is how many points of a curve are drawn: more than the plot has
// pixels nobody can see.
const MaxPoints = 900

// Holders plots how many clients believed to hold the lock. A line at 1
// is the law, and the area above it is filled. Faults are shaded behind, and
// violations have a lane of their own below, where they stay visible however
// short they are.
func Holders(h *history.History, findings []checker.Finding, points int, l say.Language) ([]byte, error) {
	ls := bundle.Levels(h)
	p := newPlot(l, "true time in seconds", "clients inside")
	top := float64(max(bundle.MostInside(ls), 2)) + 0.5
	p.Y.Min, p.Y.Max = laneBottom-0.1, top
	p.X.Min, p.X.Max = 0, math.Max(h.End().Duration().Seconds(), 0.001)
	p.X.Tick.Marker, p.Y.Tick.Marker = timeTicks(p.X.Max), wholeTicks(bundle.MostInside(ls), l)
	p.Add(&holders{
		levels: bundle.Thin(ls, points),
		faults: append(bundle.FaultSpans(h), bundle.FrozenSpans(h)...),
		broken: bundle.ViolationSpans(findings),
	})
	title := say.InsideOver.With(say.Seconds(h.End()), say.Number(bundle.MostInside(ls)))
	svg, err := drawnOver(p, h.Header.Lease, 7.6*vg.Inch, 2.3*vg.Inch, title.In(l), l)
	if err != nil {
		return nil, fmt.Errorf("drawing the holders over time: %w", err)
	}
	return svg, nil
}

// Where the lane of violations lies, below the axis of the curve.
const (
	laneTop    = -0.25
	laneBottom = -0.65
)

// wholeTicks labels 0, 1, 2, ... and the lane of violations.
func wholeTicks(highest int, l say.Language) plot.ConstantTicks {
	ticks := plot.ConstantTicks{{Value: (laneTop + laneBottom) / 2, Label: say.Verdict(checker.Broken).In(l)}}
	step := 1
	for highest/step > 8 {
		step *= 2
	}
	for n := 0; n <= max(highest, 2); n += step {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	return ticks
}

// timeTicks labels an axis of time.
func timeTicks(end float64) (ticks plot.ConstantTicks) {
	for _, t := range axis.Times(end) {
		ticks = append(ticks, plot.Tick{Value: t.Value, Label: t.Label})
	}
	return ticks
}

// holders is the plotter of the curve and of what lies behind and below it.
type holders struct {
	levels []bundle.Level
	faults []bundle.Span
	broken []bundle.Span
}

// Plot implements plot.Plotter.
func (p *holders) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	at := func(i history.Instant) vg.Length { return x(i.Duration().Seconds()) }
	merged(p.faults, at, 1, func(from, to vg.Length) {
		fill(c, shade, from, to, y(0), c.Max.Y)
	})
	for i := 1; i < len(p.levels); i++ {
		if n := p.levels[i-1].Inside; n > 1 {
			fill(c, excess, at(p.levels[i-1].At), at(p.levels[i].At), y(1), y(float64(n)))
		}
	}
	law := draw.LineStyle{Color: black, Width: 0.8, Dashes: []vg.Length{4, 3}}
	c.StrokeLine2(law, c.Min.X, y(1), c.Max.X, y(1))
	c.StrokeLine2(draw.LineStyle{Color: black, Width: 0.5}, c.Min.X, y(0), c.Max.X, y(0))
	var curve []vg.Point
	for i, l := range p.levels {
		if i > 0 {
			curve = append(curve, vg.Point{X: at(l.At), Y: y(float64(p.levels[i-1].Inside))})
		}
		curve = append(curve, vg.Point{X: at(l.At), Y: y(float64(l.Inside))})
	}
	c.StrokeLines(draw.LineStyle{Color: black, Width: 1.8}, curve)
	merged(p.broken, at, 2.5, func(from, to vg.Length) {
		fill(c, vermilion, from, to, y(laneBottom), y(laneTop))
	})
}

// merged calls f for the spans in the order of time, each at least least wide;
// spans that touch on the canvas become one.
func merged(spans []bundle.Span, at func(history.Instant) vg.Length, least vg.Length, f func(from, to vg.Length)) {
	sorted := append([]bundle.Span(nil), spans...)
	bundle.SortSpans(sorted)
	var from, to vg.Length
	some := false
	for _, s := range sorted {
		a, b := at(s.From), at(s.To)
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
