// Lock laravel-26213
//
// Idea: a release deletes the key, whichever client owns it by now.
//
// Protocol:
//  1. SETNX key owner, then EXPIRE key seconds; 1: the lock is held; 0: try again later.
//  2. To release: DEL key. (The fixed form, set-nx-lua, compares the owner's token first, in a script.)
//
// Guarantees: mutual exclusion while every holder is done within the lease and no client dies
// between the two commands.
//
// Breaks when: a holder overruns its lease: the next one gets in, and the first one's DEL removes
// the key of the second, so that a third gets in too, and so on down the line.
//
// Source: https://github.com/laravel/framework/issues/26213 and pull request 26645; before,
// issue 20709.

package locks

import "time"

func init() {
	registerBug(Variant{
		ID: "laravel-26213", Store: StoreRedis, LeaseUnit: time.Second,
		Bug: &Bug{
			Library: "laravel/framework", Has: "5.7.9", Gone: "5.8",
			Issue: "https://github.com/laravel/framework/issues/26213", Fixed: "set-nx-lua",
		},
		New: stateless(setnxExpire),
	}, nil)
}
