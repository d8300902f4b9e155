package claims

import (
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/say"
	"lockstep/internal/world"
)

// Claims about WAIT, with which a lock waits until a replica has it.

func init() {
	Register(Claim{28, both("WAIT blocks the calling client only, until enough replicas have the write or its time is over.", "WAIT 只阻塞调用它的客户端，直到有足够的副本得到写入，或者时间到了。"), "S2:83", waitBlocksTheCaller})
	Register(Claim{29, both("When a failover happens during WAIT, WAIT returns an error.", "WAIT 期间发生故障转移，WAIT 返回错误。"), "S2:84", failoverDuringWait})
	Register(Claim{30, both("A lock with WAIT costs less than Redlock.", "带 WAIT 的锁比 Redlock 便宜。"), "S2:84", waitAgainstRedlock})
}

// waitBlocksTheCaller cuts the replica off while A waits for it, and in another
// experiment has it 500 ms behind. True when A's WAIT takes its whole time and the
// replica's lag, respectively, and meanwhile no command of the others takes longer
// than the network does.
func waitBlocksTheCaller(l *Lab) Result {
	const slowest = 4 * time.Millisecond // two messages of 2 ms
	cut := Story{Lock: "set-wait", Servers: "{redis: {replicas: 1}}", Faults: []string{"at: 0s; partition: [redis-1, redis-2]; for: 4s"}}
	var shortest, longestOther time.Duration
	others, confirmed := 0, 0
	for i, r := range l.Play(cut, 20) {
		wait := firstWait(l, r)
		if i == 0 || wait.Took() < shortest {
			shortest = wait.Took()
		}
		if wait.Reply != "(integer) 0" {
			confirmed++
		}
		for _, q := range append(r.Requests("B"), r.Requests("C")...) {
			if q.Sent >= wait.Sent && q.Sent < wait.Back {
				others++
				longestOther = max(longestOther, q.Took())
			}
		}
	}
	late := firstWait(l, l.One(Story{Lock: "set-wait", Servers: "{redis: {replicas: 1, lag: 500ms}}"}))
	cut.Lock = "set-wait-pooled"
	wrong := firstWait(l, l.One(cut))
	blocks := shortest >= 3*time.Second && confirmed == 0 && late.Took() >= 500*time.Millisecond && late.Reply == "(integer) 1"
	return Result{
		Verdict: Verdict(blocks && others > 0 && longestOther <= slowest),
		Figure: both("With the replica cut off, WAIT 1 3000 took %s at least and answered 0, and %d commands of the others meanwhile %s at most; 500 ms behind, it took %s and answered %s; on another connection than SET's it took %s and answered %s although the replica had nothing.",
			"副本被隔开时，WAIT 1 3000 至少用 %s，答复 0，这期间别人的 %d 条命令最多用 %s；副本落后 500 毫秒时用 %s，答复 %s；不在 SET 的那条连接上，用 %s，答复 %s，而副本什么也没有。",
			Seconds(shortest), others, Millis(longestOther), Millis(late.Took()), number(late.Reply), Millis(wrong.Took()), number(wrong.Reply)),
	}
}

// firstWait is A's first WAIT.
func firstWait(l *Lab, r *Run) Request {
	waits := Only(r.Requests("A"), "WAIT")
	if len(waits) == 0 {
		l.Fail("A never sent WAIT")
	}
	return waits[0]
}

// number is the number in a reply as redis-cli prints it, or another reply as it is.
func number(reply string) string {
	if n, ok := world.Answer(reply).Number(); ok {
		return strconv.FormatInt(n, 10)
	}
	return reply
}

