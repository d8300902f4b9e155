// Lock watchdog-blind
//
// Idea: a daemon sets the time to live again every third of the lease, as the
// documents say in words: it does not ask whose key it is.
//
// Protocol:
//  1. SET key token EX seconds NX; OK: the lock is held; nil: try again later.
//  2. Every third of the lease, EXPIRE key seconds. The answer is not looked at.
//  3. Stop the daemon; EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; besides, work may last longer than the lease.
//
// Breaks when: the whole process freezes for longer than what is left of the
// lease, daemon included: a second client gets in, and the daemon, awake again,
// renews the second one's key. If that client dies, its lock lives for as long as
// the first one's daemon. A hung task with a living daemon keeps the lock for ever.
// No holder is told of a loss, though EXPIRE answers 0 when the key is gone.
//
// Source: S0 "Distributed locks on Redis", line 91; S4 "Distributed locks on MySQL,
// Redis, etcd and ZooKeeper", lines 190-194, read literally.
//
// 想法：一个守护任务每三分之一个租约重新设一次存活时间，照文档的文字来做：不问键是谁的。
//
// 协议：
//  1. SET key token EX seconds NX；OK：拿到锁；nil：稍后再试。
//  2. 每三分之一个租约，EXPIRE key seconds。不看答复。
//  3. 停掉守护任务；EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 set-nx-lua；另外，工作可以比租约长。
//
// 何时被破坏：整个进程连同守护任务冻结，比租约剩下的时间还久：第二个客户端进来，守护任务醒来后
// 为第二个的键续期。如果那个客户端死掉，它的锁就和第一个的守护任务活得一样久。任务卡住而守护任
// 务还活着，锁就永远不放。丢锁时没有人被告知，尽管键没了 EXPIRE 会答复 0。
//
// 来源：S0《基于redis的分布式锁》第 91 行；S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）第
// 190-194 行，照字面来读。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "watchdog-blind", File: "watchdog_blind.go", Store: StoreRedis, LeaseUnit: time.Second, Watchdog: true,
		New: func(d Deps) Lock { return &watchdogBlind{d} },
	})
}

type watchdogBlind struct{ Deps }

func (l *watchdogBlind) Acquire(ctx context.Context) (Lease, error) {
	token := newToken(l.Env)
	create := redis.Set(l.Name, token).EX(l.Lease).NX()
	return spin(ctx, l.Deps, func() (Lease, error) {
		reply := l.Redis.Do(ctx, create)
		if !reply.IsOK() {
			return nil, reply.Err
		}
		lease := &blindlyRenewed{scriptDel: scriptDel{Deps: &l.Deps, token: token}}
		ctx, stop := l.Env.WithCancel(l.Env.Background())
		lease.stop = stop
		l.Env.Go(ctx, world.Watchdog, lease.renew)
		return lease, nil
	})
}

// blindlyRenewed is a lease whose daemon renews whatever key is there.
type blindlyRenewed struct {
	scriptDel
	stop context.CancelFunc // of the daemon
}

func (l *blindlyRenewed) renew(ctx context.Context) {
	for l.Env.Sleep(ctx, l.renewal()) == nil {
		_ = l.Redis.Do(ctx, redis.Expire(l.Name, l.Lease)) // an answer that nobody looks at
	}
}

func (l *blindlyRenewed) Release(ctx context.Context) error {
	l.stop()
	return l.scriptDel.Release(ctx)
}
