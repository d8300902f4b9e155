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
//     After an error it comes again; after a 0 the lock is dropped from the list, and the holder is not told.
//  4. EVAL unlock: the latch exists -> its value; no own field -> nil; HINCRBY field -1;
//     above 0 -> PEXPIRE lease, SET latch 0 PX, 0; else DEL, PUBLISH 0, SET latch 1 PX, 1. Then DEL latch.
//  5. With replicas: INFO replication for their number n, and after each script, on the same connection, WAIT n, at most
//     a thirtieth of the lease (1 s for 30 s). No replica in time: what was acquired is released, and the whole is
//     tried again, 4 times.
//     A script without a reply is an error with one server, except for renewals; with replicas it is sent again, 4 times.
//
// Guarantees: as redisson-3.12.3; in addition, a release counts once, however often it
// runs, and with replicas an acquired lock is known to one of them.
//
// Breaks when: a holder pauses for longer than its lease or is cut off from the store: it is not
// told. With several replicas the one that has confirmed may not be the one that is promoted, and a
// primary that has noticed that it has no replicas left waits for none: one that is cut off from
// them notices after repl-timeout, a minute. A hung task with a living watchdog keeps the lock.
// With replicas a lost reply to an acquire counts one hold too many.
//
// Source: Redisson since 3.44: RedissonLock, RedissonBaseLock, LockRenewalScheduler,
// CommandAsyncService.syncedEval, and its defaults: lockWatchdogTimeout 30 s, retryAttempts 4,
// slavesSyncTimeout 1 s, checkLockSyncedSlaves true; S0 "Distributed locks on Redis", lines 93-111;
// S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", line 194.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "redisson", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &redissonLock{redissonSynced{redisson: redisson{Deps: d}}} },
	})
}

type redissonLock struct{ redissonSynced }

func (l *redissonLock) Acquire(ctx context.Context) (Lease, error) {
	return l.hold(ctx, func() (redissonTry, error) { return l.tryRenewed(l.lockCmd, l.unlockCmd) })
}

// hold is lock for all locks but the fair and the fenced one.
func (r *redissonSynced) hold(ctx context.Context, try func() (redissonTry, error)) (Lease, error) {
	if _, err := r.lock(ctx, r.channel(), try); err != nil {
		return nil, err
	}
	return r.unlocks(r.unlockCmd), nil
}

// lockCmd is the acquire script with its arguments.
func (r *redissonSynced) lockCmd() redis.Cmd {
	return redis.Eval(redissonLockScript, r.Name).Num(ports.Millis(r.Lease)).Text(r.field())
}
