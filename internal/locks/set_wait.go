// Lock set-wait
//
// Idea: do not believe the primary before a replica has the key too. WAIT blocks the
// client, and only it, until that many replicas have confirmed the writes of this
// connection.
//
// Protocol:
//  1. On a connection of its own: SET key token EX seconds NX; nil: try again later. (WAIT answers after a SET that failed, too, so the OK matters.)
//  2. On the same connection: WAIT 1 3000; 1 or more: the lock is held. (3000 ms for a lease of 10 s; a scaled run scales both.)
//  3. Fewer, or an error: EVAL unlock, since WAIT undoes nothing, and again later.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; besides, a primary that dies cannot take the lock with
// it, when its only replica becomes the next one and has not restarted meanwhile.
//
// Breaks when: a holder overruns its lease; the primary comes back empty before
// anybody has missed it, and its replica follows it. WAIT counts replicas that
// have the write in memory, not on disk, and time goes by while it counts: the
// lease has been running since the SET. When the only replica has become the
// primary, nobody is left to confirm, and nobody gets the lock until there is a
// new one.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 78-84; Redis documentation of
// WAIT.
//
// 想法：副本也有了这个键，才相信主节点。WAIT 只阻塞这一个客户端，直到有这么多副本确认了本连接
// 的写入。
//
// 协议：
//  1. 在一条专用的连接上：SET key token EX seconds NX；nil：稍后再试。（SET 失败了，WAIT 也照样答
//     复，所以 OK 很要紧。）
//  2. 在同一条连接上：WAIT 1 3000；1 或更多：拿到锁。（租约 10 秒时是 3000 毫秒；缩放的运行把两者
//     一起缩放。）
//  3. 不够，或者出错：EVAL unlock，因为 WAIT 什么也不撤销；稍后再试。
//  4. 释放：EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 set-nx-lua；另外，死掉的主节点带不走锁，只要接替它的是唯一的副本，而且这个副本期间
// 没有重启过。
//
// 何时被破坏：持有者超过租约；主节点还没有人发现它不在，就空着回来了，副本也跟随它。WAIT 数的
// 是内存里有这次写入的副本，不是磁盘上有的，而且数的时候时间在走：租约从 SET 那一刻起就在计
// 时。唯一的副本成为主节点之后，就没有谁来确认，在有新的副本之前谁也拿不到锁。
//
// 来源：S2（从 SETNX 到 Redlock 和 WAIT）第 78-84 行；Redis 文档里的 WAIT。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-wait", File: "set_wait.go", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 1, NoCluster: bindsToServer},
		New:     newSetWait,
	})
}

func newSetWait(d Deps) Lock { return &setWait{d} }

type setWait struct{ Deps }

func (l *setWait) Acquire(ctx context.Context) (Lease, error) { return onOneConn(ctx, &l.Deps, 1) }

// onOneConn makes an attempt after the other, each on a connection of its own.
func onOneConn(ctx context.Context, d *Deps, least int64) (Lease, error) {
	return spin(ctx, *d, func() (Lease, error) {
		conn, err := d.Redis.Dial(ctx)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		return setThenWait(ctx, d, conn, conn, least)
	})
}

// setThenWait is one attempt: SET on one connection, then WAIT, which should be
// on the same one. The lock is held when WAIT has counted so many replicas, which should
// be 1. It returns nil, nil when there is nothing to clean up.
func setThenWait(ctx context.Context, d *Deps, set, wait redis.Conn, least int64) (Lease, error) {
	lease := &scriptDel{Deps: d, token: newToken(d.Env)}
	reply := set.Do(ctx, redis.Set(d.Name, lease.token).EX(d.Lease).NX())
	if reply.IsNil() {
		return nil, nil // somebody else's
	}
	if reply.IsOK() {
		if reply = wait.Do(ctx, oneReplica(d.Lease)); reply.Kind == redis.ReplyInt && reply.Int >= least {
			return lease, nil
		}
	}
	// Whoever is the primary by now may have the key, or may still be given it.
	_ = lease.Release(d.Env.Background())
	return nil, reply.Err
}

// oneReplica is WAIT 1 with three tenths of the lease: 3000 ms for one of 10 s.
func oneReplica(lease time.Duration) redis.Cmd { return redis.Wait(1, lease*3/10) }
