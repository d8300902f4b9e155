package logcheck

import "math"

// Ending says how a hold ended.
type Ending uint8

// How holds end.
const (
	Open   Ending = iota // no line says that it has
	ByLine               // the client released the lock or lost it
	Dead                 // another one says that the client has died; its next line would show that it has not
)

// Hold is the time in which a client believed to hold a lock, as far as the log shows it. A client that
// acquires what it holds has one hold more.
type Hold struct {
	Client string
	Token  int64
	Ending Ending
	Shared bool // with others that share: readers

	From, Line       int64 // when and where it was acquired
	Heard, HeardLine int64 // the last line of the client that shows it holding
	To, ToLine       int64 // the line that ended it; not of one that is open
	deadline         int64 // when its lease is over; forever without one
	grain            int64 // by how much each of these may be later than its time says

	released bool  // its end is a release, which may have come before its line
	used     int64 // then: the last line before, which shows it holding
	closed   bool  // no line will be heard of it any more
	again    int64 // a later line in which its client acquires the lock once more, without a token that tells them apart

	pairs     []*pair    // with those that it may overlap and of which more may be heard
	further   int64      // acquisitions that found it and have no pair: see maxPairs
	intrusion *Violation // its own, when others held
	doubted   string     // the client that it was last said to overlap possibly
}

// forever is later than any time of a log.
const forever = math.MaxInt64 / 4 * 3

// Possible returns until when the client may have held, by its own times: a client of which no more is
// heard has its lease at most, and without one for ever.
func (h *Hold) Possible() int64 {
	switch h.Ending {
	case ByLine:
		return h.To
	case Dead:
		return max(h.Heard, min(h.To, h.deadline))
	}
	return max(h.Heard, h.deadline)
}

// shown is until when the log shows the client holding: the line of a release may be late.
func (h *Hold) shown(s setting) int64 {
	if h.released {
		return max(h.used, h.To-s.late)
	}
	return h.Heard
}

// over reports whether the hold has ended before a time for sure.
func (h *Hold) over(at int64, s setting) bool { return s.before(h.Possible(), h.grain, at) }

// beganIn reports whether the client acquired the lock for sure before the other one's hold ended.
func (h *Hold) beganIn(other *Hold, s setting) bool {
	return s.before(h.From, h.grain, other.shown(s))
}

// pair are two holds of one lock, of different holders, that may overlap; x was acquired first.
type pair struct{ x, y *Hold }

// outcome is what is known of a pair, or of a write; the worse the higher.
type outcome uint8

const (
	none     outcome = iota
	possible         // within what clocks and late lines leave open, or because nothing is heard of one
	certain
)

// outcome compares two holds under a setting. Each event lies within an interval, by the error of the clocks and
// the grain of its time; those of one client are in their order. So the holds overlap in every case when
// each certainly began before the other one ended; and in some case unless the first was certainly over.
// A hold takes some time, however short.
func (p *pair) outcome(s setting) outcome {
	switch {
	case p.x.beganIn(p.y, s) && p.y.beganIn(p.x, s):
		return certain
	case p.x.over(p.y.From, s):
		return none
	}
	return possible
}

// pending reports whether a later line can change the outcome under one of the settings.
func (p *pair) pending(all []setting) bool {
	if !p.x.closed || p.y.closed {
		return !p.x.closed
	}
	for _, s := range all {
		if p.y.beganIn(p.x, s) && !p.x.beganIn(p.y, s) {
			return true
		}
	}
	return false
}

// hear notes a line that shows the client still holding.
func (h *Hold) hear(e *Event) {
	h.Heard, h.HeardLine = e.At, e.Line
	h.grain = max(h.grain, e.grain())
}

// end notes the line of the client that ended the hold.
func (h *Hold) end(e *Event) {
	h.used, h.released = h.Heard, e.Kind == Released
	h.Ending, h.To, h.ToLine, h.closed = ByLine, e.At, e.Line, true
	h.hear(e)
}

// die notes that another one has said so.
func (h *Hold) die(e *Event) {
	h.Ending, h.To, h.ToLine = Dead, e.At, e.Line
	h.grain = max(h.grain, e.grain())
}
