// Lock lit-expire-loser
//
// Idea: the two lines of the document in their order, SETNX and then EXPIRE, and a
// look at SETNX's answer only after both.
//
// Protocol:
//  1. SETNX key owner.
//  2. EXPIRE key seconds, whatever the answer was.
//  3. 1 in step 1: the lock is held; 0: another client holds it, try again later.
//  4. DEL key.
//
// Guarantees: mutual exclusion while every holder deletes the key in good time.
//
// Breaks when: the holder dies while others wait: each of their tries sets the dead
// client's time to live again, so the key lives for as long as a client wants it. For
// the same reason a holder may overrun its lease, but only while a client waits.
//
// Source: S0 "Distributed locks on Redis", lines 35-37.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-expire-loser", Store: StoreRedis, LeaseUnit: time.Second,
		New: stateless(litExpireLoser),
	})
}

func litExpireLoser(ctx context.Context, d *Deps) (Lease, error) {
	create := redis.SetNX(d.Name, d.Owner)
	return spin(ctx, d, func() (Lease, error) {
		created := d.Redis.Do(ctx, create)
		if created.Err != nil {
			return nil, created.Err
		}
		if reply := d.Redis.Do(ctx, redis.Expire(d.Name, d.Lease)); reply.Err != nil {
			return nil, reply.Err
		}
		if !created.IsInt(1) {
			return nil, nil
		}
		return blindDel(d), nil
	})
}
