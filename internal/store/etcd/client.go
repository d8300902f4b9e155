package etcd

import (
	"context"
	"time"

	"lockstep/internal/store"
)

// Client is an etcd cluster as one client sees it: the part of its API that locks
// use. Every method is one request, unless it says otherwise.
type Client struct{ store.Port }

// Grant makes a lease. The cluster may grant a longer one than was asked for.
func (c Client) Grant(ctx context.Context, ttl time.Duration) (Lease, error) {
	return store.Value[Lease](c.Send(ctx, Grant{TTL: ttl}))
}

// KeepAlive renews a lease once and returns its time to live; ErrLeaseNotFound when the lease is
// gone.
func (c Client) KeepAlive(ctx context.Context, lease int64) (time.Duration, error) {
	return store.Value[time.Duration](c.Send(ctx, KeepAlive{Lease: lease}))
}

// Revoke ends a lease and deletes its keys; ErrLeaseNotFound when it is gone.
func (c Client) Revoke(ctx context.Context, lease int64) error {
	_, err := c.Send(ctx, Revoke{Lease: lease})
	return err
}

// Do runs one operation by itself.
func (c Client) Do(ctx context.Context, op Op) (Result, error) {
	return store.Value[Result](c.Send(ctx, op))
}

// Txn runs a transaction.
func (c Client) Txn(ctx context.Context, txn Txn) (Result, error) {
	return store.Value[Result](c.Send(ctx, txn))
}

// Watch delivers changes in their order. Each watch has a connection of its own, where etcd puts
// many on one stream: a client has no more than one at a time.
func (c Client) Watch(ctx context.Context, w Watch) (Changes, error) {
	own, err := c.Dial(ctx)
	if err != nil {
		return Changes{}, err
	}
	if _, err := own.Send(ctx, w); err != nil {
		own.Close()
		return Changes{}, err
	}
	return Changes{own}, nil
}

// Changes is a stream of changes.
type Changes struct{ own store.Connection }

// Next waits for the next change; ports.ErrConnection when the stream broke.
func (c Changes) Next(ctx context.Context) (Event, error) {
	return store.Value[Event](c.own.Next(ctx))
}

// Close ends the watch.
func (c Changes) Close() { c.own.Close() }
