package conformance

import (
	"cmp"
	"time"

	"lockstep/internal/history"
)

// whileBWaits holds A in its critical section until B has the lock, which is soon if a fault of the
// servers lets B in.
const whileBWaits = "; when: A is in its critical section, pause: A, until: B acquires"

// longLease is longer than B's two waits together: B gets the lock early, or not at all.
const longLease = "lease=20s; workload.wait=up to 6s; workload.repeat=2 times; "

// Faults of servers, of their entries and of their replication.
var servers = []Case{
	{
		Verb: "evict", What: "the entry", Lock: "set-nx-lua", Story: longLease + "when: A is in its critical section, evict: lock" + whileBWaits,
		During: func(s *Seen) string {
			return unless(s.count(one{kind: history.Removed, node: "redis-1", peer: "A"}, s.began, len(s.Events)) > 0 && letsBIn(s),
				"A's entry was not removed, or B was not let in")
		},
		After: keepsOthersOut,
	},
	{
		Verb: "evict", What: "the entry on one server", Lock: "redlock",
		Story: "servers.redlock={nodes: 3}; when: A is in its critical section, evict: lock, from: redis-2",
		During: func(s *Seen) string {
			released := s.next(one{kind: history.Releasing, node: "A"}, s.began)
			removed := func(server string) int {
				return s.count(one{kind: history.Removed, node: server, peer: "A"}, s.began, released)
			}
			return unless(removed("redis-2") == 1 && removed("redis-1")+removed("redis-3") == 0,
				"A's entry was not removed from redis-2, or elsewhere as well")
		},
		After: func(s *Seen) string {
			return cmp.Or(unless(!letsBIn(s), "the other servers let B in"), goesOn("A")(s), goesOn("B")(s))
		},
	},
	{
		Verb: "fail-over", What: "the primary", Lock: "set-nx-lua",
		Story: "servers.redis={replicas: 1, failover: {by: operator}}; when: A is in its critical section, fail-over: operator",
		During: func(s *Seen) string {
			crashed := s.next(one{kind: history.Crashed, node: "redis-1"}, s.began)
			return cmp.Or(
				unless(crashed >= 0 && s.answered("", "redis-1", crashed, len(s.Events)) == 0, "the primary did not die, or answered afterwards"),
				unless(s.next(one{kind: history.Promoted, node: "redis-2"}, crashed) >= 0, "no server took its place"))
		},
		After: newPrimaryServes,
	},
	{
		Verb: "promote", What: "a replica", Lock: "set-nx-lua", Story: "servers.redis={replicas: 1}; when: A is in its critical section, promote: replica",
		During: func(s *Seen) string {
			return cmp.Or(
				unless(s.next(one{kind: history.Promoted, node: "redis-2"}, s.began) >= 0, "no replica was promoted"),
				unless(s.next(one{kind: history.Crashed, node: "redis-1"}, s.began) < 0, "the old primary died"))
		},
		After: newPrimaryServes,
	},
	{
		Verb: "lag", What: "the replication", Lock: "set-wait",
		Story: "clients=[A]; lease=1s; servers.redis={replicas: 1}; when: A is about to send SET, lag: 150ms, until: A has the reply of WAIT",
		During: func(s *Seen) string {
			acquired := s.next(one{kind: history.Acquired, node: "A"}, s.began)
			return unless(acquired >= 0 && s.between(s.began, acquired) >= 75*time.Millisecond, "the replica confirmed A's write at once, or never")
		},
		After: func(s *Seen) string {
			took := s.quickest(one{kind: history.Waits, node: "A"}, one{kind: history.Acquired, node: "A"}, s.ended)
			return unless(took < 75*time.Millisecond, "the replica needs %v to confirm a write", took)
		},
	},
}

// letsBIn reports whether B got the lock before A released it.
func letsBIn(s *Seen) bool {
	acquired := s.next(one{kind: history.Acquired, node: "B"}, s.began)
	return acquired >= 0 && s.count(one{kind: history.Releasing, node: "A"}, s.began, acquired) == 0
}

// keepsOthersOut demands that A does not get the lock while B has it. The fault is about A's entry,
// and not about B's.
func keepsOthersOut(s *Seen) string {
	in := s.next(one{kind: history.Acquired, node: "B"}, s.began)
	out := s.next(one{kind: history.Releasing, node: "B"}, in)
	return cmp.Or(
		unless(out >= 0, "B does not go on"),
		unless(s.count(one{kind: history.Acquired, node: "A"}, in, out) == 0, "A got the lock beside B"),
		unless(s.next(one{kind: history.Acquired, node: "A"}, out) >= 0, "A does not get the lock after B"))
}

// newPrimaryServes demands that the promoted primary grants the lock.
func newPrimaryServes(s *Seen) string {
	promoted := s.next(one{kind: history.Promoted, node: "redis-2"}, s.began)
	granted := s.next(one{kind: history.Granted, node: "redis-2"}, promoted)
	return unless(granted >= 0 && s.next(one{kind: history.Acquired}, granted) >= 0, "the new primary does not serve")
}
