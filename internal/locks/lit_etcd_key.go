// Lock lit-etcd-key
//
// Idea: the document's program as it is printed. The transaction asks whether one
// key exists, and writes another.
//
// Protocol:
//  1. GRANT lease, KEEPALIVE lease: as etcd-txn.
//  2. TXN: if the key /cron/lock/job7 has the create revision 0, PUT /cron/jobs/job7 with the lease, else GET it. (Here the first is the lock's name with ".lock" behind it, and the second the lock's name.)
//  3. REVOKE lease: as etcd-txn.
//
// Guarantees: none. The key that all clients compare is never written, so each
// transaction succeeds.
//
// Breaks when: two clients want the lock. Both get it, at the same time and without any fault. The
// second one's PUT takes the key over: it belongs to the second one's lease from then on.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 345-347.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	Register(Variant{
		ID: "lit-etcd-key", Store: etcd.ID, LeaseUnit: time.Second,
		New: stateless(func(ctx context.Context, d *Deps) (Lease, error) {
			return etcdTxn(ctx, d, d.Name+".lock", func(*etcdKeeper) {})
		}),
	})
}
