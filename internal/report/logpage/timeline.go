package logpage

import (
	"fmt"
	"html"
	"strings"

	"lockstep/internal/logcheck"
	"lockstep/internal/report/axis"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// Measures of a timeline, in units of its view box.
const (
	width      = 900
	left       = 150 // for the names of the clients
	right      = 20
	laneHeight = 16
	lanePitch  = 26
)

// timeline is the picture of a violation: a lane for each client, in the time of the log. A bar is
// solid as far as the log shows the client holding, and open where nobody knows; the brackets at its
// ends are as wide as the clocks may be off.
type timeline struct {
	b        strings.Builder
	log      *Log
	from, to int64
	zero     int64 // where the axis begins to count
	y        int
}

func (l *Log) timeline(v *logcheck.Violation) string {
	t := &timeline{log: l, y: 8}
	t.spread(v)
	if from, to := v.Span(); v.Sort == logcheck.Overlap {
		x := t.x(from)
		t.f(`<rect x="%d" y="%d" width="%d" height="%d" class="together"/>`, x, t.y-4, max(t.x(to)-x, 2), lanePitch*len(v.Holds)+4)
	}
	for i := len(v.Holds) - 1; i >= 0; i-- { // in the order of the acquisitions
		t.hold(v.Holds[i])
	}
	if v.Sort == logcheck.StaleWrite {
		if len(v.Holds) > 0 {
			t.y -= lanePitch // the write belongs to the lane of its client
		}
		t.mark(v.Write.Client, v.Write.At, `<path d="M%d %dl6 -7l6 7l-6 7z" transform="translate(-6 0)" class="write"/>`)
		t.mark(v.Newer.Client, v.Newer.At, `<path d="M%d %dl12 -7v14z" class="newer"/>`)
	}
	t.axis()
	height := t.y + 30
	return fmt.Sprintf(`<svg class="timeline" role="img" viewBox="0 0 %d %d" width="%d" height="%d" xmlns="http://www.w3.org/2000/svg"><title>%s</title>%s</svg>`,
		width, height, width, height, html.EscapeString(l.say(v.Words())), t.b.String())
}

func (t *timeline) f(format string, args ...any) { fmt.Fprintf(&t.b, format, args...) }

// spread chooses the time that is drawn: all that the violation speaks of, and a little more.
func (t *timeline) spread(v *logcheck.Violation) {
	at, _, _ := v.Shown()
	t.from, t.to = at, at
	if v.Sort == logcheck.StaleWrite {
		t.from, t.to = min(t.from, v.Newer.At), max(t.to, v.Newer.At)
	}
	for _, h := range v.Holds {
		t.from, t.to = min(t.from, h.From), max(t.to, h.Heard)
		if end := h.Possible(); end < t.log.Result.Last {
			t.to = max(t.to, end)
		}
	}
	t.zero = t.from
	margin := max((t.to-t.from)/20, 2*int64(t.log.Rules.ClockError), 1)
	t.from, t.to = t.from-margin, t.to+margin
}

// x places a time.
func (t *timeline) x(at int64) int {
	at = min(max(at, t.from), t.to)
	return left + int(float64(at-t.from)/float64(t.to-t.from)*(width-left-right))
}

func (t *timeline) name(client string) {
	t.f(`<text x="%d" y="%d" class="client">%s</text>`, left-10, t.y+laneHeight-4, html.EscapeString(clean.Text(client, clean.MaxHeadName+6)))
	t.f(`<path d="M%d %dH%d" class="base"/>`, left, t.y+laneHeight, width-right)
}

func (t *timeline) hold(h *logcheck.Hold) {
	t.name(h.Client)
	from, heard, end := t.x(h.From), t.x(h.Heard), t.x(h.Possible())
	if end > heard {
		t.f(`<rect x="%d" y="%d" width="%d" height="%d" class="perhaps"/>`, heard, t.y, end-heard, laneHeight)
	}
	t.f(`<rect x="%d" y="%d" width="%d" height="%d" class="held"/>`, from, t.y, max(heard-from, 2), laneHeight)
	if clockError := int64(t.log.Rules.ClockError); clockError > 0 {
		t.doubt(h.From, clockError)
		if h.Ending == logcheck.ByLine {
			t.doubt(h.To, clockError)
		}
	}
	t.y += lanePitch
}

// doubt is a bracket around a time, as wide as the clock may be off.
func (t *timeline) doubt(at, clockError int64) {
	middle := t.y + laneHeight/2
	t.f(`<path d="M%d %dv6v-3H%dv-3v6" class="doubt"/>`, t.x(at-clockError), middle-3, t.x(at+clockError))
}

func (t *timeline) mark(client string, at int64, shape string) {
	t.name(client)
	t.f(shape, t.x(at), t.y+laneHeight/2)
	t.y += lanePitch
}

// axis labels the time, counted from the first line that the violation speaks of.
func (t *timeline) axis() {
	t.f(`<path d="M%d %dH%d" class="axis"/>`, left, t.y, width-right)
	for _, tick := range axis.Times(float64(t.to-t.zero) / 1e9) {
		x := t.x(t.zero + int64(tick.Value*1e9))
		t.f(`<path d="M%d %dv5" class="axis"/><text x="%d" y="%d" class="tick">%s</text>`, x, t.y, x, t.y+19,
			html.EscapeString(say.AxisSeconds.With(say.Verbatim(tick.Label)).In(t.log.Language)))
	}
}
