package claims

import (
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/world"
)

// Claims about etcd.

func init() {
	Register(Claim{42, both("Revisions give the lock to those who want it in their order, without a herd.", "revision 让想要锁的人按次序拿到锁，不会有惊群。"), "S4:265", orderOfRevisions})
	Register(Claim{43, both("The lease is kept alive about once per second.", "租约大约每秒续一次。"), "S4:333", keepAlivePeriod})
	Register(Claim{44, both("Inside of the lock it is very safe.", "在锁里面非常安全。"), "S4:362", insideTheLock})
	Register(Claim{45, both("The lock of the client library works about as the hand-written one does.", "客户端库里的锁和手写的锁做法差不多。"), "S4:377", libraryAgainstHandwritten})
	Register(Claim{57, both("A watch of a prefix tells those who compete for the lock of each change below it.", "对前缀的 watch，把前缀下的每个变化告诉争锁的各方。"), "S4:267-274", watchOfAPrefix})
	Register(Claim{50, both("etcd has problems with consistency.", "etcd 有一致性问题。"), "S4:434", consistencyOfEtcd})
}

// queueing is what a crowd of clients shows of a lock's order.
type queueing struct {
	rounds    int
	overtaken int // pairs of rounds in which the one that came first got the lock later
	releases  int // while somebody waited
	waiting   int // clients, at all of these releases together
	woken     int // of them, those that asked within 10 ms of the release
	asked     int // requests, signs of life not counted
	leases    int // of etcd
}

// queueFor lets six clients want a lock three times each, and takes the order in
// which the store has executed their first request that names the lock.
func (l *Lab) queueFor(lock, enter string) queueing {
	var q queueing
	for _, r := range l.Play(Story{Lock: lock, Clients: "[A, B, C, D, E, F]", Work: "500ms..1s", Workload: []string{"repeat: 3 times"}}, 8) {
		requests, rounds := r.Requests(""), r.Rounds("")
		requests = slices.DeleteFunc(requests, func(q Request) bool { return r.History.Role(q.Client) != history.RoleClient })
		q.rounds += len(rounds)
		q.asked += len(SentBetween(requests, 0, r.History.End()))
		q.leases += len(Only(requests, "GRANT"))
		came := make([]history.Instant, len(rounds))
		for i, o := range rounds {
			came[i] = r.arrival(o, enter)
		}
		for i := range rounds {
			for k := range rounds {
				if came[i] < came[k] && rounds[i].Acquired > rounds[k].Acquired {
					q.overtaken++
				}
			}
		}
		q.countWoken(r, requests, rounds)
	}
	return q
}

// arrival is when the store executed the first request of a round with that name.
func (r *Run) arrival(o Round, command string) history.Instant {
	for _, e := range r.Events(history.Executed, "") {
		if e.Peer == o.Client && e.At >= o.Waits && e.Cause != history.NoCause && r.Command(r.History.Events[e.Cause]) == command {
			return e.At
		}
	}
	return o.Waits
}

// countWoken counts the clients that ask for the lock right after a release.
func (q *queueing) countWoken(r *Run, requests []Request, rounds []Round) {
	for _, e := range r.Events(history.Removed, "") {
		asking := map[history.NodeID]bool{} // only counted
		waiting := 0
		for _, o := range rounds {
			if o.Waits < e.At && o.Acquired > e.At {
				waiting++
			}
		}
		for _, a := range SentBetween(requests, e.At, e.At.Add(10*time.Millisecond)) {
			for _, o := range rounds {
				if o.Client == a.Client && o.Waits < e.At && o.Acquired > e.At {
					asking[a.Client] = true
				}
			}
		}
		if waiting > 0 {
			q.releases++
			q.waiting += waiting
			q.woken += len(asking)
		}
	}
}

// inOrder: nobody is overtaken, and a release wakes one client.
func (q *queueing) inOrder() bool { return q.overtaken == 0 && q.woken == q.releases }

