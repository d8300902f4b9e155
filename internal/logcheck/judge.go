package logcheck

import (
	"slices"
	"strings"
	"time"

	"lockstep/internal/say"
)

// Rules are what a log does not say of itself.
type Rules struct {
	ClockError time.Duration // how far the clock of each client may be off, either way
	Lease      time.Duration // for how long a lock is granted; 0: nobody says
}

// MaxClockError and MaxLease bound the rules, so that times stay within int64.
const (
	MaxClockError = 24 * time.Hour
	MaxLease      = 10 * 365 * 24 * time.Hour
)

// Limits of what a judge keeps in memory.
const (
	maxLocks    = 50_000 // locks at a time; those that nobody holds make room first
	maxHolds    = 64     // of one lock that may still matter: open, or ended just now
	maxPairs    = 64     // acquisitions that found one hold and are remembered one by one
	maxAllHolds = 100_000
	maxAllPairs = 200_000
	maxWaiters  = 64 // of one lock
	maxEnded    = 16 // clients whose hold of one lock ended last
)

// judge looks at the events of a log, once each and in the order of time. What it keeps does not
// grow with the length of the log.
type judge struct {
	clockError, lease int64
	locks             map[string]*lock
	holds, pairs      int     // of all locks
	forgotten         nameSet // locks that had tokens, and made room
	result            Result
	certain, possible []*Violation // the first ones of each
	found             func(*Violation)
}

// newJudge begins a log. It calls found, which may be nil, with each violation as it becomes known.
func newJudge(rules Rules, found func(*Violation)) *judge {
	if found == nil {
		found = func(*Violation) {}
	}
	return &judge{
		clockError: int64(rules.ClockError), lease: int64(rules.Lease),
		locks: map[string]*lock{}, found: found,
	}
}

// lock is what is remembered of one lock.
type lock struct {
	Finding
	holds   []*Hold  // open, or ended so recently that the clocks leave it in doubt; as they were acquired
	ended   []Grant  // of the clients whose holds ended last, the latest last
	waiters []string // clients that wait, as long as nobody has had to wait for another
	waited  bool     // there are waiting lines
	turns   bool     // one client acquired it after another
	touched int64    // the time of its last line
	grants  grants
}

// observe takes the next event.
func (j *judge) observe(e *Event) {
	if j.result.Events == 0 {
		j.result.First = e.At
	}
	j.result.Events++
	j.result.Last = e.At
	if e.Lock == "" {
		for _, l := range j.of(e.Client) {
			j.crashed(l, e)
		}
		return
	}
	if e.Kind == Acquired && j.holds >= maxAllHolds {
		j.makeRoom()
	}
	l := j.locks[e.Lock]
	if l == nil {
		l = j.newLock(e.Lock)
	}
	l.touched = e.At
	switch e.Kind {
	case Acquired:
		j.acquired(l, e)
	case Waiting:
		l.waits(e)
	case Crashed:
		j.crashed(l, e)
	case Write:
		j.write(l, e)
	case Extended:
		if h := l.held(e.Client); h != nil {
			h.deadline = j.deadline(e.At)
			j.heard(l, h, e)
			return
		}
		l.doubt(say.LogExtendedUnheld.With(say.Number(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock)))
	case Released, Lost:
		j.over(l, e)
	}
}

func (j *judge) newLock(name string) *lock {
	if len(j.locks) >= maxLocks {
		j.makeRoom()
	}
	if j.forgotten.has(name) {
		j.result.doubt(say.LogTokensForgotten.With(say.Verbatim(name)))
	} else {
		j.result.Locks++
	}
	l := &lock{Finding: Finding{Lock: name}}
	j.locks[name] = l
	return l
}

// of are the locks that a client holds or waits for, in the order of their names.
func (j *judge) of(client string) (list []*lock) {
	for _, l := range j.locks { // order: sorted below
		if l.held(client) != nil || slices.Contains(l.waiters, client) {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b *lock) int { return strings.Compare(a.Lock, b.Lock) })
	return list
}

// deadline is when a lease is over that begins at some time.
func (j *judge) deadline(at int64) int64 {
	if j.lease == 0 {
		return forever
	}
	return at + j.lease
}

// held is the hold of a client that no line has ended.
func (l *lock) held(client string) *Hold {
	for _, h := range l.holds {
		if h.Ending == Open && h.Client == client {
			return h
		}
	}
	return nil
}

func (j *judge) acquired(l *lock, e *Event) {
	if h := l.held(e.Client); h != nil {
		h.end(e, Renewed)
		j.settle(l, h)
	}
	j.forget(l, e.At)
	l.contend(e)
	l.Acquired++
	j.late(l, e)
	y := &Hold{Client: e.Client, Token: e.Token, From: e.At, Line: e.Line, Heard: e.At, HeardLine: e.Line, deadline: j.deadline(e.At)}
	for _, x := range l.holds {
		if x.Client != e.Client {
			j.meet(l, x, y)
		}
	}
	l.holds = append(l.holds, y)
	j.holds++
	j.grant(l, e)
}

