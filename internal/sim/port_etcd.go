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
	v, err := p.client.ask(ctx, etcd.Grant{TTL: ttl})
	if err != nil {
		return world.EtcdLease{}, err
	}
	return v.(world.EtcdLease), nil
}

// KeepAlive implements world.Etcd.
func (p etcdPort) KeepAlive(ctx context.Context, lease int64) (time.Duration, error) {
	v, err := p.client.ask(ctx, etcd.KeepAlive{Lease: lease})
	if err != nil {
		return 0, err
	}
	return v.(time.Duration), nil
}

// Revoke implements world.Etcd.
func (p etcdPort) Revoke(ctx context.Context, lease int64) error {
	_, err := p.client.ask(ctx, etcd.Revoke{Lease: lease})
	return err
}

// Do implements world.Etcd.
func (p etcdPort) Do(ctx context.Context, op world.EtcdOp) (world.EtcdResult, error) {
	return etcdResult(p.client.ask(ctx, etcd.Do{EtcdOp: op}))
}

// Txn implements world.Etcd.
func (p etcdPort) Txn(ctx context.Context, txn world.EtcdTxn) (world.EtcdResult, error) {
	return etcdResult(p.client.ask(ctx, etcd.Txn{EtcdTxn: txn}))
}

func etcdResult(v any, err error) (world.EtcdResult, error) {
	if err != nil {
		return world.EtcdResult{}, err
	}
	return v.(world.EtcdResult), nil
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
	m, err := w.cn.next(ctx)
	if err != nil {
		return world.EtcdEvent{}, err
	}
	return m.(world.EtcdEvent), nil
}

// Close implements world.EtcdWatch.
func (w etcdWatch) Close() { w.cn.Close() }
