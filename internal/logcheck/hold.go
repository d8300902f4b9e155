package logcheck

import (
	"cmp"
	"math"
	"slices"
	"time"

	"lockstep/internal/say"
)

// Ending says how a hold ended.
type Ending uint8

// The endings of holds.
const (
	Open   Ending = iota // no line ends it
	ByLine               // the client released the lock or lost it
	Dead                 // another client reports the death of this one; a later line of it would refute that
)

// Hold is the time in which a client believed to hold a lock, as far as the log shows it. A client
// that acquires the lock again has another hold.
type Hold struct {
	Event // of its acquisition; Fine is that of its coarsest line, Lease the last one stated

	Ending           Ending
	Heard, HeardLine int64 // of the last line that shows the client holding
	To, ToLine       int64 // of the line that ended it, unless it is open
	deadline         int64 // the end of its lease; forever without one

	released bool  // it ended by a release, which may have been before its line
	used     int64 // if released: the time of the previous line that shows it holding
	lost     bool  // its client, which may be re-entrant, has lost another one: a release may only say so again
	closed   bool  // no further line can concern it
	astray   bool  // before it, a thread ended a hold that another one began: see judge.threads
	again    int64 // a later line in which its client acquires the lock again, without a token that distinguishes them

	pairs     []*pair    // with holds that it may overlap, pending
	met       bool       // it has a pair with a later hold
	further   int64      // acquisitions during it without a pair: see maxPairs
	intrusion *Violation // its certain overlap with earlier holds
	doubted   string     // the client of the last possible overlap
}

// forever is later than any time of a log.
const forever = math.MaxInt64 / 4 * 3

// Possible returns the latest time until which the client may have held, by its own clock: a silent
// client holds until the end of its lease, and without a lease for ever.
func (h *Hold) Possible() int64 {
	switch h.Ending {
	case ByLine:
		return h.To
	case Dead:
		return max(h.Heard, min(h.To, h.deadline))
	}
	return max(h.Heard, h.deadline)
}

// shown returns the time until which the log shows the client holding: the line of a release may be
// late.
func (h *Hold) shown(s *Setting) int64 {
	switch {
	case h.released && h.lost:
		return h.used
	case h.released:
		return max(h.used, h.To-int64(s.ReleasedAfter))
	}
	return h.Heard
}

// over reports whether the hold certainly ended before a time.
func (h *Hold) over(at int64, s *Setting) bool { return s.before(h.Possible(), h.grain(), at) }

// beganIn reports whether the client certainly acquired the lock before the other hold ended.
func (h *Hold) beganIn(other *Hold, s *Setting) bool { return h.before(other.shown(s), s) }

// pair is two holds of one lock, of different holders, that may overlap; x was acquired first.
type pair struct{ x, y *Hold }

// outcome compares two holds under a setting. Each event lies within an interval, by the error of
// the clocks and the grain of its time; events of one client are in order. So the holds certainly
// overlap if each certainly began before the other ended, and possibly unless the first was
// certainly over. No hold is empty, but one that is not proven may be none.
func (p *pair) outcome(s *Setting) Verdict {
	switch {
	case p.x.beganIn(p.y, s) && p.y.beganIn(p.x, s) && !p.x.Unproven && !p.y.Unproven && !p.y.astray:
		return Certain
	case p.x.over(p.y.At, s):
		return None
	}
	return Possible
}

// pending reports whether a later line can change the outcome under one of the settings.
func (p *pair) pending(all []Setting) bool {
	if !p.x.closed || p.y.closed {
		return !p.x.closed
	}
	return slices.ContainsFunc(all, func(s Setting) bool {
		return p.y.beganIn(p.x, &s) && (p.y.Unproven || p.y.astray || !p.x.beganIn(p.y, &s))
	})
}

// renew starts its lease again: that of the event, otherwise that of the grant, otherwise the usual
// one.
func (h *Hold) renew(e *Event, usual time.Duration) {
	h.Lease = cmp.Or(e.Lease, h.Lease)
	h.deadline = forever
	if lease := cmp.Or(h.Lease, usual); lease > 0 {
		h.deadline = e.At + int64(lease)
	}
}

// Contention: without it, a log says nothing about a lock.

// waiter is a client that wants a lock, with the number of acquisitions before it waited.
type waiter struct {
	client       string
	at, acquired int64
}

