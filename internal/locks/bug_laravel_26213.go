// Lock laravel-26213
//
// Idea: a release deletes the key, whichever client's it is by now.
//
// Protocol:
//  1. SETNX key owner, then EXPIRE key seconds; 1: the lock is held; 0: try again later.
//  2. To release: DEL key. (The fixed form, set-nx-lua, compares the owner's token first, in a script.)
//
// Guarantees: mutual exclusion while every holder is done within the lease and nobody dies between
// the two commands.
//
// Breaks when: a holder overruns its lease: the next one gets in, and the first one's DEL removes the key
// of the second, so that a third gets in too, and so on down the line.
//
// Source: https://github.com/laravel/framework/issues/26213 and pull request 26645; before,
// issue 20709.
//
// 想法：释放就是删掉键，不管它现在是谁的。
//
// 协议：
//  1. SETNX key owner，再 EXPIRE key seconds；1：拿到锁；0：稍后再试。
//  2. 释放：DEL key。（修好的形式 set-nx-lua，先在脚本里比较持有者的 token。）
//
// 保证：只要每个持有者都在租约之内做完，也没有人死在两条命令之间，就互斥。
//
// 何时被破坏：持有者超过租约：下一个进来，第一个的 DEL 删掉第二个的键，第三个也进来，就这样一
// 个接一个。
//
// 来源：https://github.com/laravel/framework/issues/26213 和 pull request 26645；更早的 issue
// 20709。

package locks

import "time"

func init() {
	registerBug(Variant{
		ID: "laravel-26213", File: "bug_laravel_26213.go", Store: StoreRedis, LeaseUnit: time.Second,
		Bug: &Bug{
			Library: "laravel/framework", Has: "5.7.9", Gone: "5.8",
			Issue: "https://github.com/laravel/framework/issues/26213", Fixed: "set-nx-lua",
		},
		New: func(d Deps) Lock { return &setnxExpire{d} },
	}, nil)
}
