package matrix

import (
	"fmt"
	"slices"

	"lockstep/internal/locks"
)

// topology is a primary, its replicas and three sentinels, and what parts or kills them.
// It is no fault of the catalogue: it asks whether the simulator promotes, tells and
// demotes as Redis and Sentinel do.
type topology struct {
	name     string
	replicas int
	lag      string // "" for none
	work     string // "" for 5s
	rounds   int    // of each client; 0 for two
	faults   []string
}

// late is a lag that no story waits for: who is promoted has nothing of the lock.
const late = "20s"

// cut parts two groups.
func cut(when, some, others, long string) string {
	return when + "; partition: [[" + some + "], [" + others + "]]; for: " + long
}

// unseen is a cut that only the sentinels feel. The simulated ones agree after one second,
// and promote after one and a half; real ones agree after 1.0 to 1.4 s.
func unseen(long string) []string { return []string{cut("at: 2s", "redis-1", "sentinels", long)} }

// dies is the death of whoever is the primary.
func dies(when string) string { return when + "; fail-over: sentinel" }

var topologies = []topology{
	// Who is on which side.
	{name: "a replica and the sentinels beyond the cut", replicas: 1, faults: []string{cut("at: 0s", "A, redis-1", "B, C, redis-2, sentinels", "15s")}},
	// Two sentinels may each vote for itself; the next attempt comes six to eight seconds later.
	{name: "one sentinel stays with A", replicas: 1, rounds: 5, faults: []string{cut("at: 0s", "A, redis-1, sentinel-1", "B, C, redis-2, sentinel-2, sentinel-3", "30s")}},
	{name: "two sentinels stay with A", replicas: 1, faults: []string{cut("at: 0s", "A, redis-1, sentinel-1, sentinel-2", "B, C, redis-2, sentinel-3", "15s")}},
	{name: "no replica beyond the cut", replicas: 2, faults: []string{cut("at: 0s", "A, redis-1, redis-2, redis-3", "B, C, sentinels", "15s")}},
	{name: "one replica with A, one beyond the cut", replicas: 2, faults: []string{cut("at: 0s", "A, redis-1, redis-2", "B, C, redis-3, sentinels", "15s")}},
	{name: "one replica and two sentinels with A, one replica beyond", replicas: 2, faults: []string{cut("at: 0s", "A, redis-1, redis-2, sentinel-1, sentinel-2", "B, C, redis-3, sentinel-3", "15s")}},
	{name: "two servers on each side", replicas: 3, faults: []string{cut("at: 0s", "A, redis-1, redis-2", "B, C, redis-3, redis-4, sentinels", "15s")}},
	{name: "two servers on each side, and one sentinel with A", replicas: 3, rounds: 5, faults: []string{cut("at: 0s", "A, redis-1, redis-2, sentinel-1", "B, C, redis-3, redis-4, sentinel-2, sentinel-3", "30s")}},
	{name: "the primary alone with A", replicas: 3, faults: []string{cut("at: 0s", "A, redis-1", "B, C, redis-2, redis-3, redis-4, sentinels", "15s")}},
	{name: "only the servers are parted", replicas: 2, faults: []string{cut("at: 0s", "redis-1", "redis-2, redis-3", "15s")}},

	// When the cut heals.
	{name: "the sentinels' cut heals before they agree", replicas: 1, lag: late, work: "8s", faults: unseen("700ms")},
	{name: "the sentinels' cut heals while they elect", replicas: 1, lag: late, work: "8s", faults: unseen("1500ms")},
	{name: "the sentinels' cut heals long after the promotion", replicas: 2, lag: late, work: "8s", faults: unseen("8s")},
	{name: "the cut heals while A works, and its servers change sides", replicas: 2, work: "9s", faults: []string{cut("at: 0s", "A, redis-1, redis-2", "B, C, redis-3, sentinels", "4500ms")}},

	// Two failovers in a row, and primaries that come back.
	{name: "two deaths in a row, and nothing was late", replicas: 2, work: "9s", faults: []string{dies("when: A enters; after: 1s"), dies("when: A enters; after: 7500ms")}},
	{name: "two deaths in a row, each as soon as somebody has the lock", replicas: 2, lag: "2s", faults: []string{dies("when: A enters"), dies("when: B enters")}},
	{name: "a cut, and another one that brings the old primary back", replicas: 1, rounds: 5, faults: []string{
		cut("at: 0s", "A, redis-1", "B, C, redis-2, sentinels", "9s"), cut("at: 16s", "A, C, redis-1, sentinels", "B, redis-2", "12s"),
	}},
	{name: "a dead primary comes back to a new one", replicas: 1, faults: []string{dies("when: A enters; after: 1s"), "when: A enters; after: 6s; restart: redis-1; down: 10ms"}},
	{name: "a dead primary comes back before anybody has missed it", replicas: 1, faults: []string{"when: A enters; restart: redis-1; down: 200ms"}},
}

// Topologies returns the topologies as columns, to be compared like those of the matrix:
// for locks with one primary, and those replicas that their design demands.
func Topologies() []Column {
	out := make([]Column, len(topologies))
	for i, t := range topologies {
		out[i] = Column{Code: fmt.Sprintf("T%d", i+1), Name: t.name, Summary: t.name + ".", sketch: t.sketch}
	}
	return out
}

func (t topology) sketch(s subject) []sketch {
	if s.Store != locks.StoreRedis || s.Servers.Replicas > t.replicas || t.lag == late && slices.Contains(s.Acquire, "WAIT") {
		return nil
	}
	or := func(text, otherwise string) string {
		if text == "" {
			return otherwise
		}
		return text
	}
	return []sketch{{
		name: t.name, work: or(t.work, "5s"),
		servers:  fmt.Sprintf("{redis: {replicas: %d, lag: %s, failover: %s}}", t.replicas, or(t.lag, "0ms"), bySentinel),
		workload: []string{fmt.Sprintf("repeat: %d times", max(t.rounds, 2)), "rest: 100ms"},
		faults:   t.faults, bare: true,
	}}
}
