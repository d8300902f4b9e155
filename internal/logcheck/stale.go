package logcheck

import "lockstep/internal/say"

// A write is stale when a newer holder than the one that writes has had the lock. Who is newer the
// tokens say, when there are some: that is what they are for. Else it is the order in which the
// clients acquired the lock, as in the property no-stale-write of a run.

// grants are what later writes to a lock are compared with.
type grants struct {
	// marks are the tokens seen, each higher than the one before: the first is old enough to be certainly
	// earlier than what comes now, the others are not.
	marks []Grant
	// latest is the last acquisition, other the last one of another client. No line: none.
	latest, other Grant
	late          Event // the last write of a client that held no more; no line: none
}

// maxMarks is how many tokens are told apart that are seen within the error of the clocks.
const maxMarks = 8

// grant notes an acquisition.
func (j *judge) grant(l *lock, e *Event) {
	g := &l.grants
	this := Grant{e.Client, e.At, e.Line, e.Token}
	if g.latest.Line > 0 && g.latest.Client != e.Client {
		g.other, l.turns = g.latest, true
	}
	g.latest = this
	if e.Token == NoToken {
		return
	}
	if newest := g.before(e.At, 2*j.clockError); newest != nil && newest.Token >= e.Token {
		l.doubt(say.LogTokensBack.With(say.Number(e.Line), say.Verbatim(e.Client), say.Number(e.Token), say.Number(newest.Token), say.Verbatim(l.Lock)))
	}
	g.mark(this)
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

// before is the newest token that was certainly seen before a time; nil when there is none.
func (g *grants) before(at, margin int64) *Grant {
	for len(g.marks) > 1 && g.marks[1].At+margin < at {
		g.marks = g.marks[1:]
	}
	if len(g.marks) == 0 || g.marks[0].At+margin >= at {
		return nil
	}
	return &g.marks[0]
}

// write judges a write.
func (j *judge) write(l *lock, e *Event) {
	l.Writes++
	var own *Grant
	h := l.held(e.Client)
	if h != nil {
		j.heard(l, h, e)
		own = &Grant{h.Client, h.From, h.Line, h.Token}
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
	switch {
	case token != NoToken && len(l.grants.marks) > 0:
		j.byToken(l, v)
	case own == nil:
		l.doubt(say.LogWriteUnheld.With(say.Number(e.Line), say.Verbatim(e.Client), say.Verbatim(l.Lock)))
	default:
		j.byOrder(l, v, own)
	}
	if token != NoToken {
		l.grants.mark(Grant{e.Client, e.At, e.Line, token})
	}
}

// byToken compares the token of a write with those before it.
func (j *judge) byToken(l *lock, v *Violation) {
	g, margin := &l.grants, 2*j.clockError
	newest := g.before(v.Write.At, margin)
	if newest != nil && newest.Token > v.Write.Token {
		v.Certain, v.Newer = true, *newest
		j.violation(l, v)
		return
	}
	last := &g.marks[len(g.marks)-1]
	if last.Token > v.Write.Token && last.At < v.Write.At+margin {
		v.Newer = *last
		j.violation(l, v)
	}
}

// byOrder asks whether another client acquired the lock between the acquisition that a write belongs to
// and the write.
func (j *judge) byOrder(l *lock, v *Violation, own *Grant) {
	other, margin := &l.grants.latest, 2*j.clockError
	if other.Client == v.Write.Client {
		other = &l.grants.other
	}
	if other.Line == 0 || other.Client == v.Write.Client {
		return
	}
	switch {
	case own.At+margin < other.At && other.At+margin < v.Write.At:
		v.Certain = true
	case own.At < other.At+margin && other.At < v.Write.At+margin:
	default:
		return
	}
	v.Newer = *other
	j.violation(l, v)
}

// late asks whether an acquisition may, by clocks that are off, have come before a write of somebody who
// held no more.
func (j *judge) late(l *lock, e *Event) {
	w := &l.grants.late
	if w.Line > 0 && w.Client != e.Client && e.At < w.At+2*j.clockError {
		j.violation(l, &Violation{Sort: StaleWrite, Lock: l.Lock, Write: *w, Newer: Grant{e.Client, e.At, e.Line, e.Token}})
	}
	*w = Event{}
}
