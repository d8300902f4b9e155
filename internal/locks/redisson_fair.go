// Lock redisson-fair
//
// Idea: redisson with a queue. A client that does not get the lock joins a list, and only
// the head of the list may take a free lock. A sorted set says until when each of them
// is waited for, so that a dead waiter does not block the others for ever.
//
// Protocol:
//  1. EVAL lock: drop heads of the list whose timeout is over; no key and (no list or own field its head) -> LPOP, ZREM,
//     ZINCRBY all timeouts -wait, HSET field 1, PEXPIRE lease, nil; own field in the hash -> HINCRBY field 1, PEXPIRE
//     lease, nil; queued already -> the key's PTTL; else RPUSH, ZADD timeout and the time to wait.
//     The timeout is that of the last one in the queue, or now + PTTL, plus wait: ten leases (300 s for 30 s).
//     The client says what time it is.
//  2. Not held: SUBSCRIBE redisson_lock__channel:{lock}:UUID:threadId, a channel of one's own, then step 1 again after each
//     message, and when the time to wait is over. Who gives up: EVAL cancel: LREM, ZREM, ZINCRBY the later ones' timeouts -wait.
//  3. One timer per client renews every third of the lease, as with redisson.
//  4. EVAL unlock: the latch exists -> its value; drop stale heads; no key -> wake the head, 1; no own field -> nil;
//     HINCRBY field -1; above 0 -> PEXPIRE lease, 0; else DEL, PUBLISH 0 to the head's channel, 1.
//     Then DEL latch. With replicas WAIT after each script, as with redisson.
//
// Guarantees: as redisson; besides, those who wait get the lock in the order in
// which they came, and a release wakes one of them.
//
// Breaks when: whatever breaks redisson. A client whose wall clock is ahead drops
// the others from the queue, which costs order and nothing else. The message to a
// head that has just died is lost on the others: they wait out their time.
//
// Source: Redisson since 3.44, RedissonFairLock, and its default
// fairLockWaitTimeout of 300 s.
//
// 想法：带队列的 redisson。没拿到锁的加入一个列表，只有列表的头可以拿空着的锁。一个有序集合记
// 着各自等到什么时候为止，死掉的等待者就不会永远挡住别人。
//
// 协议：
//  1. EVAL lock：从列表头上丢掉超时已过的；没有键，而且（没有列表或者自己的字段在最前）-> LPOP，
//     ZREM，对所有超时 ZINCRBY 减去等待时间，HSET 字段 1，PEXPIRE 租约，nil；哈希里有自己的字段
//     -> HINCRBY 字段 1，PEXPIRE 租约，nil；已经在排队 -> 键的 PTTL；否则 RPUSH，ZADD 超时，答复
//     还要等多久。超时是队尾的超时，或者现在 + PTTL，再加上等待时间：十个租约（租约 30 秒时为 300
//     秒）。现在是几点，由客户端说。
//  2. 没拿到：SUBSCRIBE redisson_lock__channel:{lock}:UUID:threadId，自己专用的频道，以后每来一条
//     消息，或者等待时间过了，就再做第 1 步。放弃的：EVAL cancel：LREM，ZREM，对后面的超时
//     ZINCRBY 减去等待时间。
//  3. 每个客户端一个定时器，每三分之一个租约续期，同 redisson。
//  4. EVAL unlock：有 latch -> 它的值；丢掉列表头上过期的；没有键 -> 叫醒最前的，1；没有自己的字
//     段 -> nil；HINCRBY 字段 -1；还大于 0 -> PEXPIRE 租约，0；否则 DEL，向最前的频道 PUBLISH 0，
//     1。然后 DEL latch。有副本时每个脚本之后 WAIT，同 redisson。
//
// 保证：同 redisson；另外，等待者按到来的次序拿到锁，每次释放只叫醒一个。
//
// 何时被破坏：能破坏 redisson 的都能破坏它。墙上时钟快的客户端会把别人挤出队列，损失的只是次
// 序。发给刚死掉的队首的消息，别人听不到：它们要把自己的时间等完。
//
// 来源：Redisson 3.44 及以后的 RedissonFairLock，以及 fairLockWaitTimeout 的默认值 300 秒。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "redisson-fair", File: "redisson_fair.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &redissonFair{redissonSynced{redisson: redisson{Deps: d}}} },
	})
}

type redissonFair struct{ redissonSynced }

func (l *redissonFair) Acquire(ctx context.Context) (Lease, error) {
	_, err := l.lock(ctx, l.channel()+":"+l.field(), l.tryLock)
	if err != nil {
		if ctx.Err() != nil {
			l.leaveQueue()
		}
		return nil, err
	}
	return &redissonLease{lock: &l.redissonSynced, script: l.fairUnlockCmd}, nil
}

func (l *redissonFair) tryLock() (redissonTry, error) {
	got, err := l.tryAcquire(l.fairLockCmd, l.fairUnlockCmd)
	if err == nil && got.held {
		l.scheduleRenewal()
	}
	return got, err
}

// leaveQueue takes a client that has given up out of the queue.
func (l *redissonFair) leaveQueue() {
	_ = l.syncedEval(l.Env.Background(), redis.EvalKeys(redissonFairCancel, l.queue(), l.timeouts()).
		Text(l.field()).Num(l.waitMS()), redissonRetries) // an entry that stays runs out by itself
}

func (l *redissonFair) fairLockCmd() redis.Cmd {
	return redis.EvalKeys(redissonFairLock, l.Name, l.queue(), l.timeouts()).
		Num(world.Millis(l.Lease)).Text(l.field()).Num(l.waitMS()).Num(l.nowMS())
}

func (l *redissonFair) fairUnlockCmd(latch string) redis.Cmd {
	return redis.EvalKeys(redissonFairUnlock, l.Name, l.queue(), l.timeouts(), l.channel(), latch).
		Num(unlockMessage).Num(world.Millis(l.Lease)).Text(l.field()).Num(l.nowMS()).
		Text("publish").Num(l.latchTTL())
}

func (l *redissonFair) queue() string    { return l.key("redisson_lock_queue") }
func (l *redissonFair) timeouts() string { return l.key("redisson_lock_timeout") }

// waitMS is fairLockWaitTimeout.
func (l *redissonFair) waitMS() int64 { return world.Millis(10 * l.Lease) }

// nowMS is the client's wall clock.
func (l *redissonFair) nowMS() int64 { return l.Env.Now().UnixMilli() }
