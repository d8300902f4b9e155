package conformance

import (
	"cmp"
	"time"

	"lockstep/internal/history"
)

// late is the delay of messages.
const late = 400 * time.Millisecond

// alone keeps the other clients from taking the lock while A's message is under way.
const alone = "clients=[A]; lease=500ms; network.timeout=1s; "

// Faults of the request or the reply of A's first call. A busy machine may delay the other messages
// as well, so they are expected in half of the delay.
var messages = []Case{
	{
		Verb: "delay", What: "a request", Lock: "set-nx-lua", Story: alone + "when: A is about to send SET, delay: request, by: 400ms",
		During: func(s *Seen) string {
			sent, granted, _ := firstRequest(s)
			return unless(granted >= 0 && s.between(sent, granted) >= late/2, "the request came at once, or never")
		},
		After: func(s *Seen) string { return soonAgain(s, history.Granted) },
	},
	{
		Verb: "delay", What: "a reply", Lock: "set-nx-lua", Story: alone + "when: A is about to send SET, delay: reply, by: 400ms",
		During: func(s *Seen) string {
			_, granted, replied := firstRequest(s)
			return unless(granted >= 0 && replied >= 0 && s.between(granted, replied) >= late/2, "the reply came at once, or never")
		},
		After: func(s *Seen) string { return soonAgain(s, history.Replied) },
	},
	{
		Verb: "drop", What: "a request", Lock: "set-nx-lua", Story: alone + "when: A is about to send SET, drop: request",
		During: func(s *Seen) string {
			missed := s.next(one{kind: history.TimedOut, node: "A"}, s.began)
			return cmp.Or(
				unless(missed >= 0, "A did not miss the answer"),
				unless(s.count(one{kind: history.RequestDropped, node: "A"}, s.began, len(s.Events)) == 1, "the history has no lost request, or several"),
				unless(s.count(one{kind: history.Granted}, s.began, missed) == 0, "the request arrived"))
		},
		After: afterTheMissing,
	},
	{
		Verb: "drop", What: "a reply", Lock: "set-nx-lua", Story: alone + "when: A is about to send SET, drop: reply",
		During: func(s *Seen) string {
			missed := s.next(one{kind: history.TimedOut, node: "A"}, s.began)
			return cmp.Or(
				unless(missed >= 0, "A did not miss the answer"),
				unless(s.count(one{kind: history.ReplyDropped}, s.began, len(s.Events)) == 1, "the history has no lost reply, or several"),
				unless(s.count(one{kind: history.Granted, peer: "A"}, s.began, missed) == 1, "the request did not arrive"))
		},
		After: afterTheMissing,
	},
}

// firstRequest returns the request that the fault is about, the grant and the reply; each is -1 if
// it is missing.
func firstRequest(s *Seen) (sent, granted, replied int) {
	sent = s.next(one{kind: history.Sent, node: "A"}, s.began)
	if sent < 0 {
		return -1, -1, -1
	}
	return sent, s.next(one{kind: history.Granted, peer: "A"}, sent), s.replyTo(sent, len(s.Events))
}

// soonAgain complains if after A's later requests such an event is late as well.
func soonAgain(s *Seen, kind history.Kind) string {
	later := s.next(one{kind: history.Released, node: "A"}, s.began)
	if later < 0 {
		return "A does not go on"
	}
	took := s.quickest(one{kind: history.Waits, node: "A"}, one{kind: kind, peer: "redis-1"}, later)
	if kind == history.Granted {
		took = s.quickest(one{kind: history.Waits, node: "A"}, one{kind: kind, peer: "A"}, later)
	}
	return unless(took < late/2, "what A sends later takes %v as well", took)
}

// afterTheMissing demands that A goes on after the timeout.
func afterTheMissing(s *Seen) string {
	missed := s.next(one{kind: history.TimedOut, node: "A"}, s.began)
	return unless(s.answered("A", "", missed, len(s.Events)) >= 6 && s.count(one{kind: history.TimedOut, node: "A"}, missed+1, len(s.Events)) == 0,
		"what A sends later has no answers")
}
