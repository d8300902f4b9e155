package claims

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/history"
)

// Claims about the primary's death and about what survives it.

func init() {
	Register(Claim{21, both("If the primary dies before its replica has heard of the lock, a second client gets the lock from the new primary beside the first.", "主节点在副本得知锁之前死掉，第二个客户端就从新的主节点拿到锁，与第一个并存。"), "S0:114, S4:206-210", failoverBeforeReplication})
	Register(Claim{22, both("A failover loses the lock if the data was not persisted during the switch.", "切换期间数据没有持久化，故障转移就会丢锁。"), "S2:57", failoverAndPersistence})
}

// failoverBeforeReplication lets the primary die at twenty instants within a second
// after the grant, with several replication lags. True when, with a promotion
// while A still works, two clients hold exactly in those runs in which the replica
// had not heard of the lock.
func failoverBeforeReplication(l *Lab) Result {
	const instants = 20
	sweep := func(lag, promotion string) (overlaps, lost, agree int) {
		for i := range instants {
			after := time.Duration(25+50*i) * time.Millisecond
			r := l.One(Story{
				Lock: "set-nx-lua", Work: "8s", Clients: "[A, B]",
				Servers: fmt.Sprintf("{redis: {replicas: 1, lag: %s, failover: {by: operator, after: %s}}}", lag, promotion),
				Faults:  []string{fmt.Sprintf("when: A enters; after: %s; fail-over: operator", after)},
			})
			unheard := !replicatedInTime(r)
			overlaps, lost = overlaps+count(r.Overlapped()), lost+count(unheard)
			agree += count(unheard == r.Overlapped())
		}
		return overlaps, lost, agree
	}
	var parts []string
	var lost, agree, runs int
	for _, lag := range []string{"100ms", "400ms", "800ms"} {
		v, n, a := sweep(lag, "2s")
		lost, agree, runs = lost+n, agree+a, runs+instants
		parts = append(parts, fmt.Sprintf("%d (%s)", v, lag))
	}
	late, _, _ := sweep("800ms", "12s")
	return Result{
		Verdict: Verdict(lost > 0 && agree == runs),
		Figure: both("The primary dies within a second of the grant: two holders in %s of %d runs each, by the replication lag; in %d when the promotion comes after the work of 8 s.",
			"主节点在授予后一秒内死掉：按复制延迟，%[2]d 次运行中出现两个持有者的次数为 %[1]s；提升在 8 秒的工作之后才来时，%[3]d 次。",
			strings.Join(parts, ", "), instants, late),
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// replicatedInTime reports whether a replica had applied A's entry when it was
// promoted.
func replicatedInTime(r *Run) bool {
	for _, e := range r.History.Events {
		switch {
		case e.Kind == history.Replicated && r.Name(e.Owner) == "A":
			return true
		case e.Kind == history.Promoted:
			return false
		}
	}
	return false
}

// failoverAndPersistence lets the primary die, with every write on its disk and
// with none, before and after the replication of the lock; and restarts it without a
// failover. True when persistence saves the lock in the failover.
func failoverAndPersistence(l *Lab) Result {
	const each = 20
	overlaps := func(persistence, fault string) int {
		return HowMany(l.Play(Story{
			Lock: "set-nx-lua", Work: "8s", Faults: []string{fault},
			Servers: "{redis: {replicas: 1, lag: 500ms, failover: {by: operator, after: 2s}, persistence: " + persistence + "}}",
		}, each), (*Run).Overlapped)
	}
	const early, late = "when: A enters; fail-over: operator", "when: A enters; after: 2s; fail-over: operator"
	const restart = "when: A is in its critical section; restart: the primary; down: 500ms"
	none, always := overlaps("none", early), overlaps("always", early)
	return Result{
		Verdict: Verdict(none > 0 && always == 0),
		Figure: both("Two holders in %d of %d failovers with every write on disk and in %d of %d with none before the replication, in %d and %d after it; by a restart without a failover in %d and %d.",
			"复制之前故障转移，每次写入都落盘时 %[2]d 次中有 %[1]d 次出现两个持有者，不落盘时 %[4]d 次中有 %[3]d 次；复制之后，%[5]d 次和 %[6]d 次；只重启、没有故障转移，%[7]d 次和 %[8]d 次。",
			always, each, none, each, overlaps("always", late), overlaps("none", late), overlaps("always", restart), overlaps("none", restart)),
	}
}
