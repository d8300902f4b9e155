// Lock redisson-3.12.3
//
// Idea: a hash instead of a string. Its one field names the holder and counts how
// often it has taken the lock, so that a thread can take a lock that it has. A
// release is announced on a channel, so that no client needs to spin. A watchdog on a
// timer wheel renews the lease as long as the process lives.
//
// Protocol:
//  1. EVAL lock: no key -> HINCRBY field 1, PEXPIRE lease, nil; own field -> the same; else the key's PTTL.
//     The field is UUID:threadId. nil: the lock is held.
//  2. Not held: SUBSCRIBE redisson_lock__channel:{lock}, then step 1 again after each message, and when the PTTL is over.
//  3. A third of the lease later EVAL renew: own field -> PEXPIRE lease, 1; else 0. After a 1 again, a third later.
//     After an error never again, until a release of this process clears the timer.
//  4. EVAL unlock: no own field -> nil; HINCRBY field -1; above 0 -> PEXPIRE lease, 0; else DEL, PUBLISH 0, 1.
//     The timer is stopped, whatever the reply.
//     A script without a reply is sent again: 3 times, a twentieth of the lease apart (1.5 s for 30 s).
//
// Guarantees: as watchdog-lua, but the holder is not notified of a loss; in addition, the holder's
// thread can take the lock again, and waiting costs no requests.
//
// Breaks when: the reply to a release is lost while the lock is held twice: the script runs again,
// counts down again, and deletes the entry under the outer hold. A lost reply to an acquire counts
// one hold too many, and the entry outlives its release by a lease. A renewal that gets no reply is
// the last one. A pause, a partition or a failover breaks it like every lock with a lease.
//
// Source: S1 "Ways to implement distributed locks on Redis", lines 163-493; S0 "Distributed locks
// on Redis", lines 93-111; S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", line 194;
// Redisson 3.12.3, RedissonLock, and its defaults: lockWatchdogTimeout 30 s, timeout 3 s,
// retryAttempts 3, retryInterval 1.5 s; Netty's HashedWheelTimer with 512 slots of 100 ms.

package locks

import (
	"context"
	"time"

	"lockstep/internal/locks/timerwheel"
	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "redisson-3.12.3", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &redisson3123{redisson: redisson{Deps: d}} },
	})
}

type redisson3123 struct {
	redisson
	timer   redissonTimer
	renewed *expirationEntry // nil: no renewal of this lock is under way
}

// expirationEntry is the process's record of a lock that it renews.
type expirationEntry struct {
	holds   int
	timeout *timerwheel.Timer[func(context.Context)]
}

func (l *redisson3123) Acquire(ctx context.Context) (Lease, error) {
	if _, err := l.lock(ctx, l.channel(), l.tryLock); err != nil {
		return nil, err
	}
	return ReleaseFunc(l.unlock), nil
}

func (l *redisson3123) tryLock() (redissonTry, error) {
	got, err := tryResult(l.send(l.Env.Background(),
		redis.Eval(redisson3123Lock, l.Name).Num(ports.Millis(l.Lease)).Text(l.field())))
	if err == nil && got.held {
		l.scheduleRenewal()
	}
	return got, err
}

// scheduleRenewal notes one more hold. Only the first one starts a timer: an entry
// that a failed renewal has left behind keeps it from being started.
func (l *redisson3123) scheduleRenewal() {
	if l.renewed != nil {
		l.renewed.holds++
		return
	}
	l.renewed = &expirationEntry{holds: 1}
	l.renewExpiration()
}

func (l *redisson3123) renewExpiration() {
	entry := l.renewed
	if entry == nil {
		return // released while the renewal was under way
	}
	entry.timeout = l.timer.newTimeout(&l.Deps, 512, func(ctx context.Context) {
		if l.renewed == nil {
			return
		}
		reply := l.send(ctx, redis.Eval(redisson3123Renew, l.Name).Num(ports.Millis(l.Lease)).Text(l.field()))
		if reply.IsInt(1) {
			l.renewExpiration()
		}
	})
}

func (l *redisson3123) cancelRenewal() {
	if l.renewed == nil {
		return
	}
	if l.renewed.holds--; l.renewed.holds == 0 {
		l.renewed.timeout.Cancel()
		l.renewed = nil
	}
}

func (l *redisson3123) unlock(ctx context.Context) error {
	err := l.unlock3123(ctx, l.Lease)
	l.cancelRenewal()
	return err
}
