package etcd

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// lease is a time to live with the keys that share it.
type lease struct {
	id      int64
	ttl     time.Duration // whole seconds
	expiry  time.Duration // on the leader's monotonic clock
	keys    []string
	waiting []waiting // keep-alives that arrived when its time was up
}

// waiting is a request that will be answered later.
type waiting struct {
	id   uint64
	conn store.Conn
}

// minTTL is one and a half election timeouts, rounded up to whole seconds: a
// shorter lease could end while there is no leader.
func (s *Store) minTTL() time.Duration {
	ttl := s.cfg.Election + s.cfg.Election/2
	return (ttl + time.Second - 1).Truncate(time.Second)
}

// lease returns the lease of that number, or nil.
func (s *Store) lease(id int64) *lease {
	i, ok := slices.BinarySearchFunc(s.leases, id, func(l *lease, id int64) int {
		return cmp.Compare(l.id, id)
	})
	if !ok {
		return nil
	}
	return s.leases[i]
}

// maxTTL is the longest lease (lessor.go, MaxLeaseTTL).
const maxTTL = 9_000_000_000 * time.Second

func (s *Store) grant(now store.Clock, ttl time.Duration) store.Answer {
	if ttl > maxTTL {
		return store.Refused(ErrTooLong)
	}
	l := &lease{id: firstLease + s.made, ttl: max(ttl.Truncate(time.Second), s.minTTL())}
	l.expiry = now.Mono + l.ttl
	s.made++
	s.leases = append(s.leases, l)
	return store.Answer{Value: Lease{ID: l.id, TTL: l.ttl}}
}

// keepAlive renews a lease. One whose time is up cannot be renewed: its revocation may be
// on its way through the cluster, and the answer waits for that.
func (s *Store) keepAlive(now store.Clock, id uint64, c store.Conn, number int64) (store.Answer, bool) {
	l := s.lease(number)
	switch {
	case l == nil:
		return store.Refused(ErrLeaseNotFound), true
	case l.expiry <= now.Mono:
		l.waiting = append(l.waiting, waiting{id, c})
		return store.Answer{}, false
	}
	l.expiry = now.Mono + l.ttl
	s.extended(now, l, c.Client)
	return store.Answer{Value: l.ttl}, true
}

func (s *Store) revoke(now store.Clock, c store.Conn, number int64) store.Answer {
	l := s.lease(number)
	if l == nil {
		return store.Refused(ErrLeaseNotFound)
	}
	s.end(now, l, cause{kind: history.Removed, by: c.Client})
	return store.Answer{}
}

// end ends a lease: its keys go at one revision.
func (s *Store) end(now store.Clock, l *lease, why cause) {
	before := len(s.past)
	keys := slices.Clone(l.keys) // removing a key takes it off the lease's list
	slices.Sort(keys)
	for _, key := range keys {
		i, _ := s.find(key)
		s.remove(i, i+1, s.revision+1)
	}
	s.leases = slices.DeleteFunc(s.leases, func(other *lease) bool { return other == l })
	s.commit(now, before, why)
	for _, w := range l.waiting {
		s.Late(w.id, store.Refused(ErrLeaseNotFound))
	}
}

// detach takes a key off the list of its lease.
func (s *Store) detach(e *entry) {
	if l := s.lease(e.Lease); l != nil {
		l.keys = slices.DeleteFunc(l.keys, func(key string) bool { return key == e.Key })
	}
}

// Due implements store.Model: the first scan at which a lease's time is up.
func (s *Store) Due() (time.Duration, bool) {
	if len(s.leases) == 0 {
		return 0, false
	}
	first := slices.MinFunc(s.leases, byExpiry).expiry
	return (first + scanPeriod - 1) / scanPeriod * scanPeriod, true
}

// Tick implements store.Model: it revokes the leases whose time was up at the
// last scan, in the order in which they ended.
func (s *Store) Tick(now store.Clock) {
	scan := now.Mono / scanPeriod * scanPeriod
	var over []*lease
	for _, l := range s.leases {
		if l.expiry <= scan {
			over = append(over, l)
		}
	}
	slices.SortStableFunc(over, byExpiry)
	for _, l := range over {
		s.end(now, l, cause{kind: history.Expired})
	}
}

func byExpiry(a, b *lease) int { return cmp.Compare(a.expiry, b.expiry) }

// Lead implements store.Model. A new leader does not know when the old one last
// renewed, so it gives every lease its full time again, and an election timeout
// on top. Keep-alives that waited for the end of a lease are tried again there.
func (s *Store) Lead(now store.Clock) {
	for _, l := range s.leases {
		l.expiry = now.Mono + l.ttl + s.cfg.Election
		s.extended(now, l, 0)
		for _, w := range l.waiting {
			l.expiry = now.Mono + l.ttl
			s.extended(now, l, w.conn.Client)
			s.Late(w.id, store.Answer{Value: l.ttl})
		}
		l.waiting = l.waiting[:0]
	}
}
