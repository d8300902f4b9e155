// Lock redisson-fenced
//
// Idea: redisson with a fencing token. The acquire script counts up a second key
// and returns the count with the lock, as one step of the server.
//
// Protocol:
//  1. EVAL lock: no key, or own field -> INCR redisson_lock_token:{lock}, HINCRBY field 1, PEXPIRE lease, {-1, token};
//     else {the key's PTTL, -1}. A -1 in front: the lock is held, with this token.
//  2. Not held: SUBSCRIBE redisson_lock__channel:{lock}, then step 1 again after each message, and when the PTTL is over.
//  3. One timer per client renews every third of the lease, as with redisson.
//  4. EVAL unlock: the latch exists -> its value; no own field -> nil; HINCRBY field -1;
//     above 0 -> PEXPIRE lease, SET latch 0 PX, 0; else DEL, PUBLISH 0, SET latch 1 PX, 1. Then DEL latch.
//  5. With replicas: WAIT after each script, as with redisson. An acquire that no replica has confirmed is an error, and
//     is not undone.
//
// Guarantees: as redisson; in addition, a resource that checks the token refuses a
// client that was overtaken.
//
// Breaks when: the resource does not check; the store forgets its counter, as it does in a restart
// without persistence or a failover, and gives out a token a second time. A token that is read
// later, by getToken after lock, may be a successor's, and then it is no fence at all; this is
// lockAndGetToken. Taking the lock again while it is held counts up too, so that the inner token
// overtakes the outer one.
//
// Source: Redisson since 3.19, RedissonFencedLock (lockAndGetToken).

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "redisson-fenced", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &redissonFenced{redissonSynced{redisson: redisson{Deps: d}}} },
	})
}

type redissonFenced struct{ redissonSynced }

func (l *redissonFenced) Acquire(ctx context.Context) (Lease, error) {
	got, err := l.lock(ctx, l.channel(), l.tryLock)
	if err != nil {
		return nil, err
	}
	return fenced{l.unlocks(l.unlockCmd), got.token}, nil
}

func (l *redissonFenced) tryLock() (redissonTry, error) {
	reply := l.syncedEval(l.Env.Background(),
		redis.EvalKeys(redissonFencedScript, l.Name, l.key("redisson_lock_token")).
			Num(ports.Millis(l.Lease)).Text(l.field()), 0)
	if reply.Err != nil {
		return redissonTry{}, reply.Err
	}
	// A key without time to live has a PTTL of -1 as well, and passes for a success.
	ttl, token := reply.Elements()[0].Int, reply.Elements()[1].Int
	if ttl != -1 {
		return redissonTry{ttl: ttl}, nil
	}
	l.scheduleRenewal()
	return redissonTry{held: true, token: token}, nil
}
