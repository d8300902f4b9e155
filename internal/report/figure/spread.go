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

// The figures that are not over time: distributions and bars.

// linePatterns distinguish lines without colours.
var linePatterns = [][]vg.Length{nil, {7, 3}, {2, 2}, {7, 2, 2, 2}, {11, 4}, {1, 3}, {5, 1}, {3, 5}}

// lineStyle is that of the nth line. Colours are for clients, so the second half is grey.
func lineStyle(n int) draw.LineStyle {
	col := []color.NRGBA{black, grey}[n/len(linePatterns)%2]
	return draw.LineStyle{Color: col, Width: 1.7, Dashes: linePatterns[n%len(linePatterns)]}
}

// thumb is the sample of a line in a legend.
type thumb int

// Thumbnail implements plot.Thumbnailer.
func (t thumb) Thumbnail(c *draw.Canvas) {
	y := (c.Min.Y + c.Max.Y) / 2
	c.StrokeLine2(lineStyle(int(t)), c.Min.X, y, c.Max.X, y)
}

// leastWait is the left end of the distribution's axis.
const leastWait = time.Millisecond

func logOf(d time.Duration) float64 { return math.Log10(max(d, leastWait).Seconds()) }

// Spread is the figure of a cumulative distribution of durations.
type Spread struct {
	Kind    string
	Axis    string // below the figure
	Share   string // beside it
	Who     string // head of the table's first column
	Number  string // head of the second
	Title   string
	Caption string
	Absent  string
	Wide    bool // the names are beside the figure, with room for many long ones
}

var (
	// WaitSpread are the waits for the lock.
	WaitSpread = Spread{
		Kind: "wait-distribution", Axis: "wait for the lock (logarithmic)", Share: "share of attempts",
		Who: "lock", Number: "attempts that got it", Title: "Distribution of the waits for the lock",
		Caption: "The farther left a line rises, the shorter the waits. Where it is flat, no client waited that long.",
		Absent:  "no client got the lock",
	}
	// HoldSpread is how long the lock was held.
	HoldSpread = Spread{
		Kind: "hold-distribution", Axis: "held for (logarithmic)", Share: "share of holds",
		Who: "lock", Number: "holds", Title: "Distribution of how long the lock was held",
		Caption: "The farther right a line rises, the longer the lock was held.",
		Absent:  "no client held the lock",
	}
)

// Distribution shows the cumulative distribution of waits for all locks of a bundle.
func Distribution(b *bundle.Bundle, all []*timeline.Measures, l say.Language) Figure {
	names, sorted := make([]string, len(all)), make([][]time.Duration, len(all))
	for i, m := range all {
		names[i] = sanitize.Text(b.Runs[i].Lock, sanitize.MaxName)
		if m != nil {
			sorted[i] = m.Lengths()
		}
	}
	return WaitSpread.Draw(names, sorted, l)
}

// curve is one line of a spread.
type curve struct {
	sorted []time.Duration
	style  draw.LineStyle
}

// Draw draws one line for each list of sorted lengths that is not empty.
func (s Spread) Draw(names []string, all [][]time.Duration, l say.Language) Figure {
	f := Figure{Kind: s.Kind}
	p := newPlot(l, s.Axis, s.Share)
	f.Table = head(l, s.Who, s.Number, "median", "99th percentile", "longest")
	longest, shortest := leastWait, time.Duration(math.MaxInt64)
	var lines []curve
	for i, sorted := range all {
		if len(sorted) == 0 {
			continue
		}
		p.Legend.Add(names[i], thumb(len(lines)))
		lines = append(lines, curve{sorted, lineStyle(len(lines))})
		last := sorted[len(sorted)-1]
		longest, shortest = max(longest, last), min(shortest, sorted[0])
		f.Table.Rows = append(f.Table.Rows, []string{
			names[i], strconv.Itoa(len(sorted)), say.Measured(timeline.Quantile(sorted, 50)).In(l), say.Measured(timeline.Quantile(sorted, 99)).In(l), say.Measured(last).In(l),
		})
	}
	if len(lines) == 0 {
		f.Absent = s.Absent
		return f
	}
	p.X.Min, p.X.Max = logOf(leastWait), logOf(longest)+0.15
	if s.Wide {
		p.X.Min = math.Floor(logOf(shortest))
	}
	p.Y.Min, p.Y.Max = 0, 1.03
	p.X.Tick.Marker = decades(p.X.Min, p.X.Max, l)
	p.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 0.5, Label: "p50"}, {Value: 0.99, Label: "p99"}}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs = 4, -10 // below the line of p99
	paint(p, func(c draw.Canvas, x, y scale) { drawCurves(c, x, y, lines) })
	f.Caption = say.Text(s.Caption)
	title := say.Text(s.Title).In(l)
	if s.Wide {
		f.SVG = drawnWide(p, title, len(lines))
	} else {
		f.SVG = drawnSized(plotWidth, plotHeight, p.Draw, title)
	}
	return f
}

