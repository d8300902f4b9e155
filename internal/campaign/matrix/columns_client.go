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
			name:   of(both("A dies when the store has executed "+c, "存储执行完 "+c+" 时 A 死掉"), i, n),
			faults: []string{s.inAcquire("A", "has %s executed", i) + "; crash: A"},
		})
		if i < n-1 {
			out = append(out, sketch{
				name:   of(both("A dies when it has the reply of "+c, "A 收到 "+c+" 的回复时死掉"), i, n),
				faults: []string{s.inAcquire("A", "has the reply of %s", i) + "; crash: A"},
			})
		}
	}
	for i := range len(s.Release) - 1 {
		out = append(out, sketch{
			name:   of(both("A dies in its release, when it has the reply of "+s.Release[i], "A 释放时收到 "+s.Release[i]+" 的回复就死掉"), i, len(s.Release)),
			faults: []string{s.inRelease("has the reply of %s", i) + "; crash: A"},
		})
	}
	if s.clears() {
		out = append(out, sketch{
			name: both("A dies when the store has executed "+s.Acquire[0], "存储执行完 "+s.Acquire[0]+" 时 A 死掉").And(lateDelName), work: "5s",
			faults: []string{s.inAcquire("A", "has %s executed", 0) + "; crash: A", lateDel},
		})
	}
	out = append(out, sketch{
		name: both("A dies while it waits behind B", "A 排在 B 后面等待时死掉"), clients: "[B, A]",
		faults: []string{s.inAcquire("A", "has %s executed", n-1) + "; crash: A"},
	})
	return out
}

// clears reports whether the lock may clear away by DEL what a dead client has left.
func (s subject) clears() bool { return slices.Contains(s.Release, "DEL") }

// lateDel is a fault for a lock that clears: meanwhile others clear, too.
const lateDel = "when: any client is about to send DEL; delay: request; by: 2s"

func crashHolding(s subject) []sketch { return holderDies(s, both("A dies", "A 死掉"), "crash: A") }

func hostLoss(s subject) []sketch {
	const fault = "lose-host: A"
	return append(holderDies(s, both("A is lost with its host", "A 连同主机一起失联"), fault), sketch{
		name: both("A is lost with its host while it waits behind B", "A 排在 B 后面等待时连同主机一起失联"), clients: "[B, A]",
		faults: []string{s.inAcquire("A", "has %s executed", len(s.Acquire)-1) + "; " + fault},
	})
}

// holderDies are the scripts in which A dies while it holds, by the fault that is called
// what.
func holderDies(s subject, what say.Both, verb string) []sketch {
	fault := "when: A is in its critical section; " + verb
	out := []sketch{{name: what.And(both(" in its critical section", "，在临界区里")), faults: []string{fault}}}
	if s.clears() {
		out = append(out, sketch{
			name: what.And(lateDelName), work: "5s",
			faults: []string{fault, lateDel},
		})
	}
	out = append(out,
		sketch{name: what.And(both(", and the others try in step", "，别人步调一致地尝试")), latency: "1ms..20ms", workload: []string{"retry: 100ms"}, clients: "[A, B, C, D, E]", faults: []string{fault}},
	)
	if s.Renews {
		out = append(out, sketch{
			name: what.And(both(" after a renewal", "，在一次续期之后")), work: "15s", faults: []string{"when: A renews; " + verb},
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
		{name: both("A freezes in its critical section", "A 在临界区里冻结"), work: "5s", faults: []string{"when: A is in its critical section; pause: A; for: " + long}},
		{name: both("A freezes when its acquire has returned", "A 一拿到锁就冻结"), faults: []string{"when: A acquires; pause: A; for: 15s"}},
	}
	out = append(out, sketch{
		name: both("A freezes for five leases", "A 冻结五个租约"), faults: []string{"when: A is in its critical section; pause: A; for: 50s"},
	})
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name:   of(both("A freezes when it has the reply of "+c, "A 收到 "+c+" 的回复时冻结"), i, len(s.Acquire)),
			faults: []string{s.inAcquire("A", "has the reply of %s", i) + "; pause: A; for: 15s"},
		})
	}
	return out
}

func pauseInRelease(s subject) []sketch {
	var out []sketch
	for i, c := range s.Release {
		out = append(out, sketch{
			name:   of(both("A freezes before it sends "+c+" in its release", "A 释放时正要发 "+c+" 就冻结"), i, len(s.Release)),
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
		name: both("A freezes before it sends "+s.Release[last]+" in its release, and wakes while B works", "A 释放时正要发 "+s.Release[last]+" 就冻结，在 B 工作时醒来"), work: "5s",
		faults: []string{s.inRelease("is about to send %s", last) + "; pause: A; for: 6s"},
	})
}

func slowTask(subject) []sketch {
	return []sketch{
		{name: both("A works 11 s longer", "A 的工作多用 11 秒"), faults: []string{"when: A enters; slow: A; by: 11s"}},
		{name: both("A works 15 s longer", "A 的工作多用 15 秒"), faults: []string{"when: A enters; slow: A; by: 15s"}},
	}
}

func hungWorker(subject) []sketch {
	return []sketch{{name: both("the work of A hangs for ever", "A 的工作永远卡住"), faults: []string{"when: A enters; hang: A"}}}
}
