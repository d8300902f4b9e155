package logcheck

import (
	"errors"
	"time"
)

// Times without a zone: of what zone they are nothing tells, and clocks that are put back show an hour twice.

// zones refuses a time of which it is not known what zone it has.
func (l *log) zones(e *Event) error {
	c := &l.values.clock
	l.zoned = l.zoned || c.stated || !c.local
	l.lacks = l.lacks || c.lacks
	switch {
	case !l.lacks:
		return nil
	case l.zoned:
		return errors.New("some times of the log have a zone and others have none: say with --zone, or zones: in a mapping, which it is, such as Europe/Berlin or UTC")
	case l.steps.turned(e.Client, e.At):
		return errors.New("its time goes against the order of the lines by up to an hour: if clocks were put back there, say --zone Europe/Berlin or whichever it is, else --zone UTC")
	}
	return nil
}

// span is from when to when a source has events, and of whom.
type span struct {
	file     int
	from, to int64
	clients  map[string]bool
}

// maxSpan is how many clients of a source are remembered: with more of them, nothing is concluded.
const maxSpan = 1000

func (s *span) add(e *Event) {
	if s.clients == nil {
		s.clients, s.from, s.to = map[string]bool{}, e.At, e.At
	}
	s.from, s.to = min(s.from, e.At), max(s.to, e.At)
	if len(s.clients) <= maxSpan && !s.clients[e.Client] {
		s.clients[e.Client] = true
	}
}

// strangers finds two sources that have no moment and no client in common, and 0, 0 without any. What is rotated has the
// clients of the part before; sources of different clients are rather of different zones.
func strangers(spans []span) (int, int) {
	for i := range spans {
		for k := range spans[:i] {
			a, b := &spans[k], &spans[i]
			if len(a.clients) == 0 || len(b.clients) == 0 || len(a.clients) > maxSpan || len(b.clients) > maxSpan || a.from <= b.to && b.from <= a.to {
				continue
			}
			common := false
			for client := range a.clients { // order: any
				common = common || b.clients[client]
			}
			if !common {
				return a.file, b.file
			}
		}
	}
	return 0, 0
}

// steps are those of the times of a source from line to line, and where each client's clock was: lines of several
// clients may come one client after the other, and a clock that is put back makes its own client's times step.
type steps struct {
	last        int64 // 0 before the first
	forth, back int64 // how many
	clients     map[string]int64
}

// turned reports whether a client's time makes a step against the order of the lines that a clock makes when it is put
// back.
func (s *steps) turned(client string, at int64) bool {
	switch {
	case s.last == 0:
	case at < s.last:
		s.back++
	case at > s.last:
		s.forth++
	}
	s.last = at
	before, known := s.clients[client]
	if s.clients == nil || len(s.clients) >= maxNames {
		s.clients = map[string]int64{}
	}
	s.clients[client] = at
	step := at - before
	if s.back > s.forth { // newest first
		step = -step
	}
	return known && -step >= int64(10*time.Minute) && -step <= int64(61*time.Minute)
}
