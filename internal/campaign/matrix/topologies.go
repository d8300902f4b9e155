package matrix

import (
	"cmp"
	"fmt"
	"slices"

	"lockstep/internal/say"
)

// topology is a primary, its replicas and three sentinels, and what parts or kills them.
// It is no fault of the catalogue: it asks whether the simulator promotes, tells and
// demotes as Redis and Sentinel do.
type topology struct {
	name     say.Both
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
	{name: both("a replica and the sentinels beyond the cut", "副本和哨兵在分区的另一边"), replicas: 1, faults: []string{cut("at: 0s", "A, redis-1", "B, C, redis-2, sentinels", "15s")}},
	// Two sentinels may each vote for itself; the next attempt comes six to eight seconds later.
	{name: both("one sentinel stays with A", "一个哨兵留在 A 这边"), replicas: 1, rounds: 5, faults: []string{cut("at: 0s", "A, redis-1, sentinel-1", "B, C, redis-2, sentinel-2, sentinel-3", "30s")}},
	{name: both("two sentinels stay with A", "两个哨兵留在 A 这边"), replicas: 1, faults: []string{cut("at: 0s", "A, redis-1, sentinel-1, sentinel-2", "B, C, redis-2, sentinel-3", "15s")}},
	{name: both("no replica beyond the cut", "分区的另一边没有副本"), replicas: 2, faults: []string{cut("at: 0s", "A, redis-1, redis-2, redis-3", "B, C, sentinels", "15s")}},
	{name: both("one replica with A, one beyond the cut", "一个副本在 A 这边，一个在另一边"), replicas: 2, faults: []string{cut("at: 0s", "A, redis-1, redis-2", "B, C, redis-3, sentinels", "15s")}},
	{name: both("one replica and two sentinels with A, one replica beyond", "一个副本和两个哨兵在 A 这边，一个副本在另一边"), replicas: 2, faults: []string{cut("at: 0s", "A, redis-1, redis-2, sentinel-1, sentinel-2", "B, C, redis-3, sentinel-3", "15s")}},
	{name: both("two servers on each side", "两边各有两台服务器"), replicas: 3, faults: []string{cut("at: 0s", "A, redis-1, redis-2", "B, C, redis-3, redis-4, sentinels", "15s")}},
	{name: both("two servers on each side, and one sentinel with A", "两边各有两台服务器，一个哨兵在 A 这边"), replicas: 3, rounds: 5, faults: []string{cut("at: 0s", "A, redis-1, redis-2, sentinel-1", "B, C, redis-3, redis-4, sentinel-2, sentinel-3", "30s")}},
	{name: both("the primary alone with A", "A 这边只有主节点"), replicas: 3, faults: []string{cut("at: 0s", "A, redis-1", "B, C, redis-2, redis-3, redis-4, sentinels", "15s")}},
	{name: both("only the servers are parted", "只有服务器之间断开"), replicas: 2, faults: []string{cut("at: 0s", "redis-1", "redis-2, redis-3", "15s")}},

	// When the cut heals.
	{name: both("the sentinels' cut heals before they agree", "哨兵的分区在它们一致认定之前恢复"), replicas: 1, lag: late, work: "8s", faults: unseen("700ms")},
	{name: both("the sentinels' cut heals while they elect", "哨兵的分区在它们选举时恢复"), replicas: 1, lag: late, work: "8s", faults: unseen("1500ms")},
	{name: both("the sentinels' cut heals long after the promotion", "哨兵的分区在提升之后很久才恢复"), replicas: 2, lag: late, work: "8s", faults: unseen("8s")},
	{name: both("the cut heals while A works, and its servers change sides", "A 工作时分区恢复，它的服务器换了边"), replicas: 2, work: "9s", faults: []string{cut("at: 0s", "A, redis-1, redis-2", "B, C, redis-3, sentinels", "4500ms")}},

	// Two failovers in a row, and primaries that come back.
	{name: both("two deaths in a row, and nothing was late", "接连死掉两个，复制都没有延迟"), replicas: 2, work: "9s", faults: []string{dies("when: A enters; after: 1s"), dies("when: A enters; after: 7500ms")}},
	{name: both("two deaths in a row, each as soon as a client has the lock", "接连死掉两个，每次都在有人一拿到锁时"), replicas: 2, lag: "2s", faults: []string{dies("when: A enters"), dies("when: B enters")}},
	{name: both("a cut, and another one that brings the old primary back", "一次分区，再来一次把旧的主节点带回来"), replicas: 1, rounds: 5, faults: []string{
		cut("at: 0s", "A, redis-1", "B, C, redis-2, sentinels", "9s"), cut("at: 16s", "A, C, redis-1, sentinels", "B, redis-2", "12s"),
	}},
	{name: both("a dead primary comes back to a new one", "死掉的主节点回来时已有新的主节点"), replicas: 1, faults: []string{dies("when: A enters; after: 1s"), "when: A enters; after: 6s; restart: redis-1; down: 10ms"}},
	{name: both("a dead primary comes back before anybody has missed it", "死掉的主节点在有人发现之前就回来"), replicas: 1, faults: []string{"when: A enters; restart: redis-1; down: 200ms"}},
}

// Topologies returns the topologies as columns, to be compared like those of the matrix:
// for locks with one primary, and those replicas that their design demands.
func Topologies() []Column {
	out := make([]Column, len(topologies))
	for i, t := range topologies {
		out[i] = Column{Code: fmt.Sprintf("T%d", i+1), Name: t.name, Summary: t.name.And(both(".", "。")), sketch: t.sketch}
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
