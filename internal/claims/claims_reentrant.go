package claims

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/world"
)

// Claims about re-entrancy: two locks that differ in the type of their value only.

func init() {
	Register(Claim{16, both("Re-entrancy could be had with a string in the place of the hash, but that would serve no purpose.", "用字符串代替哈希也能做到可重入，但没有意义。"), "S1:259-281", stringOrHash})
	Register(Claim{52, both("Until 3.12.3 Redisson's script created the lock with hset, since then with hincrby, which is a detail.", "3.12.3 之前 Redisson 的脚本用 hset 创建锁，以后用 hincrby，这只是细节。"), "S1:295-303", hsetOrHincrby})
}

// reentrantScripts are the two scripts of a lock that counts its holds. The
// arguments are the lease in milliseconds and the owner. Acquire answers nil when
// the lock is held, else the remaining time; release 1 when the key is gone, 0 when
// an outer hold is left, nil when the owner has none.
type reentrantScripts struct{ acquire, release *world.Script }

// hashScripts keep a hash of one field, as Redisson does.
var hashScripts = reentrantScripts{
	&world.Script{Name: "lock", Source: `if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
	redis.call('hincrby', KEYS[1], ARGV[2], 1)
	redis.call('pexpire', KEYS[1], ARGV[1])
	return nil
end
return redis.call('pttl', KEYS[1])`},
	&world.Script{Name: "unlock", Source: `if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then
	return nil
end
if redis.call('hincrby', KEYS[1], ARGV[2], -1) > 0 then
	redis.call('pexpire', KEYS[1], ARGV[1])
	return 0
end
redis.call('del', KEYS[1])
return 1`},
}

// stringScripts keep "owner:count".
var stringScripts = reentrantScripts{
	&world.Script{Name: "lock", Source: `local value = redis.call('get', KEYS[1])
local holds = 0
if value then
	local colon = string.find(value, ':', 1, true)
	if string.sub(value, 1, colon - 1) ~= ARGV[2] then
		return redis.call('pttl', KEYS[1])
	end
	holds = tonumber(string.sub(value, colon + 1))
end
redis.call('set', KEYS[1], ARGV[2] .. ':' .. (holds + 1), 'PX', ARGV[1])
return nil`},
	&world.Script{Name: "unlock", Source: `local value = redis.call('get', KEYS[1])
if not value then
	return nil
end
local colon = string.find(value, ':', 1, true)
if string.sub(value, 1, colon - 1) ~= ARGV[2] then
	return nil
end
local holds = tonumber(string.sub(value, colon + 1)) - 1
if holds > 0 then
	redis.call('set', KEYS[1], ARGV[2] .. ':' .. holds, 'PX', ARGV[1])
	return 0
end
redis.call('del', KEYS[1])
return 1`},
}

// variant is the lock made of these scripts.
func (s reentrantScripts) variant(id string) locks.Variant {
	return locks.Variant{
		ID: id, Store: locks.StoreRedis, LeaseUnit: time.Millisecond,
		New: func(d locks.Deps) locks.Lock { return &reentrantLock{Deps: d, scripts: s} },
	}
}

type reentrantLock struct {
	locks.Deps
	scripts reentrantScripts
	owner   string // one for the client, so that it is known when it comes again
}

func (l *reentrantLock) Acquire(ctx context.Context) (locks.Lease, error) {
	if l.owner == "" {
		l.owner = strconv.FormatUint(l.Env.Rand().Uint64(), 16)
	}
	for {
		reply := l.eval(ctx, l.scripts.acquire)
		switch {
		case reply.Err != nil:
			return nil, reply.Err
		case reply.IsNil():
			return l, nil
		}
		if err := l.Env.Sleep(ctx, l.Retry); err != nil {
			return nil, err
		}
	}
}

func (l *reentrantLock) eval(ctx context.Context, s *world.Script) world.Reply {
	return l.Redis.Do(ctx, world.Eval(s, l.Name).Num(world.Millis(l.Lease)).Text(l.owner))
}

func (l *reentrantLock) Release(ctx context.Context) error {
	reply := l.eval(ctx, l.scripts.release)
	switch {
	case reply.Err != nil:
		return reply.Err
	case reply.IsNil():
		return locks.ErrNotHeld
	}
	return nil
}

func (*reentrantLock) Lost() context.Context { return nil }
func (*reentrantLock) Token() int64          { return 0 }

// reentrantStories are what two locks go through that should not differ.
var reentrantStories = []Story{
	{Workload: []string{"nested: 2", "repeat: 2 times"}},
	{Workload: []string{"nested: 1"}, Faults: []string{"when: A is in its critical section; crash: A"}},
	{Workload: []string{"nested: 1"}, Faults: []string{"when: A enters; slow: A; by: 15s"}},
	{Workload: []string{"nested: 1"}, Faults: []string{"when: A is about to send unlock; pause: A; for: 12s"}},
	{Workload: []string{"nested: 1", "release-again: 1s"}, Faults: []string{"when: A is about to send unlock; drop: reply"}},
	{Workload: []string{"nested: 1"}, Work: "8s", Servers: "{redis: {replicas: 1, lag: 500ms}}", Faults: []string{"when: A enters; fail-over: operator"}},
}

