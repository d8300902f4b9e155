// Lock self-fence
//
// Idea: the client looks at its own clock before each step that the lock protects,
// and stops when its lease may be over. It needs nothing from the store for that.
//
// Protocol:
//  1. Read the monotonic clock; SET key token PX milliseconds NX; OK: the lock is
//     held until the time that was read plus nine tenths of the lease; nil: try again later.
//  2. An OK that comes when that time is over does not count; try again later.
//  3. Before each step compare the clock with that time; once it is over the lock is lost.
//  4. EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; besides, slow work, a late reply or a partition do not
// make two holders, as long as the client runs and its clock is not slower than the
// server's by a tenth. That tenth is also the time that the last step may take.
//
// Breaks when: the process freezes after it has compared and before its step has
// taken effect; its work hangs, and compares nothing; the server's clock jumps ahead;
// a failover forgets the entry. Work that needs longer than nine tenths of the lease
// is never done.
//
// Source: Redis documentation, "Distributed Locks with Redis", on the validity time
// of a lock; Kleppmann 2016, How to do distributed locking, on what such a check
// cannot do. The tenth is a choice of this program.
//
// 想法：锁所保护的每一步之前，客户端都看自己的时钟，租约可能已经结束就停下。这不需要存储帮忙。
//
// 协议：
//  1. 读单调时钟；SET key token PX milliseconds NX；OK：持有锁，直到读到的时间加上租约的十分之
//     九；nil：稍后再试。
//  2. 过了那个时间才来的 OK 不算数；稍后再试。
//  3. 每走一步之前，拿时钟和那个时间比；过了，锁就丢了。
//  4. EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 set-nx-lua；另外，工作慢、答复迟到或网络分区都不会造成两个持有者，只要客户端在运
// 行，而且它的时钟比服务器的慢不到十分之一。这十分之一也是留给最后一步的时间。
//
// 何时被破坏：进程在比较之后、这一步生效之前冻结；工作卡住，什么也不比较；服务器的时钟向前跳；
// 故障转移忘掉条目。需要超过十分之九个租约的工作，永远做不完。
//
// 来源：Redis 文档，"Distributed Locks with Redis"，讲锁的有效时间；Kleppmann 2016，"How to do
// distributed locking"，讲这样的检查做不到什么。十分之一是本程序的选择。

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "self-fence", File: "self_fence.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &selfFence{d} },
	})
}

type selfFence struct{ Deps }

func (l *selfFence) Acquire(ctx context.Context) (Lease, error) {
	return setNXPX(ctx, l.Deps, l.hold)
}

// hold makes the lease; nil when its time is already over. The lease counts from
// before SET was sent, since nobody knows when the server executed it.
func (l *selfFence) hold(token string, sent time.Duration) Lease {
	margin := l.Lease / 10
	left := sent + l.Lease - margin - l.Env.Mono()
	if left <= 0 {
		return nil
	}
	lease := &selfFenced{scriptDel: scriptDel{Deps: &l.Deps, token: token}}
	var tellLost context.CancelFunc
	lease.lost, tellLost = l.Env.WithCancel(l.Env.Background())
	ctx, stop := l.Env.WithCancel(l.Env.Background())
	lease.stop = stop
	// A task of this process compares in the place of every step: like them, it
	// stands still while the process does.
	l.Env.Go(ctx, "deadline", func(ctx context.Context) {
		if l.Env.Sleep(ctx, left) == nil {
			tellLost()
		}
	})
	return lease
}

// selfFenced is a lease that ends by the client's own clock.
type selfFenced struct {
	scriptDel
	lost context.Context
	stop context.CancelFunc // of the task that watches the clock
}

func (l *selfFenced) Lost() context.Context { return l.lost }

func (l *selfFenced) Release(ctx context.Context) error {
	l.stop()
	return l.scriptDel.Release(ctx)
}
