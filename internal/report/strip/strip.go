// Package strip draws what a run is about in one picture: a row for each client, server and the
// resource, in true time from left to right. The clients' rows show who thinks it holds the lock,
// the servers' rows whose entry they have and until when they promised it, the resource's row each
// write. What matters has its label on it, so there is no legend.
//
// It is HTML with places in percent, drawn by one function for every page: words keep their size on
// a phone, a screen reader reads them, and the playground puts its handles into the same rows.
package strip

import (
	_ "embed"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// CSS is the style of strips, on top of that of all pages.
//
//go:embed strip.css
var CSS string

// BeforeJS lays the run before under a picture that a hand changes, and BeforeCSS is the style of it.
//
//go:embed before.js
var BeforeJS string

//go:embed before.css
var BeforeCSS string

// Strip is the picture of one run. Times are nanoseconds on whatever axis the page has.
type Strip struct {
	Name   string // of the lock, above the rows; "" for none
	Rows   []Row
	Bands  []Band // across all rows
	Lines  []Line // where leases end
	Now    Line   // where the present one ends: for a cursor in time
	Impact checker.Impact
	Cause  say.Phrase // what decided it, below the rows; empty for none
	Notes  []Band     // stretches of the axis that something is said of
	Writes []Mark     // those of the resource's row
}

// Row is a lane of the picture.
type Row struct {
	Node  string // for scripts; "" for a row that is no node's
	Name  string
	Role  string // of the node
	Bars  []Bar
	Marks []Mark
	Over  string // HTML that lies over the bars: the handles of the playground
}

// Look is how a bar or a mark is drawn: the class of it.
type Look string

// The looks of bars, and of marks.
const (
	Believes Look = "believes" // hatched: the client thinks it holds the lock
	Has      Look = "has"      // solid: the server has its entry
	Copy     Look = "copy"     // outlined: a copy on a server that answers no client
	Promised Look = "promised" // dashed: up to where the lease was promised
	Frozen   Look = "frozen"
	CutOff   Look = "cut"
	Down     Look = "down"
	Struck   Look = "struck" // by another fault
	Doubtful Look = "doubtful"

	Wrote   Look = "wrote"
	Stale   Look = "stale" // damage
	Late    Look = "late"  // by an older holder, and harmless
	Refused Look = "refused"
	Newer   Look = "newer"
	Foreign Look = "foreign" // a client releases the lock of another
	Renewed Look = "renewed"
	Error   Look = "error" // a bracket as wide as a clock may be off
)

// Bar is a stretch of a row.
type Bar struct {
	From, To int64
	Look     Look
	Client   int    // the number of the colour, 0 for none
	Slot     int    // of bars side by side on one server
	Label    string // is hidden where it does not fit
	Ends     []Promise
}

// Mark is an instant of a row.
type Mark struct {
	At     int64
	Look   Look
	Client int
	Letter string // on the mark
	Label  string // beside it; "" for none
}

// Band is a stretch across all rows: two clients inside, a lock that is stuck.
type Band struct {
	From, To int64
	Look     string // the property that broke
	Label    string
}

// Line is the end of a lease.
type Line struct {
	At    int64
	Label string
	Over  string    // HTML that lies on it: the handle of the playground
	Ends  []Promise // for a cursor in time
}

// Promise is an end of a lease as it was promised from an instant on. Until is None where nothing was.
type Promise struct{ At, Until int64 }

// None stands for no end.
const None = -1

// Scale is the axis of one picture or of several below each other.
type Scale struct {
	From, To int64
	Zero     int64         // where the axis begins to count
	Lease    time.Duration // for a second row of figures; 0 for none
}

// HTML draws strips below each other over one axis.
func HTML(list []*Strip, s Scale, l say.Language) string {
	d := newDrawing(s, l)
	d.f(`<div class="strips" data-from="%d" data-to="%d">`, s.From/1000, s.To/1000)
	for _, strip := range list {
		d.strip(strip)
		if len(list) > 1 {
			d.cause(strip)
		}
	}
	d.axis()
	if len(list) == 1 {
		d.cause(list[0])
	}
	d.b.WriteString(`</div>`)
	return d.b.String()
}

type drawing struct {
	b        strings.Builder
	scale    Scale
	labelled []float64 // where labels begin above the rows of the present strip
	language say.Language
}

func newDrawing(s Scale, l say.Language) *drawing {
	s.To = max(s.To, s.From+1)
	return &drawing{scale: s, language: l}
}

func (d *drawing) f(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// share places a time, from 0 to 1.
func (d *drawing) share(at int64) float64 {
	return min(max(float64(at-d.scale.From)/float64(d.scale.To-d.scale.From), 0), 1)
}

// shown reports whether anything from one time to another is in the picture.
func (d *drawing) shown(from, to int64) bool { return from < d.scale.To && to >= d.scale.From }

func (d *drawing) strip(s *Strip) {
	d.f(`<div class="run-strip" data-impact="%s">`, s.Impact)
	if s.Name != "" {
		d.f(`<p class="lock-name">%s</p>`, html.EscapeString(s.Name))
	}
	d.b.WriteString(`<div class="rows-of">`)
	d.bands(s.Bands)
	servers := 0
	for i := range s.Rows {
		if s.Rows[i].Role == string(history.RoleStore) {
			servers++
		}
	}
	for i := range s.Rows {
		d.row(&s.Rows[i], servers > 1)
	}
	d.lines(s.Lines)
	if ends := d.ends(s.Now.Ends); ends != "" {
		d.f(`<div class="lease now" aria-hidden="true"%s><span>%s</span></div>`, ends, html.EscapeString(s.Now.Label))
	}
	for _, n := range s.Notes {
		d.f(`<div class="told-part" style="--from:%.5f;--to:%.5f"><span>%s</span></div>`, d.share(n.From), d.share(n.To), html.EscapeString(n.Label))
	}
	d.b.WriteString(`</div></div>`)
}

// cause stands below the picture, or below each of several.
func (d *drawing) cause(s *Strip) {
	if !s.Cause.Empty() {
		d.f(`<p class="cause">%s</p>`, html.EscapeString(sanitize.Sentence(s.Cause.In(d.language))))
	}
}

// states lie below the other bars of a row.
var states = []Look{Frozen, CutOff, Down, Struck}

// denseAfter is from how many bars of a row on they are drawn as how much of the time they cover.
const denseAfter = 150

func (d *drawing) row(r *Row, slim bool) {
	class := "lane"
	if slices.ContainsFunc(r.Bars, func(b Bar) bool { return slices.Contains(states, b.Look) }) {
		class += " hit"
	}
	if slim && r.Role == string(history.RoleStore) {
		class += " slim" // of several servers, so that they fit
	}
	d.f(`<div class="%s"`, class)
	if r.Node != "" {
		d.f(` data-node="%s" data-role="%s"`, html.EscapeString(r.Node), r.Role)
	}
	d.f(`><span class="name">%s</span><div class="track">`, html.EscapeString(r.Name))
	if len(r.Bars) > denseAfter {
		d.dense(r.Bars)
	} else {
		for i := range r.Bars {
			d.bar(&r.Bars[i])
		}
	}
	d.marks(r.Marks)
	d.b.WriteString(r.Over)
	d.b.WriteString(`</div></div>`)
}

// slots is how many bars of a server lie side by side.
const slots = 3

func (d *drawing) bar(b *Bar) {
	if !d.shown(b.From, b.To) || b.Slot >= slots {
		return
	}
	from, to := d.share(b.From), d.share(b.To)
	class := string(b.Look)
	if b.Client > 0 {
		class += fmt.Sprintf(" k%d", b.Client)
	}
	if b.Slot > 0 {
		class += fmt.Sprintf(" at%d", b.Slot)
	}
	ends, place := d.ends(b.Ends), ""
	if ends != "" {
		place = fmt.Sprintf(";--from:%.5f", from)
	}
	d.f(`<i class="%s" style="left:%.2f%%;width:%.2f%%%s"%s>`, class, from*100, (to-from)*100, place, ends)
	if b.Label != "" {
		d.f(`<span>%s</span>`, html.EscapeString(b.Label))
	}
	d.b.WriteString(`</i>`)
}

// marks draws the marks of a row; of many the routine ones are left out, and of those that lie on top
// of each other the first stands for all.
func (d *drawing) marks(list []Mark) {
	many := len(list) > denseAfter
	last := map[Look]float64{}
	for i := range list {
		m := &list[i]
		x := d.share(m.At)
		same, some := last[m.Look]
		if !d.shown(m.At, m.At) || many && (m.Look == Wrote || m.Look == Renewed || some && x-same < 0.01) {
			continue
		}
		last[m.Look] = x
		before, after := -1.0, 2.0
		if i > 0 {
			before = d.share(list[i-1].At)
		}
		if i+1 < len(list) {
			after = d.share(list[i+1].At)
		}
		d.mark(m, x, x-before > room && x > room, after-x > room && x+room <= 1)
	}
}

// room is how much of the width a label beside a mark takes.
const room = 0.16

// mark has its label on the right where there is room, else on the left, else none.
func (d *drawing) mark(m *Mark, x float64, left, right bool) {
	class := string(m.Look)
	if m.Client > 0 {
		class += fmt.Sprintf(" k%d", m.Client)
	}
	if !right {
		class += " left"
	}
	d.f(`<i class="mark %s" style="left:%.2f%%">%s`, class, x*100, html.EscapeString(m.Letter))
	if m.Label != "" && (left || right) {
		d.f(`<span>%s</span>`, html.EscapeString(m.Label))
	}
	d.b.WriteString(`</i>`)
}

// columns is how many columns a dense row has.
const columns = 300

// dense draws how much of each column's time the bars cover: those of a long run are narrower than
// anything that can be drawn.
func (d *drawing) dense(bars []Bar) {
	width := (d.scale.To - d.scale.From) / columns
	sum := make([]int64, columns)
	for i := range bars {
		from, to := max(bars[i].From, d.scale.From), min(bars[i].To, d.scale.To)
		for c := (from - d.scale.From) / max(width, 1); from < to && c < columns; c++ {
			end := min(to, d.scale.From+(c+1)*width)
			sum[c] += max(end-from, 0)
			from = max(from, end)
		}
	}
	const height = 20
	d.f(`<svg class="dense" viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true"><path d="M0 %d`, columns, height, height)
	level := func(c int) int { return height - int(min((sum[c]*height+width-1)/max(width, 1), height)) }
	for c := range sum {
		if c+1 == columns || level(c+1) != level(c) { // those of one height are one step
			d.f("V%dH%d", level(c), c+1)
		}
	}
	d.f(`V%dZ"/></svg>`, height)
}

// mostLeases is how many figures stand on an axis of leases at most.
const mostLeases = 12

// axis labels the time, in seconds and in leases.
func (d *drawing) axis() {
	d.b.WriteString(`<div class="axis" aria-hidden="true"><div class="track">`)
	from, to := d.scale.From-d.scale.Zero, d.scale.To-d.scale.Zero
	tick := func(at int64, class string, text say.Phrase) {
		if d.share(d.scale.Zero+at) > 0.95 {
			return // its label would not fit
		}
		d.f(`<span%s style="left:%.2f%%">%s</span>`, class, d.share(d.scale.Zero+at)*100, html.EscapeString(text.In(d.language)))
	}
	if ticks := axis.Times(float64(to-from) / 1e9); len(ticks) > 1 {
		step := max(int64(ticks[1].Value*1e9), 1)
		for at := (max(from, 0) + step - 1) / step * step; at < to; at += step {
			tick(at, "", say.AxisSeconds.With(say.Verbatim(strconv.FormatFloat(float64(at)/1e9, 'g', 6, 64))))
		}
	}
	if lease := int64(d.scale.Lease); lease > 0 && (to-from)/lease <= mostLeases {
		for n := max(1, (from+lease-1)/lease); n*lease < to; n++ {
			tick(n*lease, ` class="leases"`, say.Leases.With(say.Number(n)))
		}
	}
	d.b.WriteString(`</div></div>`)
}
