package logcheck

import (
	"slices"
	"strings"

	"lockstep/internal/say"
)

// Limits of a judge's memory.
const (
	maxLocks    = 50_000 // locks at a time; free ones are forgotten first
	maxHolds    = 64     // of one lock that may still matter: open, or ended just now
	maxPairs    = 64     // of one hold
	maxAllHolds = 100_000
	maxAllPairs = 200_000 // and one of each hold
	maxWaiters  = 64      // of one lock
	maxEnded    = 16      // clients whose hold of one lock ended last
)

// judge sees the events of a log once each, in the order of time, and in constant memory.
type judge struct {
	rules             Rules
	settings          []Setting // see Rules.settings; with the worst verdicts so far
	files             files
	unit              Unit  // in which times are shown
	twice, firstTwice int64 // the number of duplicate lines, and the first of them
	locks             map[string]*lock
	holds, pairs      int     // of all locks
	forgotten         nameSet // forgotten locks that had tokens
	threads           bool    // clients are threads, between which a job may move
	result            Result
	certain, possible []*Violation // the first ones of each
	found             func(*Violation)
}

// newJudge returns a judge that calls found, which may be nil, with each violation when it becomes
// known.
func newJudge(rules Rules, found func(*Violation)) *judge {
	if found == nil {
		found = func(*Violation) {}
	}
	j := &judge{locks: map[string]*lock{}, found: found}
	j.state(rules)
	return j
}

func (j *judge) state(rules Rules) { j.rules, j.settings = rules, rules.settings() }

// widest returns the setting with the largest errors.
func (j *judge) widest() *Setting { return &j.settings[0] }

type lock struct {
	Finding
	holds   []*Hold  // that later lines may concern or overlap; in the order of acquisition
	ended   []Event  // the acquisitions of the clients whose holds ended last, the latest last
	waiters []waiter // waiting clients, until contention is known
	waited  bool     // there are waiting lines
	turns   bool     // one client acquired it after another
	nested  bool     // the doubt about a repeated acquisition was added
	touched int64    // the time of its last line
	shared  bool     // its last holder shares it
	astray  bool     // a thread has ended a hold that another one began
	twice   int64    // a duplicate line that acquires it; 0: none
	grants  grants
}

func (j *judge) observe(e *Event) {
	if j.result.Events == 0 {
		j.result.First = e.At
	}
	j.result.Events++
	j.result.Last = e.At
	if e.Lock == "" {
		for _, l := range j.of(e.Client) {
			l.crashed(e)
		}
		return
	}
	if e.Kind == Acquired && j.holds >= maxAllHolds {
		j.makeRoom()
	}
	l := j.lock(e.Lock)
	l.touched = e.At
	switch e.Kind {
	case Acquired:
		j.acquired(l, e)
	case Waiting:
		l.waits(e)
	case Crashed:
		l.crashed(e)
	case Write:
		j.write(l, e)
	case Extended:
		if h := j.held(l, e); h != nil {
			h.renew(e, j.rules.Lease)
			j.extend(l, e)
			j.heard(l, h, e)
			return
		}
		l.doubt(say.LogExtendedUnheld.With(j.files.at(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock)))
	case Released, Lost:
		j.over(l, e)
	}
}

