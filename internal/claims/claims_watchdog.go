package claims

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Claims about the watchdog that renews the lease while the holder works.

func init() {
	Register(Claim{5, both("A watchdog that renews the lease solves the problem of work that outlasts it.", "续期的看门狗解决了工作比租约还久的问题。"), "S0:91, S4:192", watchdogSolvesOverrun})
	Register(Claim{6, both("Redisson's lease is 30 s and its watchdog renews it every 10 s, a third of the lease.", "Redisson 的租约是 30 秒，看门狗每 10 秒续一次，也就是租约的三分之一。"), "S0:111, S1:341, S4:194", renewalPeriod})
	Register(Claim{7, both("The renewal happens whenever the TTL reads 20 s (40 s with a lease of 60 s).", "每当 TTL 读数为 20 秒（租约 60 秒时为 40 秒），就会续期。"), "S1:351-373", ttlAtRenewal})
	Register(Claim{8, both("After 30 s the watchdog no longer renews.", "30 秒之后看门狗不再续期。"), "S4:194", watchdogEnds})
	Register(Claim{9, both("The watchdog runs only when no lease time was given.", "只有没给租约时间时，看门狗才运行。"), "S4:194", watchdogWithoutLeaseTime})
	Register(Claim{20, both("Unlocking stops the watchdog.", "解锁会停掉看门狗。"), "S1:487-493", unlockStopsWatchdog})
}

// renewScript is what Redisson's renewals are called on the wire.
const renewScript = "renew"

// watchdogSolvesOverrun plays what can make work outlast a lease: the work is
// slow, the process freezes, the network is cut, the work hangs. True when no two
// clients hold at once and the lock never gets stuck, false when slow work is
// enough for an overlap.
func watchdogSolvesOverrun(l *Lab) Result {
	const each = 30
	var slow, rest int
	var parts []say.Both
	for _, lock := range []string{"redisson-3.12.3", "watchdog-lua"} {
		count := func(bad func(*Run) bool, work, fault string) int {
			return HowMany(l.Play(Story{Lock: lock, Work: work, Faults: []string{fault}}, each), bad)
		}
		s := count((*Run).Overlapped, "3s", "when: A enters; slow: A; by: 22s")
		g := count((*Run).Overlapped, "3s", "when: A is in its critical section; pause: A; for: 15s")
		p := count((*Run).Overlapped, "20s", "when: A is in its critical section; partition: [A, store]; for: 25s")
		h := count((*Run).Stuck, "3s", "when: A enters; hang: A")
		slow, rest = slow+s, rest+g+p+h
		parts = append(parts, both("%s: slow work %d, pause %d, partition %d, stuck behind a hung worker %d",
			"%s：工作慢 %d 次，停顿 %d 次，网络分区 %d 次，卡住的任务挡住别人 %d 次", lock, s, g, p, h))
	}
	return Result{
		Verdict: Split(slow == 0, slow+rest == 0),
		Figure:  both("Overlaps in %d runs each of %s.", "各 %d 次运行中两个持有者同时在里面的次数：%s。", each, joined(parts, "; ")),
	}
}

// renewalPeriod measures the time from one start of the lease to the next renewal,
// for several leases. True when it is a third of the lease and at most one tick of
// the timer, a hundredth of that third, more; round trips come on top. The lease is
// the story's, since every lock is asked for the same one.
func renewalPeriod(l *Lab) Result {
	var parts []say.Both
	holds := true
	for _, lock := range []string{"redisson-3.12.3", "redisson"} {
		for _, lease := range []time.Duration{15 * time.Second, 30 * time.Second, 60 * time.Second} {
			runs := l.Play(Story{
				Lock: lock, Clients: "[A]", Lease: lease.String(), Wait: "10s", Stagger: "0s",
				Workload: []string{"rest: 1s"}, Work: (2 * lease).String(),
			}, 10)
			least, most, n := spread(runs, renewalGaps)
			period := lease / 3
			holds = holds && n >= 5*len(runs) && least >= period && most <= period+period/100+roundTrips
			if lease == 30*time.Second {
				parts = append(parts, both("%s: %d renewals, each %s to %s after the lease began anew", "%s：续期 %d 次，都在租约重新开始之后 %s到 %s", lock, n, Seconds(least), Seconds(most)))
			}
		}
	}
	return Result{
		Verdict: Verdict(holds),
		Figure:  both("With the lease set to 30 s and one lock per client, %s.", "租约设为 30 秒、每个客户端一把锁，%s。", joined(parts, "; ")),
	}
}

