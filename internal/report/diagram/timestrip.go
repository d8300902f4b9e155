package diagram

import (
	"fmt"
	"strconv"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// A timeStrip shows a whole run in true time, from left to right: who believed, what
// the store had, whom faults struck, and what broke. Strips of several
// locks have one axis of time, so that they can be compared by eye.
//
// A run of a million events fits as well: where bars would be narrower than a
// pixel, a lane shows density instead, how much of each pixel's time was covered.
// Violations have a lane of their own, are drawn last and have an outline of two
// pixels, so that nothing can hide them.
//
// Places in time are shares of the width, so that a strip fits a phone, and can be
// zoomed by making its innermost part wider: words and lines keep their size.
type Strip struct {
	Run    *bundle.Run
	Name   string
	Bars   *bundle.Bars
	Differ history.Instant // where its story leaves that of the reference; -1 for nowhere
	Told   [2]history.Instant
	Cut    bool // told is only a part of the run
}

// Measures of a strip. Heights are pixels; places in time are thousandths of a percent.
const (
	timeLeft      = 88 // pixels for the names of the lanes: padding of the drawing, by the styles of the pages
	whole         = 100_000
	laneHeight    = 10
	lanePitch     = 12
	leastBar      = whole / 1000
	leastMark     = whole / 2000
	maxLanes      = 6      // of many clients and servers that have a lane of their own
	denseAfter    = 300    // bars of one lane that are drawn one by one
	activityAfter = 20_000 // events from which on their density is shown
)

// Strips draws the strips below each other over one axis of time.
func Strips(list []Strip, l say.Language) string {
	end := history.Instant(1)
	for i := range list {
		end = max(end, list[i].Run.Judgement.History.End())
	}
	d := &timeDrawing{end: end, language: l}
	y := 4
	for i := range list {
		y = d.strip(&list[i], y, len(list) > 1)
	}
	d.axis(y)
	title := say.WholeRun.With(say.Seconds(end))
	if len(list) > 1 {
		title = say.LocksBelow.With(say.Number(len(list)), say.Seconds(end))
	}
	height := y + 26
	return fmt.Sprintf(`<svg class="timestrip" role="img" width="100%%" height="%d" data-end="%d" xmlns="http://www.w3.org/2000/svg"><title>%s</title>%s`+
		`<svg class="window" y="0" width="100%%" height="%d"><svg class="time" x="0" y="0" width="100%%" height="%d">%s</svg></svg></svg>`,
		height, int64(end)/1000, escape(title.In(l)), d.names.String(), height, height, d.b.String())
}

type timeDrawing struct {
	names    strings.Builder // left of the lanes
	b        strings.Builder // what lies in time
	end      history.Instant
	h        *history.History // of the strip that is being drawn
	colours  bundle.Colours
	language say.Language
}

func (d *timeDrawing) f(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// x places an instant.
func (d *timeDrawing) x(at history.Instant) int {
	return int(float64(min(max(at, 0), d.end)) / float64(d.end) * whole)
}

// share writes a place in time as the percentage that it is.
func share(n int) string { return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64) + "%" }

// box draws a rectangle from one place in time to another.
func (d *timeDrawing) box(from, to, y, height int, class string) {
	d.f(`<rect x="%s" y="%d" width="%s" height="%d" class="%s"/>`, share(from), y, share(max(to-from, 0)), height, class)
}

// strip draws one run below y and returns where the next one begins.
func (d *timeDrawing) strip(s *Strip, y int, named bool) int {
	d.h = s.Run.Judgement.History
	d.colours = bundle.ColoursOf(d.h)
	if named {
		y += 15
		fmt.Fprintf(&d.names, `<text x="%d" y="%d" class="lock">%s</text>`, -timeLeft, y, escape(clean.Text(s.Name, clean.MaxName)))
		y += 6
	}
	top := y
	for _, l := range d.lanesOf(s) {
		d.name(l.name, y)
		d.lane(&l, y)
		y += lanePitch
	}
	bottom := y + lanePitch
	d.name(say.Verdict(checker.Broken).In(d.language), y)
	d.base(y)
	mergeSpans(bundle.ViolationSpans(s.Run.Judgement.Findings), d.x, leastMark, func(from, to int) { d.box(from, to, y, laneHeight, "broke") })
	if s.Differ >= 0 {
		x := share(d.x(s.Differ))
		d.f(`<line x1="%s" x2="%s" y1="%d" y2="%d" class="differ"/><svg x="%s" y="%d"><path d="M0 0l-5 -8h10z" class="flag"/></svg>`, x, x, top, bottom, x, top+2)
	}
	if s.Cut {
		from, to := d.x(s.Told[0]), d.x(s.Told[1])
		d.f(`<line x1="%s" x2="%s" y1="%d" y2="%d" class="told-part"/><text x="%s" y="%d" class="small">%s</text>`,
			share(from), share(max(to, from+whole/400)), bottom+3, bottom+3, share(from), bottom+15, say.Text("told below").In(d.language))
		bottom += 14
	}
	return bottom + 6
}

func (d *timeDrawing) name(s string, y int) {
	fmt.Fprintf(&d.names, `<text x="%d" y="%d" class="lane e">%s</text>`, -8, y+laneHeight-1, escape(s))
}

// base is the line that a lane stands on.
func (d *timeDrawing) base(y int) {
	d.f(`<line x1="0" x2="100%%" y1="%d" y2="%d" class="base"/>`, y+laneHeight, y+laneHeight)
}

// lane draws the faults of a lane, and before them its bars.
func (d *timeDrawing) lane(l *timeLane, y int) {
	d.base(y)
	defer mergeSpans(l.faults, d.x, leastMark, func(from, to int) { d.box(from, to, y+laneHeight/2-1, 3, "frozen") })
	switch {
	case l.activity:
		d.dense(d.activity(), y)
		return
	case len(l.bars) > denseAfter:
		d.dense(d.coverage(l), y)
		return
	}
	side := 1 // bars side by side
	for _, b := range l.bars {
		side = max(side, min(b.Lane+1, 4))
	}
	for _, b := range l.bars {
		if b.Lane >= side {
			continue
		}
		class := "b"
		switch {
		case b.Copy:
			class = "copy copy"
		case l.solid:
			class = "g"
		}
		first, last := d.lasts(b)
		from, to := d.x(first), d.x(last)
		height := laneHeight / side
		d.box(from, max(to, from+leastBar), y+b.Lane*height, height, fmt.Sprintf("%s%d", class, d.colours.Of(b.Owner)))
	}
}

// axis labels the time.
func (d *timeDrawing) axis(y int) {
	d.f(`<line x1="0" x2="100%%" y1="%d" y2="%d" class="axis"/>`, y, y)
	for _, t := range axis.Times(d.end.Duration().Seconds()) {
		x, where := d.x(history.Instant(t.Value*1e9)), "m"
		if x < whole/100 {
			where = "s"
		}
		d.f(`<line x1="%s" x2="%s" y1="%d" y2="%d" class="axis"/>`, share(x), share(x), y, y+5)
		if x < whole*97/100 { // there is room for its label
			d.f(`<text x="%s" y="%d" class="small %s">%s</text>`, share(x), y+18, where, say.AxisSeconds.With(say.Verbatim(t.Label)).In(d.language))
		}
	}
}

// mergeSpans calls f for the spans in the order of time, in places as x gives them,
// each at least least wide; spans that touch become one.
func mergeSpans(spans []bundle.Span, x func(history.Instant) int, least int, f func(from, to int)) {
	sorted := append([]bundle.Span(nil), spans...)
	bundle.SortSpans(sorted)
	from, to, some := 0, 0, false
	for _, s := range sorted {
		a, b := x(s.From), x(s.To)
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
