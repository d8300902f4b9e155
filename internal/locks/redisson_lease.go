// Lock redisson-lease
//
// Idea: lock(leaseTime): a caller that says how long the lock should last gets no watchdog.
// The scripts are those of redisson.
//
// Protocol:
//  1. EVAL lock: no key, or own field -> HINCRBY field 1, PEXPIRE lease, nil; else the key's PTTL. nil: held.
//  2. Not held: SUBSCRIBE redisson_lock__channel:{lock}, then step 1 again after each message, and when the PTTL is over.
//  3. EVAL unlock: the latch exists -> its value; no own field -> nil; HINCRBY field -1;
//     above 0 -> PEXPIRE lease, SET latch 0 PX, 0; else DEL, PUBLISH 0, SET latch 1 PX, 1. Then DEL latch.
//  4. With replicas: WAIT for them after each script, as redisson does.
//
// Guarantees: as redisson without its watchdog: a hung task loses the lock when
// its lease is over.
//
// Breaks when: work lasts longer than the lease. Everything else as redisson.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", line 194 (the
// watchdog needs a lock without a lease time); Redisson since 3.44,
// RedissonLock.tryAcquireAsync.
//
// 想法：lock(leaseTime)：指定了锁的时长，就没有看门狗。脚本和 redisson 的一样。
//
// 协议：
//  1. EVAL lock：没有键，或者有自己的字段 -> HINCRBY 字段 1，PEXPIRE 租约，nil；否则是键的 PTTL。
//     nil：拿到锁。
//  2. 没拿到：SUBSCRIBE redisson_lock__channel:{lock}，以后每来一条消息，或者 PTTL 过了，就再做第
//     1 步。
//  3. EVAL unlock：有 latch -> 它的值；没有自己的字段 -> nil；HINCRBY 字段 -1；还大于 0 ->
//     PEXPIRE 租约，SET latch 0 PX，0；否则 DEL，PUBLISH 0，SET latch 1 PX，1。然后 DEL latch。
//  4. 有副本时：每个脚本之后 WAIT 等它们，同 redisson。
//
// 保证：同没有看门狗的 redisson：卡住的任务在租约结束时失去锁。
//
// 何时被破坏：工作比租约长。其余同 redisson。
//
// 来源：S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）第 194 行（不带租约时间的锁才有看门
// 狗）；Redisson 3.44 及以后的 RedissonLock.tryAcquireAsync。

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "redisson-lease", File: "redisson_lease.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &redissonWithLease{redissonSynced{redisson: redisson{Deps: d}}} },
	})
}

type redissonWithLease struct{ redissonSynced }

func (l *redissonWithLease) Acquire(ctx context.Context) (Lease, error) {
	_, err := l.lock(ctx, l.channel(), func() (redissonTry, error) {
		return l.tryAcquire(l.lockCmd, l.unlockCmd)
	})
	if err != nil {
		return nil, err
	}
	return &redissonLease{lock: &l.redissonSynced, script: l.unlockCmd}, nil
}
