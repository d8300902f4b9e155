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
// Guarantees: as redisson; besides, a resource that checks the token turns away
// whoever was overtaken.
//
// Breaks when: the resource does not check; the store forgets its counter, as it
// does in a restart without persistence or a failover, and gives out a token a
// second time. A token that is read later, by getToken after lock, may be a
// successor's, and then it is no fence at all; this is lockAndGetToken. Taking the
// lock again while it is held counts up too, so that the inner token overtakes the
// outer one.
//
// Source: Redisson since 3.19, RedissonFencedLock (lockAndGetToken).
//
// 想法：带防护令牌的 redisson。拿锁的脚本让第二个键加一，把这个数和锁一起返回，这是服务器的同
// 一步。
//
// 协议：
//  1. EVAL lock：没有键，或者有自己的字段 -> INCR redisson_lock_token:{lock}，HINCRBY 字段 1，
//     PEXPIRE 租约，{-1, 令牌}；否则 {键的 PTTL, -1}。前面是 -1：拿到锁，带着这个令牌。
//  2. 没拿到：SUBSCRIBE redisson_lock__channel:{lock}，以后每来一条消息，或者 PTTL 过了，就再做第
//     1 步。
//  3. 每个客户端一个定时器，每三分之一个租约续期，同 redisson。
//  4. EVAL unlock：有 latch -> 它的值；没有自己的字段 -> nil；HINCRBY 字段 -1；还大于 0 ->
//     PEXPIRE 租约，SET latch 0 PX，0；否则 DEL，PUBLISH 0，SET latch 1 PX，1。然后 DEL latch。
//  5. 有副本时：每个脚本之后 WAIT，同 redisson。没有副本确认过的拿锁就是出错，而且不撤销。
//
// 保证：同 redisson；另外，检查令牌的资源会把已被后来者超过的挡回去。
//
// 何时被破坏：资源不检查；存储忘掉计数器（没有持久化的重启或故障转移都会），把同一个令牌发第二
// 次。在 lock 之后才用 getToken 读的令牌，可能已经是后来者的，那就完全起不到防护的作用；这里用
// 的是 lockAndGetToken。持有时再拿一次锁也会加一，于是内层的令牌超过了外层的。
//
// 来源：Redisson 3.19 及以后的 RedissonFencedLock（lockAndGetToken）。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "redisson-fenced", File: "redisson_fenced.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
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
	return &redissonFencedLease{redissonLease{lock: &l.redissonSynced, script: l.unlockCmd}, got.token}, nil
}

func (l *redissonFenced) tryLock() (redissonTry, error) {
	reply := l.syncedEval(l.Env.Background(),
		redis.EvalKeys(redissonFencedScript, l.Name, l.key("redisson_lock_token")).
			Num(world.Millis(l.Lease)).Text(l.field()), 0)
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

type redissonFencedLease struct {
	redissonLease
	token int64
}

func (h *redissonFencedLease) Token() int64 { return h.token }
