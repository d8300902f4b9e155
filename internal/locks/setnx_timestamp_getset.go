// Lock setnx-timestamp-getset
//
// Idea: as setnx-timestamp-del, but a lock whose deadline has passed is taken over
// by one GETSET, whose answer tells who was first.
//
// Protocol:
//  1. SETNX key deadline, the client's wall clock plus the lease plus 1 ms; 1: the lock is held.
//  2. After a 0, GET key; a deadline that has not passed on its own wall clock: try
//     again later.
//  3. After one that has passed, GETSET key deadline. If the old value has passed
//     too, or the key was gone, the lock is held; else another client was faster, try again later.
//  4. To release, DEL key if its own deadline has not passed on its own clock; else
//     leave the key alone.
//
// Guarantees: mutual exclusion while all wall clocks agree and every holder is done within the
// lease; of several clients that find the same dead lock, one gets it.
//
// Breaks when: a contender's clock is ahead of the holder's by more than what is left of the lease:
// it takes over a living lock; a holder overruns its lease; the deadline passes between the check
// of the release and its DEL, because of a pause or a slow network: DEL deletes the key of the next
// holder. A client that loses the race has pushed the winner's deadline a little further.
//
// Source: S3 "A distributed lock on Redis, with two Lua scripts", line 2; Redis command
// reference, SETNX, the pattern for locking that it describes as superseded.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "setnx-timestamp-getset", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: stateless(setnxTimestampGetset),
	})
}

func setnxTimestampGetset(ctx context.Context, d *Deps) (Lease, error) {
	return spin(ctx, d, func() (Lease, error) {
		deadline := deadlineFrom(wallMillis(d.Env), d.Lease)
		reply := d.Redis.Do(ctx, withDeadline("SETNX", d, deadline))
		if reply.IsInt(1) {
			return delBefore(d, deadline), nil
		}
		if reply.Err != nil {
			return nil, reply.Err
		}
		reply = d.Redis.Do(ctx, redis.Get(d.Name))
		now := wallMillis(d.Env)
		if reply.Err != nil || !passed(reply, now) {
			return nil, reply.Err
		}
		deadline = deadlineFrom(now, d.Lease)
		old := d.Redis.Do(ctx, withDeadline("GETSET", d, deadline))
		if old.Err != nil || !old.IsNil() && !passed(old, now) {
			return nil, old.Err
		}
		return delBefore(d, deadline), nil
	})
}

// delBefore releases the lock by DEL before its deadline only.
func delBefore(d *Deps, deadlineMS int64) ReleaseFunc {
	return func(ctx context.Context) error {
		if wallMillis(d.Env) > deadlineMS {
			return ErrNotHeld
		}
		return blindDel(d)(ctx)
	}
}
