// Lock setnx
//
// Idea: a key that only one client can create is a lock. The client that creates it
// holds the lock until it deletes the key.
//
// Protocol:
//  1. SETNX key owner; 1: the lock is held; 0: another client holds it, try again later.
//  2. DEL key.
//
// Guarantees: mutual exclusion as long as every command is answered and only the holder deletes the
// key. Nothing expires, so no pause and no slow task can end the lock early.
//
// Breaks when: the holder dies, or the reply of SETNX is lost, and the key stays for ever; DEL does
// not ask whose key it deletes, so a repeated or misplaced DEL frees another client's lock.
//
// Source: S0 "Distributed locks on Redis", lines 8-26; Redis command reference, SETNX.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() { Register(Variant{ID: "setnx", Store: StoreRedis, New: stateless(setnx)}) }

func setnx(ctx context.Context, d *Deps) (Lease, error) {
	create := redis.SetNX(d.Name, d.Owner)
	return createKey(ctx, d, create, func(time.Duration) Lease { return blindDel(d) })
}
