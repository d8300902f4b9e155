package tour

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	pictures "lockstep/internal/report/strip"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The signs of a picture. A store's lane shows the initial of the client that owns its entry.
const (
	nothing   = '.'
	believing = '='
	frozen    = 'z'
	both      = '#' // frozen, and believes that it holds the lock
	dies      = 'x'
	together  = '^' // two clients believe that they hold the lock
	damages   = '!' // a write that damages the resource
	refused   = '/' // a write that the resource refuses
)

// strip is a picture of a run in characters: a lane for each client and server that takes part in it,
// and a line below that marks where two clients are inside.
type strip struct {
	h        *timeline.Timeline
	from, to history.Instant
	width    int // columns of a lane
	lanes    []stripLane
	overlap  []rune
	used     map[rune]bool
}

type stripLane struct {
	node  history.NodeID
	store bool
	cells []rune
}

// newStrip draws what happened in [from, to].
func newStrip(h *timeline.Timeline, from, to history.Instant, width int) *strip {
	s := &strip{h: h, from: from, to: max(to, from+1), width: width, used: map[rune]bool{}}
	bars := bundle.BarsOf(h)
	for i, n := range h.Header.Nodes {
		id := history.NodeID(i + 1)
		switch n.Role {
		case history.RoleClient:
			s.client(id, bars)
		case history.RoleStore:
			s.store(id, bars)
		}
	}
	s.overlap = s.blank(' ')
	for _, c := range overlaps(bars.Beliefs, h) {
		s.fill(s.overlap, c[0], c[1], func(rune) rune { return together })
	}
	return s
}

func (s *strip) blank(r rune) []rune { return slices.Repeat([]rune{r}, s.width) }

func (s *strip) client(id history.NodeID, bars *bundle.Bars) {
	l := stripLane{node: id, cells: s.blank(nothing)}
	drawn := false
	for _, b := range bars.Beliefs {
		if b.Node == id {
			drawn = s.bar(l.cells, b, func(rune) rune { return believing }) || drawn
		}
	}
	for _, b := range bars.Freezes {
		if b.Node != id {
			continue
		}
		drawn = s.bar(l.cells, b, func(was rune) rune {
			if was == believing || was == both {
				return both
			}
			return frozen
		}) || drawn
	}
	s.keep(l, drawn)
}

// keep adds a lane if something is drawn in it: bars, or a death.
func (s *strip) keep(l stripLane, drawn bool) {
	for _, e := range s.h.Each(history.Crashed) {
		if e.Node == l.node {
			drawn = s.fill(l.cells, e.At, e.At+1, func(rune) rune { return dies }) || drawn
		}
	}
	if drawn {
		s.lanes = append(s.lanes, l)
	}
}

func (s *strip) store(id history.NodeID, bars *bundle.Bars) {
	l := stripLane{node: id, store: true, cells: s.blank(nothing)}
	drawn := false
	for _, b := range bars.Grants {
		if b.Node == id && letter(s.h.History, b.Owner) != 0 {
			drawn = s.bar(l.cells, b, func(rune) rune { return letter(s.h.History, b.Owner) }) || drawn
		}
	}
	s.keep(l, drawn)
}

// letter is the initial of a client; 0 for the probe and for no client.
func letter(of *history.History, id history.NodeID) rune {
	if of.Role(id) != history.RoleClient {
		return 0
	}
	return []rune(of.Name(id))[0]
}

func (s *strip) bar(cells []rune, b bundle.Bar, to func(was rune) rune) bool {
	end := s.h.End()
	if b.To >= 0 {
		end = s.h.Events[b.To].At
	}
	return s.fill(cells, s.h.Events[b.From].At, end, to)
}

// fill changes the columns that a span of time touches, and reports whether it touches any.
func (s *strip) fill(cells []rune, from, to history.Instant, change func(was rune) rune) bool {
	from, to = max(from, s.from), min(to, s.to)
	if from >= to {
		return false
	}
	span := int64(s.to - s.from)
	first, last := int64(from-s.from)*int64(s.width)/span, (int64(to-s.from)*int64(s.width)-1)/span
	for c := first; c <= last; c++ {
		cells[c] = change(cells[c])
		s.used[cells[c]] = true
	}
	return true
}

