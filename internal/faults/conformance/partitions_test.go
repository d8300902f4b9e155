package conformance

import (
	"cmp"

	"lockstep/internal/history"
)

// Faults of the network between nodes.
var partitions = []Case{
	{
		Verb: "partition", What: "a client from the servers", Lock: "set-nx-lua",
		Story: "network.timeout=20s; when: A is about to send SET, partition: [A, store], until: B has the reply of unlock the 2nd time",
		During: func(s *Seen) string {
			return cmp.Or(
				unless(s.count(one{kind: history.Granted, peer: "A"}, s.began, s.ended) == 0, "A's request arrived"),
				unless(s.answered("A", "", s.began, s.ended) == 0, "A had an answer"),
				unless(s.answered("B", "", s.began, s.ended) >= 4, "B had none"))
		},
		After: heldUntilOver,
	},
	{
		Verb: "cut", What: "the servers from a client", Lock: "set-nx-lua",
		Story: "network.timeout=20s; when: A is about to send SET, cut: [store, A], until: B sends SET the 20th time",
		During: func(s *Seen) string {
			return cmp.Or(
				unless(s.count(one{kind: history.Granted, peer: "A"}, s.began, s.ended) == 1, "A's request did not arrive, and what A sends is not cut"),
				unless(s.answered("A", "", s.began, s.ended) == 0, "A had an answer"),
				unless(s.answered("B", "", s.began, s.ended) > 0, "B had none"))
		},
		After: heldUntilOver,
	},
	{
		Verb: "cut", What: "a client from the servers", Lock: "set-nx-lua",
		Story: "network.timeout=20s; when: A has the reply of SET, cut: [A, store], until: B sends SET the 20th time",
		During: func(s *Seen) string {
			return cmp.Or(
				unless(s.count(one{kind: history.Sent, node: "A"}, s.began, s.ended) == 1, "A sent nothing, or went on to the next"),
				unless(s.count(one{kind: history.Removed, peer: "A"}, s.began, s.ended) == 0, "A's release arrived"))
		},
		After: func(s *Seen) string {
			return cmp.Or(unless(s.next(one{kind: history.Removed, peer: "A"}, s.ended) >= 0, "A's release did not arrive"), goesOn("A")(s))
		},
	},
	{
		Verb: "partition", What: "the primary from its replicas", Lock: "set-wait",
		Story: "clients=[A]; lease=1s; servers.redis={replicas: 1}; when: A is about to send SET, partition: [the primary, replicas], until: A has the reply of WAIT the 2nd time",
		During: func(s *Seen) string {
			return cmp.Or(
				unless(s.count(one{kind: history.Granted, node: "redis-1"}, s.began, s.ended) >= 2, "the primary granted nothing"),
				unless(s.count(one{kind: history.Acquired, node: "A"}, s.began, s.ended) == 0, "a replica confirmed the write"))
		},
		After: func(s *Seen) string {
			return unless(s.count(one{kind: history.Acquired, node: "A"}, s.ended, len(s.Events)) == 3, "no replica confirms a write")
		},
	},
}

// heldUntilOver demands that A's first request of the fault is answered, but not before its end.
func heldUntilOver(s *Seen) string {
	sent := s.next(one{kind: history.Sent, node: "A"}, s.began)
	if sent < 0 || s.replyTo(sent, len(s.Events)) < s.ended {
		return "A's first request was answered before the fault was over, or never"
	}
	return goesOn("A")(s)
}