// contend notes an acquisition: if its client waited while another one acquired the lock, they
// contended.
func (l *lock) contend(e *Event) {
	for i, w := range l.waiters {
		if w.client == e.Client {
			l.waiters = slices.Delete(l.waiters, i, i+1)
			l.contended(l.Acquired > w.acquired)
			return
		}
	}
}

// heldOn notes that a client still held the lock while others waited, although its lease seemed to
// be over.
func (l *lock) heldOn(h *Hold) {
	l.contended(slices.ContainsFunc(l.waiters, func(w waiter) bool { return w.client != h.Client && w.at >= h.At }))
}

func (l *lock) contended(is bool) {
	if is {
		l.Contended, l.waiters = true, nil
	}
}

// waits notes a client that wants the lock. There is contention if another client may hold it now,
// or acquires it before the next line of this one.
func (l *lock) waits(e *Event) {
	l.waited = true
	if l.Contended {
		return
	}
	if slices.ContainsFunc(l.holds, func(h *Hold) bool { return h.Client != e.Client && h.Possible() >= e.At }) {
		l.contended(true)
		return
	}
	l.waiters = slices.DeleteFunc(l.waiters, func(w waiter) bool { return w.client == e.Client })
	if len(l.waiters) < maxWaiters && l.open(&Event{Client: e.Client, Token: NoToken}) == nil {
		l.waiters = append(l.waiters, waiter{e.Client, e.At, l.Acquired})
	}
}

// Clients that acquire a lock again while they hold it: re-entrant ones, or several with one name.
// Each acquisition is a hold of its own, and each end ends the latest: the client holds until the
// last one has ended.

// apart reports whether two tokens show two grants: a re-entrant client gets the same token again.
func apart(a, b int64) bool { return a != NoToken && b != NoToken && a != b }

// again checks the existing holds of a client that acquires the lock. Without tokens, a re-entrant
// client looks like two with the same name, such as the threads of a process.
func (j *judge) again(l *lock, e *Event) {
	for _, h := range l.holds {
		switch {
		case h.Client != e.Client || h.closed:
		case h.Ending == Dead: // another process with the same name
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

// extend renews the lease of all holds that may be the same hold of a client.
func (j *judge) extend(l *lock, e *Event) {
	for _, h := range l.holds {
		if h.Client == e.Client && h.Ending == Open && !apart(h.Token, e.Token) && !h.over(e.At, j.widest()) {
			h.renew(e, j.rules.Lease)
		}
	}
}

func (j *judge) nested(l *lock, h *Hold) {
	if !j.rules.Reentrant && !l.nested {
		l.nested = true
		l.doubt(say.LogAgain.With(say.Verbatim(h.Client), say.Verbatim(l.Lock), j.files.at(h.again), j.files.at(h.Line)))
	}
}

// The holds that may overlap.

// settle judges the pairs of a hold again after a new line.
func (j *judge) settle(l *lock, h *Hold) {
	if h.further > 0 && h.Heard > h.At {
		l.Overlaps.AtLeast = true // acquisitions without a pair are not counted
		h.further = 0
	}
	j.conclude(l, h)
}

// conclude reports all but the pending pairs. The possible overlaps with a silent client are one
// doubt.
func (j *judge) conclude(l *lock, h *Hold) {
	pairs := h.pairs
	h.pairs = nil
	var doubt *Violation
	for _, p := range pairs {
		if p.outcome(j.widest()) != Certain && p.pending(j.settings) {
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
		case found == Possible && p.x == h && h.Ending != ByLine:
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

// doubtful returns the violation of a pair that possibly overlaps.
func (j *judge) doubtful(l *lock, p *pair) *Violation {
	return &Violation{Sort: Overlap, Lock: l.Lock, Holds: []*Hold{p.y, p.x}, inside: p.y.beganIn(p.x, j.widest())}
}

// report counts an acquisition that possibly overlaps several holds of a client once.
func (j *judge) report(l *lock, p *pair, found Verdict) {
	switch {
	case found == Certain:
		j.overlap(l, p)
	case found == Possible && p.y.doubted != p.x.Client:
		p.y.doubted = p.x.Client
		j.violation(l, j.doubtful(l, p))
	}
}

// overlap reports a certain overlap. All overlaps of one intruder count once.
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
