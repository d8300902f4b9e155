package diagram

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// A timeStrip shows a whole run in true time, from left to right: who believed, what
// the store had, when faults were at work, and what broke. Strips of several
// locks have one axis of time, so that they can be compared by eye.
//
// A run of a million events fits as well: where bars would be narrower than a
// pixel, a lane shows density instead, how much of each pixel's time was covered.
// Violations have a lane of their own, are drawn last and are at least
// leastMark wide, so that nothing can hide them.
type Strip struct {
	Run    *bundle.Run
	Name   string
	Bars   *bundle.Bars
	Differ history.Instant // where its story leaves that of the reference; -1 for nowhere
	Told   [2]history.Instant
	Cut    bool // told is only a part of the run
}

// Measures of a strip, in units of its view box.
const (
	timeWidth     = 900
	timeLeft      = 92 // for the names of the lanes
	timeRight     = 14
	laneHeight    = 11
	lanePitch     = 14
	leastMark     = 3
	maxLanes      = 8      // clients of one strip that have a lane of their own
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
	return fmt.Sprintf(`<svg class="timestrip" role="img" viewBox="0 0 %d %d" width="%d" height="%d" xmlns="http://www.w3.org/2000/svg"><title>%s</title>%s</svg>`,
		timeWidth, height, timeWidth, height, escape(title.In(l)), d.b.String())
}

type timeDrawing struct {
	b        strings.Builder
	end      history.Instant
	h        *history.History // of the strip that is being drawn
	language say.Language
}

func (d *timeDrawing) f(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// x places an instant, in tenths of a unit to keep short runs exact.
func (d *timeDrawing) x(at history.Instant) int {
	at = min(max(at, 0), d.end)
	span := int64(timeWidth-timeLeft-timeRight) * 10
	return timeLeft*10 + int(float64(at)/float64(d.end)*float64(span))
}

// tenths writes a number of tenths.
func tenths(n int) string {
	if n%10 == 0 {
		return fmt.Sprint(n / 10)
	}
	return fmt.Sprintf("%d.%d", n/10, n%10)
}

// strip draws one run below y and returns where the next one begins.
func (d *timeDrawing) strip(s *Strip, y int, named bool) int {
	d.h = s.Run.Judgement.History
	if named {
		y += 15
		d.f(`<text x="0" y="%d" class="lock">%s</text>`, y, escape(clean.Text(s.Name, clean.MaxName)))
		y += 6
	}
	top := y
	lanes := d.lanesOf(s)
	bottom := y + (len(lanes)+1)*lanePitch
	d.faults(top, bottom)
	for i := range lanes {
		d.name(lanes[i].name, y)
		d.lane(&lanes[i], y)
		y += lanePitch
	}
	d.name(say.Verdict(checker.Broken).In(d.language), y)
	d.f(`<path d="M%d %dH%d" class="base"/>`, timeLeft, y+laneHeight, timeWidth-timeRight)
	mergeSpans(bundle.ViolationSpans(s.Run.Judgement.Findings), d.x, leastMark*10, func(from, to int) {
		d.f(`<rect x="%s" y="%d" width="%s" height="%d" class="broke"/>`, tenths(from), y, tenths(to-from), laneHeight)
	})
	if s.Differ >= 0 {
		x := tenths(d.x(s.Differ))
		d.f(`<path d="M%s %dV%d" class="differ"/><path d="M%s %dl-5 -8h10z" class="flag"/>`, x, top, bottom, x, top+2)
	}
	if s.Cut {
		from, to := d.x(s.Told[0]), d.x(s.Told[1])
		d.f(`<path d="M%s %dv4H%sv-4" class="told-part"/><text x="%s" y="%d" class="small">%s</text>`,
			tenths(from), bottom+1, tenths(max(to, from+20)), tenths(from), bottom+15, say.Text("told below").In(d.language))
		bottom += 14
	}
	return bottom + 6
}

func (d *timeDrawing) name(s string, y int) {
	d.f(`<text x="%d" y="%d" class="lane e">%s</text>`, timeLeft-8, y+laneHeight-1, escape(s))
}

// lane is one row of bars.
type timeLane struct {
	name     string
	bars     []bundle.Bar
	solid    bool // grants are solid, beliefs hatched
	activity bool // how much happened
}

// lanesOf lists the rows of a strip: a lane per client, or one for all of many,
// and a lane per server that ever had an entry. In a long history the first lane
// is how much happened at all.
func (d *timeDrawing) lanesOf(s *Strip) []timeLane {
	var out []timeLane
	if len(d.h.Events) > activityAfter {
		out = append(out, timeLane{name: say.Text("events").In(d.language), activity: true})
	}
	lane := make([]int, len(d.h.Header.Nodes)+1) // by NodeID: index into out plus one
	clients := 0
	for i, n := range d.h.Header.Nodes {
		if n.Role != history.RoleClient {
			continue
		}
		if clients++; clients <= maxLanes {
			out = append(out, timeLane{name: clean.Text(say.Name(n.Name).In(d.language), clean.MaxHeadName)})
		} else {
			out[len(out)-1].name = say.Text("others").In(d.language)
		}
		lane[i+1] = len(out)
	}
	for _, b := range s.Bars.Beliefs {
		if n := lane[b.Node]; n > 0 {
			out[n-1].bars = append(out[n-1].bars, b)
		}
	}
	servers := 0
	for _, b := range s.Bars.Grants {
		if lane[b.Node] == 0 && servers < maxLanes {
			servers++
			out = append(out, timeLane{name: clean.Text(d.h.Name(b.Node), clean.MaxHeadName), solid: true})
			lane[b.Node] = len(out)
		}
		if n := lane[b.Node]; n > 0 {
			out[n-1].bars = append(out[n-1].bars, b)
		}
	}
	return out
}

func (d *timeDrawing) lane(l *timeLane, y int) {
	d.f(`<path d="M%d %dH%d" class="base"/>`, timeLeft, y+laneHeight, timeWidth-timeRight)
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
		from, to := d.ends(b)
		class := "b"
		if l.solid {
			class = "g"
		}
		height := laneHeight * 10 / side
		d.f(`<rect x="%s" y="%s" width="%s" height="%s" class="%s%d"/>`, tenths(from), tenths(y*10+b.Lane*height),
			tenths(max(to-from, 8)), tenths(height), class, clientColor(d.h, b.Owner))
	}
}

