package live

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/store/etcd"
)

// client executes requests by etcd's client library, one client for each member.
type client []member

// member is the connection to one member, shared by all requests of the process: as with any
// client of the library, a renewal waits behind a request that the network delays.
type member struct {
	client *clientv3.Client
	kv     clientv3.KV
	lease  pb.LeaseClient
	watch  pb.WatchClient
}

// Backoff of gRPC, which waits a second by default before it reconnects.
const (
	shortestBackoff = 10 * time.Millisecond
	longestBackoff  = 100 * time.Millisecond
)

// connect makes one client for each member; endpoints are the addresses of the
// links, and no connection is made yet. What the library does behind its caller's
// back, and what becomes of it here:
//
//   - it repeats reads, grants, revocations and renewals when a member is not
//     available: off, a lock decides itself what it repeats. A grant whose answer
//     was lost would otherwise leave a second lease behind;
//   - a request waits until some member can be reached (WaitForReady): off, a
//     request to a member that is dead fails at once;
//   - it spreads requests over all members: replaced by one client for each, so
//     that it is known where a request goes;
//   - KeepAliveOnce repeats until its context ends, without a pause: replaced by
//     one request on the same stream of the protocol;
//   - a watch that broke is reopened: replaced by the bare stream, since the
//     port's watches tell that they broke;
//   - gRPC reconnects by itself, and sends a request again if it knows that no
//     server has looked at it: these remain.
func connect(c livestore.Client) (livestore.Executor, error) {
	var all client
	for _, endpoint := range c.Endpoints {
		m, err := newMember(c, endpoint)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func newMember(c livestore.Client, endpoint string) (member, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints: []string{endpoint}, Logger: zap.NewNop(), MaxUnaryRetries: 1, // tries in all
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return c.Dial(ctx, "tcp", addr) }),
			grpc.WithDisableRetry(),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: shortestBackoff, Multiplier: 2, MaxDelay: longestBackoff},
				MinConnectTimeout: 2 * c.Timeout, // a request to a silent member ends by its own timeout
			}),
		},
	})
	if err != nil {
		return member{}, err
	}
	conn := client.ActiveConnection()
	// Made without the client they have none of its options, which wait for a member.
	return member{
		client: client, kv: clientv3.NewKVFromKVClient(pb.NewKVClient(conn), nil),
		lease: pb.NewLeaseClient(conn), watch: pb.NewWatchClient(conn),
	}, nil
}

// Close implements livestore.Executor.
func (c client) Close() (err error) {
	for _, m := range c {
		err = errors.Join(err, m.client.Close())
	}
	return err
}

// Do implements livestore.Executor.
func (c client) Do(ctx context.Context, server int, r ports.Request) (any, error) {
	value, err := c[server].do(marked(ctx, ctx), r)
	return value, problem(err)
}

// marked is a context whose request carries the mark of another one.
func marked(ctx, of context.Context) context.Context {
	if mark := livestore.MarkOf(of); mark != "" {
		return metadata.AppendToOutgoingContext(ctx, markKey, mark)
	}
	return ctx
}

func (m *member) do(ctx context.Context, r ports.Request) (any, error) {
	switch r := r.(type) {
	case etcd.Grant:
		reply, err := m.lease.LeaseGrant(ctx, &pb.LeaseGrantRequest{TTL: int64(r.TTL / time.Second)})
		if err != nil {
			return nil, err
		}
		return etcd.Lease{ID: reply.ID, TTL: time.Duration(reply.TTL) * time.Second}, nil
	case etcd.KeepAlive:
		return m.keepAlive(ctx, r.Lease)
	case etcd.Revoke:
		_, err := m.lease.LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: r.Lease})
		return nil, err
	case etcd.Op:
		reply, err := m.kv.Do(ctx, libraryOp(r))
		if err != nil {
			return nil, err
		}
		return single(&reply), nil
	case etcd.Txn:
		reply, err := m.kv.Txn(ctx).If(libraryCompares(r.If)...).Then(libraryOps(r.Then)...).Else(libraryOps(r.Else)...).Commit()
		if err != nil {
			return nil, err
		}
		return transaction(reply), nil
	}
	panic("etcd: a request of another store: " + ports.Name(r))
}

