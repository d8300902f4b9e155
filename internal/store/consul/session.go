package consul

import (
	"fmt"
	"math"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

const (
	minTTL        = 10 // seconds: session_ttl_min
	maxTTL        = 24 * time.Hour
	ttlMultiplier = 2 // the leader waits for so many times the promised time
	maxLockDelay  = time.Minute
)

// session is kept alive by a client, and locks keys for it.
type session struct {
	id     string
	owner  history.NodeID
	ttl    time.Duration
	delay  time.Duration // lock delay
	delete bool          // its end deletes its keys instead of unlocking them
	ends   time.Duration // on the leader's monotonic clock
}

// delay keeps a key from being locked after a session was invalidated. Every
// server keeps its own in memory when the log says that a session ends, so another
// leader has them, too. A restarted server replays its log, and starts all of them
// again, even those that were over (Consul 1.21); the shortest of a key then ends
// all (delay.go: its timer removes the key). Snapshots, which shorten the log, are
// not modelled.
type delay struct {
	ended    time.Duration // the end of the last session, on the leader's monotonic clock
	length   time.Duration // the last delay
	shortest time.Duration // the shortest delay
}

// until is when the key can be locked; since is the start of the leader's process.
func (d *delay) until(since time.Duration) time.Duration {
	if since > d.ended {
		return since + d.shortest
	}
	return d.ended + d.length
}

// delay starts the delay of a key.
func (s *Store) delay(key string, now, length time.Duration) {
	d := s.delays[key]
	if d == nil {
		d = &delay{shortest: length}
		s.delays[key] = d
	}
	d.ended, d.length, d.shortest = now, length, min(d.shortest, length)
}

// LeaderRuns implements store.Rememberer.
func (s *Store) LeaderRuns(since time.Duration) { s.leaderSince = since }

func (s *Store) session(id string) *session {
	return store.First(s.sessions, func(l *session) bool { return l.id == id })
}

func (s *Store) createSession(now store.Clock, c store.Conn, op CreateSession) store.Answer {
	if least := minTTL * s.second; op.TTL < least || op.TTL > maxTTL {
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
	return store.Answer{Value: l.id}
}

// reset restarts the leader's timer. Consul promises a session its time to live,
// and ends it only after twice that.
func (l *session) reset(now store.Clock) { l.ends = now.Mono + ttlMultiplier*l.ttl }

// renewSession restarts the timer, on the leader alone: nothing is logged.
func (s *Store) renewSession(now store.Clock, c store.Conn, id string) store.Answer {
	l := s.session(id)
	if l == nil {
		return store.Refused(ErrNoSession)
	}
	l.reset(now)
	s.extended(l, c.Client)
	return store.Answer{Value: l.ttl}
}

// extended reports that the keys of a session have a new time to live.
func (s *Store) extended(l *session, by history.NodeID) {
	for _, e := range s.keys {
		if e.session == l {
			s.Record(store.Change{Kind: history.Extended, Key: e.key, Owner: l.owner, By: by, TTL: ttlMultiplier * l.ttl})
		}
	}
}

// invalidate ends a session: its keys are unlocked or deleted, and cannot be
// locked until the delay is over.
func (s *Store) invalidate(now store.Clock, l *session, kind history.Kind, by history.NodeID) {
	s.index++
	s.sessions = slices.DeleteFunc(s.sessions, func(other *session) bool { return other == l })
	for _, e := range slices.Clone(s.keys) { // remove changes the list
		if e.session != l {
			continue
		}
		s.Record(store.Change{Kind: kind, Key: e.key, Owner: l.owner, By: by})
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
	d := s.delays[key]
	return d != nil && d.until(s.leaderSince) > now.Mono
}

// Due implements store.Model: the next end of a session or of a query's wait. The
// end of a lock delay wakes no client.
func (s *Store) Due() (time.Duration, bool) {
	const never = time.Duration(math.MaxInt64)
	first := never
	for _, l := range s.sessions {
		first = min(first, l.ends)
	}
	for i := range s.queries {
		first = min(first, s.queries[i].until)
	}
	return first, first != never
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

// Lead implements store.Model. A new leader does not know when sessions were last
// renewed, so it restarts all timers.
func (s *Store) Lead(now store.Clock) {
	for _, l := range s.sessions {
		l.reset(now)
		s.extended(l, 0)
	}
}
