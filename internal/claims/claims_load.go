package claims

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/history"
)

// Claims about what becomes of a lock when many want it.

func init() {
	Register(Claim{39, "A lock in MySQL has a single point of failure, needs an expiry of its own, and is slow under load.", "S4:117-119", mysqlWeaknesses})
	Register(Claim{58, "It is its cluster mode that lets etcd handle many reads and writes.", "S4:434", moreMembers})
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
	var parts []string
	for _, given := range []load{idle, processors, disks} {
		var rates []string
		for _, n := range []int{1, 16, largest} {
			mysql, redis := l.rush(lock, n, given), l.rush("setnx", n, given)
			if n == largest && given != idle {
				slow = slow && mysql.slowerThanHalf(redis)
			}
			rates = append(rates, fmt.Sprintf("%d at once %s and %s against %s and %s", n,
				mysql.perSecond(), Millis(mysql.P99.Round(time.Millisecond)), redis.perSecond(), Millis(redis.P99.Round(time.Millisecond))))
		}
		parts = append(parts, strings.Join(rates, ", "))
	}
	one, other := l.crowd(lock, largest), l.crowd("setnx", largest)
	verdict := False
	if down == each && left == each && leftWithTTL == 0 {
		verdict = Split(true, slow)
	}
	return Result{
		Verdict: verdict,
		Figure: fmt.Sprintf("Stuck in %d of %d runs with the server dead, in %d of %d with the holder dead, in %d with a TTL column. Locks of their own, per second and 99th percentile of the time to get one, against SETNX: on servers that need no time for their work %s; on servers that do one thing at a time, %s for a statement and %s for a command, %s; with a disk that needs %s for each commit besides, %s. These times are given, not measured. %d clients who want one lock get it %s against %s times per second. Each acquisition and release makes %s commits.",
			down, each, left, each, leftWithTTL, parts[0], Millis(processors.statement), Millis(processors.command), parts[1],
			Millis(disks.commit), parts[2], largest, one.perSecond(), other.perSecond(), Times(l.changes(lock))),
	}
}

// moreMembers takes and releases locks on clusters of one, three and five members. True when
// more members make it faster, false when they do not.
func moreMembers(l *Lab) Result {
	sizes := []int{1, 3, 5}
	var parts []string
	var took []time.Duration
	writes, led := 0, 0
	for _, n := range sizes {
		p := l.Plan(alone(Story{Lock: "etcd-txn"}))
		p.Etcd.Nodes = n
		runs := l.PlayPlan(p, 1)
		cost := costIn(l, runs)
		took = append(took, cost.Both())
		parts = append(parts, fmt.Sprintf("%s with %d", Millis(cost.Both()), n))
		for _, r := range runs {
			for _, e := range r.Events(history.Executed, "") {
				writes++
				led += count(r.Name(e.Node) == "etcd-1")
			}
		}
	}
	return Result{
		Verdict: Verdict(took[len(took)-1] < took[0]),
		Figure: fmt.Sprintf("Acquisition with release takes %s members, at 1 ms per message, and %d of %d requests were executed by the leader: members are copies, and share no work. How many requests a member does in a second is not in the simulator: docs/documents.md has figures of real servers.",
			strings.Join(parts, ", "), led, writes),
	}
}
