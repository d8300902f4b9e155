package logcheck

import "math"

// Ending says how a hold ended.
type Ending uint8

// How holds end.
const (
	Open    Ending = iota // no line says that it has
	ByLine                // the client released the lock, lost it or died
	Renewed               // the client acquired again: nobody knows since when it had given up
)

// Hold is the time in which a client believed to hold a lock, as far as the log shows it.
type Hold struct {
	Client string
	Token  int64
	Ending Ending

	From, Line       int64 // when and where it was acquired
	Heard, HeardLine int64 // the last line that shows the client holding: until then it did for sure
	To, ToLine       int64 // the line that ended it; not of one that is open
	deadline         int64 // when its lease is over; forever without one

	pairs     []*pair    // with those that it may overlap and of which more may be heard
	further   int64      // acquisitions that found it and have no pair: see maxPairs
	intrusion *Violation // its own, when others held
}

// forever is later than any time of a log.
const forever = math.MaxInt64 / 4 * 3

// Possible returns until when the client may have held: a client of which nobody hears any more
// has its lease at most, and without one for ever.
func (h *Hold) Possible() int64 {
	switch h.Ending {
	case ByLine:
		return h.To
	case Renewed:
		return max(h.Heard, min(h.To, h.deadline))
	}
	return max(h.Heard, h.deadline)
}

// silent reports whether nothing was heard of the client after it had acquired the lock. It held
// then, be it for an instant.
func (h *Hold) silent() bool { return h.Ending != ByLine && h.Heard == h.From }

// took reports whether the hold took any time, as far as it is known.
func (h *Hold) took() bool { return h.Heard > h.From || h.silent() }

// pair are two holds of one lock, of different clients, that may overlap; x was acquired first.
type pair struct{ x, y *Hold }

// outcome is what is known of a pair.
type outcome uint8

const (
	pending  outcome = iota // a later line can make the overlap certain
	none                    // they do not overlap
	possible                // within the error of the clocks, or because nothing is heard of one
	certain
)

// outcome compares two holds when clocks may be off by error each: of two events of different
// clients, one is certainly the earlier when more than twice the error lies between them. Events of
// one client are in their order. So the holds overlap in every case when each began before the
// other one ended, by that margin; and in some case when each may have.
//
// An overlap takes time, as in package checker: who acquires at the instant of a release met nobody.
func (p *pair) outcome(clockError int64) outcome {
	x, y, margin := p.x, p.y, 2*clockError
	began := x.From+margin < y.Heard || y.silent() && x.From+margin <= y.From
	lasted := y.From+margin < x.Heard
	switch {
	case began && lasted && y.took():
		return certain
	case x.Ending == Open && y.Ending == Open, x.Ending == Open && began && y.took(), y.Ending == Open && lasted:
		return pending
	}
	return p.settled(clockError)
}

// settled is what a pair comes to that no later line will make certain.
func (p *pair) settled(clockError int64) outcome {
	margin := 2 * clockError
	if p.y.From < p.x.Possible()+margin && (margin > 0 || p.y.took() || p.y.Possible() > p.y.From) {
		return possible
	}
	return none
}

// hear notes a line that shows the client still holding.
func (h *Hold) hear(e *Event) { h.Heard, h.HeardLine = e.At, e.Line }

// end notes the line that ended the hold.
func (h *Hold) end(e *Event, how Ending) {
	h.Ending, h.To, h.ToLine = how, e.At, e.Line
	if how == ByLine {
		h.hear(e)
	}
}
