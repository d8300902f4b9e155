package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/internal/campaign/sweep"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/say"
)

// Sizes of a map. A cell has room for a number of three characters, unless there are many cells.
const (
	regionCell  = 0.42 * vg.Inch
	regionLeast = 4.2 * vg.Inch
	regionMost  = 11 * vg.Inch
	regionEdge  = 0.95 * vg.Inch // for ticks and labels
)

// SafeRegion plots a map: the share of broken runs of each setting as a colour, a number and the
// density of a hatch, so it needs no colours. A dashed frame means that nothing was tested.
//
// If the lease varies together with another duration, a bold line marks one lease.
func SafeRegion(m *sweep.Map, l say.Language) []byte {
	p := newPlot(l, bundle.AxisName(&m.X), bundle.AxisName(m.Y))
	columns, rows := len(m.X.Values), m.Rows()
	p.X.Min, p.X.Max = -0.5, float64(columns)-0.5
	p.Y.Min, p.Y.Max = -0.5, float64(rows)-0.5
	p.X.Tick.Marker, p.Y.Tick.Marker = namedTicks(bundle.Ticks(&m.X), 1), namedTicks(bundle.Ticks(m.Y), 1)
	p.X.LineStyle.Width, p.Y.LineStyle.Width = 0, 0
	p.X.Tick.Length, p.Y.Tick.Length = 0, 0
	p.X.Padding, p.Y.Padding = 3, 4
	paint(p, func(c draw.Canvas, x, y scale) { paintRegion(m, c, x, y, p.X.Tick.Label) })
	above := besideLease(p, m, l)
	width := min(max(regionEdge+regionCell*vg.Length(columns), regionLeast), regionMost)
	height := min(0.75*vg.Inch+0.3*vg.Inch*vg.Length(rows), regionMost)
	return drawnSized(width, height+above, func(c draw.Canvas) {
		p.Draw(draw.Crop(c, 0, 4, 0, 2-above))
	}, bundle.MapSays(m, l))
}

// besideLease marks, if the lease varies together with another duration, where that is one lease.
// It returns the room for its note above.
func besideLease(p *plot.Plot, m *sweep.Map, l say.Language) vg.Length {
	other := &m.X
	if isLease(&m.X) {
		other = m.Y
	}
	if !isLease(&m.X) && !isLease(m.Y) || other == nil || other.Unit != plan.UnitDuration {
		return 0
	}
	label := p.X.Tick.Label
	label.XAlign, label.YAlign = draw.XLeft, draw.YBottom
	paint(p, func(c draw.Canvas, x, y scale) {
		leaseLine(m, c, x, y)
		note := say.BoldIsLease.With(say.Verbatim(bundle.AxisName(other))).In(l)
		c.FillText(label, vg.Point{X: c.Min.X, Y: c.Max.Y + 3}, note)
	})
	return 13
}

func isLease(a *plan.Axis) bool { return a != nil && a.Key == "lease" }

// leaseLine draws the border between settings in which the other axis is shorter and longer than
// the lease.
func leaseLine(m *sweep.Map, c draw.Canvas, x, y scale) {
	style := draw.LineStyle{Color: black, Width: 2.4}
	columns := len(m.X.Values)
	longer := func(i int) bool {
		if isLease(&m.X) {
			return m.Cells[i].Y >= m.Cells[i].X
		}
		return m.Cells[i].X >= m.Cells[i].Y
	}
	for i := range m.Cells {
		col, row := float64(i%columns), float64(i/columns)
		if i%columns > 0 && longer(i) != longer(i-1) {
			c.StrokeLine2(style, x(col-0.5), y(row-0.5), x(col-0.5), y(row+0.5))
		}
		if i >= columns && longer(i) != longer(i-columns) {
			c.StrokeLine2(style, x(col-0.5), y(row-0.5), x(col+0.5), y(row-0.5))
		}
	}
}

// namedTicks puts names at 0, 1 and so on, or at 0, -1 and so on.
func namedTicks(names []string, step float64) (all plot.ConstantTicks) {
	for i, name := range names {
		all = append(all, plot.Tick{Value: step * float64(i), Label: name})
	}
	return all
}

// mostAlpha keeps the strongest colour light enough for the number on it, on white and on black.
const mostAlpha = 140

func paintRegion(m *sweep.Map, c draw.Canvas, x, y scale, label draw.TextStyle) {
	label.Color, label.XAlign, label.YAlign = black, draw.XCenter, draw.YCenter
	for i := range m.Cells {
		cell := &m.Cells[i]
		col, row := float64(i%len(m.X.Values)), float64(i/len(m.X.Values))
		x0, x1 := x(col-0.5)+1, x(col+0.5)-1
		y0, y1 := y(row-0.5)+1, y(row+0.5)-1
		frame := draw.LineStyle{Color: black, Width: 0.4}
		if cell.Tested() == 0 {
			frame.Dashes = []vg.Length{2, 2}
		}
		if cell.Broken > 0 {
			share, _, _ := cell.Rate()
			alpha := 30 + (mostAlpha-30)*share/1_000_000
			fill(c, color.NRGBA{R: vermilion.R, G: vermilion.G, B: vermilion.B, A: uint8(alpha)}, x0, x1, y0, y1)
			hatch(c, x0, x1, y0, y1, strokesFor(share))
		}
		c.StrokeLines(frame, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}, {X: x0, Y: y0}})
		c.FillText(label, vg.Point{X: (x0 + x1) / 2, Y: (y0+y1)/2 + 1.5}, bundle.ShortShare(cell))
	}
}

// strokesFor is the number of strokes of a hatch, from one to six.
func strokesFor(ppm int64) int { return int(1 + min(ppm, 999_999)*6/1_000_000) }

// hatch draws slanted strokes along the lower edge of a cell, below the number.
func hatch(c draw.Canvas, x0, x1, y0, y1 vg.Length, strokes int) {
	style := draw.LineStyle{Color: black, Width: 0.7}
	high := (y1 - y0) * 0.2
	step := (x1 - x0) / 7
	for i := range strokes {
		from := x0 + step*(vg.Length(i)+0.5)
		c.StrokeLine2(style, from, y0+1, from+step*0.7, y0+1+high)
	}
}
