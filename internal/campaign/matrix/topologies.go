package matrix

import (
	"cmp"
	"fmt"
	"slices"

	"lockstep/internal/say"
)

// topology is a primary, its replicas and three sentinels, with what separates or kills them: they
// test whether the simulator promotes and demotes as Redis and Sentinel do.
type topology struct {
	name     say.Phrase
	replicas int
	lag      string // "" for none
	work     string // "" for 5s
	rounds   int    // of each client; 0 for two
	faults   []string
}

// late is longer than any story: a promoted replica has nothing of the lock.
const late = "20s"

// cut separates two groups.
func cut(when, some, others, long string) string {
	return when + "; partition: [[" + some + "], [" + others + "]]; for: " + long
}

// unseen is a cut noticed only by the sentinels. The simulated ones agree after one second, and
// promote after one and a half; real ones agree after 1.0 to 1.4 s.
func unseen(long string) []string { return []string{cut("at: 2s", "redis-1", "sentinels", long)} }

// dies is the death of the current primary.
func dies(when string) string { return when + "; fail-over: sentinel" }

var topologies = []topology{
	// The sides of the cut.
	{name: say.Text("a replica and the sentinels beyond the cut"), replicas: 1, faults: []string{cut("at: 0s", "A, redis-1", "B, C, redis-2, sentinels", "15s")}},
	// Two sentinels may each vote for itself; the next attempt comes six to eight seconds later.
	{name: say.Text("one sentinel stays with A"), replicas: 1, rounds: 5, faults: []string{cut("at: 0s", "A, redis-1, sentinel-1", "B, C, redis-2, sentinel-2, sentinel-3", "30s")}},
	{name: say.Text("two sentinels stay with A"), replicas: 1, faults: []string{cut("at: 0s", "A, redis-1, sentinel-1, sentinel-2", "B, C, redis-2, sentinel-3", "15s")}},
	{name: say.Text("no replica beyond the cut"), replicas: 2, faults: []string{cut("at: 0s", "A, redis-1, redis-2, redis-3", "B, C, sentinels", "15s")}},
	{name: say.Text("one replica with A, one beyond the cut"), replicas: 2, faults: []string{cut("at: 0s", "A, redis-1, redis-2", "B, C, redis-3, sentinels", "15s")}},
	{name: say.Text("one replica and two sentinels with A, one replica beyond"), replicas: 2, faults: []string{cut("at: 0s", "A, redis-1, redis-2, sentinel-1, sentinel-2", "B, C, redis-3, sentinel-3", "15s")}},
	{name: say.Text("two servers on each side"), replicas: 3, faults: []string{cut("at: 0s", "A, redis-1, redis-2", "B, C, redis-3, redis-4, sentinels", "15s")}},
	{name: say.Text("two servers on each side, and one sentinel with A"), replicas: 3, rounds: 5, faults: []string{cut("at: 0s", "A, redis-1, redis-2, sentinel-1", "B, C, redis-3, redis-4, sentinel-2, sentinel-3", "30s")}},
	{name: say.Text("the primary alone with A"), replicas: 3, faults: []string{cut("at: 0s", "A, redis-1", "B, C, redis-2, redis-3, redis-4, sentinels", "15s")}},
	{name: say.Text("only the servers are parted"), replicas: 2, faults: []string{cut("at: 0s", "redis-1", "redis-2, redis-3", "15s")}},

	// When the cut heals.
	{name: say.Text("the sentinels' cut heals before they agree"), replicas: 1, lag: late, work: "8s", faults: unseen("700ms")},
	{name: say.Text("the sentinels' cut heals while they elect"), replicas: 1, lag: late, work: "8s", faults: unseen("1500ms")},
	{name: say.Text("the sentinels' cut heals long after the promotion"), replicas: 2, lag: late, work: "8s", faults: unseen("8s")},
	{name: say.Text("the cut heals while A works, and its servers change sides"), replicas: 2, work: "9s", faults: []string{cut("at: 0s", "A, redis-1, redis-2", "B, C, redis-3, sentinels", "4500ms")}},

	// Two failovers in a row, and primaries that come back.
	{name: say.Text("two deaths in a row, and nothing was late"), replicas: 2, work: "9s", faults: []string{dies("when: A enters; after: 1s"), dies("when: A enters; after: 7500ms")}},
	{name: say.Text("two deaths in a row, each as soon as a client has the lock"), replicas: 2, lag: "2s", faults: []string{dies("when: A enters"), dies("when: B enters")}},
	{name: say.Text("a cut, and another one that brings the old primary back"), replicas: 1, rounds: 5, faults: []string{
		cut("at: 0s", "A, redis-1", "B, C, redis-2, sentinels", "9s"), cut("at: 16s", "A, C, redis-1, sentinels", "B, redis-2", "12s"),
	}},
	{name: say.Text("a dead primary comes back to a new one"), replicas: 1, faults: []string{dies("when: A enters; after: 1s"), "when: A enters; after: 6s; restart: redis-1; down: 10ms"}},
	{name: say.Text("a dead primary comes back before it is noticed"), replicas: 1, faults: []string{"when: A enters; restart: redis-1; down: 200ms"}},
}

// Topologies returns the topologies as columns to compare.
func Topologies() []Column {
	out := make([]Column, len(topologies))
	for i, t := range topologies {
		out[i] = Column{Code: fmt.Sprintf("T%d", i+1), Name: t.name, Summary: t.name.And(say.Text(".")), sketch: t.sketch}
	}
	return out
}

func (t topology) sketch(s subject) []sketch {
	if !s.Kind().IsRedis() || s.Servers.Replicas > t.replicas || t.lag == late && slices.Contains(s.Acquire, "WAIT") {
		return nil
	}
	return []sketch{{
		name: t.name, work: cmp.Or(t.work, "5s"),
		servers:  fmt.Sprintf("{redis: {replicas: %d, lag: %s, failover: %s}}", t.replicas, cmp.Or(t.lag, "0ms"), bySentinel),
		workload: []string{fmt.Sprintf("repeat: %d times", max(t.rounds, 2)), "rest: 100ms"},
		faults:   t.faults, bare: true,
	}}
}
