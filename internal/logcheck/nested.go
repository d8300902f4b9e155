package logcheck

import "lockstep/internal/say"

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