// orderOfRevisions compares the queue of the library, in which the create revision
// counts, with the document's own code. True when both serve in order and wake one
// client, depends when one does.
func orderOfRevisions(l *Lab) Result {
	mutex, txn, herd := l.queueFor("etcd-mutex", "TXN"), l.queueFor("etcd-txn", "TXN"), l.queueFor("zk-ephemeral", "CREATE")
	per := func(q queueing) string { return Ratio(int64(q.woken), int64(q.releases)) }
	return Result{
		Verdict: Split(mutex.inOrder(), txn.inOrder()),
		Figure: both("In %d rounds of six clients %d pairs were served against their order with the library's queue, and %s waiting clients on average asked within 10 ms of a release; with the document's own code, which has one key and no queue, %d pairs and %s clients, who ask again and again anyway; with one node of ZooKeeper %d pairs and %s clients.",
			"六个客户端的 %d 轮里，用库的队列，有 %d 对没有按次序得到锁，每次释放后 10 毫秒之内平均有 %s 个等待者来问；用文档自己的代码（一个键，没有队列），是 %d 对和 %s 个，它们反正一直在问；用 ZooKeeper 的一个节点，是 %d 对和 %s 个。",
			mutex.rounds, mutex.overtaken, per(mutex), txn.overtaken, per(txn), herd.overtaken, per(herd)),
	}
}

// keepAlivePeriod measures the time between renewals. True when each is between a
// half and one and a half seconds, with the document's lease of 10 s.
func keepAlivePeriod(l *Lab) Result {
	least, mean, most := l.renewals("10s")
	_, long, _ := l.renewals("60s")
	return Result{
		Verdict: Verdict(least >= 500*time.Millisecond && most <= 1500*time.Millisecond),
		Figure: both("With a lease of 10 s a renewal comes every %s on average, %s at least and %s at most; with one of 60 s every %s.",
			"租约 10 秒时，平均每 %s续期一次，最短 %s，最长 %s；租约 60 秒时每 %s一次。",
			Seconds(mean), Seconds(least), Seconds(most), Seconds(long)),
	}
}

// renewals measures the times between the holder's KEEPALIVE requests.
func (l *Lab) renewals(lease string) (least, mean, most time.Duration) {
	n := 0
	for _, r := range l.Play(Story{Lock: "etcd-txn", Lease: lease, Clients: "[A]", Work: "200s"}, 10) {
		sent := Only(r.Requests("A"), "KEEPALIVE")
		for i := range sent[min(1, len(sent)):] {
			between := sent[i+1].Sent.Sub(sent[i].Sent)
			if n == 0 || between < least {
				least = between
			}
			most = max(most, between)
			mean += between
			n++
		}
	}
	if n == 0 {
		l.Fail("nobody renewed twice")
	}
	return least, mean / time.Duration(n), most
}

