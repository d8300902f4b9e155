// Lock lit-cas-3arg
//
// Idea: cas-cad with the document's CAS, which has three arguments, none of them a
// time to live.
//
// Protocol:
//  1. SET key token EX seconds NX; OK: the lock is held; nil: try again later.
//  2. Every third of the lease, CAS key token token; 1: renewed; 0 or -1: the lock is lost.
//  3. CAD key token; 1: deleted; 0 or -1: not held any more.
//
// Guarantees: as cas-cad, as long as every holder releases.
//
// Breaks when: the holder dies after its first renewal: like SET, CAS removes the time
// to live unless it is given one, and the key stays for ever.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 50-53; TairString, command
// reference of CAS, on what becomes of the time to live.
//
// 想法：cas-cad，但用文档里的 CAS：它有三个参数，其中没有存活时间。
//
// 协议：
//  1. SET key token EX seconds NX；OK：拿到锁；nil：稍后再试。
//  2. 每三分之一个租约，CAS key token token；1：续上了；0 或 -1：锁丢了。
//  3. CAD key token；1：删掉了；0 或 -1：已经不再持有。
//
// 保证：只要每个持有者都会释放，就同 cas-cad。
//
// 何时被破坏：持有者在第一次续期之后死掉：CAS 和 SET 一样，不另外给出就会去掉存活时间，键永远
// 留着。
//
// 来源：S2（从 SETNX 到 Redlock 和 WAIT）第 50-53 行；TairString 的命令参考，CAS，讲存活时间会怎
// 样。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-cas-3arg", File: "lit_cas_3arg.go", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{TairString: true},
		New:     func(d Deps) Lock { return &litCAS3Arg{d} },
	})
}

type litCAS3Arg struct{ Deps }

func (l *litCAS3Arg) Acquire(ctx context.Context) (Lease, error) {
	token := newToken(l.Env)
	return setNXCompared(ctx, &l.Deps, token, redis.Command("CAS", l.Name, token, token))
}
