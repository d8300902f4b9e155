// Package figure plots the measures of runs as SVG, each with a caption and a table of its numbers.
package figure

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/internal/each"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Plot is a figure as a file below plots/.
type Plot struct {
	Name string // of the file, without directory and extension
	SVG  []byte
}

// Figure is a plot with its caption. A figure without an SVG has nothing to show, and says why.
type Figure struct {
	Kind    string // holders, tokens, waits, ...
	SVG     []byte
	Caption say.Phrase // its message in one sentence
	Absent  string     // why there is nothing to show
	Table   Table      // its numbers
}

// Table is the data of a figure, for readers who cannot see it.
type Table struct {
	Head []string
	Rows [][]string
}

func head(l say.Language, names ...string) Table { return Table{Head: say.Texts(l, names...)} }

func (t *Table) row(l say.Language, name string, value say.Part) {
	t.Rows = append(t.Rows, []string{say.Text(name).In(l), value.In(l)})
}

// drawer draws one kind of figure for one run.
type drawer struct {
	Kind  string
	Title string // of its part of the section
	About string // how to read it
	draw  func(r *bundle.Run, m *timeline.Measures, points int, l say.Language) Figure
}

// Drawers are the figures of each lock, in the order of the page. The distribution of waits is not
// among them: it has all locks in one figure.
var Drawers = []drawer{
	{"tokens", "Tokens at the resource", "Each dot is a write that the resource took, each cross one that it refused. A resource that checks tokens must never let them go down.", tokensPlot},
	{"waits", "Wait for the lock", "One mark per attempt, at the time when it ended. Its shape says how.", waitsPlot},
	{"holds", "Hold time and lease", "How long clients held the lock. Beyond the vertical line, a lease that was not renewed has ended.", holdsPlot},
	{"clocks", "Clocks", "How far each node's wall clock was from true time.", clocksPlot},
	{"fairness", "Fairness", "How often each client got the lock, and its longest wait.", fairnessPlot},
}

// Plots draws the figures of a bundle as files. No two have the same name.
func Plots(b *bundle.Bundle, l say.Language) (out []Plot) {
	add := func(kind, lock string, svg []byte, title string) {
		if svg == nil {
			return
		}
		name, heading := kind, say.Text(title)
		if lock != "" {
			name += "-" + sanitize.FileName(lock)
			heading = say.OfLock.With(say.Verbatim(sanitize.Text(lock, sanitize.MaxName)), heading)
		}
		out = append(out, Plot{name, standalone(svg, heading.In(l), aboutRun(b, l))})
	}
	measures := make([]*timeline.Measures, len(b.Runs))
	for i := range b.Histories() {
		r := &b.Runs[i]
		measures[i] = r.Timeline().Measure()
		add("holders", r.Lock, Holders(r.Timeline(), r.Judgement.Findings, MaxPoints, l), "Clients inside at once")
		for k, f := range Of(r, measures[i], MaxPoints, l) {
			add(f.Kind, r.Lock, f.SVG, Drawers[k].Title)
		}
	}
	add(WaitSpread.Kind, "", Distribution(b, measures, l).SVG, WaitSpread.Title)
	return distinct(out)
}

// distinct numbers plots with the same name, since two locks may have the same file name.
func distinct(plots []Plot) []Plot {
	seen := map[string]int{}
	for i := range plots {
		name := plots[i].Name
		if seen[name]++; seen[name] > 1 {
			plots[i].Name = fmt.Sprintf("%s-%d", name, seen[name])
		}
	}
	return plots
}

// Of draws all figures of one run.
func Of(r *bundle.Run, m *timeline.Measures, points int, l say.Language) (out []Figure) {
	for _, d := range Drawers {
		f := d.draw(r, m, points, l)
		f.Kind = d.Kind
		out = append(out, f)
	}
	return out
}

// Sizes of the small plots.
const (
	plotWidth  = 4.4 * vg.Inch
	plotHeight = 2 * vg.Inch
)

// newPlot is a plot in the style of the report, with axes named in a language. It has no
// background, since gonum writes a transparent one as an invalid colour.
func newPlot(l say.Language, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = say.Text(x).In(l), say.Text(y).In(l)
	for _, s := range []*draw.TextStyle{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		s.Font.Size = 9.5
		s.Font.Variant = "Sans"
	}
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}

// overTime is a plot over true time, with the faults shaded behind.
func overTime(r *bundle.Run, y string, l say.Language) *plot.Plot {
	h := r.Judgement.History
	p := newPlot(l, "true time in seconds", y)
	p.X.Min, p.X.Max = 0, max(h.End().Duration().Seconds(), 0.001)
	p.X.Tick.Marker = ticks(axis.Times(p.X.Max))
	faults := bundle.Shades(r.Timeline())
	paint(p, func(c draw.Canvas, x, _ scale) {
		merged(faults, x, 1, func(from, to vg.Length) {
			fill(c, shade, max(from, c.Min.X), min(to, c.Max.X), c.Min.Y, c.Max.Y)
		})
	})
	return p
}

// scale places a value of an axis on the canvas.
type scale = func(float64) vg.Length

// painter makes a function a plotter.
type painter func(c draw.Canvas, x, y scale)

// Plot implements plot.Plotter.
func (f painter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	f(c, x, y)
}

func paint(p *plot.Plot, f painter) { p.Add(f) }

func ticks(list []axis.Tick) plot.ConstantTicks {
	return each.Map(list, func(t axis.Tick) plot.Tick { return plot.Tick(t) })
}
