// Lock lit-s2-units
//
// Idea: Redlock with the units that the document names: timestamps in
// microseconds beside a lease that everywhere else in it is given in seconds.
//
// Protocol:
//  1. t1: the current time in microseconds.
//  2. SET key token EX seconds NX on every node in turn, each for a small part of the lease.
//  3. Held: at least N/2+1 nodes said OK and seconds > t2 - t1, one number compared with the other as they are.
//  4. Else EVAL unlock on those nodes that said OK, and again after a random delay.
//  5. To release, EVAL unlock on those nodes that said OK.
//
// Guarantees: mutual exclusion, in that nobody ever holds the lock over a real
// network: five round trips take more microseconds than a lease has seconds.
//
// Breaks when: it runs. Every client wins its vote, finds it too slow, and starts
// anew. Had all terms one unit, whichever, the test would be that of redlock.
//
// Source: 002_350e0850a80a0d01.txt, line 64 (microseconds) beside lines 18 and 79
// (EX, hence seconds).

package locks

import (
	"context"
	"time"

	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "lit-s2-units", File: "lit_s2_units.go", Store: StoreRedisNodes, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &litS2Units{quorum{d}} },
	})
}

type litS2Units struct{ quorum }

func (l *litS2Units) Acquire(ctx context.Context) (Lease, error) {
	for {
		token := newToken(l.Env)
		locked, held := l.attempt(ctx, token)
		if held {
			return &quorumLease{quorum: l.quorum, token: token, on: locked}, nil
		}
		_ = l.unlock(l.Env.Background(), token, locked)
		if err := l.Env.Sleep(ctx, l.randomDelay()); err != nil {
			return nil, err
		}
	}
}

func (l *litS2Units) attempt(ctx context.Context, token string) (locked []world.Redis, held bool) {
	t1 := l.Env.Now().UnixMicro()
	for _, node := range l.Nodes {
		if l.ask(ctx, node, world.Set(l.Name, token).EX(l.Lease).NX()).IsOK() {
			locked = append(locked, node)
		}
	}
	t2 := l.Env.Now().UnixMicro()
	return locked, len(locked) >= l.majority() && world.Seconds(l.Lease) > t2-t1
}
