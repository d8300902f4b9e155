package claims

import (
	"slices"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// Claims that compare the stores.

func init() {
	Register(Claim{37, both("etcd and ZooKeeper fail over by themselves.", "etcd 和 ZooKeeper 自己会做故障转移。"), "S4:78", leaderDies})
	Register(Claim{38, both("Locks in a database and in etcd spin; those in ZooKeeper and in etcd watch.", "数据库和 etcd 里的锁要自旋；ZooKeeper 和 etcd 里的锁用监听。"), "S4:84-90", spinOrWatch})
	Register(Claim{51, both("No distributed lock is 100 % safe.", "没有哪种分布式锁是 100 % 安全的。"), "S4:438", everyLockBreaks})
}

// leaderDies kills the leader while A holds the lock, and nobody steps in. True
// when in all runs another server leads, A's entry is still there, and the lock
// goes on from client to client.
func leaderDies(l *Lab) Result {
	const each = 20
	of, led, kept, on := 0, 0, 0, 0
	longest := time.Duration(0)
	for _, lock := range []string{"etcd-txn", "etcd-mutex", "zk-ephemeral", "zk-sequential"} {
		runs := l.Play(Story{Lock: lock, Work: "5s", Faults: []string{"when: A is in its critical section; crash: the primary"}}, each)
		of += len(runs)
		for _, r := range runs {
			died, _ := r.First(history.Crashed, "")
			if e, ok := r.First(history.Promoted, ""); ok {
				led++
				longest = max(longest, e.At.Sub(died.At))
			}
			if len(r.Rounds("A")) > 0 && len(Between(r.Events(history.Expired, ""), 0, r.Rounds("A")[0].Done)) == 0 {
				kept++
			}
			if len(r.Rounds("B")) > 0 && len(r.Rounds("C")) > 0 && !r.Overlapped() && !r.Stuck() {
				on++
			}
		}
	}
	single := l.Play(Story{Lock: "set-nx-lua", Work: "5s", Faults: []string{"when: A is in its critical section; crash: the primary"}}, each)
	return Result{
		Verdict: Verdict(led == of && kept == of && on == of),
		Figure: both("With the leader dead and nobody to help, another one led in %d of %d runs, after %s at most (elections of 1 s); A's entry lived on in %d, all others got the lock in their turn, alone, in %d. A single Redis server in its place: stuck in %d of %d.",
			"领导者死掉、没有人帮忙，%[2]d 次运行中有 %[1]d 次另一个当上领导者，最多过 %[3]s（选举 1 秒）；A 的条目还在的有 %[4]d 次，其余的都依次单独拿到锁，%[5]d 次。换成一台 Redis 服务器：%[7]d 次中卡住 %[6]d 次。",
			led, of, Seconds(longest), kept, on, HowMany(single, (*Run).Stuck), each),
	}
}

// spinOrWatch counts what clients ask while they wait for 20 s. True when the
// locks that the document means behave as it says and all other locks of a database
// spin, too; depends when only the first part holds.
func spinOrWatch(l *Lab) Result {
	// A spinning client asks every 100 ms: it spins when it does so half as often.
	spins := func(perSecond int64) bool { return perSecond >= 5000 }
	watches := func(perSecond int64) bool { return perSecond < 100 }
	var parts []string
	all := func(is func(int64) bool, ids ...string) bool {
		good := true
		for _, lock := range ids {
			n := l.asked(lock)
			parts = append(parts, lock+" "+Times(n))
			good = good && is(n)
		}
		return good
	}
	documents := all(spins, "mysql-unique", "etcd-txn")
	documents = all(watches, "zk-ephemeral", "etcd-mutex") && documents
	others := all(spins, "mysql-unique-ttl", "mysql-get-lock", "mysql-for-update", "pg-advisory")
	verdict := False
	if documents {
		verdict = Split(true, others)
	}
	return Result{
		Verdict: verdict,
		Figure: both("Requests per second of a client that waits, retry 100 ms, signs of life not counted: %s.",
			"等待的客户端每秒的请求数，重试间隔 100 毫秒，维持会话的不算：%s。", strings.Join(parts, ", ")),
	}
}

// asked measures how many requests per second a waiting client sends, in thousandths.
func (l *Lab) asked(lock string) int64 {
	const from, to = history.Instant(5 * time.Second), history.Instant(25 * time.Second)
	waiters := []string{"B", "C", "D", "E"}
	r := l.One(Story{Lock: lock, Clients: "[A, B, C, D, E]", Work: "30s", Wait: "200s"})
	if len(r.Holds("A")) == 0 || r.Holds("A")[0].End < to {
		l.Fail("%s: A does not hold for 25 s", lock)
	}
	n := 0
	for _, w := range waiters {
		n += len(SentBetween(r.Requests(w), from, to))
	}
	return int64(n) * 1000 / int64(len(waiters)) / int64(to.Sub(from)/time.Second)
}

// changes counts how many requests of a round change the store, in thousandths:
// each is a commit, with its fsync where the store is durable.
func (l *Lab) changes(lock string) int64 {
	r := l.One(alone(Story{Lock: lock}))
	rounds := int64(len(r.Rounds("")))
	if rounds == 0 {
		l.Fail("%s: nobody acquired", lock)
	}
	n := int64(0)
	for _, kind := range []history.Kind{history.Granted, history.Removed} {
		for _, e := range r.Events(kind, "") {
			if r.History.Role(e.Owner) == history.RoleClient {
				n++
			}
		}
	}
	return n * 1000 / rounds
}

// everyLockBreaks puts every design but the literal defects through pauses, a
// crash, a partition and an early end of its entry. True when each breaks under one
// of them: two holders, a foreign entry removed, or nobody ever again.
func everyLockBreaks(l *Lab) Result {
	const at = "when: A is in its critical section; "
	kinds := []struct {
		name say.Both
		ways [][]string // each some faults
	}{
		{both("a pause", "停顿"), [][]string{{at + "pause: A; for: 15s"}, {at + "pause: A; for: 60s"}}},
		{both("a crash of the holder", "持有者崩溃"), [][]string{{at + "crash: A"}}},
		{both("a partition during slow work", "工作慢时的网络分区"), [][]string{{"when: A enters; slow: A; by: 20s", at + "partition: [A, store]; for: 25s"}}},
		{both("an early end of its entry or session", "条目或会话提前结束"), [][]string{{at + "evict: lock"}}},
	}
	by := make([]int, len(kinds))
	of := 0
	var safe, unpaused []say.Both // those that nothing breaks, that neither of the first two kinds does
	for _, v := range locks.Simulated() {
		if strings.HasPrefix(v.ID, "lit-") {
			continue
		}
		of++
		breaks := make([]bool, len(kinds))
		for i, k := range kinds {
			for _, faults := range k.ways {
				runs := l.Play(Story{Lock: v.ID, Wait: "150s", Faults: faults}, 2)
				breaks[i] = breaks[i] || HowMany(runs, func(r *Run) bool { return r.Overlapped() || r.Robbed() || r.Stuck() }) > 0
			}
			if breaks[i] {
				by[i]++
			}
		}
		if !breaks[0] && !breaks[1] {
			unpaused = append(unpaused, say.Both{English: v.ID})
		}
		if !slices.Contains(breaks, true) {
			safe = append(safe, say.Both{English: v.ID})
		}
	}
	var parts []say.Both
	for i, k := range kinds {
		parts = append(parts, both("%d by %s", "%[2]s破坏 %[1]d 个", by[i], k.name))
	}
	return Result{
		Verdict: Verdict(len(safe) == 0),
		Figure: both("Of %d designs are broken %s; by neither of the first two: %s; by none: %s. Safe is only what a transaction writes into the database that keeps its lock: the row of a killed session was %s.",
			"%d 个设计中，%s；前两样都破坏不了的：%s；什么都破坏不了的：%s。安全的只有事务写进存放锁的那个数据库里的东西：被杀掉的会话的那一行%s。",
			of, joined(parts, ", "), listed(unpaused), listed(safe), l.killedTransaction()),
	}
}

// killedTransaction changes a row in the transaction that holds its lock, ends the
// session, and says what another session finds.
func (l *Lab) killedTransaction() say.Both {
	db := l.Database()
	for _, q := range []string{"BEGIN", "SELECT version FROM resources WHERE name = 'r' FOR UPDATE", "UPDATE resources SET version = 2 WHERE name = 'r'"} {
		if res, done := db.Do(1, q); res.Err != nil || !done {
			l.Fail("%s: %v", q, res.Err)
		}
	}
	db.Kill(1)
	res, _ := db.Do(2, "SELECT version FROM resources WHERE name = 'r'")
	if len(res.Rows) == 1 && res.Rows[0][0].Num == 1 {
		return both("as before", "和原来一样")
	}
	return both("changed", "变了")
}
