package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The figures over true time: tokens, waits and clocks.

// point is a value at an instant, of a client.
type point struct {
	x, y   float64 // x in seconds
	client history.NodeID
}

// shape is a mark of a scatter plot. All marks of one shape are one path, which keeps the file
// small.
type shape uint8

const (
	dot shape = iota
	cross
	hollow // a dot that is not filled
	ring   // around a mark of a violation
)

// marks draws points in one shape.
func marks(c draw.Canvas, s shape, col color.Color, points []point, x, y scale) {
	if len(points) == 0 {
		return
	}
	r := vg.Length(2.4)
	if s == ring {
		r = 5
	}
	var p vg.Path
	for _, one := range points {
		at := vg.Point{X: x(one.x), Y: y(one.y)}
		if s == cross {
			p.Move(vg.Point{X: at.X - r, Y: at.Y - r})
			p.Line(vg.Point{X: at.X + r, Y: at.Y + r})
			p.Move(vg.Point{X: at.X - r, Y: at.Y + r})
			p.Line(vg.Point{X: at.X + r, Y: at.Y - r})
			continue
		}
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
	}
	c.SetColor(col)
	if s == dot {
		c.Fill(p)
		return
	}
	c.SetLineStyle(draw.LineStyle{Color: col, Width: 1.5})
	c.Stroke(p)
}

// dots draws a dot for each point, in the colour of its client.
func dots(c draw.Canvas, colours bundle.Colours, points []point, x, y scale) {
	var by [bundle.ClientColours + 1][]point
	for _, one := range points {
		n := colours.Of(one.client)
		by[n] = append(by[n], one)
	}
	for n, list := range by {
		marks(c, dot, colourOf(n), list, x, y)
	}
}

// thinned reduces points in the order of time to about n: in each slot it keeps the lowest and the
// highest.
func thinned(list []point, n int) []point {
	if len(list) <= n || n < 2 {
		return list
	}
	size := (2*len(list) + n - 1) / n
	var out []point
	for slot := range slices.Chunk(list, size) {
		low, high := 0, 0
		for k := range slot {
			if slot[k].y < slot[low].y {
				low = k
			}
			if slot[high].y < slot[k].y {
				high = k
			}
		}
		out = append(out, slot[min(low, high)])
		if low != high {
			out = append(out, slot[max(low, high)])
		}
	}
	return out
}

func tokensPlot(r *bundle.Run, m *timeline.Measures, points int, l say.Language) Figure {
	if !m.Tokens {
		return Figure{Absent: "the lock hands out no token"}
	}
	var taken, refused, stale []point
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for _, w := range m.Writes {
		low, high = min(low, w.Token), max(high, w.Token)
		at := point{w.At.Duration().Seconds(), float64(w.Token), w.Author}
		if w.Refused {
			refused = append(refused, at)
			continue
		}
		taken = append(taken, at)
		if w.Stale {
			stale = append(stale, at)
		}
	}
	if len(m.Writes) == 0 {
		return Figure{Absent: "no client wrote to the resource"}
	}
	p := overTime(r, "token", l)
	p.Y.Min, p.Y.Max = float64(low)-0.5, float64(high)+0.5
	p.Y.Tick.Marker = wholeBetween(low, high)
	paint(p, func(c draw.Canvas, x, y scale) {
		dots(c, bundle.ColoursOf(r.Judgement.History), thinned(taken, points), x, y)
		marks(c, cross, vermilion, thinned(refused, points), x, y)
		marks(c, ring, vermilion, thinned(stale, points), x, y)
	})
	nt, nr, ns := say.Number(len(taken)), say.Number(len(refused)), say.Number(len(stale))
	svg := drawnSized(plotWidth, plotHeight, p.Draw, say.TokensSeen.With(nt, nr, ns).In(l))
	f := Figure{SVG: svg, Caption: say.RisingTokens.With(nt, nr), Table: head(l, "writes", "number")}
	if len(stale) > 0 {
		f.Caption = say.StaleTokens.With(nt, nr, ns)
	}
	f.Table.row(l, "taken", nt)
	f.Table.row(l, "of these stale", ns)
	f.Table.row(l, "refused", nr)
	f.Table.row(l, "lowest token", say.Number(low))
	f.Table.row(l, "highest token", say.Number(high))
	return f
}

