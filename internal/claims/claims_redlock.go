package claims

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// Claims about Redlock: several primaries that know nothing of each other.

func init() {
	Register(Claim{23, both("Redlock solves the loss of the lock in a failover.", "Redlock 解决了故障转移时丢锁的问题。"), "S0:116, S4:214", redlockAgainstFailover})
	Register(Claim{24, both("The more instances Redlock has, the less probable is the loss of the lock.", "Redlock 的实例越多，丢锁的概率越小。"), "S2:74", moreInstances})
	Register(Claim{25, both("Redlock needs at least five instances, and no replicas.", "Redlock 至少需要五个实例，而且不要副本。"), "S4:217", fiveInstances})
	Register(Claim{26, both("Redlock must check that acquiring took less time than the lock's time to live.", "Redlock 必须检查拿锁用的时间比锁的存活时间短。"), "S0:122-124, S4:223, S4:237-241", elapsedCheck})
}

// justQuorum lets A reach no more than a majority of the nodes, and then something
// happen to the last node of it: after that the others can find a majority, too.
func justQuorum(nodes int, fault string) []string {
	quorum := nodes/2 + 1
	return []string{
		fmt.Sprintf("at: 0s; partition: [[A], [%s]]; for: 9s", nodeNames(quorum+1, nodes)),
		"when: A enters; after: 100ms; " + strings.ReplaceAll(fault, "NODE", fmt.Sprintf("redis-%d", quorum)),
	}
}

// nodeNames lists the nodes with these numbers, both included.
func nodeNames(from, to int) string {
	var names []string
	for i := from; i <= to; i++ {
		names = append(names, fmt.Sprintf("redis-%d", i))
	}
	return strings.Join(names, ", ")
}

// redlockAgainstFailover puts Redlock through the faults that make the lock of one
// primary with a replica get lost, and through those that make nodes forget. True
// when no fault leads to two holders, false when one of the first kind does.
func redlockAgainstFailover(l *Lab) Result {
	const each = 20
	overlaps := func(lock string, faults ...string) int {
		return HowMany(l.Play(Story{Lock: lock, Work: "8s", Faults: faults}, each), (*Run).Overlapped)
	}
	single := HowMany(l.Play(Story{
		Lock: "set-nx-lua", Work: "8s", Faults: []string{"when: A enters; fail-over: operator"},
		Servers: "{redis: {replicas: 1, lag: 500ms, failover: {by: operator, after: 2s}}}",
	}, each), (*Run).Overlapped)
	dead := overlaps("redlock", "when: A enters; restart: redis-1; down: 20s", "when: A enters; restart: redis-2; down: 20s")
	split := overlaps("redlock", "at: 0s; partition: [[A, redis-1, redis-2], [B, C, redis-3, redis-4, redis-5]]; for: 25s")
	const restart = "restart: NODE; down: 500ms"
	forgets := overlaps("redlock", justQuorum(5, restart)...)
	clock := overlaps("redlock", justQuorum(5, "jump-clock: NODE; by: +12s")...)
	pause := overlaps("redlock", "when: A is in its critical section; pause: A; for: 15s")
	fsync := overlaps("redlock-fsync", justQuorum(5, restart)...)
	delayed := overlaps("redlock-delayed-restart", justQuorum(5, restart)...)
	return Result{
		Verdict: Split(dead+split == 0, dead+split+forgets+clock+pause == 0),
		Figure: both("Two holders in %d of %d runs with two dead nodes, %d with a split (a primary with a replica: %d in a failover); but %d when a node of the quorum restarts empty, %d when its clock jumps, %d in a pause. With fsync %d, with a delayed restart %d.",
			"两个节点死掉，%[2]d 次运行中有 %[1]d 次出现两个持有者，分区时 %[3]d 次（带副本的一个主节点，故障转移时 %[4]d 次）；但是多数里的一个节点重启后是空的，%[5]d 次，它的时钟跳变，%[6]d 次，停顿，%[7]d 次。用 fsync，%[8]d 次；延迟重启，%[9]d 次。",
			dead, each, split, single, forgets, clock, pause, fsync, delayed),
	}
}

