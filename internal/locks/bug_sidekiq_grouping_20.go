// Lock sidekiq-grouping-20
//
// Idea: the key and its time to live are set by two commands. A process that dies between them
// leaves a lock that no client can ever get.
//
// Protocol:
//  1. SETNX key owner; 1: the lock is held; 0: try again later.
//  2. EXPIRE key seconds. (The fixed form, set-nx-ex-del, is SET key owner EX seconds NX: both in one command.)
//  3. To release: DEL key.
//
// Guarantees: as set-nx-ex-del, as long as no client dies or loses a request between 1 and 2.
//
// Breaks when: the process ends between the two commands: the key has no time to live. Its users
// saw it twice within three months.
//
// Source: https://github.com/gzigzigzeo/sidekiq-grouping/issues/20 and pull request 23.

package locks

import "time"

func init() {
	registerBug(Variant{
		ID: "sidekiq-grouping-20", Store: StoreRedis, LeaseUnit: time.Second,
		Bug: &Bug{
			Library: "sidekiq-grouping", Has: "as of September 2016", Gone: "pull request 23, merged",
			Issue: "https://github.com/gzigzigzeo/sidekiq-grouping/issues/20", Fixed: "set-nx-ex-del",
		},
		New: stateless(setnxExpire),
	}, nil)
}
