// Lock setnx-expire
//
// Idea: setnx with a time to live, set by a second command, so that the lock of
// a dead client goes away by itself.
//
// Protocol:
//  1. SETNX key owner; 0: another client holds it, try again later.
//  2. EXPIRE key seconds.
//  3. DEL key.
//
// Guarantees: mutual exclusion while every holder is done within the lease; the
// lock of a client that dies after step 2 is free after the lease.
//
// Breaks when: the client dies, or EXPIRE fails, between steps 1 and 2: the key
// has no time to live and stays for ever; a holder overruns its lease: a second
// client gets in, and the first one's DEL frees the second one's lock.
//
// Source: S0 "Distributed locks on Redis", lines 30-49; S4 "Distributed locks on MySQL,
// Redis, etcd and ZooKeeper", lines 127-134.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "setnx-expire", Store: StoreRedis, LeaseUnit: time.Second, New: stateless(setnxExpire),
	})
}

func setnxExpire(ctx context.Context, d *Deps) (Lease, error) {
	return setNXThenExpire(ctx, d, d.Name)
}

// setNXThenExpire creates the key with one command and gives a key its time to live with another.
func setNXThenExpire(ctx context.Context, d *Deps, expires string) (Lease, error) {
	create := redis.SetNX(d.Name, d.Owner)
	return spin(ctx, d, func() (Lease, error) {
		reply := d.Redis.Do(ctx, create)
		if !reply.IsInt(1) {
			return nil, reply.Err
		}
		// The documents do not look at EXPIRE's answer, but an error of it is an
		// exception in the clients that they use, and ends the attempt.
		if reply := d.Redis.Do(ctx, redis.Expire(expires, d.Lease)); reply.Err != nil {
			return nil, reply.Err
		}
		return blindDel(d), nil
	})
}