// insideTheLock puts the document's code through what should not matter to a lock
// that renews itself, and through what cuts the process off from its renewals. The claim
// makes no exception: true when nobody else ever gets in, and else false, with the first
// counterexample.
func insideTheLock(l *Lab) Result {
	const lock, each, at = "etcd-txn", 20, "when: A is in its critical section; "
	overlaps := func(s Story) int { s.Lock = lock; return HowMany(l.Play(s, each), (*Run).Overlapped) }
	slow := Story{Faults: []string{"when: A enters; slow: A; by: 25s"}}
	leader := Story{Faults: []string{at + "crash: the primary"}, Work: "15s"}
	lost := Story{Faults: []string{"when: A is about to send TXN; drop: reply"}}
	late := Story{Faults: []string{"when: A is about to send TXN; delay: reply; by: 12s"}, Timeout: "30s"}
	pause := Story{Faults: []string{at + "pause: A; for: 15s"}}
	cut := Story{Faults: []string{at + "partition: [A, store]; for: 25s"}, Work: "20s"}
	running := overlaps(Story{}) + overlaps(slow) + overlaps(leader) + overlaps(lost) + overlaps(late)
	paused, parted := overlaps(pause), overlaps(cut)
	pause.Lock = lock
	counterexample := l.One(pause).firstOverlap()
	lostUpdates := func(fence string) (n int) {
		for _, s := range []Story{pause, cut} {
			s.Lock, s.Workload = lock, []string{"fence: " + fence}
			n += HowMany(l.Play(s, each), func(r *Run) bool { return r.Broken(checker.NoLostUpdateID) })
		}
		return n
	}
	return Result{
		Verdict: Verdict(running+paused+parted == 0),
		Figure: both("Two holders at once, by a pause of 15 s: %s. So in %d of %d runs without a fault, with slow work, a dead leader, a lost or a late reply; in %d of %d with a pause of 15 s and in %d of %d with a partition (lease 10 s). Updates were lost in %d of %d of the latter two, with the revision as a fencing token in %d.",
			"停顿 15 秒，两个持有者同时在里面：%s。没有故障、工作慢、领导者死掉、答复丢失或迟到时，%[3]d 次运行中有 %[2]d 次如此；停顿 15 秒时 %[5]d 次中有 %[4]d 次，网络分区时 %[7]d 次中有 %[6]d 次（租约 10 秒）。后两种里，%[9]d 次中有 %[8]d 次丢了更新；以 revision 作防护令牌时有 %[10]d 次。",
			counterexample, running, 5*each, paused, each, parted, each, lostUpdates("none"), 2*each, lostUpdates("reads and writes")),
	}
}

// libraryAgainstHandwritten compares in what the two locks show from outside. True
// when they agree in everything, false when they do not.
func libraryAgainstHandwritten(l *Lab) Result {
	const library, own = "etcd-mutex", "etcd-txn"
	one, two := l.queueFor(library, "TXN"), l.queueFor(own, "TXN")
	stuck := func(lock string) int {
		return HowMany(l.Play(Story{Lock: lock, Wait: "2s", Faults: []string{"when: A sends TXN; drop: reply"}}, 10), (*Run).Stuck)
	}
	told := func(lock string) int {
		return HowMany(l.Play(Story{Lock: lock, Work: "20s", Faults: []string{"when: A is in its critical section; partition: [A, store]; for: 25s"}}, 10),
			func(r *Run) bool { return r.Count(history.LostLease, "A") > 0 })
	}
	oneStuck, twoStuck, oneTold, twoTold := stuck(library), stuck(own), told(library), told(own)
	alike := (one.overtaken == 0) == (two.overtaken == 0) && (one.leases == one.rounds) == (two.leases == two.rounds) &&
		2*one.asked > two.asked && 2*two.asked > one.asked && oneStuck == twoStuck && oneTold == twoTold
	return Result{
		Verdict: Verdict(alike),
		Figure: both("Library and hand-written code: %s and %s requests and %s and %s leases per acquisition among six clients, %d and %d pairs served against their order, stuck in %d and %d of 10 runs when a client gives up after a lost reply to its transaction and lives on, the holder told of its loss by a partition in %d and %d of 10.",
			"库和手写的代码：六个客户端每次拿锁用 %s 和 %s 个请求、%s 和 %s 个租约，没有按次序得到锁的有 %d 对和 %d 对；客户端在事务的答复丢失之后放弃、但还活着，10 次运行中卡住 %d 次和 %d 次；网络分区时持有者得知丢锁，10 次中有 %d 次和 %d 次。",
			Ratio(int64(one.asked), int64(one.rounds)), Ratio(int64(two.asked), int64(two.rounds)),
			Ratio(int64(one.leases), int64(one.rounds)), Ratio(int64(two.leases), int64(two.rounds)),
			one.overtaken, two.overtaken, oneStuck, twoStuck, oneTold, twoTold),
	}
}

