// Lock cas-cad
//
// Idea: commands that compare by themselves take the place of the scripts: CAD deletes a key that
// holds a given value, CAS gives it a new value and a new time to live.
//
// Protocol:
//  1. SET key token EX seconds NX; OK: the lock is held; nil: try again later.
//  2. Every third of the lease, CAS key token token EX seconds; 1: renewed; 0 (another value) or -1 (no key): the lock is lost.
//     Without a success until the lease has run out on the client's own clock it is lost as well.
//  3. CAD key token; 1: deleted; 0 or -1: not held any more.
//
// Guarantees: as watchdog-lua. CAS and CAD belong to the module TairString; a plain Redis or Valkey
// server refuses them. Since Redis 8.4 DELEX key IFEQ token and SET key token IFEQ token PX
// milliseconds do the same, in Valkey DELIFEQ (9.0) and SET with IFEQ (8.1).
//
// Breaks when: as watchdog-lua: the whole process freezes for longer than what is left
// of the lease, it is cut off from the store, or a failover forgets the entry. A CAS
// without EX would remove the time to live, see lit-cas-3arg.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 48-53; TairString, command
// reference of CAS and CAD.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "cas-cad", Store: StoreRedis, LeaseUnit: time.Second, Watchdog: true,
		Servers: Servers{TairString: true}, New: stateless(casCAD),
	})
}

func casCAD(ctx context.Context, d *Deps) (Lease, error) {
	token := newToken(d.Env)
	return setNXCompared(ctx, d, token, redis.Command("CAS", d.Name, token, token).EX(d.Lease))
}

// setNXCompared is SET key token EX seconds NX until the key is free; renewal is
// the command that the watchdog then sends. CAD releases the lock.
func setNXCompared(ctx context.Context, d *Deps, token string, renewal redis.Cmd) (Lease, error) {
	create := redis.Set(d.Name, token).EX(d.Lease).NX()
	return createKey(ctx, d, create, func(sent time.Duration) Lease {
		return renewedBy(d, renewal, sent, func(ctx context.Context) error {
			return removed(d.Redis.Do(ctx, redis.Command("CAD", d.Name, token)))
		})
	})
}
