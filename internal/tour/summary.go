package tour

import (
	"fmt"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/ink"
)

// summary says what was seen and what to type next.
func (s *session) summary() error {
	c := newCanvas(s.o)
	c.title(s.o.say("saw"))
	c.Gap()
	s.results(c)
	s.score(c)
	s.commands(c)
	return s.flush(c)
}

// results has a line for each lesson whose run was shown: how many properties broke before and
// after the switch.
func (s *session) results(c *canvas) {
	widest := 0
	var rows [][]string
	for i, l := range s.shows {
		if l == nil || !s.seen[i] {
			continue
		}
		one, two := s.o.labels(l.first, l.second)
		name := fmt.Sprintf("%2d  %s", l.Number, l.Name)
		widest = max(widest, c.Width(name))
		rows = append(rows, []string{
			name, one + s.o.say("colon") + s.outcome(l.first), two + s.o.say("colon") + s.outcome(l.second),
		})
	}
	if len(rows) == 0 {
		c.prose(s.o.say("nothing"))
		return
	}
	for _, r := range rows {
		c.Wrapped(margin+c.Pad(r[0], widest+2), margin+c.Pad("", widest+2), "", r[1]+" -> "+r[2])
	}
}

func (s *session) outcome(p *Played) string {
	unknown := func(f checker.Finding) bool { return f.Verdict == checker.Unknown }
	switch n := bundle.BrokenCount(&p.judged); {
	case n > 0:
		return s.o.say("of broken", n)
	case slices.ContainsFunc(p.Judgement.Findings, unknown):
		return s.o.say("none broken")
	}
	return s.o.say("all kept")
}

// score counts the predictions.
func (s *session) score(c *canvas) {
	guessed, right := 0, 0
	for _, l := range s.shows {
		if l == nil || l.guess == 0 {
			continue
		}
		guessed++
		if l.guess == l.right {
			right++
		}
	}
	if guessed > 0 {
		c.Gap()
		c.prose(s.o.say("score", right, guessed))
	}
}

// commands names what to try next, beginning with the last lesson that was seen.
func (s *session) commands(c *canvas) {
	last := len(s.seen) - 1
	for last >= 0 && !s.seen[last] {
		last--
	}
	onward := [2]string{"simulate tour", s.o.say("anew")}
	if last+1 < len(s.lessons) {
		onward = [2]string{fmt.Sprintf("simulate tour %d", last+2), s.o.say("goes on")}
	}
	lesson := s.lessons[max(last, 0)]
	rows := [][2]string{
		onward,
		{fmt.Sprintf("simulate run %s --times 1000", lesson.Run.Scenario), s.o.say("many")},
		{"simulate matrix --lock " + lesson.Switch.Run.Lock, s.o.say("matrix")},
		{"simulate dev claims", s.o.say("claims")},
		{"simulate list locks", s.o.say("locks")},
	}
	c.heading(s.o.say("next"))
	for _, r := range rows {
		c.Line(margin + c.Paint(ink.Bold, "$ "+r[0]))
		c.Wrapped(margin+margin+margin, margin+margin+margin, ink.Faint, r[1])
	}
}
