// Package door speaks etcd's protocol in front of the model of an etcd cluster, so that the
// official client library, and what is built on it, runs in a bubble unchanged.
//
//	clientv3 --gRPC, in memory--> the services here --bubble.Wire--> a member of the simulated cluster
//
// Faults act on the network between the services and the member: a request of gRPC is one message,
// and its answer another. Requests that the model does not have are refused (codes.Unimplemented)
// and noted: the behaviour of a lock after one is no evidence.
package door

import (
	"context"
	"errors"
	"net"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"lockstep/internal/bubble"
	"lockstep/internal/ports"
	"lockstep/internal/store/etcd"
)

// buffer is how many bytes a connection in memory holds in one direction.
const buffer = 1 << 16

// member is the services of one member for one connection of a client.
type member struct {
	client *bubble.Client
	wire   *bubble.Wire
	index  int

	server *grpc.Server
	end    sync.Once
	ended  chan struct{}
}

// Dial connects a client to a member of the cluster. It is how a bubble.Client connects.
func Dial(ctx context.Context, c *bubble.Client, index int) (net.Conn, error) {
	wire, err := c.Connect(ctx, index, nil)
	if err != nil {
		return nil, err
	}
	m := &member{client: c, wire: wire, index: index, ended: make(chan struct{})}
	m.server = grpc.NewServer(grpc.UnknownServiceHandler(m.unknown))
	pb.RegisterKVServer(m.server, m)
	pb.RegisterLeaseServer(m.server, m)
	pb.RegisterWatchServer(m.server, m)
	listener := bufconn.Listen(buffer)
	go func() { _ = m.server.Serve(listener) }() // it ends with Stop
	go func() {
		select {
		case <-wire.Over():
		case <-m.ended:
		}
		wire.Close()
		m.server.Stop()
	}()
	c.Cleanup(m.stop)
	inner, err := listener.DialContext(ctx)
	if err != nil {
		m.stop()
		return nil, err
	}
	return c.Gate(&connection{inner, m}), nil
}

func (m *member) stop() { m.end.Do(func() { close(m.ended) }) }

// connection is the client's end.
type connection struct {
	net.Conn
	member *member
}

// Close ends the services, too: the client alone owns them.
func (c *connection) Close() error {
	c.member.stop()
	return c.Conn.Close()
}

// ask sends one request to the member and returns its answer, or an error of gRPC.
func ask[T any](ctx context.Context, m *member, op ports.Request) (T, error) {
	v, err := m.wire.Do(ctx, op)
	out, _ := v.(T)
	return out, m.failure(err)
}

// failure is an error as a server of etcd reports it.
func (m *member) failure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, etcd.ErrLeaseNotFound):
		return rpctypes.ErrGRPCLeaseNotFound
	case errors.Is(err, etcd.ErrDuplicateKey):
		return rpctypes.ErrGRPCDuplicateKey
	case errors.Is(err, etcd.ErrEmptyKey):
		return rpctypes.ErrGRPCEmptyKey
	case errors.Is(err, etcd.ErrTooLong):
		return rpctypes.ErrGRPCLeaseTTLTooLarge
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return status.FromContextError(err).Err()
	}
	return status.Error(codes.Unavailable, err.Error())
}

// refuse notes that the model does not have something, and returns the error that says so.
func (m *member) refuse(what string) error {
	m.client.Misses("etcd: " + what)
	return status.Error(codes.Unimplemented, "lockstep has no model of "+what)
}

// unknown refuses the methods of all other services.
func (m *member) unknown(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	return m.refuse(method)
}

// header heads an answer. The revision is 0 where the model does not tell it, as with leases.
func (m *member) header(revision int64) *pb.ResponseHeader {
	return &pb.ResponseHeader{ClusterId: 1, MemberId: uint64(m.index) + 1, Revision: revision, RaftTerm: 1}
}
