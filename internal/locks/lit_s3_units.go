// Lock lit-s3-units
//
// Idea: lua-setex, configured by a reader who believes the comments: the time of
// the lock in milliseconds, the time to try in seconds. The code takes the first
// for seconds and the second for milliseconds.
//
// Protocol:
//  1. For as many milliseconds as the lease has seconds, on the wall clock, EVAL acquire: EXISTS key
//     is 0 -> SETEX key token with as many seconds as the lease has milliseconds, "1"; else "-1".
//     "1": the lock is held; "-1": another client holds it, sleep and try again if there is time.
//  2. When the time is over the try has failed, and the caller begins a new one.
//  3. EVAL release: GET key equals token -> DEL key, "1"; else "-1".
//
// Guarantees: as lua-setex, with a lease a thousand times as long as was asked for.
//
// Breaks when: the holder dies: a lease of ten seconds blocks the others for nearly
// three hours, one of thirty for more than eight. Nobody waits: a try that was
// to last for ten seconds is over after ten milliseconds.
//
// Source: S3 "A distributed lock on Redis, with two Lua scripts", line 10, the comments
// at the fields acquireTimeout and lockTime beside what tryLock does with them.
//
// 想法：lua-setex，由相信注释的人来配置：锁的时间写成毫秒，尝试的时间写成秒。代码把前者当成
// 秒，把后者当成毫秒。
//
// 协议：
//  1. 租约有多少秒，就按墙上时钟试多少毫秒：EVAL acquire：EXISTS key 是 0 -> SETEX key token，秒
//     数是租约的毫秒数，"1"；否则 "-1"。"1"：拿到锁；"-1"：别人持有，还有时间就睡一会儿再试。
//  2. 时间到了，这次尝试就失败，由调用者开始新的一次。
//  3. EVAL release：GET key 等于 token -> DEL key，"1"；否则 "-1"。
//
// 保证：同 lua-setex，只是租约是所要的一千倍。
//
// 何时被破坏：持有者死掉：十秒的租约挡住别人将近三个小时，三十秒的超过八个小时。没有人在等：本
// 该持续十秒的尝试，十毫秒就结束了。
//
// 来源：S3《redis实现分布式锁》第 10 行，字段 acquireTimeout 和 lockTime 的注释，对照 tryLock 拿
// 它们做什么。

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "lit-s3-units", File: "lit_s3_units.go", Store: StoreRedis, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &litS3Units{d} },
	})
}

type litS3Units struct{ Deps }

func (l *litS3Units) Acquire(ctx context.Context) (Lease, error) {
	lockTime := l.Lease.Milliseconds() // as the comment says
	acquireTimeout := int64(l.Lease / time.Second)
	return tryLock(ctx, l.Deps, lockTime, acquireTimeout)
}