// Sizes of a plot with its names beside it.
const (
	wideWidth  = 9 * vg.Inch
	wideHeight = 2.6 * vg.Inch
	wideNames  = 2.9 * vg.Inch
	wideLine   = 15 // of one name, in points
)

// drawnWide draws a plot with its legend beside it instead of in it.
func drawnWide(p *plot.Plot, title string, names int) []byte {
	legend := p.Legend
	p.Legend = plot.NewLegend()
	legend.Left, legend.Top, legend.XOffs, legend.YOffs = true, true, 0, 0
	legend.ThumbnailWidth, legend.Padding = 24, 2
	return drawnSized(wideWidth, max(wideHeight, vg.Length(names*wideLine+20)), func(c draw.Canvas) {
		p.Draw(draw.Crop(c, 0, -wideNames-12, 0, 0))
		legend.Draw(draw.Crop(c, c.Max.X-c.Min.X-wideNames, 0, 0, 0))
	}, title)
}

func drawCurves(c draw.Canvas, x, y scale, lines []curve) {
	faint := draw.LineStyle{Color: shade, Width: 0.8, Dashes: []vg.Length{3, 3}}
	across(c, faint, y(0.5))
	across(c, faint, y(0.99))
	for _, l := range lines {
		points := []vg.Point{{X: c.Min.X, Y: y(0)}}
		step := max(len(l.sorted)/200, 1)
		before := 0.0
		for i := 0; i < len(l.sorted); i += step {
			k := min(i+step, len(l.sorted)) - 1
			share := float64(k+1) / float64(len(l.sorted))
			at := x(logOf(l.sorted[k]))
			points = append(points, vg.Point{X: at, Y: y(before)}, vg.Point{X: at, Y: y(share)})
			before = share
		}
		points = append(points, vg.Point{X: c.Max.X, Y: y(before)})
		c.StrokeLines(l.style, points)
	}
}

// decades labels powers of ten of a second.
func decades(from, to float64, l say.Language) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for n := int(math.Ceil(from)); float64(n) <= to; n++ {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: say.Planned(math.Pow10(9 + n)).In(l)})
		for k := 2; k < 10; k++ {
			if at := float64(n) + math.Log10(float64(k)); at <= to {
				ticks = append(ticks, plot.Tick{Value: at})
			}
		}
	}
	return ticks
}

// holdBins is the number of bins in the histogram of holds.
const holdBins = 24

func holdsPlot(r *bundle.Run, m *timeline.Measures, _ int, l say.Language) Figure {
	if len(m.Holds) == 0 {
		return Figure{Absent: "no client held the lock"}
	}
	lease := r.Judgement.History.Header.Lease
	beyond := 0
	longest := time.Duration(0)
	for _, h := range m.Holds {
		length := h.End.Sub(h.Start)
		longest = max(longest, length)
		if length > lease {
			beyond++
		}
	}
	end := max(longest, lease+lease/10, time.Millisecond)
	var bins [holdBins]int
	most := 1
	for _, h := range m.Holds {
		n := min(int(float64(h.End.Sub(h.Start))/float64(end)*holdBins), holdBins-1)
		bins[max(n, 0)]++
		most = max(most, bins[max(n, 0)])
	}
	p := newPlot(l, "held for, in seconds", "holds")
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, end.Seconds(), 0, float64(most)*1.15
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks(axis.Times(p.X.Max)), wholeBetween(0, int64(most))
	paint(p, func(c draw.Canvas, x, y scale) {
		width := end.Seconds() / holdBins
		for n, count := range bins {
			from, to := float64(n)*width, float64(n+1)*width
			colour := grey
			if lease > 0 && from+width/2 > lease.Seconds() {
				colour = vermilion
			}
			fill(c, colour, x(from)+0.6, x(to)-0.6, y(0), y(float64(count)))
		}
		across(c, thin, y(0))
		if lease > 0 {
			c.StrokeLine2(draw.LineStyle{Color: black, Width: 1.2, Dashes: []vg.Length{4, 3}}, x(lease.Seconds()), y(0), x(lease.Seconds()), c.Max.Y)
		}
	})
	all, late := say.Number(len(m.Holds)), say.Number(beyond)
	svg := drawnSized(plotWidth, plotHeight, p.Draw, say.HoldsBeyond.With(all, late).In(l))
	f := Figure{SVG: svg, Caption: say.HoldsLonger.With(late, all, say.Measured(lease)), Table: head(l, "holds", "value")}
	if lease <= 0 {
		f.Caption = say.HoldsWithoutLease.With(all)
	}
	f.Table.row(l, "number", all)
	f.Table.row(l, "longer than the lease", late)
	f.Table.row(l, "longest", say.Measured(longest))
	f.Table.row(l, "lease", say.Measured(lease))
	return f
}

