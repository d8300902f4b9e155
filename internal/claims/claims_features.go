package claims

import (
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Claims about the features that a lock should have.

func init() {
	Register(Claim{31, both("SETNX meets all six demands on a distributed lock.", "SETNX 满足对分布式锁的全部六项要求。"), "S2:9-16", sixDemands})
	Register(Claim{35, both("A script that sets the key and its expiry is atomic and fast enough.", "同时设键和存活时间的脚本是原子的，而且够快。"), "S3:3", scriptForBoth})
	Register(Claim{36, both("Without re-entrancy a holder that takes the lock again deadlocks.", "没有可重入，再次拿锁的持有者就会死锁。"), "S4:68", holderAsksAgain})
}

// sixDemands tests each demand by itself. True when all are met.
func sixDemands(l *Lab) Result {
	const lock, each = "setnx", 20
	never := func(is func(*Run) bool, runs []*Run) bool { return HowMany(runs, is) == 0 }
	calm := l.Play(Story{Lock: lock, Workload: []string{"repeat: 3 times"}}, each)
	failover := l.Play(Story{
		Lock: lock, Work: "5s", Servers: "{redis: {replicas: 1, lag: 500ms}}", Faults: []string{"when: A enters; fail-over: operator"},
	}, each)
	again := l.Play(Story{Lock: lock, Clients: "[A]", Workload: []string{"nested: 1"}}, each)
	crash := l.Play(Story{Lock: lock, Faults: []string{"when: A is in its critical section; crash: A"}}, each)
	cost := l.Cost(Story{Lock: lock})
	slowestNo := time.Duration(0)
	for _, r := range calm {
		for _, q := range Only(r.Requests(""), "SETNX") {
			if q.Reply == "(integer) 0" {
				slowestNo = max(slowestNo, q.Took())
			}
		}
	}
	demands := []struct {
		name say.Both
		met  bool
	}{
		{both("one holder at a time", "一次一个持有者"), never((*Run).Overlapped, calm)},
		{both("available and right after the loss of a server", "失去一台服务器之后可用而且正确"), never((*Run).Overlapped, failover) && never((*Run).Stuck, failover)},
		{both("fast, with one request each to acquire and to release", "快，拿锁和释放各一个请求"), cost.Requests <= 2000},
		{both("re-entrant", "可重入"), HowMany(again, func(r *Run) bool { return r.Count(history.Reentered, "A") > 0 }) == each},
		{both("freed after a crash", "崩溃之后空出来"), never((*Run).Stuck, crash)},
		{both("an answer at once when the lock is held", "锁被占着时立刻答复"), slowestNo > 0 && slowestNo <= 4*time.Millisecond},
	}
	var met, missed []say.Both
	for _, d := range demands {
		if d.met {
			met = append(met, d.name)
		} else {
			missed = append(missed, d.name)
		}
	}
	return Result{
		Verdict: Verdict(len(missed) == 0),
		Figure: both("Met, %d of 6: %s; not met: %s. Overlaps in %d of %d failovers, stuck after %d of %d crashes, %s requests per acquisition and release, a refusal after %s at most.",
			"满足 6 项中的 %d 项：%s；不满足：%s。%[5]d 次故障转移中有 %[4]d 次两个持有者同时在里面，%[7]d 次崩溃中有 %[6]d 次之后卡住，每次拿锁加释放 %[8]s 个请求，拒绝最多用 %[9]s。",
			len(met), listed(met), listed(missed), HowMany(failover, (*Run).Overlapped), each,
			HowMany(crash, (*Run).Stuck), each, Times(cost.Requests), Millis(slowestNo)),
	}
}

// listed joins what is in a list, "none" when there is nothing.
func listed(parts []say.Both) say.Both {
	if len(parts) == 0 {
		return none
	}
	return joined(parts, "; ")
}

// scriptForBoth crashes clients around the script and loses its messages, and
// compares its cost with that of SET NX EX. True when nothing is ever stuck, while
// two commands are at the same places, and the cost is the same; depends when the
// script is atomic and costs more.
func scriptForBoth(l *Lab) Result {
	const each = 20
	stuck := func(lock, command string) (n, of int) {
		faults := []string{
			"when: A is about to send " + command + "; crash: A", "when: A has " + command + " executed; crash: A",
			"when: A has the reply of " + command + "; crash: A", "when: A is about to send " + command + "; drop: request",
			"when: A is about to send " + command + "; drop: reply",
		}
		for _, f := range faults {
			n += HowMany(l.Play(Story{Lock: lock, Faults: []string{f}}, each), (*Run).Stuck)
		}
		return n, each * len(faults)
	}
	script, of := stuck("lua-setex", "acquire")
	two, _ := stuck("setnx-expire", "SETNX")
	lua, set := l.Cost(Story{Lock: "lua-setex"}), l.Cost(Story{Lock: "set-nx-ex-del"})
	luaRate, setRate := l.crowd("lua-setex", 16), l.crowd("set-nx-ex-del", 16)
	verdict := False
	if script == 0 && two > 0 {
		verdict = Split(true, lua.Acquire <= set.Acquire && lua.Requests <= set.Requests)
	}
	return Result{
		Verdict: verdict,
		Figure: both("Stuck in %d of %d runs with a crash or a lost message around the script, in %d of %d around SETNX with EXPIRE behind it. The script takes %s and %s requests per acquisition and release, SET NX EX takes %s and %s; 16 clients get %s and %s acquisitions per second. The processor time of Lua is not in the simulator.",
			"脚本前后崩溃或丢消息，%[2]d 次运行中卡住 %[1]d 次；SETNX 加上后面的 EXPIRE，%[4]d 次中卡住 %[3]d 次。每次拿锁加释放，脚本用 %[5]s和 %[6]s 个请求，SET NX EX 用 %[7]s和 %[8]s 个；16 个客户端每秒拿到锁 %[9]s 次和 %[10]s 次。Lua 用的处理器时间不在模拟器里。",
			script, of, two, of, Millis(lua.Both()), Times(lua.Requests), Millis(set.Both()), Times(set.Requests),
			luaRate.perSecond(), setRate.perSecond()),
	}
}

// holderAsksAgain lets a holder take the lock once more, with designs that are not
// re-entrant and, to see what re-entrancy changes, with some that are. True when all
// of the first wait in vain for 7 leases, false when none does or when the second
// do, too.
func holderAsksAgain(l *Lab) Result {
	again := func(lock string) (after time.Duration, got bool) {
		r := l.One(Story{Lock: lock, Clients: "[A]", Workload: []string{"nested: 1"}})
		asks, _ := r.First(history.Reenters, "A")
		given, got := r.First(history.Reentered, "A")
		return given.At.Sub(asks.At), got
	}
	plain := []string{"setnx", "set-nx-lua", "lua-setex", "watchdog-lua", "redlock", "mysql-unique", "mysql-unique-ttl", "etcd-txn", "zk-ephemeral", "zk-sequential"}
	counting := []string{"redisson-3.12.3", "redisson", "curator-mutex", "mysql-get-lock"}
	var never []string
	var later []say.Both
	for _, lock := range plain {
		if after, got := again(lock); got {
			later = append(later, both("%s after %s", "%s（过 %s）", lock, Seconds(after)))
		} else {
			never = append(never, lock)
		}
	}
	in, slowest := 0, time.Duration(0)
	for _, lock := range counting {
		if after, got := again(lock); got {
			in++
			slowest = max(slowest, after)
		}
	}
	verdict := Depends
	switch {
	case len(never) == 0 || in < len(counting):
		verdict = False
	case len(later) == 0:
		verdict = True
	}
	return Result{
		Verdict: verdict,
		Figure: both("Within 70 s, 7 leases, the holder never got the lock again with %s; it did, its own entry having expired, with %s. Of %d re-entrant designs %d gave it at once, after %s at most.",
			"70 秒，也就是 7 个租约里，持有者没有再拿到锁的有 %s；自己的条目过期之后又拿到的有 %s。可重入的 %d 个设计中，%d 个立刻就给，最多用 %s。",
			strings.Join(never, ", "), listed(later), len(counting), in, Millis(slowest)),
	}
}
