package logcheck

import (
	"math"
	"slices"

	"lockstep/internal/say"
)

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
	return slices.ContainsFunc(all, func(s setting) bool { return p.y.beganIn(p.x, s) && !p.x.beganIn(p.y, s) })
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

// Whether clients contend for a lock: of a lock without contention, a log shows nothing.

// waiter is a client that wants a lock, and how often others had acquired it when it said so.
type waiter struct {
	client       string
	at, acquired int64
}

// contend notes that a client which waited has had to: another one acquired the lock meanwhile. See
// Finding.Contended.
func (l *lock) contend(e *Event) {
	for i, w := range l.waiters {
		if w.client == e.Client {
			l.waiters = slices.Delete(l.waiters, i, i+1)
			l.contended(l.Acquired > w.acquired)
			return
		}
	}
}

// heldOn notes that a client held on to the lock while others waited, whose lease seemed to be over.
func (l *lock) heldOn(h *Hold) {
	for _, w := range l.waiters {
		if w.client != h.Client && w.at >= h.From {
			l.contended(true)
			return
		}
	}
}

func (l *lock) contended(is bool) {
	if is {
		l.Contended, l.waiters = true, nil
	}
}

// waits notes a client that wants the lock. It waits for another if that one may hold it now, or acquires it before
// more is heard of the client: one that gave up hours ago waits for none.
func (l *lock) waits(e *Event) {
	l.waited = true
	if l.Contended {
		return
	}
	for _, h := range l.holds {
		if h.Client != e.Client && h.Possible() >= e.At {
			l.contended(true)
			return
		}
	}
	l.waiters = slices.DeleteFunc(l.waiters, func(w waiter) bool { return w.client == e.Client })
	if len(l.waiters) < maxWaiters && l.open(e.Client, NoToken) == nil {
		l.waiters = append(l.waiters, waiter{e.Client, e.At, l.Acquired})
	}
}

// Clients that acquire what they hold: re-entrant ones, and several by one name. Each acquisition is a hold of its
// own, and each end ends one, the latest first: whichever is meant, the client holds until the last has ended.

// apart reports whether two tokens show that a lock was granted twice. A client that acquires again what it
// holds gets the same token.
func apart(a, b int64) bool { return a != NoToken && b != NoToken && a != b }

// again looks at the holds that a client has already when it acquires the lock. Without tokens nothing tells
// a re-entrant client from two that have one name, such as the threads of a process.
func (j *judge) again(l *lock, e *Event) {
	for _, h := range l.holds {
		switch {
		case h.Client != e.Client || h.closed:
		case h.Ending == Dead: // another process, by the same name
			h.closed = true
			j.settle(l, h)
		case h.Token == NoToken || e.Token == NoToken:
			if h.again == 0 {
				h.again = e.Line
			}
			if !h.over(e.At, j.widest()) {
				j.nested(l, h)
			}
		}
	}
	j.extend(l, e)
}

// extend begins the lease again of all holds that a client may have as one.
func (j *judge) extend(l *lock, e *Event) {
	for _, h := range l.holds {
		if h.Client == e.Client && h.Ending == Open && !apart(h.Token, e.Token) && !h.over(e.At, j.widest()) {
			h.deadline = j.deadline(e)
		}
	}
}

// nested doubts that the client that acquired the lock again is one.
func (j *judge) nested(l *lock, h *Hold) {
	if !j.rules.Reentrant && !l.nested {
		l.nested = true
		l.doubt(say.LogAgain.With(say.Verbatim(h.Client), say.Verbatim(l.Lock), j.files.at(h.again), j.files.at(h.Line)))
	}
}

// What becomes of the holds that may overlap.

// settle looks again at the pairs of a hold of which there is news.
func (j *judge) settle(l *lock, h *Hold) {
	if h.further > 0 && h.Heard > h.From {
		l.Overlaps.AtLeast = true // those without a pair are not counted one by one
		h.further = 0
	}
	if len(h.pairs) > 0 {
		j.conclude(l, h)
	}
}

// conclude notes what has become of the pairs of a hold, and keeps those that are pending. Whom a client may have met of which no more is heard, that is one doubt and not many.
func (j *judge) conclude(l *lock, h *Hold) {
	pairs := h.pairs
	h.pairs = nil
	var doubt *Violation
	for _, p := range pairs {
		if p.outcome(j.widest()) != certain && p.pending(j.settings) {
			h.pairs = append(h.pairs, p)
			continue
		}
		j.pairs--
		other := p.x
		if other == h {
			other = p.y
		}
		other.pairs = slices.DeleteFunc(other.pairs, func(q *pair) bool { return q == p })
		switch found := j.weigh(Overlap, p.outcome); {
		case found == possible && p.x == h && h.Ending != ByLine:
			if p.y.doubted == h.Client {
				continue
			}
			if p.y.doubted = h.Client; doubt != nil {
				doubt.Further++
				continue
			}
			doubt = j.doubtful(l, p)
		default:
			j.report(l, p, found)
		}
	}
	if doubt != nil {
		doubt.Further += h.further
		h.further = 0
		j.violation(l, doubt)
	}
}

// doubtful is the violation of a pair that overlaps possibly.
func (j *judge) doubtful(l *lock, p *pair) *Violation {
	return &Violation{Sort: Overlap, Lock: l.Lock, Holds: []*Hold{p.y, p.x}, inside: p.y.beganIn(p.x, j.widest())}
}

// report notes the outcome of a pair. An acquisition that may have met the one or the other hold of a
// client counts once.
func (j *judge) report(l *lock, p *pair, found outcome) {
	switch {
	case found == certain:
		j.overlap(l, p)
	case found == possible && p.y.doubted != p.x.Client:
		p.y.doubted = p.x.Client
		j.violation(l, j.doubtful(l, p))
	}
}

// overlap notes a pair that certainly overlaps. What counts is the intruder, however many it found.
func (j *judge) overlap(l *lock, p *pair) {
	v := p.y.intrusion
	switch {
	case v == nil:
		v = &Violation{Sort: Overlap, Certain: true, Lock: l.Lock, Holds: []*Hold{p.y, p.x}}
		p.y.intrusion = v
		j.violation(l, v)
	case len(v.Holds) <= maxFound:
		v.Holds = append(v.Holds, p.x)
	}
}