// roundTrips is more than the messages between two renewals take.
const roundTrips = 10 * time.Millisecond

// renewalGaps are the times from each start of A's lease, as A knows it, to the
// next renewal: from the reply of the acquisition or of the last renewal to the
// sending of the next one.
func renewalGaps(r *Run) []time.Duration {
	var gaps []time.Duration
	var since history.Instant = -1
	for _, e := range r.History.Events {
		if r.Name(e.Node) != "A" {
			continue
		}
		switch e.Kind {
		case history.Acquired:
			since = e.At
		case history.Replied:
			if renewal := r.cause(e); renewal.Kind == history.Sent && r.Command(renewal) == renewScript {
				since = e.At
			}
		case history.Sent:
			if r.Command(e) == renewScript && since >= 0 {
				gaps = append(gaps, e.At.Sub(since))
			}
		case history.Releasing:
			return gaps
		}
	}
	return gaps
}

// spread returns the least and the greatest of all values, and their number.
func spread(runs []*Run, values func(*Run) []time.Duration) (least, most time.Duration, n int) {
	for _, r := range runs {
		for _, v := range values(r) {
			if n == 0 || v < least {
				least = v
			}
			most = max(most, v)
			n++
		}
	}
	return least, most, n
}

// ttlAtRenewal reads the entry's remaining time at the instant in which a renewal
// is executed. Undisturbed, Redis's TTL, which rounds to seconds, must always say
// two thirds of the lease; the claim is true when it does so after a pause of the
// process, too.
func ttlAtRenewal(l *Lab) Result {
	var parts []say.Both
	holds := true
	for _, lease := range []time.Duration{30 * time.Second, 60 * time.Second} {
		runs := l.Play(Story{
			Lock: "redisson-3.12.3", Lease: lease.String(), Clients: "[A]", Work: (4 * lease).String(),
		}, 10)
		least, most, n := spread(runs, remainders)
		want := 2 * lease / 3
		holds = holds && n > 0 && ttl(least) == want && ttl(most) == want
		parts = append(parts, both("PTTL %s to %s in %d renewals of a lease of %s", "租约 %[4]s的 %[3]d 次续期中，PTTL 为 %[1]s到 %[2]s", Seconds(least), Seconds(most), n, Seconds(lease)))
	}
	paused := l.Play(Story{
		Lock: "redisson-3.12.3", Lease: "30s", Clients: "[A]", Work: "20s",
		Faults: []string{"when: A is in its critical section; after: 8s; pause: A; for: 5s"},
	}, 10)
	least, most, n := spread(paused, remainders)
	disturbed := n == 0 || ttl(least) != 20*time.Second || ttl(most) != 20*time.Second
	return Result{
		Verdict: Split(holds, holds && !disturbed),
		Figure:  both("%s; with the process paused from 8 to 13 s, PTTL %s.", "%s；进程从第 8 秒停到第 13 秒时，PTTL 为 %s。", joined(parts, ", "), Seconds(least)),
	}
}

// ttl is what the command TTL says of a remaining time: seconds, rounded.
func ttl(d time.Duration) time.Duration { return d.Round(time.Second) }

// remainders are what was left of the entry's time at each of A's renewals.
func remainders(r *Run) []time.Duration {
	var out []time.Duration
	var ends history.Instant
	for _, e := range r.History.Events {
		if e.Kind == history.Extended && r.Name(e.Peer) == "A" && r.Command(r.cause(e)) == renewScript {
			out = append(out, ends.Sub(e.At))
		}
		if e.Kind == history.Granted || e.Kind == history.Extended {
			ends = e.At.Add(time.Duration(e.Value))
		}
	}
	return out
}

