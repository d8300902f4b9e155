package matrix

import (
	"lockstep/internal/say"
	"lockstep/internal/store"
)

// The columns in which a clock is wrong.

func clientClocks(s subject) []sketch {
	return []sketch{
		{name: say.Text("B's clock is 12 s ahead"), work: "5s", clocks: "{B: {offset: +12s}}"},
		{name: say.Text("A's clock is 12 s behind"), work: "5s", clocks: "{A: {offset: -12s}}"},
		{name: say.Text("B's and C's clocks are 12 s ahead"), work: "5s", clocks: "{B: {offset: +12s}, C: {offset: +12s}}"},
		{name: say.Text("A's clock steps back while it holds"), work: "5s", faults: []string{"when: A is in its critical section; jump-clock: A; by: -12s"}},
		{name: say.Text("B's clock steps ahead while it waits"), work: "5s", faults: []string{"when: A is in its critical section; jump-clock: B; by: +12s"}},
		{name: say.Text("A's clock steps back while it acquires"), faults: []string{s.inAcquire("A", "has %s executed", 0) + "; jump-clock: A; by: -12s"}},
	}
}

func serverClock(s subject) []sketch {
	out := sketches{
		{name: say.Text("the primary's clock steps ahead by 12 s while A holds"), work: "5s", faults: []string{"when: A is in its critical section; jump-clock: the primary; by: +12s"}},
	}
	if s.Kind().Topology == store.Independent {
		out.add(say.Text("the clock of a node that A's quorum needs steps ahead by 12 s"),
			sketch{work: "5s"}, s.justQuorum("jump-clock: %s; by: +12s")...)
		out.add(say.Text("the clock of the one node that both sides of a cut need steps ahead by 12 s"),
			sketch{work: "9s", timeout: "400ms"}, s.oneInCommon("jump-clock: %s; by: +12s")...)
	}
	return out
}

// clockRate has work that ends just within the lease, as a clock that is wrong by 15 % ends the
// lease early, or delays the client.
func clockRate(subject) []sketch {
	drift := func(who, rate string) []string {
		return []string{"when: A starts waiting; drift-clock: " + who + "; rate: " + rate + "; for: 60s"}
	}
	const within = "9500ms"
	return []sketch{
		{name: say.Text("the primary's clock runs 15 % fast"), work: within, faults: drift("the primary", "+15%")},
		{name: say.Text("the primary's clock runs 15 % slow"), work: within, faults: drift("the primary", "-15%")},
		{name: say.Text("A's clock runs 15 % slow"), work: within, faults: drift("A", "-15%")},
		{name: say.Text("B's clock runs 15 % fast"), work: within, faults: drift("B", "+15%")},
	}
}
