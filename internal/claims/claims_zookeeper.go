package claims

import (
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/sim/store"
	"lockstep/internal/sim/zookeeper"
	"lockstep/internal/world"
)

// Claims about ZooKeeper.

func init() {
	Register(Claim{46, both("A lock in ZooKeeper needs no expiry: it is held as long as the client is connected, and freed when it crashes.", "ZooKeeper 里的锁不需要过期时间：客户端连着就一直持有，崩溃就空出来。"), "S4:393", noExpiryNeeded})
	Register(Claim{47, both("A long garbage collection makes two holders with ZooKeeper, too.", "垃圾回收太久，在 ZooKeeper 上也会出现两个持有者。"), "S4:403-409", longPause})
	Register(Claim{48, both("Waiting by a watch makes it an optimistic lock.", "用 watch 来等，它就成了乐观锁。"), "S4:416", optimisticLock})
	Register(Claim{56, both("A session of which ZooKeeper has not heard for long has expired, and its ephemeral node is deleted.", "ZooKeeper 很久没有听到消息的会话就到期，它的临时节点被删除。"), "S4:395-399", serversFindTheDead})
	Register(Claim{49, both("ZooKeeper is slower than Redis.", "ZooKeeper 比 Redis 慢。"), "S4:420", zookeeperAgainstRedis})
}

// noExpiryNeeded holds for ten session timeouts, crashes, and is silent for shorter
// and longer than the timeout. True when the lock is held all the time, freed after
// the crash, and no silence takes it away; depends when a silence does.
func noExpiryNeeded(l *Lab) Result {
	const lock, each = "zk-ephemeral", 20
	lasted := HowMany(l.Play(Story{Lock: lock, Clients: "[A, B]", Work: "100s", Wait: "150s"}, each), func(r *Run) bool {
		holds := r.Holds("A")
		return len(holds) == 1 && holds[0].End.Sub(holds[0].Start) >= 100*time.Second && r.Count(history.Expired, "") == 0 && !r.Overlapped()
	})
	var first, last time.Duration
	freed := 0
	for i := range each {
		// The crash comes anywhere between two signs of life.
		after := fmt.Sprintf("%dms", 200*i)
		r := l.One(Story{Lock: lock, Clients: "[A, B]", Work: "20s", Faults: []string{"when: A is in its critical section; after: " + after + "; crash: A"}})
		died, _ := r.First(history.Crashed, "A")
		in, ok := r.First(history.Acquired, "B")
		if !ok {
			continue
		}
		if d := in.At.Sub(died.At); freed == 0 || d < first {
			first = d
		}
		last = max(last, in.At.Sub(died.At))
		freed++
	}
	// The release falls into the silence, which is felt then whatever else the client sends.
	const work = 40 * time.Second
	lost := func(silence time.Duration) int {
		return HowMany(l.Play(Story{
			Lock: lock, Clients: "[A, B]", Work: work.String(), Wait: "100s",
			Faults: []string{fmt.Sprintf("when: A is in its critical section; after: %v; partition: [A, store]; for: %v", work+time.Second-silence, silence)},
		}, each), (*Run).Overlapped)
	}
	short, long := lost(5*time.Second), lost(25*time.Second)
	verdict := False
	if lasted == each && freed == each {
		verdict = Split(true, short == 0 && long == 0)
	}
	return Result{
		Verdict: verdict,
		Figure: both("With a session timeout of 10 s and ticks of 2 s: held for 100 s without a break in %d of %d runs; freed %s to %s after a crash in %d of %d; a silence of 5 s of the living holder let somebody else in in %d of %d, one of 25 s in %d of %d: the timeout is the expiry.",
			"会话超时 10 秒、tick 为 2 秒：不间断持有 100 秒，%[2]d 次运行中有 %[1]d 次；崩溃之后 %[3]s到 %[4]s空出来，%[6]d 次中有 %[5]d 次；活着的持有者沉默 5 秒放进了别人，%[8]d 次中有 %[7]d 次，沉默 25 秒，%[10]d 次中有 %[9]d 次：超时就是过期时间。",
			lasted, each, Seconds(first), Seconds(last), freed, each, short, each, long, each),
	}
}

