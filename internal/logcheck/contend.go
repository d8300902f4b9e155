package logcheck

import "slices"

// Whether clients contend for a lock: of one that nobody else wants, a log shows nothing.

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
