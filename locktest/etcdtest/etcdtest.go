// Package etcdtest tests a lock in etcd, with package locktest, the unmodified client library
// go.etcd.io/etcd/client/v3 and a simulated cluster.
//
//	func TestMyLock(t *testing.T) {
//		locktest.Run(t, etcdtest.Cluster{}, func(c locktest.Client) locktest.Lock {
//			client, err := etcdtest.NewClient(c)
//			if err != nil {
//				return locktest.NoLock(err)
//			}
//			return adapter{mylock.New(client, c.Key(), c.Lease())}
//		}, locktest.Breaks("pause"))
//	}
//
// The model has what locks need: leases, transactions that compare values or revisions of creation
// or of modification, reads of keys and prefixes, also sorted by revisions, watches. It refuses
// other requests, and the result of such a run is unknown. This is a package of its own because
// gRPC takes a while to compile.
package etcdtest

import (
	"context"
	"errors"
	"net"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"lockstep/internal/bubble"
	"lockstep/internal/locks"
	"lockstep/internal/store/etcd/door"
	"lockstep/locktest"
)

// Cluster is an etcd cluster of three members, or of as many as a story says.
type Cluster struct{}

// Servers implements locktest.Store.
func (Cluster) Servers() bubble.Servers {
	return bubble.Servers{Store: locks.StoreEtcd, Port: 2379, Dial: door.Dial}
}

// NewClient returns a client of all members with default options, except for the story's dial
// timeout. It is closed when the run is over.
func NewClient(c locktest.Client) (*clientv3.Client, error) {
	if c.Underlying().Store() != locks.StoreEtcd {
		return nil, errors.New("etcdtest: NewClient is for a test whose store is etcdtest.Cluster")
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: c.Addresses(), DialTimeout: c.Timeout(), Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return c.Underlying().Dial(ctx, "tcp", addr) }),
		},
	})
	if err != nil {
		return nil, err
	}
	c.Cleanup(func() { _ = client.Close() })
	return client, nil
}
