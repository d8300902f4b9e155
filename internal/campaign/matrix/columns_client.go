package matrix

import (
	"slices"

	"lockstep/internal/say"
)

// The columns in which a client process is hit.

func crashBetween(s subject) []sketch {
	var out sketches
	n := len(s.Acquire)
	for i, c := range s.Acquire {
		out.add(of(diesExecuted.With(say.Verbatim(c)), i, n), sketch{},
			s.inAcquire("A", "has %s executed", i)+"; crash: A")
		if i < n-1 {
			out.add(of(diesAnswered.With(say.Verbatim(c)), i, n), sketch{},
				s.inAcquire("A", "has the reply of %s", i)+"; crash: A")
		}
	}
	for i := range len(s.Release) - 1 {
		out.add(of(diesReleasing.With(say.Verbatim(s.Release[i])), i, len(s.Release)), sketch{},
			s.inRelease("has the reply of %s", i)+"; crash: A")
	}
	if s.clears() {
		out.add(diesExecuted.With(say.Verbatim(s.Acquire[0])).And(lateDelName), sketch{work: "5s"},
			s.inAcquire("A", "has %s executed", 0)+"; crash: A", lateDel)
	}
	out.add(say.Text("A dies while it waits behind B"), sketch{clients: "[B, A]"},
		s.inAcquire("A", "has %s executed", n-1)+"; crash: A")
	return out
}

// clears reports whether the lock may remove by DEL what a dead client has left.
func (s subject) clears() bool { return slices.Contains(s.Release, "DEL") }

// lateDel is a fault for a lock that clears: other clients clear at the same time.
const lateDel = "when: any client is about to send DEL; delay: request; by: 2s"

func crashHolding(s subject) []sketch { return holderDies(s, say.Text("A dies"), "crash: A") }

func hostLoss(s subject) []sketch {
	const fault = "lose-host: A"
	return append(holderDies(s, say.Text("A is lost with its host"), fault), sketch{
		name: say.Text("A is lost with its host while it waits behind B"), clients: "[B, A]",
		faults: []string{s.inAcquire("A", "has %s executed", len(s.Acquire)-1) + "; " + fault},
	})
}

// holderDies returns the scripts in which A dies while it holds the lock.
func holderDies(s subject, what say.Phrase, verb string) []sketch {
	fault := "when: A is in its critical section; " + verb
	out := sketches{{name: what.And(inSection), faults: []string{fault}}}
	if s.clears() {
		out.add(what.And(lateDelName), sketch{work: "5s"}, fault, lateDel)
	}
	out.add(what.And(inStep),
		sketch{latency: "1ms..20ms", workload: []string{"retry: 100ms"}, clients: "[A, B, C, D, E]"}, fault)
	if s.Renews {
		out.add(what.And(afterRenewal), sketch{work: "15s"},
			"when: A renews; "+verb)
	}
	return out
}

func pausePast(s subject) []sketch {
	// Stores that count in ticks take up to a fifth of a lease longer to end one; etcd, which
	// checks twice per second and then revokes the lease, takes up to half a lease of one second.
	long := "14s"
	if s.Kind().EndsLate {
		long = "30s"
	}
	out := sketches{
		{name: say.Text("A freezes in its critical section"), work: "5s", faults: []string{"when: A is in its critical section; pause: A; for: " + long}},
		{name: say.Text("A freezes when its acquire has returned"), faults: []string{"when: A acquires; pause: A; for: 15s"}},
		{name: say.Text("A freezes for five leases"), faults: []string{"when: A is in its critical section; pause: A; for: 50s"}},
	}
	return append(out, steps(s.Acquire, freezesAnswered, sketch{}, func(i int) []string {
		return []string{s.inAcquire("A", "has the reply of %s", i) + "; pause: A; for: 15s"}
	})...)
}

func pauseInRelease(s subject) []sketch {
	out := steps(s.Release, freezesReleasing, sketch{}, func(i int) []string {
		return []string{s.inRelease("is about to send %s", i) + "; pause: A; for: 12s"}
	})
	last := len(s.Release) - 1
	if last < 0 || s.Kind().LeavesServers {
		// After such a pause a client of ZooKeeper gives up its connection, possibly before it
		// sends its DELETE.
		return out
	}
	out.add(wakesBesideB.With(say.Verbatim(s.Release[last])), sketch{work: "5s"},
		s.inRelease("is about to send %s", last)+"; pause: A; for: 6s")
	return out
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