// stringOrHash plays both locks through the same stories. True when the string
// re-enters as well as the hash and every judgement of every run is the same: the
// string can do it, and gains nothing.
func stringOrHash(l *Lab) Result {
	const each = 10
	var runs, same, asked, given, broken int
	for _, s := range reentrantStories {
		s.Lock = "redisson" // for the servers; the two locks are made here
		hash := l.PlayVariant(s, hashScripts.variant("hash"), each)
		text := l.PlayVariant(s, stringScripts.variant("string"), each)
		for i := range hash {
			runs++
			asked += text[i].Count(history.Reenters, "")
			given += text[i].Count(history.Reentered, "")
			if judgedAlike(hash[i], text[i]) {
				same++
			}
			if text[i].Overlapped() || text[i].Robbed() {
				broken++
			}
		}
	}
	return Result{
		Verdict: Verdict(asked > 0 && given == asked && same == runs),
		Figure: both("A lock with the string \"owner:count\" re-entered %d of %d times; in %d stories with %d runs each it was judged like its twin with a hash in %d of %d runs; %d of its runs broke the lock.",
			"值为字符串 owner:count 的锁，%[2]d 次重入中成功 %[1]d 次；%[3]d 个故事各 %[4]d 次运行，判定与用哈希的那把相同的，%[6]d 次中有 %[5]d 次；其中 %[7]d 次破坏了锁。",
			given, asked, len(reentrantStories), each, same, runs, broken),
	}
}

// judgedAlike reports whether two runs came out the same, property by property.
func judgedAlike(a, b *Run) bool {
	if a.Letter != b.Letter || a.Overlap != b.Overlap || a.Acquired != b.Acquired {
		return false
	}
	for i := range a.Findings {
		if a.Findings[i].Verdict != b.Findings[i].Verdict || a.Findings[i].Count != b.Findings[i].Count {
			return false
		}
	}
	return true
}

// createdBy are Redisson's scripts, of which the first one creates the entry with a command.
func createdBy(command string) reentrantScripts {
	return reentrantScripts{
		&world.Script{Name: "lock", Source: `if redis.call('exists', KEYS[1]) == 0 then
	redis.call('` + command + `', KEYS[1], ARGV[2], 1)
	redis.call('pexpire', KEYS[1], ARGV[1])
	return nil
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
	redis.call('hincrby', KEYS[1], ARGV[2], 1)
	redis.call('pexpire', KEYS[1], ARGV[1])
	return nil
end
return redis.call('pttl', KEYS[1])`},
		hashScripts.release,
	}
}

// hsetOrHincrby runs both scripts in every state of the key, and plays whole stories with
// them. True when they leave the same and say the same, and every history is the same to
// the byte.
func hsetOrHincrby(l *Lab) Result {
	states := [][]string{
		nil, {"HSET", "lock", "own", "1"}, {"HSET", "lock", "own", "2"}, {"HSET", "lock", "foreign", "1"},
		{"HSET", "lock", "own", "1", "foreign", "1"}, {"SET", "lock", "a text"},
	}
	after := func(scripts reentrantScripts, state []string) string {
		s := l.Redis()
		if state != nil {
			s.Do(1, state[0], state[1:]...)
		}
		reply := s.Eval(1, scripts.acquire.Source, "lock", "30000", "own")
		said := reply.String()
		if reply.Kind == world.ReplyError {
			said = errorCode(reply) // the rest names the script
		}
		return fmt.Sprint(said, s.Do(1, "HGET", "lock", "own"), s.Do(1, "HGET", "lock", "foreign"), s.Do(1, "PTTL", "lock"))
	}
	before, since := createdBy("hset"), createdBy("hincrby")
	alike, same, runs := 0, 0, 0
	for _, state := range states {
		alike += count(after(before, state) == after(since, state))
	}
	const each = 10
	for _, s := range reentrantStories {
		s.Lock = "redisson" // for the servers
		one, two := l.PlayVariant(s, before.variant("redisson script"), each), l.PlayVariant(s, since.variant("redisson script"), each)
		for i := range one {
			runs++
			same += count(one[i].History.Hash() == two[i].History.Hash())
		}
	}
	return Result{
		Verdict: Verdict(alike == len(states) && same == runs),
		Figure: both("In %d of %d states of the key both scripts leave the same and answer the same; in %d stories with faults %d of %d histories are the same to the byte.",
			"键的 %[2]d 种状态中，有 %[1]d 种两个脚本留下的和答复的都一样；%[3]d 个有故障的故事里，%[5]d 份历史中有 %[4]d 份逐字节相同。",
			alike, len(states), len(reentrantStories), same, runs),
	}
}
