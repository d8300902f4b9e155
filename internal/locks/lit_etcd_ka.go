// Lock lit-etcd-ka
//
// Idea: the document's program with its way of looking after the renewals: a
// background task reads one answer from the channel, once, and asks whether the
// channel is nil instead of whether the answer is.
//
// Protocol:
//  1. GRANT lease, KEEPALIVE lease, TXN, REVOKE lease: as etcd-txn.
//  2. In the background: read the first answer to a renewal and print it. No later answer is read; the library keeps 16 of them, drops the others and renews on.
//  3. If the renewals end before any answer has come, the channel is closed and the read brings nil, which the program then looks into: the process dies.
//
// Guarantees: as etcd-txn, once the first renewal has been answered.
//
// Breaks when: as etcd-txn; the loss of the lease is never noticed, although
// the code has a message for it. In addition, a client whose first renewal is not
// answered within six seconds dies while it holds the lock.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 326-338.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	Register(Variant{
		ID: "lit-etcd-ka", Store: etcd.ID, LeaseUnit: time.Second,
		New: stateless(func(ctx context.Context, d *Deps) (Lease, error) {
			return etcdTxn(ctx, d, d.Name, (*etcdKeeper).readOnce)
		}),
	})
}

// readOnce is the document's task for the answers. It ends with the program, for
// which here the renewals stand.
func (k *etcdKeeper) readOnce() {
	k.Env.Go(k.ctx, "answers", func(ctx context.Context) {
		for !k.answered && k.lost.Err() == nil {
			if k.news.Wait(ctx) != nil {
				return
			}
		}
		if !k.answered {
			k.Env.Crash("runtime error: invalid memory address or nil pointer dereference")
		}
	})
}
