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
// Guarantees: as redisson without its watchdog: a hung task loses the lock when its lease is over.
//
// Breaks when: work lasts longer than the lease. Everything else as redisson.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", line 194 (the watchdog needs
// a lock without a lease time); Redisson since 3.44, RedissonLock.tryAcquireAsync.

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "redisson-lease", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &redissonWithLease{redissonSynced{redisson: redisson{Deps: d}}} },
	})
}

type redissonWithLease struct{ redissonSynced }

func (l *redissonWithLease) Acquire(ctx context.Context) (Lease, error) {
	return l.hold(ctx, func() (redissonTry, error) { return l.tryAcquire(l.lockCmd, l.unlockCmd) })
}