// meet notes that y was acquired while x held, or may have.
func (j *judge) meet(l *lock, x, y *Hold) {
	p := &pair{x, y}
	switch {
	case x.Ending != Open: // just now, by clocks that may be off
		if p.outcome(j.clockError) == possible {
			j.violation(l, &Violation{Sort: Overlap, Lock: l.Lock, Holds: []*Hold{y, x}})
		}
	case len(x.pairs) >= maxPairs || j.pairs >= maxAllPairs:
		x.further++
	default:
		j.pairs++
		x.pairs, y.pairs = append(x.pairs, p), append(y.pairs, p)
	}
}

// heard notes a line that shows a client still holding, and what that makes certain.
func (j *judge) heard(l *lock, h *Hold, e *Event) {
	h.hear(e)
	j.settle(l, h)
}

// over ends the hold of a client that released the lock or lost it.
func (j *judge) over(l *lock, e *Event) {
	h := l.held(e.Client)
	switch {
	case h != nil:
		h.end(e, ByLine)
		l.note(h)
		j.settle(l, h)
	case l.lately(e.Client) != nil:
		if l.repeated++; l.repeated == 1 {
			l.repeatedLine = e.Line
		}
	default:
		l.doubt(say.LogEndUnheld.With(say.Number(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock)))
	}
}

// crashed ends what a dead client held. One that held nothing may die.
func (j *judge) crashed(l *lock, e *Event) {
	l.waiters = slices.DeleteFunc(l.waiters, func(w string) bool { return w == e.Client })
	if h := l.held(e.Client); h != nil {
		h.end(e, ByLine)
		l.note(h)
		j.settle(l, h)
	}
}

// note remembers that a client has held the lock and holds it no more.
func (l *lock) note(h *Hold) {
	l.ended = slices.DeleteFunc(l.ended, func(g Grant) bool { return g.Client == h.Client })
	if len(l.ended) == maxEnded {
		l.ended = slices.Delete(l.ended, 0, 1)
	}
	l.ended = append(l.ended, Grant{h.Client, h.From, h.Line, h.Token})
}

// lately is the last acquisition of a client that holds no more; nil when nobody remembers one.
func (l *lock) lately(client string) *Grant {
	for i := range l.ended {
		if l.ended[i].Client == client {
			return &l.ended[i]
		}
	}
	return nil
}

// settle looks again at the pairs of a hold of which there is news.
func (j *judge) settle(l *lock, h *Hold) {
	if h.further > 0 && h.Heard > h.From {
		l.Overlaps.AtLeast = true // those without a pair are not counted one by one
		h.further = 0
	}
	if len(h.pairs) > 0 {
		j.conclude(l, h, (*pair).outcome)
	}
}

// conclude notes what has become of the pairs of a hold, and keeps those that are pending. Whom a
// client may have met of which nobody has heard any more, that is one doubt and not many.
func (j *judge) conclude(l *lock, h *Hold, of func(*pair, int64) outcome) {
	pairs := h.pairs
	h.pairs = nil
	var doubt *Violation
	for _, p := range pairs {
		result := of(p, j.clockError)
		if result == pending {
			h.pairs = append(h.pairs, p)
			continue
		}
		j.pairs--
		other := p.x
		if other == h {
			other = p.y
		}
		other.pairs = slices.DeleteFunc(other.pairs, func(q *pair) bool { return q == p })
		switch {
		case result == certain:
			j.overlap(l, p)
		case result == possible && doubt != nil && p.x == h:
			doubt.Further++
		case result == possible:
			v := &Violation{Sort: Overlap, Lock: l.Lock, Holds: []*Hold{p.y, p.x}}
			if p.x == h {
				doubt = v
				defer func() { j.violation(l, v) }() // when it is known whom else it met
				continue
			}
			j.violation(l, v)
		}
	}
	if doubt != nil {
		doubt.Further += h.further
		h.further = 0
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

func (j *judge) violation(l *lock, v *Violation) {
	switch v.Sort {
	case Overlap:
		l.Overlaps.add(v)
	case StaleWrite:
		l.StaleWrites.add(v)
	}
	kept := &j.possible
	if v.Certain {
		kept = &j.certain
	}
	if len(*kept) < maxViolations {
		*kept = append(*kept, v)
	}
	j.found(v)
}

// maxDoubts is how many reasons are kept of one lock.
const maxDoubts = 3

func (l *lock) doubt(why say.Phrase) {
	if len(l.Doubts) < maxDoubts {
		l.Doubts = append(l.Doubts, why)
	}
}

// contend notes whether somebody waits for another, or the lock goes from hand to hand: see
// Finding.Contended.
func (l *lock) contend(e *Event) {
	if l.Contended || len(l.waiters) == 0 {
		return
	}
	l.waiters = slices.DeleteFunc(l.waiters, func(w string) bool { return w == e.Client })
	l.Contended = len(l.waiters) > 0
}

// waits notes a client that wants the lock.
func (l *lock) waits(e *Event) {
	l.waited = true
	if l.Contended {
		return
	}
	for _, h := range l.holds {
		if h.Ending == Open && h.Client != e.Client {
			l.Contended, l.waiters = true, nil
			return
		}
	}
	if len(l.waiters) < maxWaiters && !slices.Contains(l.waiters, e.Client) {
		l.waiters = append(l.waiters, e.Client)
	}
}
