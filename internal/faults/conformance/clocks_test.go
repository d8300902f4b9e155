package conformance

import (
	"cmp"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// Faults of clocks. A client reads its own clock; a server's clock is visible in the life of
// entries.
var clocks = []Case{
	{
		Verb: "jump-clock", What: "a client", Lock: "set-nx-lua",
		Story: "when: A is in its critical section, jump-clock: A, by: +1h; when: A is in its critical section the 2nd time, jump-clock: A, by: -1h",
		During: func(s *Seen) string {
			back := s.next(one{kind: history.FaultBegan}, s.began+1)
			return cmp.Or(
				unless(s.ahead("A", 0, s.began) < 30*time.Minute, "A's clock was wrong before"),
				unless(s.ahead("A", s.next(one{kind: history.Releasing, node: "A"}, s.began), back) > 30*time.Minute, "A's clock shows no step"),
				unless(s.ahead("B", 0, len(s.Events)) < 30*time.Minute, "B's clock shows one"))
		},
		After: func(s *Seen) string {
			back := s.next(one{kind: history.FaultBegan}, s.began+1)
			return unless(s.ahead("A", s.next(one{kind: history.Releasing, node: "A"}, back), len(s.Events)) < 30*time.Minute, "A's clock was not set back")
		},
	},
	{
		Verb: "jump-clock", What: "a server", Lock: "set-nx-lua",
		Story: longLease + "when: A is in its critical section, jump-clock: the primary, by: +1h" + whileBWaits,
		During: func(s *Seen) string {
			return unless(s.next(one{kind: history.ClockChanged, node: "redis-1"}, s.began) >= 0 && letsBIn(s), "A's entry did not end with the step")
		},
		After: keepsOthersOut,
	},
	{
		Verb: "drift-clock", What: "a client", Lock: "set-nx-lua",
		Story: "workload.work=200ms; when: A enters, drift-clock: A, rate: +50%, until: A is in its critical section the 2nd time",
		During: func(s *Seen) string {
			return unless(s.gain("A", s.began, s.ended) > 25, "A's clock did not run faster")
		},
		After: func(s *Seen) string {
			return unless(s.gain("A", s.next(one{kind: history.Waits, node: "A"}, s.ended), len(s.Events)) < 25, "A's clock still runs faster")
		},
	},
	{
		Verb: "drift-clock", What: "a server", Lock: "set-nx-lua", Story: driftUntilBHolds,
		Set:    fourthOfALease,
		During: func(s *Seen) string { return unless(letsBIn(s), "A's lease was not shorter") },
		After:  keepsOthersOut,
	},
	{
		Verb: "drift-clock", What: "a server whose leases rest on the monotonic clock", Lock: "etcd-txn",
		Story:   "servers.etcd.nodes=1; " + driftUntilBHolds,
		Set:     fourthOfALease,
		During:  func(s *Seen) string { return unless(letsBIn(s), "A's lease was not shorter") },
		After:   keepsOthersOut,
		Refused: "its leases rest on the monotonic clock",
	},
}

// driftUntilBHolds lets the clock of the server run faster until B has the lock. B then keeps it
// for longer than an entry would last by the fast clock.
const driftUntilBHolds = "lease=8s; workload.wait=up to 3500ms; workload.repeat=2 times; " +
	"when: A is in its critical section, drift-clock: the primary, rate: +50%, until: B acquires" + whileBWaits + "; when: B enters, slow: B, by: 3s"

// fourthOfALease makes the clock four times as fast, more than a scenario may demand. B waits for
// longer than a lease lasts by this clock, but its two waits together are shorter than a full
// lease.
func fourthOfALease(p *plan.Plan) {
	drift := &p.Faults[0]
	args := drift.Args
	args.Rates = map[string]int64{"rate": 3_000_000}
	*drift = faults.Make(drift.Number, drift.Spec(), args, drift.Trigger, drift.End)
}

// ahead returns the least lead of a client's clock over true time at its actions in a range of
// events.
func (s *Seen) ahead(client string, from, before int) time.Duration {
	off, any := time.Duration(0), false
	for i := max(from, 0); i < before; i++ {
		e := &s.Events[i]
		if does(e.Kind) && s.Name(e.Node) == client {
			if now := s.offset(i); !any || now < off {
				off, any = now, true
			}
		}
	}
	return off
}

// offset returns the lead of the clock of an event's node over true time.
func (s *Seen) offset(i int) time.Duration {
	return time.Duration(s.Events[i].Clock) - s.Events[i].At.Duration()
}

// gain returns by how many percent a client's clock ran faster than true time, from its first to
// its last action in a range of events.
func (s *Seen) gain(client string, from, before int) int {
	first, last := -1, -1
	for i := max(from, 0); i < before; i++ {
		if e := &s.Events[i]; does(e.Kind) && s.Name(e.Node) == client {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 || s.between(first, last) <= 0 {
		return -1
	}
	return int((s.offset(last) - s.offset(first)) * 100 / s.between(first, last))
}
