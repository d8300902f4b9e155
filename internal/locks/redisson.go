// Lock redisson
//
// Idea: Redisson as it is today (3.44 and later). The hash with the holder's field and
// its hold count is still there; what has been added is a release that can be
// repeated, renewals that go on after an error, and a wait for the replicas.
//
// Protocol:
//  1. EVAL lock: no key, or own field -> HINCRBY field 1, PEXPIRE lease, nil; else the key's PTTL. nil: held.
//  2. Not held: SUBSCRIBE redisson_lock__channel:{lock}, then step 1 again after each message, and when the PTTL is over.
//  3. One timer per client, every third of the lease: EVAL renew: own field -> PEXPIRE lease, 1; else 0.
//     After an error it comes again; after a 0 the lock is dropped from the list, and nobody is told.
//  4. EVAL unlock: the latch exists -> its value; no own field -> nil; HINCRBY field -1;
//     above 0 -> PEXPIRE lease, SET latch 0 PX, 0; else DEL, PUBLISH 0, SET latch 1 PX, 1. Then DEL latch.
//  5. With replicas: INFO replication for their number n, and after each script, on the same connection, WAIT n, at most
//     a thirtieth of the lease (1 s for 30 s). No replica in time: what was acquired is released, and the whole is
//     tried again, 4 times.
//     A script without a reply is an error with one server, except for renewals; with replicas it is sent again, 4 times.
//
// Guarantees: as redisson-3.12.3; besides, a release counts once, however often it
// runs, and with replicas an acquired lock is known to one of them.
//
// Breaks when: a holder pauses for longer than its lease or is cut off from the
// store: it is not told. With several replicas the one that has confirmed may not
// be the one that is promoted, and a primary that has noticed that it has no
// replicas left waits for none: one that is cut off from them notices after
// repl-timeout, a minute. A hung task with a living watchdog keeps the lock.
// With replicas a lost reply to an acquire counts one hold too many.
//
// Source: Redisson since 3.44: RedissonLock, RedissonBaseLock, LockRenewalScheduler,
// CommandAsyncService.syncedEval, and its defaults: lockWatchdogTimeout 30 s,
// retryAttempts 4, slavesSyncTimeout 1 s, checkLockSyncedSlaves true; S0 "Distributed
// locks on Redis", lines 93-111; S4 "Distributed locks on MySQL, Redis, etcd and
// ZooKeeper", line 194.
//
// 想法：今天的 Redisson（3.44 及以后）。那个哈希还在，里面是持有者的字段和持有计数；后来学到
// 的，是怎样重复一次释放、出错之后怎样继续续期，以及等待副本。
//
// 协议：
//  1. EVAL lock：没有键，或者有自己的字段 -> HINCRBY 字段 1，PEXPIRE 租约，nil；否则是键的 PTTL。
//     nil：拿到锁。
//  2. 没拿到：SUBSCRIBE redisson_lock__channel:{lock}，以后每来一条消息，或者 PTTL 过了，就再做第
//     1 步。
//  3. 每个客户端一个定时器，每三分之一个租约：EVAL renew：有自己的字段 -> PEXPIRE 租约，1；否则
//     0。出错之后还会再来；答复 0，就把锁从名单上去掉，不告诉任何人。
//  4. EVAL unlock：有 latch -> 它的值；没有自己的字段 -> nil；HINCRBY 字段 -1；还大于 0 ->
//     PEXPIRE 租约，SET latch 0 PX，0；否则 DEL，PUBLISH 0，SET latch 1 PX，1。然后 DEL latch。
//  5. 有副本时：用 INFO replication 得知副本数 n，每个脚本之后在同一条连接上 WAIT n，最多等租约的
//     三十分之一（租约 30 秒时为 1 秒）。没有副本及时确认：把拿到的释放掉，整个重来，共 4 次。没
//     有答复的脚本，只有一台服务器时就是出错，续期除外；有副本时会重发，4 次。
//
// 保证：同 redisson-3.12.3；另外，一次释放不管执行多少遍只算一次；有副本时，拿到的锁至少有一个
// 副本知道。
//
// 何时被破坏：持有者停顿得比租约还久，或与存储断开：没有人告诉它。有多个副本时，确认过的未必就
// 是被提升的；已经发现自己没有副本的主节点，一个也不等：与副本断开的主节点，要过
// repl-timeout，也就是一分钟，才会发现。任务卡住而看门狗还活着，锁就一直被占着。有副本时，拿锁
// 的答复丢失会多计一次持有。
//
// 来源：Redisson 3.44 及以后：RedissonLock、RedissonBaseLock、LockRenewalScheduler、
// CommandAsyncService.syncedEval，以及默认值：lockWatchdogTimeout 30 秒，retryAttempts 4，
// slavesSyncTimeout 1 秒，checkLockSyncedSlaves true；S0《基于redis的分布式锁》第 93-111 行；
// S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）第 194 行。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "redisson", File: "redisson.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &redissonLock{redissonSynced{redisson: redisson{Deps: d}}} },
	})
}

type redissonLock struct{ redissonSynced }

func (l *redissonLock) Acquire(ctx context.Context) (Lease, error) {
	_, err := l.lock(ctx, l.channel(), l.tryLock)
	if err != nil {
		return nil, err
	}
	return &redissonLease{lock: &l.redissonSynced, script: l.unlockCmd}, nil
}

func (l *redissonLock) tryLock() (redissonTry, error) {
	got, err := l.tryAcquire(l.lockCmd, l.unlockCmd)
	if err == nil && got.held {
		l.scheduleRenewal()
	}
	return got, err
}

// lockCmd is the acquire script with its arguments.
func (r *redissonSynced) lockCmd() redis.Cmd {
	return redis.Eval(redissonLockScript, r.Name).Num(world.Millis(r.Lease)).Text(r.field())
}

// redissonLease is one hold of a lock. The client is never told of a loss.
type redissonLease struct {
	neverTold
	lock   *redissonSynced
	script func(latch string) redis.Cmd // the release
}

func (h *redissonLease) Release(ctx context.Context) error { return h.lock.unlock(ctx, h.script) }
