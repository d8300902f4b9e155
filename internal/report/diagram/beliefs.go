package diagram

import (
	"fmt"
	"html/template"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// Measures of a strip, in units of its drawing.
const (
	stripWidth = 760
	stripLabel = 64 // left of the lanes
	stripLane  = 22
	stripFoot  = 20
	stripLanes = 6 // at most
)

// Beliefs draws who believes they hold the lock, from one instant to another: a lane
// for each client, grey where it is frozen, framed where two beliefs overlap.
// It is empty when nobody believes anything. The steps below it are its text.
func Beliefs(j *checker.Judgement, from, to history.Instant, l say.Language) template.HTML {
	h := j.History
	b := bundle.BarsOf(h)
	if margin := (to - from) / 40; margin > 0 {
		from, to = max(from-margin, 0), to+margin
	}
	d := &stripDrawing{language: l, h: h, from: from, to: max(to, from+1), lanes: map[history.NodeID]int{}}
	for id := history.NodeID(1); int(id) <= len(h.Header.Nodes); id++ {
		if len(d.lanes) < stripLanes && d.shown(b.Beliefs, id) {
			d.lanes[id] = len(d.lanes)
			d.order = append(d.order, id)
		}
	}
	if len(d.order) == 0 {
		return ""
	}
	d.draw(b)
	return template.HTML(d.b.String()) // made by us, all texts escaped
}

type stripDrawing struct {
	language say.Language
	h        *history.History
	from, to history.Instant
	lanes    map[history.NodeID]int
	order    []history.NodeID // by lane
	b        strings.Builder
}

func (d *stripDrawing) f(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// span cuts a bar to what is shown; ok is false when nothing of it is.
func (d *stripDrawing) span(b bundle.Bar) (s bundle.Span, ok bool) {
	s = bundle.Span{From: d.h.Events[b.From].At, To: d.h.End()}
	if b.To != history.NoCause {
		s.To = d.h.Events[b.To].At
	}
	s.From, s.To = max(s.From, d.from), min(s.To, d.to)
	return s, s.From < s.To
}

// shown reports whether a node has a bar in what is shown.
func (d *stripDrawing) shown(list []bundle.Bar, id history.NodeID) bool {
	for _, b := range list {
		if _, ok := d.span(b); ok && b.Node == id {
			return true
		}
	}
	return false
}

func (d *stripDrawing) x(at history.Instant) int {
	return stripLabel + int(int64(at-d.from)*int64(stripWidth-stripLabel-2)/int64(d.to-d.from))
}

func (d *stripDrawing) draw(b *bundle.Bars) {
	height := stripLane * len(d.order)
	d.f(`<svg class="belief" aria-hidden="true" viewBox="0 0 %d %d">`, stripWidth, height+stripFoot)
	for lane, id := range d.order {
		y := lane * stripLane
		d.f(`<text x="0" y="%d">%s</text><path d="M%d %dH%d"/>`,
			y+15, escape(clean.Text(say.Name(d.h.Name(id)).In(d.language), clean.MaxHeadName)), stripLabel, y+stripLane/2, stripWidth)
	}
	colours := bundle.ColoursOf(d.h)
	var beliefs []bundle.Span
	for _, bar := range b.Beliefs {
		lane, ok := d.lanes[bar.Node]
		s, visible := d.span(bar)
		if !ok || !visible {
			continue
		}
		beliefs = append(beliefs, s)
		fill := "#888888"
		if n := colours.Of(bar.Node); n > 0 {
			fill = fmt.Sprintf("var(--c%d)", n)
		}
		d.f(`<rect x="%d" y="%d" width="%d" height="%d" rx="3" style="fill:%s"/>`,
			d.x(s.From), lane*stripLane+4, max(d.x(s.To)-d.x(s.From), 2), stripLane-8, fill)
	}
	for _, bar := range b.Freezes {
		lane, ok := d.lanes[bar.Node]
		if s, visible := d.span(bar); ok && visible {
			d.f(`<rect class="ice" x="%d" y="%d" width="%d" height="%d"/>`, d.x(s.From), lane*stripLane+8, max(d.x(s.To)-d.x(s.From), 2), stripLane-16)
		}
	}
	for _, s := range overlaps(beliefs) {
		d.f(`<rect class="both" x="%d" y="1" width="%d" height="%d" rx="2"/>`, d.x(s.From), max(d.x(s.To)-d.x(s.From), 3), height-2)
	}
	d.f(`<text x="%d" y="%d" class="t">%s</text>`, stripLabel, height+14, escape(say.Seconds(d.from).In(d.language)))
	d.f(`<text x="%d" y="%d" class="t" text-anchor="end">%s</text></svg>`, stripWidth, height+14, escape(say.Seconds(d.to).In(d.language)))
}

// overlaps returns when two spans or more overlap, joined where they touch.
func overlaps(list []bundle.Span) []bundle.Span {
	var out []bundle.Span
	for i, a := range list {
		for _, b := range list[:i] {
			s := bundle.Span{From: max(a.From, b.From), To: min(a.To, b.To)}
			if s.From >= s.To {
				continue
			}
			out = merge(out, s)
		}
	}
	return out
}

// merge adds a span to disjoint ones.
func merge(list []bundle.Span, s bundle.Span) []bundle.Span {
	var kept []bundle.Span
	for _, o := range list {
		if o.To < s.From || s.To < o.From {
			kept = append(kept, o)
			continue
		}
		s = bundle.Span{From: min(o.From, s.From), To: max(o.To, s.To)}
	}
	return append(kept, s)
}