// failoverDuringWait loses the primary in several ways while A is in WAIT. True
// when each failover makes WAIT return an error, false when none does; the loss of
// a replica is no failover and does not count.
func failoverDuringWait(l *Lab) Result {
	const by = "failover: {by: sentinel, down-after: 1s, election: 500ms}"
	const split = "when: A sends WAIT; partition: [[A, redis-1], [B, C, redis-2, redis-3, sentinels]]; for: "
	reply := func(servers string, fault string, failover bool) Request {
		// WAIT takes three tenths of the lease: 6 s.
		r := l.One(Story{Lock: "set-wait", Lease: "20s", Servers: servers, Faults: []string{fault}})
		wait := firstWait(l, r)
		promoted, ok := r.First(history.Promoted, "")
		if failover && !(ok || promoted.At > wait.Back) {
			l.Fail("nobody was promoted")
		}
		return wait
	}
	crash := reply("{redis: {replicas: 2, lag: 1s, failover: {by: operator, after: 500ms}}}", "when: A sends WAIT; after: 100ms; fail-over: operator", true)
	demoted := reply("{redis: {replicas: 2, "+by+"}}", split+"4s", true)
	isolated := reply("{redis: {replicas: 2, "+by+"}}", split+"15s", true)
	replica := reply("{redis: {replicas: 1, lag: 1s}}", "when: A sends WAIT; after: 100ms; crash: redis-2", false)
	errors := 0
	for _, q := range []Request{crash, demoted, isolated} {
		if q.Failed || world.Answer(q.Reply).Refusal() != "" {
			errors++
		}
	}
	said := func(q Request) say.Both {
		return both("%q after %s", "%q，过 %s", shortened(q.Reply), Seconds(q.Took()))
	}
	return Result{
		Verdict: OfAll(errors, 3),
		Figure: both("An error in %d of 3 failovers during WAIT 1 6000: the primary dies: %s; it is cut off, replaced, and demoted within the time: %s; it stays cut off: %s. When only the replica dies: %s.",
			"WAIT 1 6000 期间的 3 次故障转移中有 %d 次出错：主节点死掉：%s；它被隔开、被接替，并在时限内降级：%s；它一直被隔开：%s。只有副本死掉：%s。",
			errors, said(crash), said(demoted), said(isolated), said(replica)),
	}
}

// shortened is an error message up to its first details.
func shortened(reply string) string {
	if why := world.Answer(reply).Refusal(); why != "" {
		first, _, _ := strings.Cut(why, " force ")
		return first
	}
	return number(reply)
}

// waitAgainstRedlock compares servers, requests and time of an undisturbed
// acquisition and release. True when the lock with WAIT costs less in all respects
// and in all set-ups, false when it does in none.
func waitAgainstRedlock(l *Lab) Result {
	lags := []string{"0s", "5ms", "500ms"}
	var waits []Cost
	for _, lag := range lags {
		waits = append(waits, l.Cost(Story{Lock: "set-wait", Servers: "{redis: {replicas: 1, lag: " + lag + "}}"}))
	}
	inTurn := l.Cost(Story{Lock: "redlock"})
	atOnce := l.CostOf(Story{Lock: "redlock"}, locks.Variant{
		ID: "redlock-parallel", Store: locks.StoreRedisNodes, New: newParallelRedlock,
	})
	servers := func(s Story) int {
		r := l.One(s)
		n := 0
		for _, node := range r.History.Header.Nodes {
			if node.Role == history.RoleStore {
				n++
			}
		}
		return n
	}
	few, many := servers(Story{Lock: "set-wait"}), servers(Story{Lock: "redlock"})
	cheaper, compared := 0, 0
	count := func(less bool) {
		compared++
		if less {
			cheaper++
		}
	}
	count(few < many)
	for _, other := range []Cost{inTurn, atOnce} {
		count(waits[0].Requests < other.Requests)
		for _, w := range waits {
			count(w.Both() < other.Both())
		}
	}
	return Result{
		Verdict: OfAll(cheaper, compared),
		Figure: both("WAIT: %d servers, %s requests per acquisition and release, %s, %s and %s with a replica that is 0, 5 and 500 ms behind; Redlock: %d servers, %s requests, %s one after the other, %s all at once (1 ms per message; replication messages are not counted). Cheaper in %d of %d comparisons.",
			"WAIT：%d 台服务器，每次拿锁加释放 %s 个请求，副本落后 0、5 和 500 毫秒时用 %s、%s和 %s；Redlock：%d 台服务器，%s 个请求，一个接一个用 %s，同时问用 %s（每条消息 1 毫秒；复制的消息不算）。%[11]d 次比较中有 %[10]d 次更便宜。",
			few, Times(waits[0].Requests), Millis(waits[0].Both()), Millis(waits[1].Both()), Millis(waits[2].Both()),
			many, Times(inTurn.Requests), Millis(inTurn.Both()), Millis(atOnce.Both()), cheaper, compared),
	}
}
