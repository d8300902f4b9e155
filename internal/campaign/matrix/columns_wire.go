package matrix

import (
	"strconv"

	"lockstep/internal/say"
)

// The columns in which a message is hit.

func lateReply(s subject) []sketch {
	return steps(s.Acquire, replyLate, sketch{timeout: "30s"}, func(i int) []string {
		return []string{s.inAcquire("A", "is about to send %s", i) + "; delay: reply; by: 12s"}
	})
}

func lostAcquire(s subject) []sketch {
	n := len(s.Acquire)
	drop := func(i int) []string {
		return []string{s.inAcquire("A", "is about to send %s", i) + "; drop: reply"}
	}
	out := steps(s.Acquire, replyLost, sketch{}, drop)
	if n >= 3 {
		s := sketch{name: repliesLost.With(say.Verbatim(strconv.Itoa(n/2 + 1)))}
		for i := range n/2 + 1 {
			s.faults = append(s.faults, drop(i)...)
		}
		out = append(out, s)
	}
	if s.clears() {
		out.add(replyLost.With(say.Verbatim(s.Acquire[0])).And(lateDelName), sketch{work: "5s"},
			append(drop(0), lateDel)...)
	}
	// Before the timeout: A continues with something else, and its process lives.
	return append(out, steps(s.Acquire, replyMissed, sketch{wait: "2s", work: "1s", bare: true}, drop)...)
}

func lostRelease(s subject) []sketch {
	var out sketches
	// The release is repeated four seconds later, when another client has to be at work. ZooKeeper
	// takes longer than others, at any scale, for a new connection and a new node.
	work := "5s"
	if s.Kind().LeavesServers {
		work = "15s"
	}
	nested := []int{0}
	if s.Reentrant {
		nested = append(nested, 1)
	}
	for _, depth := range nested {
		for i, c := range s.Release {
			name := of(releaseUnanswered.With(say.Verbatim(c)), i, len(s.Release))
			load := []string{"release-again: 1s"}
			if depth > 0 {
				name = name.And(takenTwice)
				load = append(load, "nested: 1")
			}
			out.add(name, sketch{work: work, workload: load},
				s.inRelease("is about to send %s", i)+"; drop: reply")
		}
	}
	return out
}

// lateRelease has a command of the release arrive when another client holds the lock. Its sender
// counts it as lost after three seconds, and goes on.
func lateRelease(s subject) []sketch {
	late := func(i int, by string) []string {
		return []string{s.inRelease("is about to send %s", i) + "; delay: request; by: " + by}
	}
	out := steps(s.Release, releaseLate, sketch{work: "5s"}, func(i int) []string { return late(i, "12s") })
	if last := len(s.Release) - 1; last >= 0 {
		c := s.Release[last]
		twice := sketch{work: "5s", clients: "[A, B]", workload: []string{"repeat: 2 times", "rest: 100ms"}}
		out.add(releaseMeetsA.With(say.Verbatim(c)), twice, late(last, "5s")...)
		twice.work, twice.stagger = "9s", "18s" // A gets the lock again after its first lease, then B comes
		out.add(releaseHitsA.With(say.Verbatim(c)), twice, late(last, "10s")...)
		out.add(releaseRepeated.With(say.Verbatim(c)),
			sketch{work: "5s", workload: []string{"release-again: 1s"}}, late(last, "6s")...)
	}
	return out
}
