// Package natstest tests a lock in a key-value bucket of NATS JetStream, with package locktest, the
// unmodified client library nats.go and a simulated cluster.
//
//	func TestMyLock(t *testing.T) {
//		locktest.Run(t, natstest.Cluster{}, func(c locktest.Client) locktest.Lock {
//			conn, err := natstest.Connect(c)
//			if err != nil {
//				return locktest.NoLock(err)
//			}
//			return mylock.New(conn, c.Key(), c.Lease())
//		}, locktest.Breaks("pause"))
//	}
//
// The model has what locks need: Create, Update, Delete, Purge and Get in one bucket, whose keys live for
// a lease after their last write. It refuses other requests (watches, Put, a time to live for one
// key), and the result of such a run is unknown.
package natstest

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/nats-io/nats.go"

	"lockstep/internal/bubble"
	model "lockstep/internal/store/nats"
	"lockstep/internal/store/nats/door"
	"lockstep/locktest"
)

// Cluster is a cluster of three servers, or of as many as a story says.
type Cluster struct{}

// Servers implements locktest.Store.
func (Cluster) Servers() bubble.Servers {
	return bubble.Servers{Store: model.ID, Port: 4222, Dial: door.Dial}
}

// Connect returns a connection to any of the servers, with default options except for the story's
// dial timeout. It is closed when the run is over.
func Connect(c locktest.Client) (*nats.Conn, error) {
	if c.Underlying().Store() != model.ID {
		return nil, errors.New("natstest: Connect is for a test whose store is natstest.Cluster")
	}
	conn, err := nats.Connect(strings.Join(c.Addresses(), ","), nats.Timeout(c.Timeout()), nats.SetCustomDialer(dialer{c}), nats.DontRandomize(), nats.SkipHostLookup())
	if err != nil {
		return nil, err
	}
	c.Cleanup(conn.Close)
	return conn, nil
}

// dialer dials the addresses of a test.
type dialer struct{ c locktest.Client }

// Dial implements nats.CustomDialer.
func (d dialer) Dial(network, addr string) (net.Conn, error) {
	return d.c.Dial(context.Background(), network, addr)
}
