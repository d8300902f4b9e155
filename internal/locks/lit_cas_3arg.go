// Lock lit-cas-3arg
//
// Idea: cas-cad with the document's CAS, which has three arguments, none of them a time to live.
//
// Protocol:
//  1. SET key token EX seconds NX; OK: the lock is held; nil: try again later.
//  2. Every third of the lease, CAS key token token; 1: renewed; 0 or -1: the lock is lost.
//  3. CAD key token; 1: deleted; 0 or -1: not held any more.
//
// Guarantees: as cas-cad, as long as every holder releases.
//
// Breaks when: the holder dies after its first renewal: like SET, CAS removes the time
// to live unless it is given one, and the key stays for ever.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 50-53; TairString, command
// reference of CAS, on what becomes of the time to live.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-cas-3arg", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{TairString: true}, New: stateless(litCAS3Arg),
	})
}

func litCAS3Arg(ctx context.Context, d *Deps) (Lease, error) {
	token := newToken(d.Env)
	return setNXCompared(ctx, d, token, redis.Command("CAS", d.Name, token, token))
}
