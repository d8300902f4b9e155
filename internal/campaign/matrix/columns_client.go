package matrix

import (
	"slices"

	"lockstep/internal/say"
)

// The columns in which a client process is hit.

func crashBetween(s subject) []sketch {
	var out []sketch
	n := len(s.Acquire)
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name:   of(diesExecuted.With(say.Verbatim(c)), i, n),
			faults: []string{s.inAcquire("A", "has %s executed", i) + "; crash: A"},
		})
		if i < n-1 {
			out = append(out, sketch{
				name:   of(diesAnswered.With(say.Verbatim(c)), i, n),
				faults: []string{s.inAcquire("A", "has the reply of %s", i) + "; crash: A"},
			})
		}
	}
	for i := range len(s.Release) - 1 {
		out = append(out, sketch{
			name:   of(diesReleasing.With(say.Verbatim(s.Release[i])), i, len(s.Release)),
			faults: []string{s.inRelease("has the reply of %s", i) + "; crash: A"},
		})
	}
	if s.clears() {
		out = append(out, sketch{
			name: diesExecuted.With(say.Verbatim(s.Acquire[0])).And(lateDelName), work: "5s",
			faults: []string{s.inAcquire("A", "has %s executed", 0) + "; crash: A", lateDel},
		})
	}
	out = append(out, sketch{
		name: say.Text("A dies while it waits behind B"), clients: "[B, A]",
		faults: []string{s.inAcquire("A", "has %s executed", n-1) + "; crash: A"},
	})
	return out
}

// clears reports whether the lock may clear away by DEL what a dead client has left.
func (s subject) clears() bool { return slices.Contains(s.Release, "DEL") }

// lateDel is a fault for a lock that clears: meanwhile others clear, too.
const lateDel = "when: any client is about to send DEL; delay: request; by: 2s"

func crashHolding(s subject) []sketch { return holderDies(s, say.Text("A dies"), "crash: A") }

func hostLoss(s subject) []sketch {
	const fault = "lose-host: A"
	return append(holderDies(s, say.Text("A is lost with its host"), fault), sketch{
		name: say.Text("A is lost with its host while it waits behind B"), clients: "[B, A]",
		faults: []string{s.inAcquire("A", "has %s executed", len(s.Acquire)-1) + "; " + fault},
	})
}

// holderDies are the scripts in which A dies while it holds, by the fault that is called
// what.
func holderDies(s subject, what say.Phrase, verb string) []sketch {
	fault := "when: A is in its critical section; " + verb
	out := []sketch{{name: what.And(say.Text(" in its critical section")), faults: []string{fault}}}
	if s.clears() {
		out = append(out, sketch{
			name: what.And(lateDelName), work: "5s",
			faults: []string{fault, lateDel},
		})
	}
	out = append(out,
		sketch{name: what.And(say.Text(", and the others try in step")), latency: "1ms..20ms", workload: []string{"retry: 100ms"}, clients: "[A, B, C, D, E]", faults: []string{fault}},
	)
	if s.Renews {
		out = append(out, sketch{
			name: what.And(say.Text(" after a renewal")), work: "15s", faults: []string{"when: A renews; " + verb},
		})
	}
	return out
}

func pausePast(s subject) []sketch {
	// Stores that count in ticks take up to a fifth of a lease more to end one; etcd, which
	// looks twice per second, and then gives the revocation its turn, more than half a lease of one
	// second.
	long := "14s"
	if s.Kind().EndsLate {
		long = "30s"
	}
	out := []sketch{
		{name: say.Text("A freezes in its critical section"), work: "5s", faults: []string{"when: A is in its critical section; pause: A; for: " + long}},
		{name: say.Text("A freezes when its acquire has returned"), faults: []string{"when: A acquires; pause: A; for: 15s"}},
	}
	out = append(out, sketch{
		name: say.Text("A freezes for five leases"), faults: []string{"when: A is in its critical section; pause: A; for: 50s"},
	})
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name:   of(freezesAnswered.With(say.Verbatim(c)), i, len(s.Acquire)),
			faults: []string{s.inAcquire("A", "has the reply of %s", i) + "; pause: A; for: 15s"},
		})
	}
	return out
}

func pauseInRelease(s subject) []sketch {
	var out []sketch
	for i, c := range s.Release {
		out = append(out, sketch{
			name:   of(freezesReleasing.With(say.Verbatim(c)), i, len(s.Release)),
			faults: []string{s.inRelease("is about to send %s", i) + "; pause: A; for: 12s"},
		})
	}
	last := len(s.Release) - 1
	if last < 0 || s.Kind().LeavesServers {
		// A client of ZooKeeper that wakes after so long gives up its connection, and whether
		// it has sent its DELETE before that is a race.
		return out
	}
	return append(out, sketch{
		name: wakesBesideB.With(say.Verbatim(s.Release[last])), work: "5s",
		faults: []string{s.inRelease("is about to send %s", last) + "; pause: A; for: 6s"},
	})
}

func slowTask(subject) []sketch {
	return []sketch{
		{name: say.Text("A works 11 s longer"), faults: []string{"when: A enters; slow: A; by: 11s"}},
		{name: say.Text("A works 15 s longer"), faults: []string{"when: A enters; slow: A; by: 15s"}},
	}
}

func hungWorker(subject) []sketch {
	return []sketch{{name: say.Text("the work of A hangs for ever"), faults: []string{"when: A enters; hang: A"}}}
}
