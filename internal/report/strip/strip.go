// Package strip draws a run as one picture: a row for each client, each server and the resource, in
// true time from left to right. Rows of clients show beliefs, rows of servers their entries and how
// long these were promised, the row of the resource each write. Labels are on the elements, so
// there is no legend.
//
// It is HTML with positions in percent, drawn by one function for every page. So text keeps its
// size on a phone, a screen reader reads it, and the playground puts its handles into the same
// rows.
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
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// CSS is the style of strips, on top of that of all pages.
//
//go:embed strip.css
var CSS string

// BeforeJS shows the previous run under a picture while a reader changes it; BeforeCSS is its
// style.
//
//go:embed before.js
var BeforeJS string

//go:embed before.css
var BeforeCSS string

// Strip is the picture of one run. Times are nanoseconds on the axis of the page.
type Strip struct {
	Name   string // of the lock, above the rows; "" for none
	Rows   []Row
	Bands  []Band // across all rows
	Lines  []Line // ends of leases
	Now    Line   // the end of the current lease, for a time cursor
	Impact checker.Impact
	Cause  say.Phrase // the cause of the outcome, below the rows; empty for none
	Notes  []Band     // labelled stretches of the axis
}

// Row is a lane of the picture.
type Row struct {
	Node  string // for scripts; "" for a row without a node
	Name  string
	Role  string // of the node
	Bars  []Bar
	Marks []Mark
	Over  string // HTML on top of the bars: the handles of the playground
}

// Look is the style of a bar or a mark: its class.
type Look string

// The looks of bars, and of marks.
const (
	Believes Look = "believes" // hatched: the client thinks it holds the lock
	Has      Look = "has"      // solid: the server has its entry
	Copy     Look = "copy"     // outlined: a copy on a server that answers no client
	Promised Look = "promised" // dashed: to the promised end of the lease
	Frozen   Look = "frozen"
	CutOff   Look = "cut"
	Down     Look = "down"
	Struck   Look = "struck" // by another fault
	Doubtful Look = "doubtful"

	Wrote   Look = "wrote"
	Stale   Look = "stale" // damage
	Late    Look = "late"  // by an older holder, harmless
	Refused Look = "refused"
	Newer   Look = "newer"
	Foreign Look = "foreign" // a client releases the lock of another
	Renewed Look = "renewed"
	Error   Look = "error" // a bracket as wide as the clock error
)

// Bar is a stretch of a row.
type Bar struct {
	From, To int64
	Look     Look
	Client   int    // the number of the colour, 0 for none
	Letter   string // of the client, on its entry
	Slot     int    // of bars side by side on one server
	Label    string // hidden if it does not fit
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
	Look     string // the property that broke, or "other"
	Label    string
}

// Line is the end of a lease.
type Line struct {
	At    int64
	Label string
	Over  string    // HTML on top of it: the handle of the playground
	Ends  []Promise // for a time cursor
}

// Promise is the end of a lease as promised from an instant on. Until is None without a promise.
type Promise struct{ At, Until int64 }

// None means no end.
const None = -1

// Scale is the axis of one picture or of several below each other.
type Scale struct {
	From, To int64
	Zero     int64         // the zero of the axis
	Lease    time.Duration // for a second row of labels; 0 for none
}

// HTML draws strips below each other over one axis.
func HTML(list []*Strip, s Scale, l say.Language) string {
	s.To = max(s.To, s.From+1)
	d := &drawing{scale: s, language: l}
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
	labelled []float64 // where labels begin above the rows of the current strip
	language say.Language
}

func (d *drawing) f(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

func (d *drawing) share(at int64) float64 {
	return min(max(float64(at-d.scale.From)/float64(d.scale.To-d.scale.From), 0), 1)
}

// shown reports whether a stretch overlaps the picture.
func (d *drawing) shown(from, to int64) bool { return from < d.scale.To && to >= d.scale.From }

func (d *drawing) strip(s *Strip) {
	d.f(`<div class="run-strip" data-impact="%s">`, s.Impact)
	if s.Name != "" {
		d.f(`<p class="lock-name">%s</p>`, html.EscapeString(s.Name))
	}
	d.b.WriteString(`<div class="rows-of">`)
	d.bands(s.Bands)
	servers := each.Count(s.Rows, func(r *Row) bool { return r.Role == string(history.RoleStore) })
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

// cause draws the cause below the picture, or below each of several.
func (d *drawing) cause(s *Strip) {
	if !s.Cause.Empty() {
		d.f(`<p class="cause">%s</p>`, html.EscapeString(sanitize.Sentence(s.Cause.In(d.language))))
	}
}

// states are the looks of bars below the other bars of a row.
var states = []Look{Frozen, CutOff, Down, Struck}

// denseAfter is the number of bars in a row above which only their share of the time is drawn.
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

// slots is the most bars of a server side by side.
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

// marks draws the marks of a row. If there are many, it leaves out routine marks and those that
// overlap an earlier one of the same look.
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

// room is the share of the width that a label beside a mark takes.
const room = 0.16

// mark draws a mark with its label on the right, else on the left, else without it.
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

// columns is the number of columns in a dense row.
const columns = 300

// dense draws the share of time that the bars cover in each column, since those of a long run are
// too narrow to draw.
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

// mostLeases limits the labels of an axis of leases.
const mostLeases = 12

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
