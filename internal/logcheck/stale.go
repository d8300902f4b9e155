package logcheck

import (
	"slices"

	"lockstep/internal/say"
)

// A write is stale when a holder newer than the writer has had the lock. Tokens define which holder
// is newer; without them, the order of acquisitions does, as in the property no-stale-write of a
// run.

// grants are the acquisitions and tokens that later writes to a lock are compared with.
type grants struct {
	// marks are the tokens seen, in increasing order: only the first is certainly in the past.
	marks []Event
	// acquired are the last acquisitions: those within the error of the clocks, and before them the
	// last ones of two clients that share the lock and of two that do not.
	acquired []Event
	late     Event // the last write of a client without a hold; Line is 0 for none
	back     bool  // tokens have gone back, so they do not order the acquisitions
}

// maxMarks bounds the tokens remembered within the error of the clocks.
const maxMarks = 8

func (j *judge) grant(l *lock, e *Event) {
	g := &l.grants
	if n := len(g.acquired); n > 0 && g.acquired[n-1].Client != e.Client && !(e.Shared && l.shared) {
		l.turns = true
	}
	l.shared = e.Shared
	g.acquire(*e, j.widest())
	if e.Token == NoToken {
		return
	}
	newest := g.before(e.At, j.widest())
	if newest != nil && newest.Token >= e.Token && (newest.Token > e.Token || newest.Client != e.Client) {
		l.doubt(say.LogTokensBack.With(j.files.at(e.Line), say.Verbatim(e.Client), say.Number(e.Token), say.Number(newest.Token), say.Verbatim(l.Lock)))
		g.back, g.marks = true, nil
	}
	g.mark(*e)
}

func (g *grants) acquire(this Event, widest *Setting) {
	var kept [2][2]string // the clients of those that share, and of the others
	for i := len(g.acquired) - 1; i >= 0; i-- {
		of, before := &kept[0], &g.acquired[i]
		if before.Shared {
			of = &kept[1]
		}
		switch {
		case !before.before(this.At, widest):
		case of[0] == "":
			of[0] = before.Client
		case of[1] == "" && before.Client != of[0]:
			of[1] = before.Client
		default: // it adds nothing to these
			g.acquired = slices.Delete(g.acquired, i, i+1)
		}
	}
	if len(g.acquired) == maxMarks+4 {
		g.acquired = slices.Delete(g.acquired, 4, 5)
	}
	g.acquired = append(g.acquired, this)
}

func (g *grants) mark(this Event) {
	if n := len(g.marks); g.back || n > 0 && g.marks[n-1].Token >= this.Token {
		return
	}
	if len(g.marks) == maxMarks { // the third mark implies the second
		g.marks = append(g.marks[:1], g.marks[2:]...)
	}
	g.marks = append(g.marks, this)
}

// before returns the newest token that was certainly seen before a time, nil for none, and forgets
// older ones.
func (g *grants) before(at int64, widest *Setting) *Event {
	for i := len(g.marks) - 1; i >= 0; i-- {
		if g.marks[i].before(at, widest) {
			g.marks = slices.Delete(g.marks, 0, i)
			return &g.marks[0]
		}
	}
	return nil
}

func (j *judge) write(l *lock, e *Event) {
	l.Writes++
	var own *Event
	h := j.held(l, e)
	if h != nil {
		j.heard(l, h, e)
		own = &h.Event
	} else {
		l.grants.late = *e
		own = l.lately(e.Client)
	}
	v := &Violation{Sort: StaleWrite, Lock: l.Lock, Write: *e}
	v.Write.Shared = h != nil && h.Shared
	if e.Token == NoToken && own != nil {
		v.Write.Token = own.Token
	}
	if h != nil {
		v.Holds = []*Hold{h}
	}
	stale := false
	switch marks := l.grants.marks; {
	case v.Write.Token != NoToken && len(marks) > 0 && !(v.Write.Shared && marks[len(marks)-1].Shared):
		stale = j.byToken(l, v)
	case own != nil:
		stale = j.byOrder(l, v, own)
	}
	of := func(m Event) bool { return m.Token == e.Token && m.Client != e.Client && !(m.Shared && v.Write.Shared) }
	switch {
	case stale || h != nil && !slices.ContainsFunc(l.grants.marks, of):
	case h == nil && own != nil:
		l.doubt(say.LogWriteAfter.With(j.files.at(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock), j.files.at(own.Line)))
	default: // the line of its acquisition is missing, or its token is another client's
		l.doubt(say.LogWriteUnheld.With(j.files.at(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock), token(e.Token)))
	}
	if v.Write.Token != NoToken {
		l.grants.mark(v.Write)
	}
}

// stale reports the verdict on a write, and returns whether it is or may be stale.
func (j *judge) stale(l *lock, v *Violation, found Verdict) bool {
	if found == None {
		return false
	}
	v.Certain = found == Certain
	j.violation(l, v)
	return true
}

// byToken compares the token of a write with earlier ones.
func (j *judge) byToken(l *lock, v *Violation) bool {
	g := &l.grants
	g.before(v.Write.At, j.widest())
	found := j.weigh(StaleWrite, func(s *Setting) Verdict { _, o := g.newer(&v.Write, s); return o })
	if found != None {
		newer, _ := g.newer(&v.Write, j.widest())
		v.Newer = *newer
	}
	return j.stale(l, v, found)
}

// newer returns a token above that of a write: if possible, one that was certainly seen before it.
func (g *grants) newer(w *Event, s *Setting) (*Event, Verdict) {
	last := &g.marks[len(g.marks)-1]
	if last.Token <= w.Token {
		return nil, None
	}
	for i := len(g.marks) - 1; i >= 0 && g.marks[i].Token > w.Token; i-- {
		if g.marks[i].before(w.At, s) {
			return &g.marks[i], Certain
		}
	}
	return last, Possible
}

// byOrder asks whether another client acquired the lock between the acquisition that a write
// belongs to and the write. Those that share the lock with the writer do not count, whatever their
// tokens are.
func (j *judge) byOrder(l *lock, v *Violation, own *Event) bool {
	worst := None
	for i := range l.grants.acquired {
		other := &l.grants.acquired[i]
		if other.Client == v.Write.Client || other.Shared && v.Write.Shared {
			continue
		}
		found := j.weigh(StaleWrite, func(s *Setting) Verdict {
			switch {
			case own.before(other.At, s) && other.before(v.Write.At, s):
				return Certain
			case other.before(own.At, s):
				return None
			}
			return Possible
		})
		if found.badness() > worst.badness() {
			worst, v.Newer = found, *other
		}
	}
	return j.stale(l, v, worst)
}

// late judges whether an acquisition may have come before an earlier write without a hold.
func (j *judge) late(l *lock, e *Event) {
	w := &l.grants.late
	if w.Line == 0 || w.Client == e.Client {
		return
	}
	if j.weigh(StaleWrite, func(s *Setting) Verdict {
		if w.before(e.At, s) {
			return None
		}
		return Possible
	}) != None {
		j.violation(l, &Violation{Sort: StaleWrite, Lock: l.Lock, Write: *w, Newer: *e})
	}
	*w = Event{}
}
