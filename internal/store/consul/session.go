package consul

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// The numbers of Consul.
const (
	minTTL        = 10 // seconds: session_ttl_min
	maxTTL        = 24 * time.Hour
	ttlMultiplier = 2 // the leader waits so much longer than it promises
	maxLockDelay  = time.Minute
)

// session is what a client keeps alive and locks keys with.
type session struct {
	id     string
	owner  history.NodeID
	ttl    time.Duration
	delay  time.Duration // lock delay
	delete bool          // its keys go with it, else they are unlocked
	ends   time.Duration // on the leader's monotonic clock
}

// delay keeps a key from being locked after a session was invalidated. Every
// server has its own in memory, for the log tells all of them of the end of a
// session; so another leader knows them, too. A restarted server replays
// its log, and so begins them again, even those that were over (measured with
// Consul 1.21); of several of one key the shortest ends all (delay.go: its timer
// takes the key off). That a snapshot shortens the log is not modelled.
type delay struct {
	key      string
	ended    time.Duration // the last session, on the leader's monotonic clock
	length   time.Duration // of that one
	shortest time.Duration // of all of that key
}

// until is when the key can be locked, with a leader that runs since a time.
func (d *delay) until(since time.Duration) time.Duration {
	if since > d.ended {
		return since + d.shortest
	}
	return d.ended + d.length
}

// delay begins the delay of a key.
func (s *Store) delay(key string, now, length time.Duration) {
	for i := range s.delays {
		if d := &s.delays[i]; d.key == key {
			d.ended, d.length, d.shortest = now, length, min(d.shortest, length)
			return
		}
	}
	s.delays = append(s.delays, delay{key, now, length, length})
}

// LeaderRuns implements store.Rememberer.
func (s *Store) LeaderRuns(since time.Duration) { s.leaderSince = since }

func (s *Store) session(id string) *session {
	return store.First(s.sessions, func(l *session) bool { return l.id == id })
}

func (s *Store) createSession(now store.Clock, c store.Conn, op CreateSession) store.Answer {
	if least := minTTL * s.config.Second; op.TTL < least || op.TTL > maxTTL {
		return store.Refused(fmt.Errorf("consul: invalid session TTL %v, must be between %v and %v", op.TTL, least, maxTTL))
	}
	s.index++
	s.made++
	l := &session{
		id: fmt.Sprintf("5e551000-0000-4000-8000-%012x", s.made), owner: c.Client,
		ttl: op.TTL, delay: min(op.LockDelay, maxLockDelay), delete: op.DeleteKeys,
	}
	l.reset(now)
	s.sessions = append(s.sessions, l)
	return answer(op, l.id)
}

// reset restarts the leader's timer. A session is not ended before its time to
// live is over, which is the promise; it is ended only after twice that time.
func (l *session) reset(now store.Clock) { l.ends = now.Mono + ttlMultiplier*l.ttl }

// renewSession restarts the timer, on the leader alone: nothing is logged.
func (s *Store) renewSession(now store.Clock, c store.Conn, id string) store.Answer {
	l := s.session(id)
	if l == nil {
		return store.Refused(ErrNoSession)
	}
	l.reset(now)
	s.extended(l, c.Client)
	return answer(RenewSession{}, l.ttl)
}

// extended tells that the keys of a session have a new time to live.
func (s *Store) extended(l *session, by history.NodeID) {
	for _, e := range s.keys {
		if e.session == l {
			s.Tell(store.Change{Kind: history.Extended, Key: e.key, Owner: l.owner, By: by, TTL: ttlMultiplier * l.ttl})
		}
	}
}

// invalidate ends a session: its keys are unlocked or deleted, and cannot be
// locked again before the delay is over.
func (s *Store) invalidate(now store.Clock, l *session, kind history.Kind, by history.NodeID) {
	s.index++
	s.sessions = slices.DeleteFunc(s.sessions, func(other *session) bool { return other == l })
	for _, e := range slices.Clone(s.keys) { // removing a key takes it off the list
		if e.session != l {
			continue
		}
		s.Tell(store.Change{Kind: kind, Key: e.key, Owner: l.owner, By: by})
		e.session = nil
		if l.delay > 0 {
			s.delay(e.key, now.Mono, l.delay)
		}
		if l.delete {
			s.remove(e)
		} else {
			s.touch(e)
		}
	}
}

// delayed reports whether a key cannot be locked yet.
func (s *Store) delayed(now store.Clock, key string) bool {
	return slices.ContainsFunc(s.delays, func(d delay) bool { return d.key == key && d.until(s.leaderSince) > now.Mono })
}

// Due implements store.Model: the next session to end, or query to give up. The
// end of a lock delay wakes no client.
func (s *Store) Due() (time.Duration, bool) {
	var first time.Duration
	found := false
	next := func(at time.Duration) {
		if !found || at < first {
			first, found = at, true
		}
	}
	for _, l := range s.sessions {
		next(l.ends)
	}
	for i := range s.queries {
		next(s.queries[i].until)
	}
	return first, found
}

// Tick implements store.Model.
func (s *Store) Tick(now store.Clock) {
	for _, l := range slices.Clone(s.sessions) {
		if l.ends <= now.Mono {
			s.invalidate(now, l, history.Expired, 0)
		}
	}
	s.answer(func(q *query) bool { return q.until <= now.Mono })
}

// Lead implements store.Model. A new leader does not know when a session was last
// renewed, so it restarts all timers.
func (s *Store) Lead(now store.Clock) {
	for _, l := range s.sessions {
		l.reset(now)
		s.extended(l, 0)
	}
}