// consistencyOfEtcd looks for answers that contradict each other, and for two
// holders, under the same faults. True when there are both, false when there is
// neither, depends when there is one of them.
func consistencyOfEtcd(l *Lab) Result {
	const each, at = 10, "when: A is in its critical section; "
	faults := []string{
		at + "pause: A; for: 15s", at + "partition: [A, store]; for: 25s", at + "crash: the primary",
		at + "partition: [etcd-1, [etcd-2, etcd-3]]; for: 25s", at + "pause: the primary; for: 15s",
		"when: A sends TXN; drop: reply", "when: A is about to send TXN; delay: request; by: 2s",
	}
	replies, wrong, overlaps, of := 0, 0, 0, 0
	for _, lock := range []string{"etcd-txn", "etcd-mutex"} {
		for i, f := range faults {
			runs := l.Play(Story{Lock: lock, Work: "20s", Wait: "100s", Faults: []string{f}}, each)
			for _, r := range runs {
				n, bad := contradictions(r)
				replies += n
				wrong += bad
			}
			if i < 2 {
				overlaps += HowMany(runs, (*Run).Overlapped)
				of += each
			}
		}
	}
	return Result{
		Verdict: Split(wrong > 0, overlaps > 0),
		Figure: both("Of %d replies under pauses, partitions, a dead, frozen or isolated leader and lost messages, %d contradicted an earlier one; two clients held the lock in %d of %d runs with a pause or a partition of the holder. The agreement between etcd's servers is taken for granted in the simulator, so the first number is no test of that.",
			"停顿、网络分区、领导者死掉、冻结或被隔离、消息丢失时的 %d 个答复中，有 %d 个与先前的矛盾；持有者停顿或被隔开的 %[4]d 次运行中，有 %[3]d 次两个客户端同时持有锁。etcd 服务器之间的一致，在模拟器里是假定的，所以第一个数检验不了它。",
			replies, wrong, overlaps, of),
	}
}

// watchOfAPrefix lets six clients queue below a prefix and watch all of it, or only the key
// before their own. True when each release wakes all who wait and nobody is overtaken.
func watchOfAPrefix(l *Lab) Result {
	all, one := l.queueFor("etcd-prefix-watch", "TXN"), l.queueFor("etcd-mutex", "TXN")
	return Result{
		Verdict: Verdict(all.overtaken == 0 && all.releases > 0 && all.woken == all.waiting),
		Figure: both("%d releases with somebody waiting woke %d of %d clients that watch the prefix, who asked %s times per acquisition, and %d of %d that watch the key before their own, who asked %s times; pairs served against their order: %d and %d.",
			"有人在等的 %d 次释放，叫醒了 watch 前缀的 %[3]d 个客户端中的 %[2]d 个，每次拿锁问 %[4]s 次；叫醒了 watch 紧挨在自己之前的键的 %[6]d 个中的 %[5]d 个，每次问 %[7]s 次；没有按次序得到锁的：%[8]d 对和 %[9]d 对。",
			all.releases, all.woken, all.waiting, Ratio(int64(all.asked), int64(all.rounds)),
			one.woken, one.waiting, Ratio(int64(one.asked), int64(one.rounds)), all.overtaken, one.overtaken),
	}
}

// contradictions counts replies that name a revision, and among them those that
// break real-time order: a revision lower than one that some client had already
// been told of when the request was sent. A grant while another entry is still granted
// counts, too.
func contradictions(r *Run) (replies, wrong int) {
	newest, granted := int64(0), false
	atSending := map[int64]int64{} // by the number of the request
	for _, e := range r.History.Events {
		switch e.Kind {
		case history.Sent:
			atSending[e.Value] = newest
		case history.Replied:
			revision, ok := world.Answer(r.Text(e)).Revision()
			if !ok {
				continue
			}
			replies++
			if revision < atSending[e.Value] {
				wrong++
			}
			newest = max(newest, revision)
		case history.Granted:
			if granted {
				wrong++
			}
			granted = true
		case history.Removed, history.Expired:
			granted = false
		}
	}
	return replies, wrong
}
