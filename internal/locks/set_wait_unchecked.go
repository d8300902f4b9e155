// Lock set-wait-unchecked
//
// Idea: the two commands of set-wait, and a check whether WAIT has failed, as the
// document asks for. WAIT answers with a number, which is not read.
//
// Protocol:
//  1. On a connection of its own: SET key token EX seconds NX; nil: try again later.
//  2. On the same connection: WAIT 1 3000; any number: the lock is held.
//  3. An error: EVAL unlock, and again later.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; a replica has the key only if it was quick enough.
//
// Breaks when: no replica confirms in time. WAIT then answers 0, and that is no error: the
// client has waited for three seconds of its lease and goes in as if a replica had the key.
// A primary that dies now, or is cut off with its holder, takes the lock with it.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 78-84, where WAIT ends in an error or well;
// Redis documentation of WAIT: it returns the number of replicas reached, also at its timeout.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-wait-unchecked", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 1, NoCluster: bindsToServer}, New: stateless(setWaitUnchecked),
	})
}

func setWaitUnchecked(ctx context.Context, d *Deps) (Lease, error) {
	return onOneConn(ctx, d, func(conn redis.Conn) (Lease, error) {
		return setThenWait(ctx, d, conn, conn, 0)
	})
}