// overlaps lists when two clients believe that they hold the lock.
func overlaps(beliefs []bundle.Bar, h *timeline.Timeline) (all [][2]history.Instant) {
	for i, a := range beliefs {
		for _, b := range beliefs[:i] {
			from, to := h.Events[a.From].At, h.End()
			for _, x := range []bundle.Bar{a, b} {
				from = max(from, h.Events[x.From].At)
				if x.To >= 0 {
					to = min(to, h.Events[x.To].At)
				}
			}
			if from < to && a.Node != b.Node {
				all = append(all, [2]history.Instant{from, to})
			}
		}
	}
	return all
}

// picture draws the part of a run that its steps cover.
func (s *show) picture(c *canvas, p *Played) {
	story, _, _, _ := p.steps()
	if len(story) == 0 {
		return
	}
	hist := p.account()
	from, to := story[0].At, story[len(story)-1].At
	resource := c.o.say("resource")
	names := c.ruler.Width(resource)
	for _, n := range hist.Header.Nodes {
		if n.Role == history.RoleClient || n.Role == history.RoleStore {
			names = max(names, c.ruler.Width(n.Name))
		}
	}
	width := c.o.Width - len(margin) - names - 3
	if width < 20 {
		return // too narrow
	}
	// A margin on both sides, so that beginnings and ends there are visible.
	edge := max((to-from)/history.Instant(width), history.Instant(time.Millisecond))
	d := newStrip(hist, max(from-edge, 0), min(to+2*edge, hist.End()), width)
	if len(d.lanes) == 0 {
		return
	}
	c.gap()
	name := func(text string) string { return margin + c.ruler.Pad(text, names) + "  " }
	c.line(name("") + d.axis(c.o, c.ruler))
	for _, l := range d.lanes {
		c.line(name(hist.Name(l.node)) + string(l.cells))
	}
	whole := pictures.Of(&p.Judgement, bundle.BarsOf(hist), pictures.Options{})
	if len(whole.Writes) > 0 {
		c.line(name(resource) + string(d.writes(whole.Writes)))
	}
	if d.used[together] {
		color := red
		if whole.Impact == checker.ImpactSafe {
			color = yellow
		}
		c.line(name("") + c.paint(color, strings.TrimRight(string(d.overlap), " ")))
	}
	c.wrapped(margin, margin, faint, d.key(c.o))
}

// writes is the lane of the resource: the initial of the client whose write it took.
func (s *strip) writes(list []pictures.Mark) []rune {
	cells := s.blank(nothing)
	for _, m := range list {
		s.fill(cells, history.Instant(m.At), history.Instant(m.At+1), func(rune) rune {
			switch m.Look {
			case pictures.Stale:
				return damages
			case pictures.Refused:
				return refused
			}
			return []rune(m.Letter)[0]
		})
	}
	return cells
}

// axis has the times at the beginning and at each quarter, where they fit.
func (s *strip) axis(o *Options, ruler *say.Ruler) string {
	line := ""
	for quarter := range 4 {
		at := s.from.Add(s.to.Sub(s.from) * time.Duration(quarter) / 4)
		column := s.width * quarter / 4
		line = ruler.Pad(line, column)
		text := line + "|" + o.instant(at)
		if ruler.Width(line) == column && ruler.Width(text) <= s.width {
			line = text
		}
	}
	return line
}

// key explains the signs that were used.
func (s *strip) key(o *Options) string {
	var parts []string
	for _, x := range []struct {
		sign rune
		name string
	}{{believing, "sign believes"}, {both, "sign frozen inside"}, {frozen, "sign frozen"}, {dies, "sign dies"}, {together, "sign two"}, {damages, "sign damage"}, {refused, "sign refused"}} {
		if s.used[x.sign] {
			parts = append(parts, fmt.Sprintf("%c %s", x.sign, o.say(x.name)))
		}
	}
	if slices.ContainsFunc(s.lanes, func(l stripLane) bool { return l.store }) {
		parts = append(parts, o.say("sign store"))
	}
	return strings.Join(parts, o.say("sign and"))
}
