// Lock yiiredis-18
//
// Idea: several clients see the same lock run out, and each clears it away: the slower one clears
// away the lock that the faster one has taken meanwhile.
//
// Protocol:
//  1. SETNX key deadline; 1: the lock is held.
//  2. After a 0, GET key; a deadline that has passed: DEL key, and 1 once more.
//     The fixed form, setnx-timestamp-getset, takes it over by GETSET, whose answer says who was first.
//  3. To release: DEL key.
//
// Guarantees: as setnx-timestamp-del.
//
// Breaks when: two clients read the same passed deadline, and the DEL of one arrives after the
// SETNX of the other: both hold the lock.
//
// Source: https://github.com/phpnode/YiiRedis/pull/18; Redis command reference, SETNX,
// "Handling deadlocks".

package locks

import "time"

func init() {
	registerBug(Variant{
		ID: "yiiredis-18", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Bug: &Bug{
			Library: "YiiRedis", Has: "as of December 2013", Gone: "pull request 18, merged",
			Issue: "https://github.com/phpnode/YiiRedis/pull/18", Fixed: "setnx-timestamp-getset",
		},
		New: stateless(setnxTimestampDel),
	}, nil)
}
