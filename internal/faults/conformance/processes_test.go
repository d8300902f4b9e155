package conformance

import (
	"cmp"
	"time"

	"lockstep/internal/history"
)

// Faults of a process: a client, or a server.
var processes = []Case{
	{
		Verb: "pause", What: "a client", Lock: "set-nx-lua", Story: "when: A is in its critical section, pause: A, until: B sends SET the 20th time",
		During: func(s *Seen) string {
			froze, thawed := s.first(one{kind: history.Froze, node: "A"}, s.began, s.ended), s.next(one{kind: history.Thawed, node: "A"}, s.ended)
			if froze < 0 || thawed < 0 {
				return "A did not stand still, or did not go on"
			}
			return unless(s.doings("A", froze, thawed) == 0, "A did something")
		},
		After: goesOn("A"),
	},
	{
		Verb: "pause", What: "a server", Lock: "set-nx-lua",
		Story: "network.timeout=300ms; when: A is in its critical section, pause: the primary, until: B is about to send SET the 4th time",
		During: func(s *Seen) string {
			froze, thawed := s.first(one{kind: history.Froze, node: "redis-1"}, s.began, s.ended), s.next(one{kind: history.Thawed, node: "redis-1"}, s.ended)
			if froze < 0 || thawed < 0 {
				return "the server did not stand still, or did not go on"
			}
			return cmp.Or(
				unless(s.answered("", "redis-1", froze, thawed) == 0, "it answered"),
				unless(s.count(one{kind: history.TimedOut, node: "B"}, froze, thawed) > 0, "B did not miss an answer"))
		},
		After: serves("redis-1"),
	},
	{
		Verb: "crash", What: "a client", Lock: "set-nx-lua", Story: sentIntoAPartition + ", crash: A",
		During: func(s *Seen) string { return dead(s, "A") },
		After: func(s *Seen) string {
			return cmp.Or(
				unless(s.next(one{kind: history.Removed, peer: "A"}, s.began) >= 0, "what A had sent into the partition did not arrive after it"),
				goesOn("B")(s))
		},
	},
	{
		Verb: "lose-host", What: "a client", Lock: "set-nx-lua", Story: "lease=1s; " + sentIntoAPartition + ", lose-host: A",
		During: func(s *Seen) string { return dead(s, "A") },
		After: func(s *Seen) string {
			acquired := s.next(one{kind: history.Acquired, node: "B"}, s.began)
			if acquired < 0 {
				return "B does not go on"
			}
			return unless(s.count(one{kind: history.Expired}, s.began, acquired) == 1, "what A had sent into the partition arrived after it, although no process was left to send it again")
		},
	},
	{
		Verb: "crash", What: "a server", Lock: "redlock", Story: "servers.redlock={nodes: 3}; when: A is in its critical section, crash: redis-2",
		During: func(s *Seen) string {
			crashed := s.next(one{kind: history.Crashed, node: "redis-2"}, s.began)
			return cmp.Or(
				unless(crashed >= 0, "it did not die"),
				unless(s.answered("", "redis-2", crashed, len(s.Events)) == 0, "it answered"))
		},
		After: func(s *Seen) string { return cmp.Or(goesOn("A")(s), goesOn("B")(s), serves("redis-1")(s)) },
	},
	{
		Verb: "restart", What: "a client", Lock: "set-nx-lua", Story: "lease=500ms; when: A is in its critical section, restart: A, down: 300ms",
		During: func(s *Seen) string {
			crashed, back := away(s, "A")
			if back < 0 {
				return "A did not die, or did not come back"
			}
			return cmp.Or(
				unless(s.doings("A", crashed, back) == 0, "A did something"),
				unless(s.between(crashed, back) >= 300*time.Millisecond, "A was away for %v only", s.between(crashed, back)))
		},
		After: func(s *Seen) string {
			_, back := away(s, "A")
			return unless(s.count(one{kind: history.Acquired, node: "A"}, back, len(s.Events)) == 3, "A did not start over")
		},
	},
	{
		Verb: "restart", What: "a server", Lock: "set-nx-lua",
		Story: "network.timeout=300ms; when: A is in its critical section, restart: the primary, down: 500ms",
		During: func(s *Seen) string {
			crashed, back := away(s, "redis-1")
			if back < 0 {
				return "the server did not die, or did not come back"
			}
			return unless(s.answered("", "redis-1", crashed, back) == 0, "it answered")
		},
		After: func(s *Seen) string {
			_, back := away(s, "redis-1")
			return unless(back >= 0 && s.answered("B", "redis-1", back, len(s.Events)) > 0, "it does not serve")
		},
	},
	{
		Verb: "slow", What: "a client", Lock: "set-nx-lua", Story: "when: A enters, slow: A, by: 400ms",
		During: func(s *Seen) string {
			writes := s.next(one{kind: history.Releasing, node: "A"}, s.began)
			return unless(writes >= 0 && s.between(s.began, writes) >= 400*time.Millisecond, "A's section was no longer than usual")
		},
		After: func(s *Seen) string {
			round := s.quickest(one{kind: history.Entered, node: "A"}, one{kind: history.Releasing, node: "A"}, s.next(one{kind: history.Waits, node: "A"}, s.began))
			return unless(round < 400*time.Millisecond, "A's next sections took %v or more", round)
		},
	},
	{
		Verb: "hang", What: "a client", Lock: "set-nx-lua", Story: "lease=500ms; workload.repeat=once; workload.wait=up to 2s; when: A enters, hang: A",
		During: func(s *Seen) string {
			return unless(s.doings("A", s.began, len(s.Events)) == 0 && s.next(one{kind: history.Acquired, node: "B"}, s.began) >= 0,
				"A went on, or B did not get the lock when A's lease was over")
		},
		After: goesOn("B"),
	},
}

// sentIntoAPartition is a story in which A sends a release that the servers do not receive before
// the end of a partition. The case adds a fault of A.
const sentIntoAPartition = "when: A is about to send unlock, partition: [A, store], until: B sends SET the 60th time; " +
	"when: A sends unlock, after: 50ms"

// dead demands that a client has died, and did nothing afterwards.
func dead(s *Seen, client string) string {
	crashed := s.next(one{kind: history.Crashed, node: client}, s.began)
	return cmp.Or(
		unless(crashed >= 0, "%s did not die", client),
		unless(s.doings(client, crashed, len(s.Events)) == 0, "%s did something", client))
}

// away returns the events of a process's death and return.
func away(s *Seen, node string) (crashed, back int) {
	crashed = s.next(one{kind: history.Crashed, node: node}, s.began)
	return crashed, s.next(one{kind: history.Restarted, node: node}, crashed)
}

// over returns the fault's end, or its beginning if it has no end.
func (s *Seen) over() int {
	if s.ended < len(s.Events) {
		return s.ended
	}
	return s.began
}

// goesOn demands that a client plays all its rounds after the fault.
func goesOn(client string) func(s *Seen) string {
	return func(s *Seen) string {
		return unless(s.next(one{kind: history.Finished, node: client}, s.over()) >= 0 && s.doings(client, s.over(), len(s.Events)) > 3,
			"%s does not go on", client)
	}
}

// serves demands that a server answers requests after the fault.
func serves(server string) func(s *Seen) string {
	return func(s *Seen) string {
		return unless(s.answered("", server, s.over(), len(s.Events)) > 3, "%s does not serve", server)
	}
}
