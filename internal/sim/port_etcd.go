package sim

import (
	"context"
	"time"

	"lockstep/internal/sim/etcd"
	"lockstep/internal/world"
)

// etcdPort is world.Etcd for one client.
type etcdPort struct{ client *client }

var _ world.Etcd = etcdPort{}

// Grant implements world.Etcd.
func (p etcdPort) Grant(ctx context.Context, ttl time.Duration) (world.EtcdLease, error) {
	return answer[world.EtcdLease](p.client.ask(ctx, etcd.Grant{TTL: ttl}))
}

// KeepAlive implements world.Etcd.
func (p etcdPort) KeepAlive(ctx context.Context, lease int64) (time.Duration, error) {
	return answer[time.Duration](p.client.ask(ctx, etcd.KeepAlive{Lease: lease}))
}

// Revoke implements world.Etcd.
func (p etcdPort) Revoke(ctx context.Context, lease int64) error {
	_, err := p.client.ask(ctx, etcd.Revoke{Lease: lease})
	return err
}

// Do implements world.Etcd.
func (p etcdPort) Do(ctx context.Context, op world.EtcdOp) (world.EtcdResult, error) {
	return answer[world.EtcdResult](p.client.ask(ctx, etcd.Do{EtcdOp: op}))
}

// Txn implements world.Etcd.
func (p etcdPort) Txn(ctx context.Context, txn world.EtcdTxn) (world.EtcdResult, error) {
	return answer[world.EtcdResult](p.client.ask(ctx, etcd.Txn{EtcdTxn: txn}))
}

// Watch implements world.Etcd. Each watch has a connection of its own, where
// etcd puts many on one stream: a client has no more than one at a time.
func (p etcdPort) Watch(ctx context.Context, key string, fromRevision int64) (world.EtcdWatch, error) {
	return p.watch(ctx, etcd.Watch{Key: key, From: fromRevision})
}

// WatchPrefix implements world.Etcd.
func (p etcdPort) WatchPrefix(ctx context.Context, prefix string, fromRevision int64) (world.EtcdWatch, error) {
	return p.watch(ctx, etcd.Watch{Key: prefix, From: fromRevision, Prefix: true})
}

func (p etcdPort) watch(ctx context.Context, op etcd.Watch) (world.EtcdWatch, error) {
	cn, err := p.client.dial(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := cn.ask(ctx, op); err != nil {
		cn.Close()
		return nil, err
	}
	return etcdWatch{cn}, nil
}

// etcdWatch is world.EtcdWatch.
type etcdWatch struct{ cn *conn }

// Next implements world.EtcdWatch.
func (w etcdWatch) Next(ctx context.Context) (world.EtcdEvent, error) {
	event, err := answer[etcd.Event](w.cn.next(ctx))
	return event.EtcdEvent, err
}

// Close implements world.EtcdWatch.
func (w etcdWatch) Close() { w.cn.Close() }