// keepAlive sends one renewal on a stream of its own.
func (m *member) keepAlive(ctx context.Context, lease int64) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the stream
	stream, err := m.lease.LeaseKeepAlive(ctx)
	if err != nil {
		return nil, err
	}
	if err := stream.Send(&pb.LeaseKeepAliveRequest{ID: lease}); err != nil {
		return nil, ports.ErrConnection
	}
	reply, err := stream.Recv()
	switch {
	case err != nil:
		return nil, err
	case reply.TTL <= 0: // the answer of a stream for a lease that is gone
		return nil, etcd.ErrLeaseNotFound
	}
	return time.Duration(reply.TTL) * time.Second, nil
}

// watching is livestore.Line: a stream of the protocol for a watch.
type watching struct {
	client
	server int
	in     livestore.Incoming
	life   context.Context // of the stream
	stop   context.CancelFunc
}

// Open implements livestore.Opener. The stream begins with the watch.
func (c client) Open(_ context.Context, server int, in livestore.Incoming) (livestore.Line, error) {
	life, stop := context.WithCancel(context.Background())
	return &watching{client: c, server: server, in: in, life: life, stop: stop}, nil
}

// Close implements livestore.Line. The reader ends with the stream.
func (w *watching) Close() { w.stop() }

// Do implements livestore.Line. A watch is answered when the member has confirmed it.
func (w *watching) Do(ctx context.Context, r ports.Request) (any, error) {
	what, ok := r.(etcd.Watch)
	if !ok {
		return w.client.Do(ctx, w.server, r)
	}
	stream, revision, err := w.client[w.server].openWatch(marked(w.life, ctx), what)
	if err != nil {
		return nil, problem(err)
	}
	go w.read(stream)
	return revision, nil
}

func (m *member) openWatch(life context.Context, what etcd.Watch) (stream pb.Watch_WatchClient, revision int64, err error) {
	stream, err = m.watch.Watch(life)
	if err != nil {
		return nil, 0, err
	}
	create := &pb.WatchCreateRequest{Key: []byte(what.Key), StartRevision: what.From}
	if what.Prefix {
		create.RangeEnd = []byte(clientv3.GetPrefixRangeEnd(what.Key))
	}
	ask := &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: create}}
	if err := stream.Send(ask); err != nil {
		return nil, 0, ports.ErrConnection
	}
	reply, err := stream.Recv()
	switch {
	case err != nil:
		return nil, 0, err
	case reply.Canceled:
		return nil, 0, errors.New("etcdserver: watch refused: " + reply.CancelReason)
	}
	return stream, reply.Header.Revision, nil
}

// read hands on what the member sends, until the stream ends.
func (w *watching) read(stream pb.Watch_WatchClient) {
	for {
		reply, err := stream.Recv()
		if err != nil || reply.Canceled {
			w.in.Broke()
			w.stop()
			return
		}
		for _, e := range reply.Events {
			event := etcd.Event{Deleted: e.Type == mvccpb.DELETE, Key: string(e.Kv.Key), Revision: e.Kv.ModRevision}
			if !event.Deleted {
				event.Put = keyValue(e.Kv)
			}
			w.in.Push(event)
		}
	}
}

// problem turns an error of the library into one of the port's. When a member answers that it
// has no leader, or has lost it, the outcome of the request is unknown.
func problem(err error) error {
	if err == nil {
		return nil
	}
	said := rpctypes.Error(err)
	var member rpctypes.EtcdError
	switch {
	case err == etcd.ErrLeaseNotFound || err == ports.ErrConnection:
		return err
	case errors.Is(said, rpctypes.ErrLeaseNotFound):
		return etcd.ErrLeaseNotFound
	case errors.As(said, &member) && member.Code() != codes.Unavailable:
		return errors.New(rpctypes.ErrorDesc(said))
	case errors.As(said, &member) && strings.Contains(member.Error(), "timed out"):
		return ports.ErrTimeout
	}
	if s, ok := status.FromError(err); ok && s.Code() == codes.InvalidArgument {
		return errors.New(s.Message())
	}
	return ports.ErrConnection
}
