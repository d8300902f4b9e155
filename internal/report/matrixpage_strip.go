package report

import (
	"fmt"
	"html/template"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
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

// strip draws who believes to hold the lock, from one instant to another: a lane
// for each client, grey where it is frozen, framed where two beliefs overlap.
// It is empty when nobody believes anything. The steps below it are its text.
func strip(j *checker.Judgement, from, to history.Instant, l say.Language) template.HTML {
	h := j.History
	b := barsOf(h)
	if margin := (to - from) / 40; margin > 0 {
		from, to = max(from-margin, 0), to+margin
	}
	d := &stripDrawing{language: l, h: h, from: from, to: max(to, from+1), lanes: map[history.NodeID]int{}}
	for id := history.NodeID(1); int(id) <= len(h.Header.Nodes); id++ {
		if len(d.lanes) < stripLanes && d.shown(b.beliefs, id) {
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
func (d *stripDrawing) span(b bar) (s span, ok bool) {
	s = span{from: d.h.Events[b.from].At, to: d.h.End()}
	if b.to != history.NoCause {
		s.to = d.h.Events[b.to].At
	}
	s.from, s.to = max(s.from, d.from), min(s.to, d.to)
	return s, s.from < s.to
}

// shown reports whether a node has a bar in what is shown.
func (d *stripDrawing) shown(list []bar, id history.NodeID) bool {
	for _, b := range list {
		if _, ok := d.span(b); ok && b.node == id {
			return true
		}
	}
	return false
}

func (d *stripDrawing) x(at history.Instant) int {
	return stripLabel + int(int64(at-d.from)*int64(stripWidth-stripLabel-2)/int64(d.to-d.from))
}

func (d *stripDrawing) draw(b *bars) {
	height := stripLane * len(d.order)
	d.f(`<svg class="belief" aria-hidden="true" viewBox="0 0 %d %d">`, stripWidth, height+stripFoot)
	for lane, id := range d.order {
		y := lane * stripLane
		d.f(`<text x="0" y="%d">%s</text><path d="M%d %dH%d"/>`,
			y+15, escape(clean(say.Name(d.h.Name(id)).In(d.language), maxHeadName)), stripLabel, y+stripLane/2, stripWidth)
	}
	color := drawing{l: &layout{h: d.h}}
	var beliefs []span
	for _, bar := range b.beliefs {
		lane, ok := d.lanes[bar.node]
		s, visible := d.span(bar)
		if !ok || !visible {
			continue
		}
		beliefs = append(beliefs, s)
		d.f(`<rect x="%d" y="%d" width="%d" height="%d" rx="3" style="fill:%s"/>`,
			d.x(s.from), lane*stripLane+4, max(d.x(s.to)-d.x(s.from), 2), stripLane-8, color.color(bar.node))
	}
	for _, bar := range b.freezes {
		lane, ok := d.lanes[bar.node]
		if s, visible := d.span(bar); ok && visible {
			d.f(`<rect class="ice" x="%d" y="%d" width="%d" height="%d"/>`, d.x(s.from), lane*stripLane+8, max(d.x(s.to)-d.x(s.from), 2), stripLane-16)
		}
	}
	for _, s := range overlaps(beliefs) {
		d.f(`<rect class="both" x="%d" y="1" width="%d" height="%d" rx="2"/>`, d.x(s.from), max(d.x(s.to)-d.x(s.from), 3), height-2)
	}
	d.f(`<text x="%d" y="%d" class="t">%s</text>`, stripLabel, height+14, escape(say.Seconds(d.from).In(d.language)))
	d.f(`<text x="%d" y="%d" class="t" text-anchor="end">%s</text></svg>`, stripWidth, height+14, escape(say.Seconds(d.to).In(d.language)))
}

// overlaps returns when two spans or more overlap, joined where they touch.
func overlaps(list []span) []span {
	var out []span
	for i, a := range list {
		for _, b := range list[:i] {
			s := span{from: max(a.from, b.from), to: min(a.to, b.to)}
			if s.from >= s.to {
				continue
			}
			out = merge(out, s)
		}
	}
	return out
}

// merge adds a span to disjoint ones.
func merge(list []span, s span) []span {
	var kept []span
	for _, o := range list {
		if o.to < s.from || s.to < o.from {
			kept = append(kept, o)
			continue
		}
		s = span{from: min(o.from, s.from), to: max(o.to, s.to)}
	}
	return append(kept, s)
}
