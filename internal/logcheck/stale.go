package logcheck

import (
	"slices"

	"lockstep/internal/say"
)

// A write is stale when a newer holder than the one that writes has had the lock. Who is newer the
// tokens say, when there are some: that is what they are for. Else it is the order in which the
// clients acquired the lock, as in the property no-stale-write of a run.

// grants are what later writes to a lock are compared with.
type grants struct {
	// marks are the tokens seen, each higher than the one before: the first is old enough to be certainly
	// earlier than what comes now, the others are not.
	marks []Grant
	// acquired are the last acquisitions: all that the clocks leave in doubt, and of those before the last ones of
	// two clients.
	acquired []Grant
	late     Event // the last write of a client that held no more; no line: none
}

// maxMarks is how many tokens are told apart that are seen within the error of the clocks.
const maxMarks = 8

// grant notes an acquisition.
func (j *judge) grant(l *lock, e *Event) {
	g := &l.grants
	this := Grant{e.Client, e.At, e.Line, e.Token, e.grain()}
	if n := len(g.acquired); n > 0 && g.acquired[n-1].Client != e.Client && !(e.Shared && l.shared) {
		l.turns = true
	}
	l.shared = e.Shared
	g.acquire(this, j.widest())
	if e.Token == NoToken {
		return
	}
	newest := g.before(e.At, j.widest())
	if newest != nil && newest.Token >= e.Token && (newest.Token > e.Token || newest.Client != e.Client) {
		l.doubt(say.LogTokensBack.With(j.files.at(e.Line), say.Verbatim(e.Client), say.Number(e.Token), say.Number(newest.Token), say.Verbatim(l.Lock)))
	}
	g.mark(this)
}

// acquire notes an acquisition.
func (g *grants) acquire(this Grant, widest setting) {
	last := ""
	for i := len(g.acquired) - 1; i >= 0; i-- {
		switch before := &g.acquired[i]; {
		case !before.before(this.At, widest):
		case last == "":
			last = before.Client
		case before.Client != last: // older ones say no more than these two
			g.acquired = slices.Delete(g.acquired, 0, i)
			i = 0
		default:
			g.acquired = slices.Delete(g.acquired, i, i+1)
		}
	}
	if len(g.acquired) == maxMarks+2 {
		g.acquired = slices.Delete(g.acquired, 2, 3)
	}
	g.acquired = append(g.acquired, this)
}

// mark notes a token.
func (g *grants) mark(this Grant) {
	if n := len(g.marks); n > 0 && g.marks[n-1].Token >= this.Token {
		return
	}
	if len(g.marks) == maxMarks { // the oldest but one is known by the one behind it
		g.marks = append(g.marks[:1], g.marks[2:]...)
	}
	g.marks = append(g.marks, this)
}

// seen reports whether a token as new as one was seen.
func (g *grants) seen(token int64) bool {
	return len(g.marks) > 0 && g.marks[len(g.marks)-1].Token >= token
}

// before is the newest token that was certainly seen before a time; nil when there is none. What is older
// than that under the widest setting is forgotten.
func (g *grants) before(at int64, widest setting) *Grant {
	for i := len(g.marks) - 1; i >= 0; i-- {
		if g.marks[i].before(at, widest) {
			g.marks = slices.Delete(g.marks, 0, i)
			return &g.marks[0]
		}
	}
	return nil
}

// write judges a write.
func (j *judge) write(l *lock, e *Event) {
	l.Writes++
	var own *Grant
	h := j.held(l, e)
	if h != nil {
		j.heard(l, h, e)
		own = &Grant{h.Client, h.From, h.Line, h.Token, h.grain}
	} else {
		l.grants.late = *e
		own = l.lately(e.Client)
	}
	token := e.Token
	if token == NoToken && own != nil {
		token = own.Token
	}
	v := &Violation{Sort: StaleWrite, Lock: l.Lock, Write: *e}
	v.Write.Token = token
	if h != nil {
		v.Holds = []*Hold{h}
	}
	stale := false
	switch {
	case token != NoToken && len(l.grants.marks) > 0:
		stale = j.byToken(l, v)
	case own != nil:
		stale = j.byOrder(l, v, own)
	}
	switch {
	case stale || h != nil:
	case own != nil:
		l.doubt(say.LogWriteAfter.With(j.files.at(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock), j.files.at(own.Line)))
	case token == NoToken || !l.grants.seen(token): // it has acquired the lock, and no line says so
		l.doubt(say.LogWriteUnheld.With(j.files.at(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock)))
	}
	if token != NoToken {
		l.grants.mark(Grant{e.Client, e.At, e.Line, token, e.grain()})
	}
}

// stale notes the outcome of a write, and reports whether it is or may be stale.
func (j *judge) stale(l *lock, v *Violation, found outcome) bool {
	if found == none {
		return false
	}
	v.Certain = found == certain
	j.violation(l, v)
	return true
}

// byToken compares the token of a write with those before it.
func (j *judge) byToken(l *lock, v *Violation) bool {
	g := &l.grants
	g.before(v.Write.At, j.widest())
	found := j.weigh(StaleWrite, func(s setting) outcome { _, o := g.newer(&v.Write, s); return o })
	if found != none {
		newer, _ := g.newer(&v.Write, j.widest())
		v.Newer = *newer
	}
	return j.stale(l, v, found)
}

// newer is the newest token above that of a write: one that was certainly seen before it, if there is one.
func (g *grants) newer(w *Event, s setting) (*Grant, outcome) {
	last := &g.marks[len(g.marks)-1]
	if last.Token <= w.Token {
		return nil, none
	}
	for i := len(g.marks) - 1; i >= 0 && g.marks[i].Token > w.Token; i-- {
		if g.marks[i].before(w.At, s) {
			return &g.marks[i], certain
		}
	}
	return last, possible
}

// byOrder asks whether another client acquired the lock between the acquisition that a write belongs to
// and the write.
func (j *judge) byOrder(l *lock, v *Violation, own *Grant) bool {
	worst := none
	for i := range l.grants.acquired {
		other := &l.grants.acquired[i]
		if other.Client == v.Write.Client {
			continue
		}
		found := j.weigh(StaleWrite, func(s setting) outcome {
			switch {
			case own.before(other.At, s) && other.before(v.Write.At, s):
				return certain
			case other.before(own.At, s):
				return none
			}
			return possible
		})
		if found > worst {
			worst, v.Newer = found, *other
		}
	}
	return j.stale(l, v, worst)
}

// late asks whether an acquisition may, by clocks that are off, have come before a write of a client that
// held no more.
func (j *judge) late(l *lock, e *Event) {
	w := &l.grants.late
	if w.Line == 0 || w.Client == e.Client {
		return
	}
	if j.weigh(StaleWrite, func(s setting) outcome {
		if s.before(w.At, w.grain(), e.At) {
			return none
		}
		return possible
	}) != none {
		j.violation(l, &Violation{Sort: StaleWrite, Lock: l.Lock, Write: *w, Newer: Grant{e.Client, e.At, e.Line, e.Token, e.grain()}})
	}
	*w = Event{}
}
