// Lock lit-wait-retry
//
// Idea: set-wait as the document words it: when WAIT fails, the acquisition may
// have failed and has to be processed again.
//
// Protocol:
//  1. On a connection of its own: SET key token EX seconds NX; nil: try again later.
//  2. On the same connection: WAIT 1 3000; 1 or more: the lock is held.
//  3. Fewer, or an error: again from step 1, after a while. What the SET has written stays.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-wait, for an attempt that succeeds at once.
//
// Breaks when: no replica confirms in time: the client finds the lock taken, by itself, and so do
// all others for a whole lease. WAIT times out; it undoes nothing. It breaks as set-wait, too.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 79-84: after an error "the locking
// may have failed and needs to be processed again".

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-wait-retry", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 1, NoCluster: bindsToServer}, New: stateless(litWaitRetry),
	})
}

func litWaitRetry(ctx context.Context, d *Deps) (Lease, error) {
	token := newToken(d.Env)
	return onOneConn(ctx, d, func(conn redis.Conn) (Lease, error) {
		reply := conn.Do(ctx, redis.Set(d.Name, token).EX(d.Lease).NX())
		if !reply.IsOK() {
			return nil, reply.Err
		}
		acks := conn.Do(ctx, oneReplica(d.Lease))
		if acks.Kind != redis.ReplyInt || acks.Int < 1 {
			return nil, acks.Err
		}
		return scriptDel(d, unlockScript, token), nil
	})
}