// lock returns the state of a lock, which it makes if there is none.
func (j *judge) lock(name string) *lock {
	if l := j.locks[name]; l != nil {
		return l
	}
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

// of returns the locks that a client holds or waits for, in the order of their names.
func (j *judge) of(client string) (list []*lock) {
	for _, l := range j.locks { // order: sorted below
		if l.open(&Event{Client: client, Token: NoToken}) != nil || slices.ContainsFunc(l.waiters, func(w waiter) bool { return w.client == client }) {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b *lock) int { return strings.Compare(a.Lock, b.Lock) })
	return list
}

// open returns the latest open hold that a line may concern; nil for none.
func (l *lock) open(e *Event) *Hold { return l.last(e, Open) }

// holding reports whether the client of a line has an open hold that its lease has not ended.
func (l *lock) holding(e *Event, s *Setting) bool {
	h := l.open(e)
	return h != nil && !h.over(e.At, s)
}

// last returns the latest hold of a line's client with an ending: by its token and its mode, as far
// as both are stated.
func (l *lock) last(e *Event, ending Ending) (without *Hold) {
	for _, h := range slices.Backward(l.holds) {
		switch {
		case h.Client != e.Client || h.Ending != ending || h.closed || h.HasMode && e.HasMode && h.Shared != e.Shared:
		case e.Token == NoToken || h.Token == e.Token:
			return h
		case h.Token == NoToken && without == nil:
			without = h
		}
	}
	return without
}

// held returns the hold that a line of its client belongs to. The line refutes a reported death.
func (j *judge) held(l *lock, e *Event) *Hold {
	if h := l.open(e); h != nil {
		return h
	}
	h := l.last(e, Dead)
	if h != nil {
		h.Ending = Open
		j.result.remark(say.LogNotDead.With(j.files.at(h.ToLine), say.Verbatim(e.Client), say.Verbatim(e.Kind.String()), j.files.at(e.Line)))
	}
	return h
}

func (j *judge) acquired(l *lock, e *Event) {
	j.again(l, e)
	j.forget(l, e.At)
	l.contend(e)
	l.Acquired++
	j.late(l, e)
	y := &Hold{Event: *e, Heard: e.At, HeardLine: e.Line, astray: l.astray}
	y.renew(e, j.rules.Lease)
	for _, x := range l.holds {
		if x.Shared && y.Shared {
			continue
		}
		if x.Client != e.Client || !x.closed && apart(x.Token, e.Token) {
			j.meet(l, x, y)
		}
	}
	l.holds = append(l.holds, y)
	j.holds++
	j.grant(l, e)
}

// meet notes that y was acquired while x held or may have held.
func (j *judge) meet(l *lock, x, y *Hold) {
	p := &pair{x, y}
	switch {
	case !p.pending(j.settings): // x has just ended, within the error of the clocks
		j.report(l, p, j.weigh(Overlap, p.outcome))
	case x.met && (len(x.pairs) >= maxPairs || j.pairs >= maxAllPairs):
		x.further++
	default: // always with the first acquisition during it, which any overlap includes
		j.pairs++
		x.met = true
		x.pairs, y.pairs = append(x.pairs, p), append(y.pairs, p)
	}
}

// heard notes a line that shows a client still holding.
func (j *judge) heard(l *lock, h *Hold, e *Event) {
	h.Heard, h.HeardLine, h.Fine = e.At, e.Line, max(h.Fine, e.Fine)
	h.Unproven = h.Unproven && e.Unproven
	l.heldOn(h)
	if h.again > 0 {
		j.nested(l, h)
	}
	j.settle(l, h)
}

// over ends the hold of a client that released the lock or lost it.
func (j *judge) over(l *lock, e *Event) {
	h, ended := j.held(l, e), l.lately(e.Client)
	switch {
	case h != nil:
		j.end(l, h, e)
		for _, of := range l.holds {
			switch {
			case e.Kind != Lost || of.Client != h.Client || of.Ending != Open || apart(of.Token, h.Token):
			case j.rules.Reentrant || of.Token != NoToken && of.Token == h.Token: // the client has lost all of its holds
				j.end(l, of, e)
			default:
				of.lost = true
			}
		}
	case j.threads && (ended == nil || ended.Kind == Released) && l.heldByOther(e, j.widest()):
		l.astray = true
		l.doubt(say.LogOtherThread.With(j.files.at(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock)))
	case ended != nil && !apart(ended.Token, e.Token):
		if l.repeated++; l.repeated == 1 {
			l.repeatedLine = e.Line
		}
		if l.twice > 0 { // so the duplicate line was a second acquisition
			l.doubt(say.LogTwice.With(j.files.at(l.twice), j.files.at(e.Line), say.Verbatim(e.Client)))
			l.twice = 0
		}
	default:
		l.doubt(say.LogEndUnheld.With(j.files.at(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock)))
	}
}

// heldByOther reports whether a client other than that of a line may hold the lock.
func (l *lock) heldByOther(e *Event, s *Setting) bool {
	return slices.ContainsFunc(l.holds, func(h *Hold) bool { return h.Client != e.Client && h.Ending == Open && !h.over(e.At, s) })
}

func (j *judge) end(l *lock, h *Hold, e *Event) {
	h.used, h.released = h.Heard, e.Kind == Released
	h.Ending, h.To, h.ToLine, h.closed = ByLine, e.At, e.Line, true
	j.heard(l, h, e)
	l.note(h)
}

// crashed notes that a client is reported dead. A client without a hold may die.
func (l *lock) crashed(e *Event) {
	l.waiters = slices.DeleteFunc(l.waiters, func(w waiter) bool { return w.client == e.Client })
	for _, h := range l.holds {
		if h.Client == e.Client && h.Ending == Open {
			h.Ending, h.To, h.ToLine = Dead, e.At, e.Line
			h.Fine = max(h.Fine, e.Fine)
		}
	}
}

func (l *lock) note(h *Hold) {
	l.ended = slices.DeleteFunc(l.ended, func(e Event) bool { return e.Client == h.Client })
	if len(l.ended) == maxEnded {
		l.ended = slices.Delete(l.ended, 0, 1)
	}
	last := h.Event
	if h.released {
		last.Kind = Released
	}
	l.ended = append(l.ended, last)
}

// lately returns the last remembered acquisition of a client that no longer holds; nil for none.
func (l *lock) lately(client string) *Event {
	if i := slices.IndexFunc(l.ended, func(e Event) bool { return e.Client == client }); i >= 0 {
		return &l.ended[i]
	}
	return nil
}

func (j *judge) violation(l *lock, v *Violation) {
	v.files, v.unit, v.widest = j.files, j.unit, j.widest()
	count, kept := &l.Overlaps, &j.possible
	if v.Sort == StaleWrite {
		count = &l.StaleWrites
	}
	if v.Certain {
		count.Certain++
		kept = &j.certain
	} else {
		count.Possible++
	}
	if len(*kept) < maxViolations {
		*kept = append(*kept, v)
	}
	j.found(v)
}

const maxDoubts = 3

func (l *lock) doubt(why say.Phrase) {
	if len(l.Doubts) < maxDoubts {
		l.Doubts = append(l.Doubts, why)
	}
}