// ends places a bar.
func (d *timeDrawing) ends(b bundle.Bar) (from, to int) {
	first, last := d.lasts(b)
	return d.x(first), d.x(last)
}

// lasts returns when a bar begins and ends.
func (d *timeDrawing) lasts(b bundle.Bar) (from, to history.Instant) {
	to = d.h.End()
	if b.To >= 0 {
		to = d.h.Events[b.To].At
	}
	return d.h.Events[b.From].At, to
}

// columns is how many columns a dense lane has.
const columns = (timeWidth - timeLeft - timeRight) / 2

// coverage is how much of each column's time the bars of a lane cover, in
// thousandths. It is summed up in true time: the bars of a long run are narrower
// than anything that can be drawn, and still there are so many of them.
func (d *timeDrawing) coverage(l *timeLane) []int {
	sum := make([]time.Duration, columns)
	edge := func(c int) history.Instant {
		return history.Instant(float64(d.end) * float64(c) / columns)
	}
	for _, b := range l.bars {
		from, to := d.lasts(b)
		c := min(int(float64(from)/float64(d.end)*columns), columns-1)
		for ; c >= 0 && c < columns && edge(c) < to; c++ {
			sum[c] += max(min(to, edge(c+1)).Sub(max(from, edge(c))), 0)
		}
	}
	out := make([]int, columns)
	for c := range out {
		out[c] = min(int(sum[c]*1000/max(edge(c+1).Sub(edge(c)), 1)), 1000)
	}
	return out
}

// activity is how many events each column has, in thousandths of the fullest.
func (d *timeDrawing) activity() []int {
	out := make([]int, columns+1)
	most := 1
	for i := range d.h.Events {
		c := (d.x(d.h.Events[i].At) - timeLeft*10) / 20
		out[c]++
		most = max(most, out[c])
	}
	out[columns-1] += out[columns]
	for c := range out {
		out[c] = min(out[c]*1000/most, 1000)
	}
	return out[:columns]
}

// dense draws shares of columns as bars of that height; columns of about equal
// height are one shape.
func (d *timeDrawing) dense(share []int, y int) {
	d.f(`<path class="dense" d="M%d %d`, timeLeft, y+laneHeight)
	last := -1
	for c, s := range share {
		if level := (s*laneHeight + 999) / 1000; level != last {
			d.f("V%d", y+laneHeight-level)
			last = level
		}
		if c+1 == len(share) || (share[c+1]*laneHeight+999)/1000 != last {
			d.f("H%d", timeLeft+2*(c+1))
		}
	}
	d.f(`V%dZ"/>`, y+laneHeight)
}

// faults shades when faults were at work, behind everything else.
func (d *timeDrawing) faults(top, bottom int) {
	mergeSpans(append(bundle.FaultSpans(d.h), bundle.FrozenSpans(d.h)...), d.x, 10, func(from, to int) {
		d.f(`<rect x="%s" y="%d" width="%s" height="%d" class="frozen"/>`, tenths(from), top-2, tenths(to-from), bottom-top+2)
	})
}

// axis labels the time.
func (d *timeDrawing) axis(y int) {
	d.f(`<path d="M%d %dH%d" class="axis"/>`, timeLeft, y, timeWidth-timeRight)
	for _, t := range axis.Times(d.end.Duration().Seconds()) {
		x := tenths(d.x(history.Instant(t.Value * 1e9)))
		d.f(`<path d="M%s %dv5" class="axis"/><text x="%s" y="%d" class="small m">%s</text>`, x, y, x, y+18, say.AxisSeconds.With(say.Verbatim(t.Label)).In(d.language))
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
