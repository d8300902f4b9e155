// Lock set-nx-ex-del
//
// Idea: create the key and its time to live in one command, so that no crash can
// come between them.
//
// Protocol:
//  1. SET key owner EX seconds NX; OK: the lock is held; nil: another client holds it, try again later.
//  2. DEL key.
//
// Guarantees: mutual exclusion while every holder is done within the lease; the
// lock of a dead client is free after the lease.
//
// Breaks when: a holder overruns its lease, by slow work, a pause, a partition or
// a late reply: a second client gets in. Then the first one's DEL deletes the
// second one's key, and a third client gets in.
//
// Source: S0 "Distributed locks on Redis", lines 51-68; S2 "From SETNX to Redlock and
// WAIT", lines 18-33.
//
// 想法：用一条命令创建键并设好存活时间，中间就不可能崩溃。
//
// 协议：
//  1. SET key owner EX seconds NX；OK：拿到锁；nil：别人持有，稍后再试。
//  2. DEL key。
//
// 保证：只要每个持有者都在租约之内做完，就互斥；死掉的客户端的锁在租约之后空出来。
//
// 何时被破坏：持有者超过租约，因为工作慢、停顿、网络分区或迟到的答复：第二个客户端进来。然后第
// 一个的 DEL 删掉第二个的键，第三个客户端进来。
//
// 来源：S0《基于redis的分布式锁》第 51-68 行；S2（从 SETNX 到 Redlock 和 WAIT）第 18-33 行。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-ex-del", File: "set_nx_ex_del.go", Store: StoreRedis, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &setNXEXDel{d} },
	})
}

type setNXEXDel struct{ Deps }

func (l *setNXEXDel) Acquire(ctx context.Context) (Lease, error) {
	create := redis.Set(l.Name, l.Owner).EX(l.Lease).NX()
	return spin(ctx, l.Deps, func() (Lease, error) {
		reply := l.Redis.Do(ctx, create)
		if !reply.IsOK() {
			return nil, reply.Err
		}
		return &blindDel{Deps: &l.Deps}, nil
	})
}
