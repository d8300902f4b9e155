package claims

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Claims about what becomes of a lock when many want it.

func init() {
	Register(Claim{39, both("A lock in MySQL has a single point of failure, needs an expiry of its own, and is slow under load.", "MySQL 里的锁有单点故障，要自己处理过期，负载之下很慢。"), "S4:117-119", mysqlWeaknesses})
	Register(Claim{58, both("It is its cluster mode that lets etcd handle many reads and writes.", "让 etcd 承受得住大量读写的，是它的集群模式。"), "S4:434", moreMembers})
}

// What servers are given for their work. They are round numbers: a statement ten times a
// command, a commit ten times a statement. Of real servers that one client asked a pair took
// four times as long in a database as in Redis, network and programs included and no disk
// (BenchmarkThroughputOfStores).
var (
	idle       = load{}
	processors = load{command: 40 * time.Microsecond, statement: 400 * time.Microsecond}
	disks      = load{command: 40 * time.Microsecond, statement: 400 * time.Microsecond, commit: 4 * time.Millisecond}
)

// mysqlWeaknesses tests the three complaints. True when all hold, the last one by a database
// that gives out less than half as many locks to a crowd whose servers need time; false when one
// of the first two does not hold; depends when only the slowness does not show.
func mysqlWeaknesses(l *Lab) Result {
	const lock, each = "mysql-unique", 20
	down := HowMany(l.Play(Story{Lock: lock, Faults: []string{"when: A is in its critical section; crash: the primary"}}, each), (*Run).Stuck)
	crash := []string{"when: A is in its critical section; crash: A"}
	left := HowMany(l.Play(Story{Lock: lock, Faults: crash}, each), (*Run).Stuck)
	leftWithTTL := HowMany(l.Play(Story{Lock: "mysql-unique-ttl", Faults: crash}, each), (*Run).Stuck)
	const largest = 256
	slow := true
	var parts []say.Both
	for _, given := range []load{idle, processors, disks} {
		var rates []say.Both
		for _, n := range []int{1, 16, largest} {
			mysql, redis := l.rush(lock, n, given), l.rush("setnx", n, given)
			if n == largest && given != idle {
				slow = slow && mysql.slowerThanHalf(redis)
			}
			rates = append(rates, both("%d at once %s and %s against %s and %s", "同时 %d 个：%s 次和 %s，对 %s 次和 %s", n,
				mysql.perSecond(), Millis(mysql.P99.Round(time.Millisecond)), redis.perSecond(), Millis(redis.P99.Round(time.Millisecond))))
		}
		parts = append(parts, joined(rates, ", "))
	}
	one, other := l.crowd(lock, largest), l.crowd("setnx", largest)
	verdict := False
	if down == each && left == each && leftWithTTL == 0 {
		verdict = Split(true, slow)
	}
	return Result{
		Verdict: verdict,
		Figure: both("Stuck in %d of %d runs with the server dead, in %d of %d with the holder dead, in %d with a TTL column. Locks of their own, per second and 99th percentile of the time to get one, against SETNX: on servers that need no time for their work %s; on servers that do one thing at a time, %s for a statement and %s for a command, %s; with a disk that needs %s for each commit besides, %s. These times are given, not measured. %d clients who want one lock get it %s against %s times per second. Each acquisition and release makes %s commits.",
			"服务器死掉，%[2]d 次运行中卡住 %[1]d 次；持有者死掉，%[4]d 次中卡住 %[3]d 次；有 TTL 列时 %[5]d 次。各用各的锁，每秒拿到的次数和拿锁时间的第 99 百分位，与 SETNX 相比：服务器干活不花时间时，%[6]s；服务器一次只做一件事、一条语句 %[7]s、一条命令 %[8]s 时，%[9]s；再加上磁盘每次提交要 %[10]s，%[11]s。这些时间是给定的，不是量出来的。%[12]d 个客户端争同一把锁，每秒拿到 %[13]s 次，对 %[14]s 次。每次拿锁加释放提交 %[15]s 次。",
			down, each, left, each, leftWithTTL, parts[0], Millis(processors.statement), Millis(processors.command), parts[1],
			Millis(disks.commit), parts[2], largest, one.perSecond(), other.perSecond(), Times(l.changes(lock))),
	}
}

// moreMembers takes and releases locks on clusters of one, three and five members. True when
// more members make it faster, false when they do not.
func moreMembers(l *Lab) Result {
	sizes := []int{1, 3, 5}
	var parts []say.Both
	var took []time.Duration
	writes, led := 0, 0
	for _, n := range sizes {
		p := l.Plan(alone(Story{Lock: "etcd-txn"}))
		p.Etcd.Nodes = n
		runs := l.PlayPlan(p, 1)
		cost := costIn(l, runs)
		took = append(took, cost.Both())
		parts = append(parts, both("%s with %d", "%[2]d 个成员时 %[1]s", Millis(cost.Both()), n))
		for _, r := range runs {
			for _, e := range r.Events(history.Executed, "") {
				writes++
				led += count(r.Name(e.Node) == "etcd-1")
			}
		}
	}
	return Result{
		Verdict: Verdict(took[len(took)-1] < took[0]),
		Figure: both("Acquisition with release takes %s members, at 1 ms per message, and %d of %d requests were executed by the leader: members are copies, and share no work. How many requests a member does in a second is not in the simulator: docs/documents.md has figures of real servers.",
			"每条消息 1 毫秒，拿锁加释放要：%s；%[3]d 个请求中有 %[2]d 个由领导者执行：成员是副本，不分担工作。一个成员每秒做多少请求，不在模拟器里：docs/documents.md 有真实服务器的数字。",
			joined(parts, ", "), led, writes),
	}
}
