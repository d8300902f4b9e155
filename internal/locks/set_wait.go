// Lock set-wait
//
// Idea: do not believe the primary before a replica has the key too. WAIT blocks the client, and
// only it, until that many replicas have confirmed the writes of this connection.
//
// Protocol:
//  1. On a connection of its own: SET key token EX seconds NX; nil: try again later. (WAIT answers after a SET that failed, too, so the OK matters.)
//  2. On the same connection: WAIT 1 3000; 1 or more: the lock is held. (3000 ms for a lease of 10 s; a scaled run scales both.)
//  3. Fewer, or an error: EVAL unlock, since WAIT undoes nothing, and again later.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; in addition, a primary that dies cannot take the lock with
// it, when its only replica becomes the next one and has not restarted meanwhile.
//
// Breaks when: a holder overruns its lease; the primary comes back empty before its death is
// noticed, and its replica follows it. WAIT counts replicas that have the write in memory, not on
// disk, and time goes by while it counts: the lease has been running since the SET. When the only
// replica has become the primary, no replica is left to confirm, and no client gets the lock until
// there is a new one.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 78-84; Redis documentation of WAIT.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-wait", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 1, NoCluster: bindsToServer}, New: stateless(setWait),
	})
}

func setWait(ctx context.Context, d *Deps) (Lease, error) {
	return onOneConn(ctx, d, func(conn redis.Conn) (Lease, error) {
		return setThenWait(ctx, d, conn, conn, 1)
	})
}

// onOneConn makes an attempt after the other, each on a connection of its own.
func onOneConn(ctx context.Context, d *Deps, try func(redis.Conn) (Lease, error)) (Lease, error) {
	return spin(ctx, d, func() (Lease, error) {
		conn, err := d.Redis.Dial(ctx)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		return try(conn)
	})
}

// setThenWait is one attempt: SET on one connection, then WAIT, which should be
// on the same one. The lock is held when WAIT has counted so many replicas, which should
// be 1. It returns nil, nil when there is nothing to clean up.
func setThenWait(ctx context.Context, d *Deps, set, wait redis.Conn, least int64) (Lease, error) {
	token := newToken(d.Env)
	lease := scriptDel(d, unlockScript, token)
	reply := set.Do(ctx, redis.Set(d.Name, token).EX(d.Lease).NX())
	if reply.IsNil() {
		return nil, nil // another client's
	}
	if reply.IsOK() {
		if reply = wait.Do(ctx, oneReplica(d.Lease)); reply.Kind == redis.ReplyInt && reply.Int >= least {
			return lease, nil
		}
	}
	// The current primary may have the key, or may still receive it.
	_ = lease(d.Env.Background())
	return nil, reply.Err
}

// oneReplica is WAIT 1 with three tenths of the lease: 3000 ms for one of 10 s.
func oneReplica(lease time.Duration) redis.Cmd { return redis.Wait(1, lease*3/10) }