// moreInstances lets every subset of the nodes forget, for N = 3, 5 and 7, and adds
// up the probabilities of the subsets that lead to two holders, if each node
// forgets with 10 %. True when that probability falls with N both when A holds all
// nodes and when it holds a bare majority, false when it falls in neither case.
func moreInstances(l *Lab) Result {
	sizes := []int{3, 5, 7}
	falls := func(bare bool) (bool, string) {
		var texts []string
		falling := true
		var last int64
		for i, n := range sizes {
			p := lossPPM(l, n, bare)
			falling = falling && (i == 0 || p < last)
			last = p
			texts = append(texts, percent(p))
		}
		return falling, strings.Join(texts, ", ")
	}
	all, allText := falls(false)
	bare, bareText := falls(true)
	var paused []string
	for _, n := range sizes {
		v := HowMany(l.Play(Story{
			Lock: "redlock", Servers: nodesOf(n), Clients: "[A, B]",
			Faults: []string{"when: A is in its critical section; pause: A; for: 15s"},
		}, 10), (*Run).Overlapped)
		paused = append(paused, fmt.Sprint(v))
	}
	return Result{
		Verdict: Split(all, all && bare),
		Figure: both("For N = 3, 5, 7, if each node forgets with 10 %%: %s while A holds all nodes, %s while it holds a bare majority; in a pause two hold in %s of 10 runs.",
			"N = 3、5、7，每个节点以 10 %% 的概率失忆：A 持有所有节点时 %s，只持有刚好多数时 %s；停顿时 10 次运行中有 %s 次两个持有。",
			allText, bareText, strings.Join(paused, ", ")),
	}
}

func nodesOf(n int) string { return fmt.Sprintf("{redlock: {nodes: %d}}", n) }

// lossPPM is the probability, in millionths, that two clients hold when each of n
// nodes restarts empty with 10 %: a sum over all subsets, each of which is played.
func lossPPM(l *Lab, n int, bare bool) int64 {
	var sum int64 // in units of 10^-n
	for subset := range 1 << n {
		story := Story{Lock: "redlock", Servers: nodesOf(n), Clients: "[A, B]", Work: "8s"}
		if bare {
			story.Faults = append(story.Faults, fmt.Sprintf("at: 0s; partition: [[A], [%s]]; for: 9s", nodeNames(n/2+2, n)))
		}
		weight := int64(1)
		for i := range n {
			if subset&(1<<i) == 0 {
				weight *= 9
				continue
			}
			story.Faults = append(story.Faults, fmt.Sprintf("when: A enters; after: 100ms; restart: redis-%d; down: 50ms", i+1))
		}
		if l.One(story).Overlapped() {
			sum += weight
		}
	}
	for ; n < 6; n++ {
		sum *= 10
	}
	for ; n > 6; n-- {
		sum /= 10
	}
	return sum
}

// percent prints millionths: "1.23 %".
func percent(ppm int64) string { return decimals(ppm, 10_000) + " %" }

