package matrix

import (
	"lockstep/internal/say"
)

// The columns in which a message is hit.

func lateReply(s subject) []sketch {
	var out []sketch
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name: of(replyLate.With(say.Verbatim(c)), i, len(s.Acquire)), timeout: "30s",
			faults: []string{s.inAcquire("A", "is about to send %s", i) + "; delay: reply; by: 12s"},
		})
	}
	return out
}

func lostAcquire(s subject) []sketch {
	var out []sketch
	n := len(s.Acquire)
	drop := func(i int) string { return s.inAcquire("A", "is about to send %s", i) + "; drop: reply" }
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name:   of(replyLost.With(say.Verbatim(c)), i, n),
			faults: []string{drop(i)},
		})
	}
	if n >= 3 {
		s := sketch{name: repliesLost.With(say.Number(n/2 + 1))}
		for i := range n/2 + 1 {
			s.faults = append(s.faults, drop(i))
		}
		out = append(out, s)
	}
	if s.clears() {
		out = append(out, sketch{
			name: replyLost.With(say.Verbatim(s.Acquire[0])).And(lateDelName), work: "5s",
			faults: []string{drop(0), lateDel},
		})
	}
	// Before the reply could have been missed: A goes on to something else, and its process lives.
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name: of(replyMissed.With(say.Verbatim(c)), i, n), wait: "2s", work: "1s",
			faults: []string{drop(i)}, bare: true,
		})
	}
	return out
}

func lostRelease(s subject) []sketch {
	var out []sketch
	// The release is repeated four seconds later, and then another client has to be at work. A
	// new connection and a new node take ZooKeeper longer than others, however fast a script
	// is played.
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
				name = name.And(say.Text(", with the lock taken twice"))
				load = append(load, "nested: 1")
			}
			out = append(out, sketch{
				name: name, work: work, workload: load,
				faults: []string{s.inRelease("is about to send %s", i) + "; drop: reply"},
			})
		}
	}
	return out
}

// lateRelease has a command of the release arrive when another client holds. Its sender takes it for
// lost after three seconds, and goes on.
func lateRelease(s subject) []sketch {
	var out []sketch
	late := func(i int, by string) []string {
		return []string{s.inRelease("is about to send %s", i) + "; delay: request; by: " + by}
	}
	for i, c := range s.Release {
		out = append(out, sketch{
			name: of(releaseLate.With(say.Verbatim(c)), i, len(s.Release)), work: "5s", faults: late(i, "12s"),
		})
	}
	if last := len(s.Release) - 1; last >= 0 {
		c := s.Release[last]
		out = append(out, sketch{
			name: releaseMeetsA.With(say.Verbatim(c)), work: "5s", clients: "[A, B]",
			workload: []string{"repeat: 2 times", "rest: 100ms"}, faults: late(last, "5s"),
		}, sketch{
			// A gets the lock again when its first lease is over, and B comes after that.
			name: releaseHitsA.With(say.Verbatim(c)), work: "9s", clients: "[A, B]", stagger: "18s",
			workload: []string{"repeat: 2 times", "rest: 100ms"}, faults: late(last, "10s"),
		}, sketch{
			name: releaseRepeated.With(say.Verbatim(c)), work: "5s",
			workload: []string{"release-again: 1s"}, faults: late(last, "6s"),
		})
	}
	return out
}
