// Lock sidekiq-grouping-20
//
// Idea: the key and its time to live are set by two commands. A process that dies between them leaves
// a lock that nobody ever gets.
//
// Protocol:
//  1. SETNX key owner; 1: the lock is held; 0: try again later.
//  2. EXPIRE key seconds. (The fixed form, set-nx-ex-del, is SET key owner EX seconds NX: both in one command.)
//  3. To release: DEL key.
//
// Guarantees: as set-nx-ex-del, as long as nobody dies or loses a request between 1 and 2.
//
// Breaks when: the process ends between the two commands: the key has no time to live. Its users saw
// it twice within three months.
//
// Source: https://github.com/gzigzigzeo/sidekiq-grouping/issues/20 and pull request 23.
//
// 想法：键和存活时间由两条命令来设。死在中间的进程，留下一把谁也拿不到的锁。
//
// 协议：
//  1. SETNX key owner；1：拿到锁；0：稍后再试。
//  2. EXPIRE key seconds。（修好的形式 set-nx-ex-del 是 SET key owner EX seconds NX：一条命令里两
//     样都有。）
//  3. 释放：DEL key。
//
// 保证：只要没有人在第 1 步和第 2 步之间死掉或丢失请求，就同 set-nx-ex-del。
//
// 何时被破坏：进程在两条命令之间结束：键没有存活时间。它的用户三个月里遇到过两次。
//
// 来源：https://github.com/gzigzigzeo/sidekiq-grouping/issues/20 和 pull request 23。

package locks

import "time"

func init() {
	registerBug(Variant{
		ID: "sidekiq-grouping-20", File: "bug_sidekiq_grouping_20.go", Store: StoreRedis, LeaseUnit: time.Second,
		Bug: &Bug{
			Library: "sidekiq-grouping", Has: "as of September 2016", Gone: "pull request 23, merged",
			Issue: "https://github.com/gzigzigzeo/sidekiq-grouping/issues/20", Fixed: "set-nx-ex-del",
		},
		New: func(d Deps) Lock { return &setnxExpire{d} },
	}, nil)
}