func waitsPlot(r *bundle.Run, m *timeline.Measures, points int, l say.Language) Figure {
	if len(m.Waits) == 0 {
		return Figure{Absent: "no client waited for the lock"}
	}
	longest := time.Millisecond
	take := func(w timeline.Wait) point {
		longest = max(longest, w.Length())
		return point{w.To.Duration().Seconds(), w.Length().Seconds(), w.Client}
	}
	by := map[timeline.WaitEnd][]point{}
	for _, w := range m.Waits {
		by[w.End] = append(by[w.End], take(w))
	}
	failed := each.Map(m.Failures, take)
	got, gaveUp := by[timeline.WaitGot], by[timeline.WaitGaveUp]
	p := overTime(r, "wait in seconds", l)
	p.Y.Min, p.Y.Max = 0, longest.Seconds()*1.08
	p.Y.Tick.Marker = ticks(axis.Few(p.Y.Max))
	paint(p, func(c draw.Canvas, x, y scale) {
		dots(c, bundle.ColoursOf(r.Judgement.History), thinned(got, points), x, y)
		marks(c, hollow, black, thinned(gaveUp, points), x, y)
		marks(c, cross, vermilion, thinned(failed, points), x, y)
	})
	sorted := m.Lengths()
	ng, nl, ne := say.Number(len(got)), say.Number(len(gaveUp)), say.Number(len(m.Failures))
	svg := drawnSized(plotWidth, plotHeight, p.Draw, say.WaitsEnded.With(ng, nl, ne).In(l))
	f := Figure{SVG: svg, Caption: say.WaitsShown.With(ng, nl, ne), Table: head(l, "wait", "value")}
	f.Table.row(l, "got the lock", ng)
	f.Table.row(l, "gave up", nl)
	f.Table.row(l, "errors", ne)
	f.Table.row(l, "median", say.Measured(timeline.Quantile(sorted, 50)))
	f.Table.row(l, "99th percentile", say.Measured(timeline.Quantile(sorted, 99)))
	f.Table.row(l, "longest", say.Measured(longest))
	return f
}

func clocksPlot(r *bundle.Run, m *timeline.Measures, points int, l say.Language) Figure {
	if len(m.Skews) == 0 {
		return Figure{Absent: "all clocks showed true time"}
	}
	h := r.Judgement.History
	var low, high time.Duration
	for _, s := range m.Skews {
		low, high = min(low, s.Off), max(high, s.Off)
	}
	nodes := each.Groups(m.Skews, func(s timeline.Skew) history.NodeID { return s.Node })
	nodes = nodes[:min(len(nodes), len(linePatterns))]
	p := overTime(r, "offset in seconds", l)
	room := max((high-low)/8, time.Millisecond)
	p.Y.Min, p.Y.Max = (low - room).Seconds(), (high + room).Seconds()
	lease := h.Header.Lease
	shown := lease > 0 && max(high, -low) >= lease/4
	if shown {
		p.Y.Min, p.Y.Max = min(p.Y.Min, -1.1*lease.Seconds()), max(p.Y.Max, 1.1*lease.Seconds())
	}
	paint(p, func(c draw.Canvas, x, y scale) {
		across(c, thin, y(0))
		if shown {
			across(c, law, y(lease.Seconds()))
			across(c, law, y(-lease.Seconds()))
		}
		for n, node := range nodes {
			line := each.Map(node.All, func(s timeline.Skew) point {
				return point{s.At.Duration().Seconds(), s.Off.Seconds(), s.Node}
			})
			curve := stairs(thinned(line, points), x, y)
			last := curve[len(curve)-1].Y
			curve = append(curve, vg.Point{X: c.Max.X, Y: last})
			style := lineStyle(n)
			style.Color = colourOf(bundle.ColoursOf(h).Of(node.Key))
			c.StrokeLines(style, curve)
			// The name is at the end of the line, alternately above and below it.
			label := p.X.Tick.Label
			label.XAlign, label.YAlign = draw.XRight, draw.YBottom
			at := vg.Point{X: c.Max.X - 2, Y: last + 2}
			if n%2 == 1 || at.Y+12 > c.Max.Y {
				label.YAlign, at.Y = draw.YTop, last-2
			}
			c.FillText(label, at, sanitize.Text(h.Name(node.Key), sanitize.MaxHeadName))
		}
	})
	t := head(l, "node", "first offset", "last offset", "farthest")
	for _, node := range nodes {
		farthest := slices.MaxFunc(node.All, func(a, b timeline.Skew) int { return cmp.Compare(a.Off.Abs(), b.Off.Abs()) })
		row := []string{sanitize.Text(h.Name(node.Key), sanitize.MaxHeadName)}
		for _, s := range []timeline.Skew{node.All[0], node.All[len(node.All)-1], farthest} {
			row = append(row, say.Measured(s.Off).In(l))
		}
		t.Rows = append(t.Rows, row)
	}
	n := say.Number(len(nodes))
	svg := drawnSized(plotWidth, plotHeight, p.Draw, say.ClocksOff.With(n).In(l))
	return Figure{SVG: svg, Caption: say.ClocksFar.With(n, say.Measured(max(high, -low)), say.Flag(shown)), Table: t}
}

// wholeBetween labels a few integers of a range.
func wholeBetween(low, high int64) plot.ConstantTicks {
	step := int64(1)
	for (high-low)/step > 6 {
		if step%10 == 2 {
			step = step / 2 * 5
		} else {
			step *= 2
		}
		for (high-low)/step > 60 {
			step *= 10
		}
	}
	var all plot.ConstantTicks
	for n := low; n <= high; n += step {
		all = append(all, plot.Tick{Value: float64(n), Label: strconv.FormatInt(n, 10)})
		if n > math.MaxInt64-step {
			break
		}
	}
	return all
}
