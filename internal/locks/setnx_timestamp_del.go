// Lock setnx-timestamp-del
//
// Idea: the value of the key is the time at which the lock ends. A client that finds it
// taken reads that time, and clears the key away when it has passed.
//
// Protocol:
//  1. SETNX key deadline, the client's wall clock plus the lease plus 1 ms; 1: the lock is held.
//  2. After a 0, GET key; a deadline that has not passed on its own wall clock: try
//     again later.
//  3. After one that has passed, DEL key, and step 1 once more; 0: try again later.
//  4. To release, DEL key.
//
// Guarantees: mutual exclusion while all wall clocks agree, every holder is done within the lease,
// and no two clients clear away the same dead lock. The clock of the server plays no part.
//
// Breaks when: a contender's clock is ahead of the holder's by more than what is left of the lease:
// it takes over a living lock; two contenders read the same passed deadline, and the slower one's
// DEL deletes the key of the faster one; a holder overruns its lease, and its DEL frees another
// client's lock. A clock that is ahead and then dies with its client blocks the others for longer.
//
// Source: S3 "A distributed lock on Redis, with two Lua scripts", line 2, read literally.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "setnx-timestamp-del", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: stateless(setnxTimestampDel),
	})
}

func setnxTimestampDel(ctx context.Context, d *Deps) (Lease, error) {
	// create is SETNX; nil, nil when the key is there.
	create := func() (Lease, error) {
		reply := d.Redis.Do(ctx, withDeadline("SETNX", d, deadlineFrom(wallMillis(d.Env), d.Lease)))
		if !reply.IsInt(1) {
			return nil, reply.Err
		}
		return blindDel(d), nil
	}
	return spin(ctx, d, func() (Lease, error) {
		if lease, err := create(); lease != nil || err != nil {
			return lease, err
		}
		reply := d.Redis.Do(ctx, redis.Get(d.Name))
		if reply.Err != nil || !passed(reply, wallMillis(d.Env)) {
			return nil, reply.Err
		}
		if reply := d.Redis.Do(ctx, redis.Del(d.Name)); reply.Err != nil {
			return nil, reply.Err
		}
		return create()
	})
}
