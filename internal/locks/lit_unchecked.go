// Lock lit-unchecked
//
// Idea: the document's code as it is printed: a SET that can fail, and no check whether it has.
//
// Protocol:
//  1. SET key owner EX seconds NX. Whatever the answer is, the work begins.
//  2. DEL key, also when SET ended with an error: it stands inside the try block.
//
// Guarantees: none. The SET decides who has the key, and its answer is ignored.
//
// Breaks when: a second client comes while the first one works: both are at work
// at once, and the client that is done first deletes the key, whoever owns it.
//
// Source: S0 "Distributed locks on Redis", lines 55-67; lines 13-26 and 33-47 have the
// same defect with SETNX.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-unchecked", Store: StoreRedis, LeaseUnit: time.Second, New: stateless(litUnchecked),
	})
}

func litUnchecked(ctx context.Context, d *Deps) (Lease, error) {
	lease := blindDel(d)
	reply := d.Redis.Do(ctx, redis.Set(d.Name, d.Owner).EX(d.Lease).NX())
	if reply.Err != nil {
		_ = lease(d.Env.Background()) // the finally block; the first error is what its caller sees
		return nil, reply.Err
	}
	return lease, nil
}