// longPause freezes the holder for less and for more than its session. True when
// there are two holders after each longer pause and after no shorter one.
func longPause(l *Lab) Result {
	const lock, each = "zk-ephemeral", 20
	var parts []say.Both
	var robbed int
	count := func(pauses ...string) (n int) {
		for _, p := range pauses {
			runs := l.Play(Story{Lock: lock, Faults: []string{"when: A is in its critical section; pause: A; for: " + p}}, each)
			two := HowMany(runs, (*Run).Overlapped)
			robbed += HowMany(runs, (*Run).Robbed)
			parts = append(parts, both("%d after %s", "停顿 %[2]s 之后 %[1]d 次", two, p))
			n += two
		}
		return n
	}
	short, long := count("2s", "5s"), count("13s", "30s")
	return Result{
		Verdict: Verdict(short == 0 && long == 2*each),
		Figure: both("With a session timeout of 10 s, two holders, of %d runs each, in %s; the first one's delete then removed the node of the second in %d of the last %d.",
			"会话超时 10 秒，各 %d 次运行中出现两个持有者：%s；然后第一个的 delete 删掉第二个的节点，最后 %[4]d 次中有 %[3]d 次。",
			each, joined(parts, ", "), robbed, 2*each),
	}
}

// optimisticLock looks at what the others do while A holds the lock. An optimistic
// lock lets them go ahead and finds out at the write, by a version. True when
// nobody has to wait and writes are checked.
func optimisticLock(l *Lab) Result {
	entered, waited, checked, refused := 0, 0, 0, 0
	shortest := time.Duration(-1)
	for _, lock := range []string{"zk-ephemeral", "zk-sequential", "curator-mutex"} {
		for _, r := range l.Play(Story{Lock: lock, Work: "5s", Clients: "[A, B]"}, 20) {
			a, b := r.Rounds("A"), r.Rounds("B")
			if len(a) != 1 || len(b) != 1 {
				l.Fail("%s: not both clients got the lock", lock)
			}
			entered += len(Between(r.Events(history.Entered, "B"), a[0].Acquired, a[0].Releasing))
			if b[0].Acquired > a[0].Releasing {
				waited++
			}
			if d := b[0].Acquired.Sub(b[0].Waits); shortest < 0 || d < shortest {
				shortest = d
			}
			for _, q := range Only(r.Requests(""), "DELETE", "SETDATA") {
				if !world.ReadRequest(q.Text).Says("-1") {
					checked++
				}
			}
			refused += r.Count(history.WriteRefused, "")
		}
	}
	return Result{
		Verdict: Verdict(waited == 0 && checked > 0),
		Figure: both("While A worked for 5 s, B entered in %d of 60 runs and was blocked in %d, for %s at least; %d requests named a version to be checked, %d writes were refused for a conflict.",
			"A 工作 5 秒期间，60 次运行中 B 进来 %d 次，被挡住 %d 次，至少 %s；%d 个请求写明要检查的版本，%d 次写入因冲突被拒绝。",
			entered, waited, Seconds(shortest), checked, refused),
	}
}

// zookeeperAgainstRedis compares undisturbed rounds, and the time from a release to
// the next acquisition, on the same network. True when every lock of ZooKeeper is
// slower in both than every one of Redis, false when none is, else depends.
func zookeeperAgainstRedis(l *Lab) Result {
	redis, zookeeper := []string{"set-nx-lua", "redisson-3.12.3"}, []string{"zk-ephemeral", "zk-sequential"}
	cost, over := map[string]time.Duration{}, map[string]time.Duration{}
	for _, lock := range append(append([]string{}, redis...), zookeeper...) {
		cost[lock], over[lock] = l.Cost(Story{Lock: lock}).Both(), l.handOver(lock)
	}
	slower, compared := 0, 0
	for _, z := range zookeeper {
		for _, r := range redis {
			compared += 2
			if cost[z] > cost[r] {
				slower++
			}
			if over[z] > over[r] {
				slower++
			}
		}
	}
	var parts []say.Both
	for _, lock := range append(append([]string{}, redis...), zookeeper...) {
		parts = append(parts, both("%s %s and %s", "%s %s和 %s", lock, Millis(cost[lock]), Millis(over[lock])))
	}
	copied := l.Cost(Story{Lock: "set-wait"}).Both()
	return Result{
		Verdict: OfAll(slower, compared),
		Figure: both("Acquisition with release, and hand-over among four clients, at 1 ms per message: %s; ZooKeeper slower in %d of %d comparisons; Redis with WAIT for one replica %s. Disks are not in the simulator, where ZooKeeper has %s writes per acquisition and release that a majority must have on disk and Redis by default none. A read is answered by the server that is asked, a write takes a majority.",
			"每条消息 1 毫秒，拿锁加释放，以及四个客户端之间的交接：%s；%[3]d 次比较中有 %[2]d 次 ZooKeeper 更慢；Redis 用 WAIT 等一个副本，%[4]s。磁盘不在模拟器里；ZooKeeper 每次拿锁加释放有 %[5]s 次写入要由多数落盘，Redis 默认一次也不用。读由被问的服务器答复，写要过多数。",
			joined(parts, ", "), slower, compared, Millis(copied), Times(l.changes("zk-ephemeral"))),
	}
}

