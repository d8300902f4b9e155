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
// Guarantees: as redisson; in addition, those who wait get the lock in the order in
// which they came, and a release wakes one of them.
//
// Breaks when: whatever breaks redisson. A client whose wall clock is ahead drops
// the others from the queue, which costs order and nothing else. The message to a
// head that has just died is lost on the others: they wait out their time.
//
// Source: Redisson since 3.44, RedissonFairLock, and its default fairLockWaitTimeout of 300 s.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "redisson-fair", Store: StoreRedis, LeaseUnit: time.Millisecond,
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
	return l.unlocks(l.fairUnlockCmd), nil
}

func (l *redissonFair) tryLock() (redissonTry, error) {
	return l.tryRenewed(l.fairLockCmd, l.fairUnlockCmd)
}

// leaveQueue takes a client that has given up out of the queue.
func (l *redissonFair) leaveQueue() {
	_ = l.syncedEval(l.Env.Background(), redis.EvalKeys(redissonFairCancel, l.queue(), l.timeouts()).
		Text(l.field()).Num(l.waitMS()), redissonRetries) // an entry that stays runs out by itself
}

func (l *redissonFair) fairLockCmd() redis.Cmd {
	return redis.EvalKeys(redissonFairLock, l.Name, l.queue(), l.timeouts()).
		Num(ports.Millis(l.Lease)).Text(l.field()).Num(l.waitMS()).Num(l.nowMS())
}

func (l *redissonFair) fairUnlockCmd(latch string) redis.Cmd {
	return redis.EvalKeys(redissonFairUnlock, l.Name, l.queue(), l.timeouts(), l.channel(), latch).
		Num(unlockMessage).Num(ports.Millis(l.Lease)).Text(l.field()).Num(l.nowMS()).
		Text("publish").Num(l.latchTTL())
}

func (l *redissonFair) queue() string    { return l.key("redisson_lock_queue") }
func (l *redissonFair) timeouts() string { return l.key("redisson_lock_timeout") }

// waitMS is fairLockWaitTimeout.
func (l *redissonFair) waitMS() int64 { return ports.Millis(10 * l.Lease) }

// nowMS is the client's wall clock.
func (l *redissonFair) nowMS() int64 { return l.Env.Now().UnixMilli() }