// watchdogEnds holds the lock for ten leases. True when no renewal comes after the
// first 30 s.
func watchdogEnds(l *Lab) Result {
	runs := l.Play(Story{Lock: "redisson-3.12.3", Lease: "30s", Clients: "[A, B]", Wait: "400s", Work: "300s"}, 5)
	late, n, expired := 0, 0, 0
	var last time.Duration
	for _, r := range runs {
		start := r.Holds("A")[0].Start
		expired += r.Count(history.Expired, "")
		for _, e := range r.Commands("A", renewScript) {
			n++
			held := e.At.Sub(start)
			last = max(last, held)
			if held > 30*time.Second {
				late++
			}
		}
	}
	return Result{
		Verdict: Verdict(n > 0 && late == 0),
		Figure: both("Held for 300 s, the lock was renewed %d times in %d runs, the last time %s after it had been acquired; it expired %d times.",
			"持有 300 秒，%[2]d 次运行中锁续期 %[1]d 次，最后一次在拿到之后 %[3]s；它过期了 %[4]d 次。",
			n, len(runs), Seconds(last), expired),
	}
}

// watchdogWithoutLeaseTime holds the lock for two leases. True when it is renewed
// without a lease time and never with one.
func watchdogWithoutLeaseTime(l *Lab) Result {
	count := func(lock string) (renewals, overlaps int) {
		runs := l.Play(Story{Lock: lock, Work: "20s", Clients: "[A, B]"}, 20)
		for _, r := range runs {
			renewals += len(r.Commands("", renewScript))
		}
		return renewals, HowMany(runs, (*Run).Overlapped)
	}
	without, safe := count("redisson")
	with, overlaps := count("redisson-lease")
	return Result{
		Verdict: Verdict(without > 0 && with == 0),
		Figure: both("20 s of work on a lease of 10 s: %d renewals in 20 runs without a lease time (overlaps in %d), %d with one (overlaps in %d).",
			"租约 10 秒，工作 20 秒：不给租约时间，20 次运行中续期 %d 次（两个同时在里面 %d 次），给了，%d 次（%d 次）。",
			without, safe, with, overlaps),
	}
}

// unlockStopsWatchdog lets A rest for three leases after its release, once with a
// reply and once cut off, so that the release ends with an error. True when there
// were renewals before and none after.
func unlockStopsWatchdog(l *Lab) Result {
	story := Story{Lock: "redisson-3.12.3", Work: "8s", Clients: "[A, B]", Workload: []string{"rest: 30s"}}
	clean := l.Play(story, 20)
	story.Faults = []string{"when: A releases; partition: [A, store]; for: 40s"}
	cut := l.Play(story, 20)
	before, after := renewalsAround(clean, history.Released)
	beforeCut, afterCut := renewalsAround(cut, history.ReleaseFailed)
	var longest time.Duration
	for _, r := range cut {
		wait := r.Holds("B")[0].Start.Sub(r.Holds("A")[0].End)
		longest = max(longest, wait)
	}
	return Result{
		Verdict: Verdict(before > 0 && beforeCut > 0 && after == 0 && afterCut == 0),
		Figure: both("Renewals after the release: %d (%d before) when it succeeded, %d (%d before) when it failed; B then waited %s at most, with a lease of 10 s.",
			"释放之后的续期：释放成功时 %d 次（之前 %d 次），失败时 %d 次（之前 %d 次）；之后 B 最多等 %s，租约为 10 秒。",
			after, before, afterCut, beforeCut, Seconds(longest)),
	}
}

// renewalsAround counts A's renewals before and after its first event of a kind.
func renewalsAround(runs []*Run, kind history.Kind) (before, after int) {
	for _, r := range runs {
		end, ok := r.First(kind, "A")
		if !ok {
			continue
		}
		for _, e := range r.Commands("A", renewScript) {
			if e.At < end.At {
				before++
			} else {
				after++
			}
		}
	}
	return before, after
}