// handOver is the average time from the beginning of a release until a waiting
// client has the lock.
func (l *Lab) handOver(lock string) time.Duration {
	sum, n := time.Duration(0), 0
	for _, r := range l.Play(Story{Lock: lock, Clients: "[A, B, C, D]", Work: "500ms..1s", Latency: "1ms", Workload: []string{"repeat: 5 times"}}, 5) {
		holds := r.Holds("")
		for i := 1; i < len(holds); i++ {
			if r.History.Role(holds[i].Client) == history.RoleClient {
				sum += holds[i].Start.Sub(holds[i-1].End)
				n++
			}
		}
	}
	if n == 0 {
		l.Fail("%s never changed hands", lock)
	}
	return sum / time.Duration(n)
}

// serversFindTheDead lets twenty clients of a bare ensemble make a node each, and give their last sign
// of life half a second apart; one goes on. The servers look at sessions in batches, one for
// each tick. True when each silent session ends no sooner than its timeout and no later than
// a tick after it, on a whole tick, its node with it, and that of the living client stays.
func serversFindTheDead(l *Lab) Result {
	const silent, timeout, tick, step = 20, 10 * time.Second, 2 * time.Second, 500 * time.Millisecond
	m := zookeeper.New(zookeeper.Config{Tick: tick})
	id := uint64(0)
	ask := func(at time.Duration, client int, op store.Op) any {
		id++
		a, _ := m.Exec(store.Clock{Mono: at}, id, store.Conn{ID: uint64(client), Client: history.NodeID(client)}, op)
		if a.Err != nil {
			l.Fail("ZooKeeper refuses %s: %v", op.Name(), a.Err)
		}
		return a.Value
	}
	node := func(client int) string { return fmt.Sprintf("/client-%d", client) }
	for client := range silent + 1 { // the last one lives
		ask(0, client+1, zookeeper.Connect{Timeout: timeout})
		ask(0, client+1, zookeeper.Create{Path: node(client + 1), Mode: world.ZKEphemeral})
	}
	living := silent + 1
	there := map[int]bool{} // by client; never ranged over
	var least, most time.Duration
	ended, whole, batches := 0, 0, 0
	for at := step; at <= 30*time.Second; at += step {
		if client := int(at / step); client <= silent {
			ask(at, client, zookeeper.Ping{})
			there[client] = true
			for later := client + 1; later <= silent; later++ {
				ask(at, later, zookeeper.Ping{}) // they all live until their last sign
			}
		}
		ask(at, living, zookeeper.Ping{})
		before := ended
		for client := 1; client <= silent; client++ {
			if there[client] && ask(at, living, zookeeper.Exists{Path: node(client)}).(zookeeper.Found).Stat == nil {
				there[client] = false
				late := at - time.Duration(client)*step
				if ended == 0 || late < least {
					least = late
				}
				most = max(most, late)
				ended++
				whole += count(at%tick == 0)
			}
		}
		batches += count(ended > before)
	}
	lives := ask(30*time.Second, living, zookeeper.Exists{Path: node(living)}).(zookeeper.Found).Stat != nil
	return Result{
		Verdict: Verdict(ended == silent && whole == silent && lives && least >= timeout && most <= timeout+tick),
		Figure: both("With a timeout of %s and ticks of %s, %d of %d sessions that fell silent half a second apart ended %s to %s after their last sign, %d of them on a whole tick, in %d batches; the node of a client that gave signs was there for 30 s: %t.",
			"超时 %s、tick 为 %s，每隔半秒沉默一个的 %[4]d 个会话中有 %[3]d 个在最后一次有动静之后 %[5]s到 %[6]s结束，其中 %[7]d 个正好在 tick 上，分 %[8]d 批；有动静的客户端的节点 30 秒一直都在：%[9]t。",
			Seconds(timeout), Seconds(tick), ended, silent, Seconds(least), Seconds(most), whole, batches, lives),
	}
}
