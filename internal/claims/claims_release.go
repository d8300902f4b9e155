package claims

import (
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Claims about the release: whose entry it removes.

func init() {
	Register(Claim{3, both("If the work outlasts the lease, the first holder's DEL removes the second one's lock, and a third client enters beside the second.", "工作比租约还久，第一个持有者的 DEL 就删掉第二个的锁，第三个客户端进到第二个旁边。"), "S0:68, S2:27-33, S4:50-54, S4:152-156", overrunThenDelete})
	Register(Claim{4, both("A unique value that the client compares before its DEL keeps it from releasing another client's lock.", "客户端在 DEL 之前比较一个唯一的值，就不会放掉别人的锁。"), "S0:68-89, S4:58, S4:158", compareInTheClient})
	Register(Claim{12, both("A stop-the-world pause between the comparison and the DEL removes another client's lock.", "比较和 DEL 之间发生全局停顿，会删掉别人的锁。"), "S1:96-104", pauseBeforeDelete})
	Register(Claim{13, both("Comparing and deleting in one Lua script closes the gap between the two.", "在一个 Lua 脚本里比较并删除，就没有了两者之间的空当。"), "S1:111, S2:46, S4:177", compareInTheServer})
	Register(Claim{15, both("Storing a constant such as OK as the lock's value is wrong.", "拿 OK 这样的常量当锁的值是错的。"), "S1:131", constantValue})
}

// overrun is work that outlasts the lease while somebody else waits: A's from 0 to
// 13 s, the next holder's from 10 s on.
var overrun = []string{"when: A enters; slow: A; by: 7s"}

// overrunThenDelete lets A overrun its lease. True when in all runs A's command
// removes the next holder's key and a third client acquires before that one is
// done.
func overrunThenDelete(l *Lab) Result {
	runs := l.Play(Story{Lock: "set-nx-ex-del", Work: "6s", Faults: overrun}, 50)
	robbed, joined, most := 0, 0, 0
	for _, r := range runs {
		at, victim, ok := robbery(r, "A")
		if !ok {
			continue
		}
		robbed++
		holders := holdersAfter(r, at, victim)
		most = max(most, holders)
		if holders == 2 {
			joined++
		}
	}
	return Result{
		Verdict: Verdict(robbed == len(runs) && joined == len(runs)),
		Figure: both("A's DEL removed the next holder's key in %d of %d runs, and a third client then held the lock beside it in %d; at most %d held at once after A had left.",
			"A 的 DEL 删掉下一个持有者的键，%[2]d 次运行中有 %[1]d 次，然后第三个客户端和它同时持有，%[3]d 次；A 离开之后，最多 %[4]d 个同时持有。",
			robbed, len(runs), joined, most),
	}
}

// robbery finds the first removal of somebody else's entry by a client.
func robbery(r *Run, by string) (at history.Instant, victim history.NodeID, ok bool) {
	for _, e := range r.Events(history.Removed, "") {
		if r.Name(e.Peer) == by && e.Owner != 0 && e.Owner != e.Peer {
			return e.At, e.Owner, true
		}
	}
	return 0, 0, false
}

// holdersAfter returns how many clients at most hold at once, after an instant and
// as long as a certain client's present hold goes on, that client included.
func holdersAfter(r *Run, at history.Instant, victim history.NodeID) int {
	holds := r.Holds("")
	most := 0
	for _, own := range holds {
		if own.Client != victim || own.Start > at || own.End <= at {
			continue
		}
		most = 1
		for _, other := range holds {
			if other.Client != victim && other.Start > at && other.Start < own.End {
				most++
			}
		}
	}
	return most
}

// compareInTheClient lets A overrun its lease with and without a gap in its
// release. True when it never robs anybody, false when it does without a gap.
func compareInTheClient(l *Lab) Result {
	plain := HowMany(l.Play(Story{Lock: "set-nx-token-getdel", Work: "6s", Faults: overrun}, 100), (*Run).Robbed)
	const each = 150
	gaps := []string{"500ms", "1s", "2s", "4s"}
	var counts []say.Both
	inGap := 0
	for _, gap := range gaps {
		// The work ends anywhere within 4 s before and 6 s after the lease.
		runs := l.PlayMissing(Story{
			Lock: "set-nx-token-getdel", Work: "6s..16s", Clients: "[A, B]",
			Faults: []string{"when: A is about to send DEL; pause: A; for: " + gap},
		}, each)
		n := HowMany(runs, func(r *Run) bool { _, _, robbed := robbery(r, "A"); return robbed })
		inGap += n
		counts = append(counts, both("%d (%s)", "%d（%s）", n, gap))
	}
	return Result{
		Verdict: Split(plain == 0, inGap == 0),
		Figure: both("Foreign keys removed in %d of 100 runs by a plain overrun; with a pause between GET and DEL, of %d runs each: %s.",
			"只是超过租约，100 次运行中有 %d 次删掉别人的键；GET 和 DEL 之间停顿，各 %d 次运行中：%s。",
			plain, each, joined(counts, ", ")),
	}
}

// pauseBeforeDelete freezes A for longer and longer between the two commands of
// its release. True when A robs the next holder exactly if the lease ends within
// the pause.
func pauseBeforeDelete(l *Lab) Result {
	const each = 25
	frozen := func(pause string) int {
		runs := l.Play(Story{
			Lock: "set-nx-token-getdel", Work: "9s",
			Faults: []string{"when: A is about to send DEL; pause: A; for: " + pause},
		}, each)
		return HowMany(runs, func(r *Run) bool { _, _, robbed := robbery(r, "A"); return robbed })
	}
	short, long := frozen("500ms"), frozen("2s")+frozen("5s")
	return Result{
		Verdict: Verdict(long == 2*each && short == 0),
		Figure: both("The comparison at 9 s of a lease of 10 s: A removed another client's key in %d of %d runs after a pause of 2 s or 5 s, in %d of %d after 0.5 s.",
			"租约 10 秒，在第 9 秒比较：停顿 2 秒或 5 秒之后，%[2]d 次运行中有 %[1]d 次 A 删掉别人的键；停顿 0.5 秒之后，%[4]d 次中有 %[3]d 次。",
			long, 2*each, short, each),
	}
}

// compareInTheServer shifts each command of the release to before, at and after the
// end of the lease: by a pause before it is sent, and by a slow network. True when
// the script never removes a foreign entry and the same shifts do make the two
// commands remove one: otherwise the experiment would have tested nothing.
func compareInTheServer(l *Lab) Result {
	script, scriptRuns := shiftedRelease(l, "set-nx-lua", "unlock")
	two, twoRuns := shiftedRelease(l, "set-nx-token-getdel", "DEL")
	literal := l.One(Story{Lock: "lit-lua-s2"})
	reply := "none"
	if sent := literal.Commands("A", "unlock"); len(sent) > 0 {
		if e, ok := literal.ReplyTo(sent[0]); ok {
			reply = literal.Text(e)
		}
	}
	return Result{
		Verdict: Verdict(script == 0 && two > 0),
		Figure: both("Foreign keys removed in %d of %d interleavings by the script, in %d of %d by GET and DEL. The script as S2 prints it is answered with: %s.",
			"各种交错中删掉别人的键：用脚本 %[2]d 种中有 %[1]d 种，用 GET 和 DEL %[4]d 种中有 %[3]d 种。照 S2 印的脚本，答复是：%[5]s。",
			script, scriptRuns, two, twoRuns, reply),
	}
}

// shiftedRelease counts the interleavings in which a command of A's release, sent
// at 9.5 s of a lease of 10 s, removes another client's entry.
func shiftedRelease(l *Lab, lock, command string) (robbed, of int) {
	for shift := 100 * time.Millisecond; shift <= 1500*time.Millisecond; shift += 50 * time.Millisecond {
		for _, how := range []string{"pause: A; for: %s", "delay: request; by: %s"} {
			fault := "when: A is about to send " + command + "; " + fmt.Sprintf(how, shift)
			r := l.One(Story{Lock: lock, Work: "9500ms", Clients: "[A, B]", Faults: []string{fault}})
			of++
			if _, _, is := robbery(r, "A"); is {
				robbed++
			}
		}
	}
	return robbed, of
}

// constantValue gives the same overrun to two locks that differ in their value
// only. True when the constant lets A rob the next holder and the unique value
// does not.
func constantValue(l *Lab) Result {
	count := func(lock string) int {
		return HowMany(l.Play(Story{Lock: lock, Work: "6s", Faults: overrun}, 50), (*Run).Robbed)
	}
	constant, unique := count("set-nx-lua-const"), count("set-nx-lua")
	return Result{
		Verdict: Verdict(constant > 0 && unique == 0),
		Figure: both("With the same script and the same overrun a foreign key is removed in %d of 50 runs with a constant value, in %d of 50 with a unique one.",
			"同样的脚本、同样超过租约，值是常量时 50 次运行中有 %d 次删掉别人的键，值唯一时 50 次中有 %d 次。", constant, unique),
	}
}
