// Lock self-fence
//
// Idea: the client looks at its own clock before each step that the lock protects,
// and stops when its lease may be over. It needs nothing from the store for that.
//
// Protocol:
//  1. Read the monotonic clock; SET key token PX milliseconds NX; OK: the lock is
//     held until the time that was read plus nine tenths of the lease; nil: try again later.
//  2. An OK that comes when that time is over does not count; try again later.
//  3. Before each step compare the clock with that time; once it is over the lock is lost.
//  4. EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; in addition, slow work, a late reply or a partition do not
// make two holders, as long as the client runs and its clock is not slower than the
// server's by a tenth. That tenth is also the time that the last step may take.
//
// Breaks when: the process freezes after it has compared and before its step has taken effect; its
// work hangs, and compares nothing; the server's clock jumps ahead; a failover forgets the entry.
// Work that needs longer than nine tenths of the lease is never done.
//
// Source: Redis documentation, "Distributed Locks with Redis", on the validity time
// of a lock; Kleppmann 2016, How to do distributed locking, on what such a check
// cannot do. The tenth is a choice of this program.

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "self-fence", Store: StoreRedis, LeaseUnit: time.Millisecond, New: stateless(selfFence),
	})
}

// selfFence makes a lease that ends by the client's own clock; none when its time is already over.
// The lease counts from before SET was sent, since the client cannot know when the server executed
// it.
func selfFence(ctx context.Context, d *Deps) (Lease, error) {
	margin := d.Lease / 10
	return setNXPX(ctx, d, func(token string, sent time.Duration) Lease {
		left := sent + d.Lease - margin - d.Env.Mono()
		if left <= 0 {
			return nil
		}
		lease := attendedBy(scriptDel(d, unlockScript, token))
		// The task stands for a comparison before every step: like the steps, it stands
		// still while the process does.
		lease.attend(d.Env, "deadline", func(ctx context.Context) {
			if d.Env.Sleep(ctx, left) == nil {
				lease.tellLost()
			}
		})
		return lease
	})
}
