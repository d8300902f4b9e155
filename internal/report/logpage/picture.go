package logpage

import (
	"lockstep/internal/checker"
	"lockstep/internal/logcheck"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
)

// picture shows a violation in the time of the log: a row for each hold. A bar is solid while the
// log shows that the client holds the lock, and open where it is silent; the brackets at its ends
// are as wide as the clock error. The axis begins at the first line of the violation.
func (l *Log) picture(v *logcheck.Violation) string {
	p := picture{log: l}
	scale := l.scaleOf(v)
	for i := len(v.Holds) - 1; i >= 0; i-- { // in the order of the acquisitions
		p.hold(v.Holds[i])
	}
	switch v.Sort {
	case logcheck.Overlap:
		from, to := v.Span()
		label := say.Text("two inside")
		if !v.Certain {
			label, p.Impact = say.Text("perhaps two inside"), possible
		}
		p.Bands = append(p.Bands, strip.Band{From: from, To: to, Look: checker.MutualExclusionID, Label: l.say(label)})
	case logcheck.StaleWrite:
		p.Rows = append(p.Rows, strip.Row{Name: name(v.Newer.Client), Marks: []strip.Mark{{
			At: v.Newer.At, Look: strip.Newer, Client: p.next(), Letter: "▶", Label: l.text("the newer holder"),
		}}})
		p.Rows = append(p.Rows, strip.Row{Name: l.text("resource"), Marks: []strip.Mark{{
			At: v.Write.At, Look: strip.Stale, Letter: "✗", Label: l.say(say.OverwritesIt.With()),
		}}})
	}
	return strip.HTML([]*strip.Strip{&p.Strip}, scale, l.Language)
}

type picture struct {
	strip.Strip
	log *Log
}

// scaleOf chooses the drawn stretch: that of the violation, with a margin.
func (l *Log) scaleOf(v *logcheck.Violation) strip.Scale {
	at, _, _ := v.Shown()
	s := strip.Scale{From: at, To: at}
	if v.Sort == logcheck.StaleWrite {
		s.From, s.To = min(s.From, v.Newer.At), max(s.To, v.Newer.At)
	}
	for _, h := range v.Holds {
		s.From, s.To = min(s.From, h.At), max(s.To, h.Heard)
		if end := h.Possible(); end < l.Result.Last {
			s.To = max(s.To, end)
		}
	}
	s.Zero = s.From
	margin := max((s.To-s.From)/20, 2*int64(l.Rules.ClockError), 1)
	s.From, s.To = s.From-margin, s.To+margin
	return s
}

// name is the name of a client at its row. A long name is cut to its end, where names of pods
// differ.
func name(client string) string {
	const most = 18
	text := []rune(sanitize.Text(client, sanitize.MaxLine))
	if len(text) > most {
		return "…" + string(text[len(text)-most+1:])
	}
	return string(text)
}

// possible is the impact of a violation that is not certain.
const possible = checker.Impact("possible")

// next is the number of the colour of the next row.
func (p *picture) next() int { return len(p.Rows)%6 + 1 }

// hold adds a row for a hold: two holds with one name may belong to two processes.
func (p *picture) hold(h *logcheck.Hold) {
	colour, row := p.next(), strip.Row{Name: name(h.Client)}
	defer func() { p.Rows = append(p.Rows, row) }()
	if end := h.Possible(); end > h.Heard {
		row.Bars = append(row.Bars, strip.Bar{From: h.Heard, To: end, Look: strip.Doubtful, Client: colour})
	}
	row.Bars = append(row.Bars, strip.Bar{From: h.At, To: h.Heard, Look: strip.Has, Client: colour})
	off := int64(p.log.Rules.ClockError)
	if off == 0 {
		return
	}
	row.Bars = append(row.Bars, strip.Bar{From: h.At - off, To: h.At + off, Look: strip.Error})
	if h.Ending == logcheck.ByLine {
		row.Bars = append(row.Bars, strip.Bar{From: h.To - off, To: h.To + off, Look: strip.Error})
	}
}