// fiveInstances tests both halves. It takes more and more nodes away: five are needed when
// fewer cannot do with one node down, or let two clients in. And it lets a node that A's
// majority needs die, once for good, and once with a replica that takes its place, which is
// a node that is back at once with what the replica has: replicas do harm when only that lets two
// clients in. True when both halves hold, false when neither does.
func fiveInstances(l *Lab) Result {
	const each = 20
	dies := func(persistence, down string) int {
		return HowMany(l.Play(Story{
			Lock: "redlock", Work: "8s", Servers: "{redlock: {nodes: 5, persistence: " + persistence + "}}",
			Faults: justQuorum(5, "restart: NODE; down: "+down),
		}, each), (*Run).Overlapped)
	}
	alone, behind, inStep := dies("none", "60s"), dies("none", "500ms"), dies("always", "500ms")
	var parts []say.Both
	threeDo := false
	for _, n := range []int{1, 3, 5, 7} {
		down := 0
		for down < n && available(l, n, down+1) {
			down++
		}
		safe := available(l, n, 0)
		if n == 3 {
			threeDo = safe && down > 0
		}
		parts = append(parts, both("%d of %d", "%[2]d 个中 %[1]d 个", down, n))
	}
	return Result{
		Verdict: Split(!threeDo, alone == 0 && behind > 0),
		Figure: both("Five are not needed: without replicas, and with one holder at a time, the lock goes on with %s nodes down at most. Replicas do harm: when a node of A's majority dies, two hold in %d of %d runs if it stays away, in %d if a replica takes its place that has not heard of the lock, in %d if that has.",
			"不需要五个：没有副本、一次一个持有者时，最多倒下这么多节点锁还能用：%s。副本有害：A 的多数中有一个节点死掉，它不再回来时 %[3]d 次运行中有 %[2]d 次两个持有，由还没有得知锁的副本接替时 %[4]d 次，由已经得知的接替时 %[5]d 次。",
			joined(parts, ", "), alone, each, behind, inStep),
	}
}

// available reports whether three clients get the lock, one after the other, while
// some of the n nodes are down.
func available(l *Lab, n, down int) bool {
	story := Story{Lock: "redlock", Servers: nodesOf(n), Work: "1s", Wait: "15s"}
	for i := range down {
		story.Faults = append(story.Faults, fmt.Sprintf("at: 0s; restart: redis-%d; down: 60s", i+1))
	}
	runs := l.Play(story, 10)
	return HowMany(runs, func(r *Run) bool {
		for _, name := range []string{"A", "B", "C"} {
			if len(r.Holds(name)) == 0 {
				return false
			}
		}
		return !r.Overlapped()
	}) == len(runs)
}

// elapsedCheck plays Redlock with three ways of looking at the time that acquiring
// took: not at all, against the lease, and against the lease less a margin for the
// clocks. A's process pauses when all nodes have said yes. True when the check makes
// the difference.
func elapsedCheck(l *Lab) Result {
	const each = 20
	overlaps := func(accept acceptance, pause, drift string) int {
		v := locks.Variant{
			ID: "redlock-experiment", Store: locks.StoreRedisNodes, LeaseUnit: time.Millisecond,
			New: func(d locks.Deps) locks.Lock { return &voting{d, accept} },
		}
		return HowMany(l.PlayVariant(Story{
			Lock: "redlock", Clocks: "{A: {drift: " + drift + "}}",
			Faults: []string{"when: A has the reply of SET the 5th time; pause: A; for: " + pause},
		}, v, each), (*Run).Overlapped)
	}
	without, with := overlaps(acceptAlways, "12s", "0ppm"), overlaps(acceptWithin, "12s", "0ppm")
	bare, margin := overlaps(acceptWithin, "10020ms", "-5000ppm"), overlaps(acceptWithMargin, "10020ms", "-5000ppm")
	beyond := overlaps(acceptWithMargin, "10300ms", "-50000ppm")
	return Result{
		Verdict: Verdict(without > 0 && with == 0),
		Figure: both("After a pause of 12 s before the check two hold in %d of %d runs without it, in %d with it. With A's clock 0.5 %% slow: %d with a check against the bare lease, %d with one that leaves 1 %% for the clocks; at 5 %% slow the latter: %d.",
			"检查之前停顿 12 秒，不检查时 %[2]d 次运行中有 %[1]d 次两个持有，检查时 %[3]d 次。A 的时钟慢 0.5 %%：只和租约比较时 %[4]d 次，给时钟留 1 %% 时 %[5]d 次；慢 5 %% 时，后者 %[6]d 次。",
			without, each, with, bare, margin, beyond),
	}
}
