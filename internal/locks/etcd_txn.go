// Lock etcd-txn
//
// Idea: one transaction writes the key if it does not exist, bound to a lease that the
// client library renews for as long as the process lives. The code is the document's,
// with the same name for the key everywhere.
//
// Protocol:
//  1. GRANT lease: a lease of whole seconds, at least two of them.
//  2. KEEPALIVE lease, at once and every third of the lease, in the background. The answers are not read.
//  3. TXN: if the key has the create revision 0, PUT it with the lease, else GET it. Succeeded: the lock is held; the transaction's revision is its token.
//  4. If it failed or brought an error: as 5, and try again later.
//  5. REVOKE lease, which deletes the key with it; then stop the renewals.
//
// Guarantees: one holder while the lease lasts; a dead client's key goes with its lease; a release
// ends the client's own lease and so can only remove its own key, even when the reply to the
// transaction was lost; the state survives the death of a minority of the servers; tokens grow.
//
// Breaks when: the process freezes, or is cut off from the cluster, for longer than what is left of
// the lease: the key goes, the next client gets in, and nothing tells the first one, since it never
// reads the answers to its renewals. Waiting clients ask again and again. A hung task with a living
// process keeps the lock for ever.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 282-371, with the same
// key compared and written (see lit-etcd-key for the text as it is); etcd documentation, API.

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	Register(Variant{
		ID: "etcd-txn", Store: etcd.ID, LeaseUnit: time.Second,
		New: stateless(func(ctx context.Context, d *Deps) (Lease, error) {
			return etcdTxn(ctx, d, d.Name, func(*etcdKeeper) {})
		}),
	})
}

// etcdTxn is the document's program up to the lock, again and again. It is let in when the key
// that it compares is not there; listen handles a keeper's answers.
func etcdTxn(ctx context.Context, d *Deps, compared string, listen func(*etcdKeeper)) (Lease, error) {
	return spin(ctx, d, func() (Lease, error) {
		granted, err := d.etcd().Grant(ctx, d.Lease)
		if err != nil {
			return nil, err
		}
		keeper := etcdKeepAlive(d, granted)
		listen(keeper)
		result, err := d.etcd().Txn(ctx, etcd.Txn{
			If:   []etcd.Compare{{Key: compared}},
			Then: []etcd.Op{{Kind: etcd.Put, Key: d.Name, Lease: granted.ID}},
			Else: []etcd.Op{{Kind: etcd.Get, Key: d.Name}},
		})
		if err == nil && result.Succeeded {
			// The document's program ignores the keeper's loss.
			return fenced{keeper.revoke, result.Revision}, nil
		}
		_ = keeper.revoke(d.Env.Background()) // what it cannot end now ends by itself
		return nil, err
	})
}

// revoke revokes the lease and stops the renewals: the document defers both, so
// they run in this order.
func (k *etcdKeeper) revoke(ctx context.Context) error {
	err := k.etcd().Revoke(ctx, k.lease.ID)
	k.stop()
	if errors.Is(err, etcd.ErrLeaseNotFound) {
		return ErrNotHeld
	}
	return err
}