// maxBars limits the clients in the plot of fairness.
const maxBars = 16

// served sums up the waits of one client.
type served struct {
	name     string
	colour   int
	acquired int
	longest  time.Duration
}

func servedOf(h *history.History, m *timeline.Measures) []served {
	colours, at := bundle.ColoursOf(h), map[history.NodeID]int{}
	out := make([]served, len(m.Clients))
	for i, id := range m.Clients {
		out[i], at[id] = served{name: sanitize.Text(h.Name(id), 8), colour: colours.Of(id)}, i
	}
	for _, w := range m.Waits {
		if i, known := at[w.Client]; known {
			out[i].longest = max(out[i].longest, w.Length())
			if w.End == timeline.WaitGot {
				out[i].acquired++
			}
		}
	}
	return out
}

func fairnessPlot(r *bundle.Run, m *timeline.Measures, _ int, l say.Language) Figure {
	all := servedOf(r.Judgement.History, m)
	if len(all) < 2 || len(m.Waits) == 0 {
		return Figure{Absent: "fewer than two clients to compare"}
	}
	shown := all[:min(len(all), maxBars)]
	most, longest := 1, time.Millisecond
	var names []string
	for _, s := range shown {
		names, most, longest = append(names, s.name), max(most, s.acquired), max(longest, s.longest)
	}
	bars := func(y string, top float64, value func(s served) float64) *plot.Plot {
		p := newPlot(l, "", y)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.6, float64(len(shown))-0.4, 0, top*1.12
		p.X.Tick.Marker, p.X.Tick.Length = namedTicks(names, 1), 0
		paint(p, func(c draw.Canvas, x, y scale) {
			for n, s := range shown {
				fill(c, colourOf(s.colour), x(float64(n)-0.36), x(float64(n)+0.36), y(0), y(value(s)))
			}
			across(c, thin, y(0))
		})
		return p
	}
	left := bars("acquisitions", float64(most), func(s served) float64 { return float64(s.acquired) })
	left.Y.Tick.Marker = wholeBetween(0, int64(most))
	right := bars("longest wait in seconds", longest.Seconds(), func(s served) float64 { return s.longest.Seconds() })
	right.Y.Tick.Marker = ticks(axis.Few(longest.Seconds() * 1.12))
	svg := drawnSized(plotWidth, plotHeight, func(c draw.Canvas) {
		half := (c.Max.X - c.Min.X) / 2
		left.Draw(draw.Crop(c, 0, -half-6, 0, 0))
		right.Draw(draw.Crop(c, half+6, 0, 0, 0))
	}, say.AcquiredEach.With(say.Number(len(shown))).In(l))
	t := head(l, "client", "acquisitions", "longest wait")
	least := all[0].acquired
	fullest := 0
	slowest := all[0]
	for _, s := range all {
		least, fullest = min(least, s.acquired), max(fullest, s.acquired)
		if s.longest > slowest.longest {
			slowest = s
		}
		if len(t.Rows) < maxBars {
			t.Rows = append(t.Rows, []string{s.name, strconv.Itoa(s.acquired), say.Measured(s.longest).In(l)})
		}
	}
	f := Figure{SVG: svg, Table: t}
	var note say.Phrase
	if len(all) > maxBars {
		note = say.FirstOfClients.With(say.Number(maxBars), say.Number(len(all)))
	}
	wait, who := say.Measured(slowest.longest), say.Verbatim(slowest.name)
	f.Caption = say.UnfairTo.With(say.Number(least), say.Number(fullest), wait, who, note)
	if least == fullest {
		f.Caption = say.FairTo.With(say.Number(least), wait, who, note)
	}
	return f
}
