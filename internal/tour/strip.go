package tour

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/ink"
	pictures "lockstep/internal/report/strip"
	"lockstep/internal/say"
)

// The signs of a picture.
const (
	nothing   = '.'
	believing = '='
	frozen    = 'z'
	both      = '#' // frozen, and believes that it holds the lock
	dies      = 'x'
	together  = '^' // two clients believe that they hold the lock
	damages   = '!' // a write that damages the resource
	refused   = '/' // a write that the resource refuses
	initial   = 'A' // of the client whose entry a server has, or whose write the resource took
)

// signs of the bars and marks that are drawn.
var signs = map[pictures.Look]rune{
	pictures.Believes: believing, pictures.Frozen: frozen, pictures.Down: dies, pictures.Has: initial, pictures.Copy: initial,
	pictures.Wrote: initial, pictures.Late: initial, pictures.Stale: damages, pictures.Refused: refused,
}

// strip is the picture of a report in characters: a lane for the resource and for each client and
// server that takes part, and a line below that marks where two clients are inside.
type strip struct {
	from, to history.Instant
	width    int // columns of a lane
	lanes    []stripLane
	overlap  []rune
	used     map[rune]bool
}

type stripLane struct {
	*pictures.Row
	cells []rune
}

// newStrip draws what happened in [from, to].
func newStrip(p *pictures.Strip, from, to history.Instant, width int) *strip {
	s := &strip{from: from, to: max(to, from+1), width: width, used: map[rune]bool{}}
	for i := range p.Rows {
		s.lane(&p.Rows[i])
	}
	s.overlap = s.blank(' ')
	for _, b := range p.Bands {
		if b.Look == checker.MutualExclusionID {
			s.fill(s.overlap, b.From, b.To, func(rune) rune { return together })
		}
	}
	return s
}

func (s *strip) blank(r rune) []rune { return slices.Repeat([]rune{r}, s.width) }

// lane adds a row if something is drawn in it, or if it is that of the resource.
func (s *strip) lane(row *pictures.Row) {
	l, drawn := stripLane{row, s.blank(nothing)}, row.Role == ""
	bars := slices.Clone(row.Bars)
	for _, m := range row.Marks {
		bars = append(bars, pictures.Bar{From: m.At, To: m.At + 1, Look: m.Look, Client: m.Client, Letter: m.Letter})
	}
	for _, b := range bars {
		sign := signs[b.Look]
		switch {
		case sign == 0, sign == initial && b.Client == 0, sign == frozen && row.Role != string(history.RoleClient):
			continue
		case sign == initial:
			sign = []rune(b.Letter)[0]
		case sign == dies:
			b.To = b.From + 1
		}
		drawn = s.fill(l.cells, b.From, b.To, func(was rune) rune {
			if sign == frozen && (was == believing || was == both) {
				return both
			}
			return sign
		}) || drawn
	}
	if drawn {
		s.lanes = append(s.lanes, l)
	}
}

// fill changes the columns that a span of time touches, and reports whether it touches any.
func (s *strip) fill(cells []rune, begins, ends int64, change func(was rune) rune) bool {
	from, to := max(begins-int64(s.from), 0), min(ends, int64(s.to))-int64(s.from)
	if from >= to {
		return false
	}
	span, width := int64(s.to-s.from), int64(s.width)
	for c := from * width / span; c <= (to*width-1)/span; c++ {
		cells[c] = change(cells[c])
		s.used[cells[c]] = true
	}
	return true
}

// picture draws the part of a run that its steps cover.
func (s *show) picture(c *canvas, p *Played) {
	story, _, _, _ := p.steps()
	if len(story) == 0 {
		return
	}
	hist := p.Timeline()
	from, to := story[0].At, story[len(story)-1].At
	whole := pictures.Of(&p.Judgement, bundle.BarsOf(hist), pictures.Options{Language: c.o.Language, AllClients: true})
	names := 0
	for _, row := range whole.Rows {
		names = max(names, c.Width(row.Name))
	}
	width := c.o.Width - len(margin) - names - 3
	if width < 20 {
		return // too narrow
	}
	// A margin on both sides, so that beginnings and ends there are visible.
	edge := max((to-from)/history.Instant(width), history.Instant(time.Millisecond))
	d := newStrip(whole, max(from-edge, 0), min(to+2*edge, hist.End()), width)
	if len(d.lanes) == 0 {
		return
	}
	c.Gap()
	name := func(text string) string { return margin + c.Pad(text, names) + "  " }
	c.Line(name("") + d.axis(c))
	for _, l := range d.lanes {
		c.Line(name(l.Name) + string(l.cells))
	}
	if d.used[together] {
		color := ink.Red
		if whole.Impact == checker.ImpactSafe {
			color = ink.Yellow
		}
		c.Line(name("") + c.Paint(color, strings.TrimRight(string(d.overlap), " ")))
	}
	c.Wrapped(margin, margin, ink.Faint, d.key(c.o))
}

// axis has the times at the beginning and at each quarter, where they fit.
func (s *strip) axis(c *canvas) string {
	line := ""
	for quarter := range 4 {
		at := s.from.Add(s.to.Sub(s.from) * time.Duration(quarter) / 4)
		column := s.width * quarter / 4
		line = c.Pad(line, column)
		text := line + "|" + say.Seconds(at).In(c.Language)
		if c.Width(line) == column && c.Width(text) <= s.width {
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
	if slices.ContainsFunc(s.lanes, func(l stripLane) bool { return l.Role == string(history.RoleStore) }) {
		parts = append(parts, o.say("sign store"))
	}
	return strings.Join(parts, o.say("sign and"))
}
