package claims

import (
	"lockstep/internal/history"
)

// Claims about expiry: what becomes of a lock whose holder is gone.

func init() {
	Register(Claim{1, both("If the holder crashes before its DEL, a lock without expiry is never free again.", "持有者在 DEL 之前崩溃，没有存活时间的锁就再也不会空出来。"), "S0:28", crashWithoutExpiry})
	Register(Claim{2, both("SETNX and EXPIRE are two steps: if the second one does not happen, the lock stays for ever.", "SETNX 和 EXPIRE 是两步：第二步没有发生，锁就永远留着。"), "S0:49, S4:134", crashBeforeExpire})
	Register(Claim{14, both("A lock without expiry ends in a deadlock when its holder's machine goes down before the release.", "持有者的机器在释放之前倒下，没有存活时间的锁就是死锁。"), "S1:117-121", expiryAgainstDeadlock})
}

// crashWithoutExpiry kills the holder of a lock without expiry. True when the lock
// stays unavailable in all runs and its key really had no expiry.
func crashWithoutExpiry(l *Lab) Result {
	runs := l.Play(Story{Lock: "setnx", Faults: []string{"when: A is in its critical section; crash: A"}}, 50)
	stuck := HowMany(runs, (*Run).Stuck)
	expiring := HowMany(runs, func(r *Run) bool {
		granted, ok := r.First(history.Granted, "")
		return ok && granted.Value > 0
	})
	return Result{
		Verdict: Verdict(stuck == len(runs) && expiring == 0),
		Figure: both("setnx: unavailable for 10 leases in %d of %d runs; the key had an expiry in %d.",
			"setnx：%[2]d 次运行中有 %[1]d 次在 10 个租约里一直拿不到；键带存活时间的有 %[3]d 次。", stuck, len(runs), expiring),
	}
}

// crashBeforeExpire kills the client at each point around the gap, and has EXPIRE
// fail for a client that lives on. True when the lock is stuck exactly if EXPIRE
// did not happen.
func crashBeforeExpire(l *Lab) Result {
	stuckAfter := func(lock string, faults ...string) int {
		return HowMany(l.Play(Story{Lock: lock, Faults: faults}, 20), (*Run).Stuck)
	}
	gap := 0
	points := []string{"has SETNX executed", "has the reply of SETNX", "is about to send EXPIRE"}
	for _, at := range points {
		gap += stuckAfter("setnx-expire", "when: A "+at+"; crash: A")
	}
	failed := stuckAfter("setnx-expire", "when: A is about to send EXPIRE; drop: request")
	after := stuckAfter("setnx-expire", "when: A has EXPIRE executed; crash: A")
	single := stuckAfter("set-nx-ex-del", "when: A has SET executed; crash: A")
	in := 20 * len(points)
	return Result{
		Verdict: Verdict(gap == in && failed == 20 && after == 0),
		Figure: both("Stuck in %d of %d runs with a crash between the two, in %d of 20 with EXPIRE lost on its way, in %d of 20 with a crash after EXPIRE; with SET NX EX in %d of 20.",
			"两者之间崩溃，%[2]d 次运行中卡住 %[1]d 次；EXPIRE 在路上丢失，20 次中 %[3]d 次；EXPIRE 之后崩溃，20 次中 %[4]d 次；用 SET NX EX，20 次中 %[5]d 次。",
			gap, in, failed, after, single),
	}
}

// expiryAgainstDeadlock crashes the holder at several moments, of a lock without
// expiry and of its twin with one. True when the first is always stuck and the
// second never.
func expiryAgainstDeadlock(l *Lab) Result {
	moments := []string{"acquires", "is in its critical section", "is about to write", "is about to send DEL"}
	const each = 10
	var without, with int
	for _, m := range moments {
		crash := []string{"when: A " + m + "; crash: A"}
		without += HowMany(l.Play(Story{Lock: "setnx", Faults: crash}, each), (*Run).Stuck)
		with += HowMany(l.Play(Story{Lock: "set-nx-ex-del", Faults: crash}, each), (*Run).Stuck)
	}
	all := each * len(moments)
	return Result{
		Verdict: Verdict(without == all && with == 0),
		Figure: both("A crash at one of %d moments: stuck in %d of %d runs without an expiry, in %d of %d with one.",
			"在 %d 个时刻之一崩溃：没有存活时间时 %[3]d 次运行中卡住 %[2]d 次，有存活时间时 %[5]d 次中卡住 %[4]d 次。", len(moments), without, all, with, all),
	}
}
