package claims

import (
	"context"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/say"
	"lockstep/internal/world"
)

// Claims about scripts and transactions of Redis, and about Redisson's scripts.

func init() {
	Register(Claim{10, both("Redis runs a Lua script like a database transaction: if a command fails, the others are rolled back.", "Redis 像数据库事务那样运行 Lua 脚本：一条命令失败，其余的回滚。"), "S0:111", scriptRollsBack})
	Register(Claim{11, both("A transaction with MULTI is not rolled back when one of its commands fails.", "MULTI 事务里有命令失败时，事务不回滚。"), "S0:111", multiRollsBack})
	Register(Claim{17, both("Redisson's acquire script returns nil when the lock was acquired or re-entered, else the remaining time of the lock.", "Redisson 的拿锁脚本在拿到锁或重入时返回 nil，否则返回锁剩余的时间。"), "S1:291", acquireReply})
}

// scriptRollsBack runs a script that writes two keys and fails between and after
// them. True when nothing of it stays.
func scriptRollsBack(l *Lab) Result {
	s := l.Redis()
	s.Do(1, "SET", "lock", "before")
	const script = `redis.call('set', KEYS[1], 'after')
redis.call('hset', KEYS[1], 'field', 'value')
redis.call('set', KEYS[1], 'last')`
	failed := s.Eval(1, script, "lock")
	value := s.Do(1, "GET", "lock")
	if failed.Kind != world.ReplyError {
		l.Fail("the script did not fail: %s", failed)
	}
	return Result{
		Verdict: Verdict(value.Str == "before"),
		Figure: both("A script of SET, a failing HSET and SET ended with %s, and the key, which had held \"before\", held %s.",
			"由 SET、失败的 HSET 和 SET 组成的脚本以 %s 结束，键原来是 before，后来是 %s。",
			errorCode(failed), value),
	}
}

// errorCode is the first word of an error reply.
func errorCode(r world.Reply) string {
	word, _, _ := strings.Cut(r.Err.Error(), " ")
	return word
}

// multiRollsBack queues a command that fails when it is executed. True when the
// commands before and after it stay executed.
func multiRollsBack(l *Lab) Result {
	s := l.Redis()
	s.Do(1, "SET", "lock", "before")
	do := s.Session(1)
	do("MULTI")
	do("SET", "lock", "after")
	do("HSET", "lock", "field", "value")
	do("SET", "other", "set")
	reply := do("EXEC")
	failed := 0
	for _, r := range reply.Elements() {
		if r.Kind == world.ReplyError {
			failed++
		}
	}
	if failed != 1 {
		l.Fail("EXEC had %d failing commands: %s", failed, reply)
	}
	first, last := s.Do(1, "GET", "lock"), s.Do(1, "GET", "other")
	return Result{
		Verdict: Verdict(first.Str == "after" && last.Str == "set"),
		Figure: both("EXEC of SET, a failing HSET and SET: %d of %d commands failed, and the keys of the two others held %s and %s.",
			"EXEC 一组 SET、失败的 HSET 和 SET：%[2]d 条命令中有 %[1]d 条失败，另外两条的键是 %[3]s 和 %[4]s。",
			failed, len(reply.Elements()), first, last),
	}
}

// acquireScript is what Redisson's acquisitions are called on the wire.
const acquireScript = "lock"

// acquireReply plays clients that acquire, re-enter and wait, and compares each
// reply of the acquire script with what it did and with the entry's time. True when
// nil came for every success and for nothing else, and all numbers were what was
// left, to the millisecond.
func acquireReply(l *Lab) Result {
	runs := l.Play(Story{Lock: "redisson-3.12.3", Clients: "[A, B, C, D]", Workload: []string{"nested: 1", "repeat: 2 times"}}, 20)
	var nils, successes, numbers, exact int
	for _, r := range runs {
		successes += r.Count(history.Acquired, "") + r.Count(history.Reentered, "")
		n, of, right := readReplies(r)
		nils, numbers, exact = nils+n, numbers+of, exact+right
	}
	return Result{
		Verdict: Verdict(nils == successes && nils > 0 && numbers > 0 && exact == numbers),
		Figure: both("nil %d times for %d acquisitions and re-entries; else a number, %d times, equal to the entry's remaining milliseconds in %d. (Of a key whose expiry somebody removed it is %s.)",
			"%[2]d 次拿锁和重入得到 %[1]d 次 nil；否则是一个数，%[3]d 次，其中 %[4]d 次等于条目剩余的毫秒数。（存活时间被人去掉的键，是 %[5]s。）",
			nils, successes, numbers, exact, replyWithoutExpiry(l)),
	}
}

// readReplies counts the replies of the acquire script: nil, numbers, and those
// numbers that say what was left of the entry's time.
func readReplies(r *Run) (nils, numbers, exact int) {
	var ends history.Instant
	for _, e := range r.History.Events {
		switch {
		case e.Kind == history.Granted || e.Kind == history.Extended:
			ends = e.At.Add(time.Duration(e.Value))
		case e.Kind == history.Executed && r.Command(r.cause(e)) == acquireScript:
			reply := r.Text(e)
			if reply == "(nil)" {
				nils++
				continue
			}
			numbers++
			said, ok := world.Answer(reply).Number()
			left := ends.Sub(e.At)
			if ok && (time.Duration(said)*time.Millisecond-left).Abs() <= time.Millisecond {
				exact++
			}
		}
	}
	return nils, numbers, exact
}

// replyWithoutExpiry lets B remove the expiry of A's entry before it asks for the
// lock, and returns what the script then says to B.
func replyWithoutExpiry(l *Lab) say.Both {
	v, _ := locks.Lookup("redisson-3.12.3")
	inner := v.New
	v.New = func(d locks.Deps) locks.Lock { return &persisting{inner(d), d} }
	r := l.PlayVariant(Story{Lock: v.ID, Clients: "[A, B]"}, v, 1)[0]
	for _, e := range r.Events(history.Executed, "") {
		if sent := r.cause(e); r.Name(sent.Node) == "B" && r.Command(sent) == acquireScript {
			return say.Both{English: number(r.Text(e))}
		}
	}
	return both("not known", "不知道")
}

// persisting is a lock whose client B removes the key's expiry before it asks.
type persisting struct {
	locks.Lock
	d locks.Deps
}

func (p *persisting) Acquire(ctx context.Context) (locks.Lease, error) {
	if p.d.Owner == "B" {
		p.d.Redis.Do(ctx, world.Command("PERSIST", p.d.Name))
	}
	return p.Lock.Acquire(ctx)
}
