package figure

import (
	"image/color"
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/internal/history"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The figures over true time: tokens, waits and clocks.

// shape is a mark of a scatter plot. All marks of one shape become one path,
// which keeps the file small.
type shape uint8

const (
	dot shape = iota
	cross
	hollow // a dot that is not filled
	ring   // around a mark that is wrong
)

// marks draws points in one shape.
func marks(c draw.Canvas, s shape, col color.Color, points []vg.Point) {
	if len(points) == 0 {
		return
	}
	r := vg.Length(2.4)
	if s == ring {
		r = 5
	}
	var p vg.Path
	for _, at := range points {
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

// dots draws a dot for each of a list, in the colour of its client.
func dots[T any](c draw.Canvas, of bundle.Colours, list []T, client func(T) history.NodeID, at func(T) vg.Point) {
	var by [bundle.ClientColours + 1][]T
	for _, one := range list {
		n := of.Of(client(one))
		by[n] = append(by[n], one)
	}
	for n, list := range by {
		marks(c, dot, colourOf(n), places(list, at))
	}
}

// places are where the marks of a list stand.
func places[T any](list []T, at func(T) vg.Point) (out []vg.Point) {
	for _, one := range list {
		out = append(out, at(one))
	}
	return out
}

// thinned keeps at most about n of points that are in the order of time: in each
// slot of time the lowest and the highest.
func thinned[T any](list []T, n int, less func(a, b T) bool) []T {
	if len(list) <= n || n < 2 {
		return list
	}
	size := (2*len(list) + n - 1) / n
	var out []T
	for i := 0; i < len(list); i += size {
		slot := list[i:min(i+size, len(list))]
		low, high := 0, 0
		for k := range slot {
			if less(slot[k], slot[low]) {
				low = k
			}
			if less(slot[high], slot[k]) {
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

// tokensPlot shows the tokens that the resource has seen.
func tokensPlot(r *bundle.Run, m *timeline.Measures, points int, l say.Language) (Figure, error) {
	if !m.Tokens {
		return Figure{Absent: "the lock hands out no token"}, nil
	}
	var taken, refused, stale []timeline.Write
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for _, w := range m.Writes {
		low, high = min(low, w.Token), max(high, w.Token)
		switch {
		case w.Refused:
			refused = append(refused, w)
		case w.Stale:
			stale = append(stale, w)
			taken = append(taken, w)
		default:
			taken = append(taken, w)
		}
	}
	if len(m.Writes) == 0 {
		return Figure{Absent: "no client wrote to the resource"}, nil
	}
	p := overTime(r, "token", l)
	p.Y.Min, p.Y.Max = float64(low)-0.5, float64(high)+0.5
	p.Y.Tick.Marker = wholeBetween(low, high)
	paint(p, func(c draw.Canvas, x, y scale) {
		at := func(w timeline.Write) vg.Point {
			return vg.Point{X: x(w.At.Duration().Seconds()), Y: y(float64(w.Token))}
		}
		few := func(ws []timeline.Write) []timeline.Write {
			return thinned(ws, points, func(a, b timeline.Write) bool { return a.Token < b.Token })
		}
		dots(c, bundle.ColoursOf(r.Judgement.History), few(taken), func(w timeline.Write) history.NodeID { return w.Author }, at)
		marks(c, cross, vermilion, places(few(refused), at))
		marks(c, ring, vermilion, places(few(stale), at))
	})
	nt, nr, ns := say.Number(len(taken)), say.Number(len(refused)), say.Number(len(stale))
	svg, err := drawnOver(p, r.Judgement.History.Header.Lease, plotWidth, plotHeight, say.TokensSeen.With(nt, nr, ns).In(l), l)
	f := Figure{SVG: svg, Caption: say.RisingTokens.With(nt, nr), Table: head(l, "writes", "number")}
	if len(stale) > 0 {
		f.Caption = say.StaleTokens.With(nt, nr, ns)
	}
	f.Table.row(l, "taken", nt)
	f.Table.row(l, "of these stale", ns)
	f.Table.row(l, "refused", nr)
	f.Table.row(l, "lowest token", say.Number(low))
	f.Table.row(l, "highest token", say.Number(high))
	return f, err
}

// waitsPlot shows each wait for the lock at its end.
func waitsPlot(r *bundle.Run, m *timeline.Measures, points int, l say.Language) (Figure, error) {
	if len(m.Waits) == 0 {
		return Figure{Absent: "no client waited for the lock"}, nil
	}
	by := func(list []timeline.Wait, end timeline.WaitEnd) (out []timeline.Wait) {
		for _, w := range list {
			if w.End == end {
				out = append(out, w)
			}
		}
		return out
	}
	got, gaveUp := by(m.Waits, timeline.WaitGot), by(m.Waits, timeline.WaitGaveUp)
	longest := time.Millisecond
	for _, w := range append(append([]timeline.Wait(nil), m.Waits...), m.Failures...) {
		longest = max(longest, w.Length())
	}
	p := overTime(r, "wait in seconds", l)
	p.Y.Min, p.Y.Max = 0, longest.Seconds()*1.08
	p.Y.Tick.Marker = ticks(axis.Few(p.Y.Max))
	paint(p, func(c draw.Canvas, x, y scale) {
		at := func(w timeline.Wait) vg.Point {
			return vg.Point{X: x(w.To.Duration().Seconds()), Y: y(w.Length().Seconds())}
		}
		few := func(ws []timeline.Wait) []timeline.Wait {
			return thinned(ws, points, func(a, b timeline.Wait) bool { return a.Length() < b.Length() })
		}
		dots(c, bundle.ColoursOf(r.Judgement.History), few(got), func(w timeline.Wait) history.NodeID { return w.Client }, at)
		marks(c, hollow, black, places(few(gaveUp), at))
		marks(c, cross, vermilion, places(few(m.Failures), at))
	})
	sorted := m.Lengths()
	ng, nl, ne := say.Number(len(got)), say.Number(len(gaveUp)), say.Number(len(m.Failures))
	svg, err := drawnOver(p, r.Judgement.History.Header.Lease, plotWidth, plotHeight, say.WaitsEnded.With(ng, nl, ne).In(l), l)
	f := Figure{SVG: svg, Caption: say.WaitsShown.With(ng, nl, ne), Table: head(l, "wait", "value")}
	f.Table.row(l, "got the lock", ng)
	f.Table.row(l, "gave up", nl)
	f.Table.row(l, "errors", ne)
	f.Table.row(l, "median", say.Measured(timeline.Quantile(sorted, 50)))
	f.Table.row(l, "99th percentile", say.Measured(timeline.Quantile(sorted, 99)))
	f.Table.row(l, "longest", say.Measured(longest))
	return f, err
}

// clocksPlot shows the offsets of the clocks.
func clocksPlot(r *bundle.Run, m *timeline.Measures, points int, l say.Language) (Figure, error) {
	if len(m.Skews) == 0 {
		return Figure{Absent: "all clocks showed true time"}, nil
	}
	h := r.Judgement.History
	var low, high time.Duration
	nodes := []history.NodeID{}
	lines := map[history.NodeID][]timeline.Skew{}
	for _, s := range m.Skews {
		low, high = min(low, s.Off), max(high, s.Off)
		if lines[s.Node] == nil {
			nodes = append(nodes, s.Node)
		}
		lines[s.Node] = append(lines[s.Node], s)
	}
	if len(nodes) > len(linePatterns) {
		nodes = nodes[:len(linePatterns)]
	}
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
		of := bundle.ColoursOf(h)
		for n, id := range nodes {
			var curve []vg.Point
			last := vg.Length(0)
			for i, s := range thinned(lines[id], points, func(a, b timeline.Skew) bool { return a.Off < b.Off }) {
				at := x(s.At.Duration().Seconds())
				if i > 0 {
					curve = append(curve, vg.Point{X: at, Y: last})
				}
				last = y(s.Off.Seconds())
				curve = append(curve, vg.Point{X: at, Y: last})
			}
			curve = append(curve, vg.Point{X: c.Max.X, Y: last})
			style := lineStyle(n)
			style.Color = colourOf(of.Of(id))
			c.StrokeLines(style, curve)
			// The name stands at the line's end, alternately above and below it.
			label := p.X.Tick.Label
			label.XAlign, label.YAlign = draw.XRight, draw.YBottom
			at := vg.Point{X: c.Max.X - 2, Y: last + 2}
			if n%2 == 1 || at.Y+12 > c.Max.Y {
				label.YAlign, at.Y = draw.YTop, last-2
			}
			c.FillText(label, at, sanitize.Text(h.Name(id), sanitize.MaxHeadName))
		}
	})
	t := head(l, "node", "first offset", "last offset", "farthest")
	for _, id := range nodes {
		t.Rows = append(t.Rows, append([]string{sanitize.Text(h.Name(id), sanitize.MaxHeadName)}, offsets(lines[id], l)...))
	}
	n := say.Number(len(nodes))
	svg, err := drawnOver(p, r.Judgement.History.Header.Lease, plotWidth, plotHeight, say.ClocksOff.With(n).In(l), l)
	caption := say.ClocksFar.With(n, say.Measured(max(high, -low)), say.Flag(shown))
	return Figure{SVG: svg, Caption: caption, Table: t}, err
}

// offsets are the first, the last and the farthest offset of a clock.
func offsets(line []timeline.Skew, l say.Language) (out []string) {
	far := line[0].Off
	for _, s := range line {
		if max(s.Off, -s.Off) > max(far, -far) {
			far = s.Off
		}
	}
	for _, off := range []time.Duration{line[0].Off, line[len(line)-1].Off, far} {
		out = append(out, say.Measured(off).In(l))
	}
	return out
}

// wholeBetween labels a few whole numbers of a range.
func wholeBetween(low, high int64) plot.ConstantTicks {
	step := int64(1)
	for (high-low)/step > 6 {
		switch {
		case step%10 == 2 || step == 2:
			step = step / 2 * 5
		default:
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
