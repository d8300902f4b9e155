// Lock setnx
//
// Idea: a key that only one client can create is a lock. The client that creates it
// holds the lock until it deletes the key.
//
// Protocol:
//  1. SETNX key owner; 1: the lock is held; 0: another client holds it, try again later.
//  2. DEL key.
//
// Guarantees: mutual exclusion as long as every command is answered and nobody
// but the holder deletes the key. Nothing expires, so no pause and no slow task
// can end the lock early.
//
// Breaks when: the holder dies, or the reply of SETNX is lost, and the key stays
// for ever; DEL does not ask whose key it deletes, so a repeated or misplaced
// DEL frees another client's lock.
//
// Source: S0 "Distributed locks on Redis", lines 8-26; Redis command reference, SETNX.
//
// 想法：只有一个客户端创建得了的键，就是锁。创建它的持有锁，直到删掉这个键。
//
// 协议：
//  1. SETNX key owner；1：拿到锁；0：别人持有，稍后再试。
//  2. DEL key。
//
// 保证：只要每条命令都有答复，而且除了持有者没有人删键，就互斥。什么都不会过期，所以停顿和慢任
// 务都不会让锁提前结束。
//
// 何时被破坏：持有者死掉，或 SETNX 的答复丢失，键就永远留着；DEL 不问删的是谁的键，所以重复的
// 或不该发的 DEL 会放掉别人的锁。
//
// 来源：S0《基于redis的分布式锁》第 8-26 行；Redis 命令参考，SETNX。

package locks

import (
	"context"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "setnx", File: "setnx.go", Store: StoreRedis,
		New: func(d Deps) Lock { return &setnx{d} },
	})
}

type setnx struct{ Deps }

func (l *setnx) Acquire(ctx context.Context) (Lease, error) {
	create := redis.SetNX(l.Name, l.Owner)
	return spin(ctx, l.Deps, func() (Lease, error) {
		reply := l.Redis.Do(ctx, create)
		if !reply.IsInt(1) {
			return nil, reply.Err
		}
		return &blindDel{Deps: &l.Deps}, nil
	})
}
