package claims

import (
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Claims about clocks.

func init() {
	Register(Claim{34, both("A lock whose value is a local time fails when the clocks of the application servers differ.", "以本地时间为值的锁，在应用服务器的时钟不一致时会失效。"), "S3:2", clocksDiffer})
}

// clocksDiffer sets B's clock ahead by more and more. True when every difference
// makes two holders, false when none does, depends when some do.
func clocksDiffer(l *Lab) Result {
	// A works for 5 s of its 10 s, so 5 s of the lease are left at its release.
	const each, work = 10, "5s"
	count := func(lock, skew string) int {
		return HowMany(l.Play(Story{Lock: lock, Clients: "[A, B]", Work: work, Clocks: "{B: {offset: " + skew + "}}"}, each), (*Run).Overlapped)
	}
	locks := []string{"setnx-timestamp-del", "setnx-timestamp-getset"}
	ahead := []string{"+1s", "+3s", "+4500ms", "+5500ms", "+7s", "+12s"}
	calm, server, bad := 0, 0, 0
	var rates []say.Both
	for _, skew := range ahead {
		n := 0
		for _, lock := range locks {
			n += count(lock, skew)
		}
		if n > 0 {
			bad++
		}
		rates = append(rates, both("%d at %s", "%[2]s 时 %[1]d 次", n, skew))
		server += count("set-nx-lua", skew)
	}
	for _, lock := range locks {
		calm += count(lock, "0s") + count(lock, "-12s")
	}
	verdict := Depends
	switch {
	case bad == 0 || calm > 0:
		verdict = False
	case bad == len(ahead):
		verdict = True
	}
	return Result{
		Verdict: verdict,
		Figure: both("With B's clock ahead of A's and 5 s of the lease left at A's release, two holders of %d runs in %s; the first difference to do it, in steps of 100 ms, is %s, with work of 2 s %s. With equal clocks or B's behind: %d of %d; a lock that the server expires: %d of %d. After a crash of A the other gets in after %s; with A's clock 12 s ahead, after %s.",
			"B 的时钟比 A 的快、A 释放时租约还剩 5 秒，%d 次运行中出现两个持有者的次数：%s；以 100 毫秒为步长，最先出问题的差是 %s，工作 2 秒时是 %s。时钟一致或 B 的慢：%[6]d 次中有 %[5]d 次；由服务器来过期的锁：%[8]d 次中有 %[7]d 次。A 崩溃之后，另一个过 %[9]s 进来；A 的时钟快 12 秒时，过 %[10]s。",
			len(locks)*each, joined(rates, ", "), l.leastSkew("5s"), l.leastSkew("2s"), calm, 2*len(locks)*each, server, each*len(ahead),
			Seconds(l.afterCrash("0s")), Seconds(l.afterCrash("+12s"))),
	}
}

// leastSkew finds the smallest lead of B's clock, in steps of 100 ms, that makes
// two holders.
func (l *Lab) leastSkew(work string) say.Both {
	for skew := 100 * time.Millisecond; skew < 12*time.Second; skew += 100 * time.Millisecond {
		r := l.One(Story{
			Lock: "setnx-timestamp-getset", Clients: "[A, B]", Work: work, Latency: "1ms",
			Clocks: fmt.Sprintf("{B: {offset: +%dms}}", skew.Milliseconds()),
		})
		if r.Overlapped() {
			return Seconds(skew)
		}
	}
	return none
}

// afterCrash is how long after A's crash B gets the lock, with A's clock ahead.
func (l *Lab) afterCrash(ahead string) time.Duration {
	r := l.One(Story{
		Lock: "setnx-timestamp-getset", Clients: "[A, B]", Clocks: "{A: {offset: " + ahead + "}}",
		Faults: []string{"when: A is in its critical section; crash: A"},
	})
	died, _ := r.First(history.Crashed, "A")
	in, ok := r.First(history.Acquired, "B")
	if !ok {
		l.Fail("B never acquired")
	}
	return in.At.Sub(died.At)
}
