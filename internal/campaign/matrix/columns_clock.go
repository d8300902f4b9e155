package matrix

import (
	"lockstep/internal/store"
)

// The columns in which a clock is wrong.

func clientClocks(s subject) []sketch {
	return []sketch{
		{name: both("B's clock is 12 s ahead", "B 的时钟快 12 秒"), work: "5s", clocks: "{B: {offset: +12s}}"},
		{name: both("A's clock is 12 s behind", "A 的时钟慢 12 秒"), work: "5s", clocks: "{A: {offset: -12s}}"},
		{name: both("B's and C's clocks are 12 s ahead", "B 和 C 的时钟快 12 秒"), work: "5s", clocks: "{B: {offset: +12s}, C: {offset: +12s}}"},
		{name: both("A's clock steps back while it holds", "A 持有时，它的时钟向后跳"), work: "5s", faults: []string{"when: A is in its critical section; jump-clock: A; by: -12s"}},
		{name: both("B's clock steps ahead while it waits", "B 等待时，它的时钟向前跳"), work: "5s", faults: []string{"when: A is in its critical section; jump-clock: B; by: +12s"}},
		{name: both("A's clock steps back while it acquires", "A 拿锁时，它的时钟向后跳"), faults: []string{s.inAcquire("A", "has %s executed", 0) + "; jump-clock: A; by: -12s"}},
	}
}

func serverClock(s subject) []sketch {
	out := []sketch{
		{name: both("the primary's clock steps ahead by 12 s while A holds", "A 持有时，主节点的时钟向前跳 12 秒"), work: "5s", faults: []string{"when: A is in its critical section; jump-clock: the primary; by: +12s"}},
	}
	if s.Kind().Topology == store.Independent {
		out = append(out, sketch{
			name: both("the clock of a node that A's quorum needs steps ahead by 12 s", "A 的多数离不开的一个节点，时钟向前跳 12 秒"), work: "5s",
			faults: s.justQuorum(func(server string) string { return "jump-clock: " + server + "; by: +12s" }),
		}, sketch{
			name: both("the clock of the one node that both sides of a cut need steps ahead by 12 s", "分区两边都离不开的那个节点，时钟向前跳 12 秒"), work: "9s", timeout: "400ms",
			faults: s.oneInCommon(func(server string) string { return "jump-clock: " + server + "; by: +12s" }),
		})
	}
	return out
}

// clockRate has work that ends just within the lease: a clock that is wrong by 15 % brings that end
// forward, or has a client take its time. Who renews, or looks at the clock, has other troubles.
func clockRate(subject) []sketch {
	drift := func(who, rate string) []string {
		return []string{"when: A starts waiting; drift-clock: " + who + "; rate: " + rate + "; for: 60s"}
	}
	const within = "9500ms"
	return []sketch{
		{name: both("the primary's clock runs 15 % fast", "主节点的时钟快 15 %"), work: within, faults: drift("the primary", "+15%")},
		{name: both("the primary's clock runs 15 % slow", "主节点的时钟慢 15 %"), work: within, faults: drift("the primary", "-15%")},
		{name: both("A's clock runs 15 % slow", "A 的时钟慢 15 %"), work: within, faults: drift("A", "-15%")},
		{name: both("B's clock runs 15 % fast", "B 的时钟快 15 %"), work: within, faults: drift("B", "+15%")},
	}
}
