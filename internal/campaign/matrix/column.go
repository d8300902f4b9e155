package matrix

import (
	"fmt"
	"slices"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// Column is one kind of fault.
type Column struct {
	Code    string   // GP
	Name    say.Both // a few words
	Summary say.Both // one sentence: what exactly is injected
	sketch  func(subject) []sketch
}

// subject is the lock that a script is made for.
type subject struct {
	locks.Variant
	*Profile
}

// Kinds are what the column stands for in the walk; none for the column without a fault.
func (c *Column) Kinds() []faultkind.Hit { return faultkind.InColumn(c.Code) }

// Scripts returns the ways to bring the fault about for one lock; none when the
// lock has no step that the fault could hit.
func (c *Column) Scripts(v locks.Variant, p *Profile) ([]Script, error) {
	var out []Script
	sketches := c.sketch(subject{v, p})
	if len(sketches) > 0 && !sketches[0].repeats() {
		sketches = append(sketches, sketches[0].twice())
	}
	for _, s := range sketches {
		script, err := s.script(v, c.Code)
		if err != nil {
			return nil, err
		}
		out = append(out, script)
	}
	return out, nil
}

// noFaultCode is the column without a fault.
const noFaultCode = "N0"

// Columns returns all kinds of faults, in the order of the catalogue.
func Columns() []Column { return slices.Clone(catalogue) }

var catalogue = []Column{
	{noFaultCode, both("no fault", "没有故障"),
		both("Clients contend, nothing goes wrong.", "客户端争锁，什么都不出错。"),
		noFault},
	{"CC", both("crash between commands", "两条命令之间崩溃"),
		both("The client dies after one command of its acquire, or between the steps of its release.", "客户端在获取锁的某条命令之后，或在释放的两步之间死掉。"),
		crashBetween},
	{"CH", both("crash while holding", "持有时崩溃"),
		both("The client dies in its critical section.", "客户端死在临界区里。"),
		crashHolding},
	{"HL", both("host loss", "主机失联"),
		both("The machine of the holder, or of a waiting client, is gone, and its connections stay open.", "持有者或等待者的机器没了：没有人替它关闭连接。"),
		hostLoss},
	{"GP", both("pause past the lease", "停顿超过租约"),
		both("The whole process freezes for longer than the lease; its sockets stay open.", "整个进程冻结得比租约久，连接还开着。"),
		pausePast},
	{"GD", both("pause in the release", "释放时停顿"),
		both("The whole process freezes for longer than the lease just before a command of its release is sent.", "正要发释放的某条命令时，整个进程冻结得比租约久。"),
		pauseInRelease},
	{"SL", both("slow task", "任务太慢"),
		both("The work takes longer than the lease; the other tasks of the process go on.", "工作做得比租约久；进程里其他任务照常运行。"),
		slowTask},
	{"DR", both("late reply to acquire", "获取的回复迟到"),
		both("A command of acquire is executed at once, but its reply arrives after the lease has ended, while the client still waits for it.", "获取锁的命令立刻执行，回复在租约结束之后才到，客户端还在等它。"),
		lateReply},
	{"LA", both("lost reply to acquire", "获取的回复丢失"),
		both("A command of acquire is executed, but its reply never arrives.", "获取锁的命令执行了，回复永远不到。"),
		lostAcquire},
	{"LR", both("lost reply to release", "释放的回复丢失"),
		both("A command of release is executed, but its reply never arrives; the client repeats the release.", "释放锁的命令执行了，回复永远不到，客户端重试释放。"),
		lostRelease},
	{"LD", both("late release", "释放迟到"),
		both("A command of release arrives late: when another client holds the lock, when its client is back for the next round, or after the client repeated it.", "释放的命令迟到：到达时别人正持有锁，或客户端已经又来一轮，或已经重试过释放。"),
		lateRelease},
	{"PT", both("partition", "网络分区"),
		both("The holder, or the waiting clients, are cut off from the servers for longer than the lease and go on.", "持有者或等待者与服务器隔开，比租约久，仍继续工作。"),
		partitioned},
	{"FO", both("failover", "故障转移"),
		both("The primary dies before its replica has heard of the lock; the replica takes over. A cluster loses its leader.", "主节点在副本得知锁之前死掉，副本接替。集群则失去领导者。"),
		failover},
	{"SB", both("split brain", "脑裂"),
		both("The primary and the holder are cut off from all others, who promote a replica.", "主节点和持有者与其余所有节点隔开，其余节点提升一个副本。"),
		splitBrain},
	{"RS", both("restart", "重启"),
		both("A server restarts with what its persistence kept.", "服务器重启，只剩持久化留下的。"),
		restart},
	{"PS", both("paused server", "服务器停顿"),
		both("The process of a server stands still; its sockets stay open.", "服务器的进程停住不动，连接还开着。"),
		serverPause},
	{"CK", both("clock skew of clients", "客户端时钟偏差"),
		both("Wall clocks of clients differ by more than the lease, or are stepped.", "客户端的墙上时钟相差超过租约，或发生跳变。"),
		clientClocks},
	{"SJ", both("clock jump of a server", "服务器时钟跳变"),
		both("The wall clock of a server steps ahead by more than the lease.", "服务器的墙上时钟突然快了一个租约以上。"),
		serverClock},
	{"CR", both("clock rate", "时钟走速"),
		both("A clock of a client or a server runs fast or slow by 15 %, and the work ends just within the lease.", "客户端或服务器的时钟快或慢 15 %，而工作刚好在租约之内结束。"),
		clockRate},
	{"SX", both("early drop", "条目提前消失"),
		both("The store drops the lock's entry early: an eviction, an operator's DEL, a revoked lease, a killed session.", "存储提前丢掉锁的条目：淘汰、人工 DEL、租约被撤销、会话被杀。"),
		earlyDrop},
	{"HW", both("hung worker", "工作任务卡住"),
		both("The working task is blocked for ever; the other tasks of its process live on.", "做工作的任务永远卡住，进程里其他任务还活着。"),
		hungWorker},
}

// Lookup returns the column with that code.
func Lookup(code string) (Column, bool) {
	for _, c := range Columns() {
		if c.Code == code {
			return c, true
		}
	}
	return Column{}, false
}

func noFault(s subject) []sketch {
	out := []sketch{
		{name: both("three clients, three rounds", "三个客户端，三轮"), workload: []string{"repeat: 3 times", "rest: 100ms"}},
		{name: both("five clients at once", "五个客户端同时来"), clients: "[A, B, C, D, E]", work: "1s", stagger: "100ms", workload: []string{"repeat: 2 times"}},
	}
	if s.Reentrant {
		out = append(out, sketch{name: both("the holder takes the lock again", "持有者再拿一次锁"), workload: []string{"nested: 1"}})
	}
	return out
}

// inAcquire is a trigger in the acquire: the i-th command that the client sends, whatever
// its name, unless commands of two names race. Of a lock whose commands nobody reads there is
// no last one: the first one stands for it, and no world plays that.
func (s subject) inAcquire(client, moment string, i int) string {
	name, n := "any command", max(i, 0)+1
	if s.Races {
		name, n = occurrence(s.Acquire, min(i, len(s.Acquire)-1))
	}
	return fmt.Sprintf("when: %s %s the %s time", client, fmt.Sprintf(moment, name), faults.Ordinal(n))
}

// inRelease is a trigger in the release: the i-th command of it. It goes by its name,
// since the number of renewals before it depends on the timing.
func (s subject) inRelease(moment string, i int) string {
	before := slices.Concat(s.Acquire, s.Hold)
	name, n := occurrence(slices.Concat(before, s.Release), len(before)+i)
	return fmt.Sprintf("when: A %s the %s time", fmt.Sprintf(moment, name), faults.Ordinal(n))
}
