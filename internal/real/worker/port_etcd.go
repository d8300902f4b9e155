package worker

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
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

	"lockstep/internal/locks"
	"lockstep/internal/real/link"
	"lockstep/internal/world"
)

// etcdPort is world.Etcd on etcd's client library. It asks one member until that
// one does not answer, and then the next, as the simulator's clients do.
type etcdPort struct {
	w       *worker
	members []etcdConn
	member  atomic.Int64 // whose turn it is
}

// etcdConn is the connection to one member, on which all requests of the process are: as
// with any client of the library, a renewal waits behind a request that the network is late with.
type etcdConn struct {
	client *clientv3.Client
	kv     clientv3.KV
	lease  pb.LeaseClient
	watch  pb.WatchClient
}

var _ world.Etcd = (*etcdPort)(nil)

// Times of gRPC, which else waits a second before it connects anew.
const (
	shortestBackoff = 10 * time.Millisecond
	longestBackoff  = 100 * time.Millisecond
)

// newEtcd makes one client for each member; endpoints are the addresses of the
// links, and no connection is made yet. What the library does behind its caller's
// back, and whether it may:
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
//   - a watch that broke is opened anew: replaced by the bare stream, since the
//     port's watches tell that they broke;
//   - gRPC connects anew by itself, and sends a request again of which it knows
//     that no server has looked at it: these remain.
func newEtcd(w *worker, endpoints []string, dial dialFunc) (*etcdPort, error) {
	p := &etcdPort{w: w}
	p.member.Store(int64(w.start.First))
	for _, endpoint := range endpoints {
		member, err := newEtcdConn(w, endpoint, dial)
		p.members = append(p.members, member)
		if err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func newEtcdConn(w *worker, endpoint string, dial dialFunc) (etcdConn, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints: []string{endpoint}, Logger: zap.NewNop(), MaxUnaryRetries: 1, // tries in all
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(onTCP(dial)),
			grpc.WithDisableRetry(),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: shortestBackoff, Multiplier: 2, MaxDelay: longestBackoff},
				MinConnectTimeout: 2 * w.start.Timeout, // a request to a silent member ends by its own timeout
			}),
		},
	})
	if err != nil {
		return etcdConn{}, err
	}
	conn := client.ActiveConnection()
	// Made without the client they have none of its options, which wait for a member.
	return etcdConn{
		client: client, kv: clientv3.NewKVFromKVClient(pb.NewKVClient(conn), nil),
		lease: pb.NewLeaseClient(conn), watch: pb.NewWatchClient(conn),
	}, nil
}

// connectEtcd gives a lock the cluster.
func (w *worker) connectEtcd(d *locks.Deps) error {
	p, err := newEtcd(w, w.start.Endpoints, w.dialDirectly)
	if err != nil {
		return err
	}
	d.Etcd = p
	return w.warm(p.connect)
}

// close ends all connections.
func (p *etcdPort) close() {
	for _, m := range p.members {
		if m.client != nil {
			_ = m.client.Close() // the process goes on without it
		}
	}
}

// connect makes the first connections before true time begins.
func (p *etcdPort) connect(ctx context.Context) error {
	for _, m := range p.members {
		err := untilAnswered(ctx, "a member of etcd", func(ctx context.Context) error {
			_, err := m.kv.Get(ctx, "lockstep")
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// onMember sends a request to the member whose turn it is; if that one does not
// answer it is the next one's.
func onMember[T any](ctx context.Context, p *etcdPort, r request[T], send func(context.Context, *etcdConn) (T, error)) (T, error) {
	turn := p.member.Load()
	r.server = int(turn) % len(p.members)
	r.send = func(ctx context.Context) (T, error) {
		value, err := send(withMark(ctx, markOf(ctx)), &p.members[r.server])
		return value, etcdError(err)
	}
	value, err := perform(ctx, p.w, r)
	if err == world.ErrTimeout || err == world.ErrConnection { // never wrapped
		p.pass(turn)
	}
	return value, err
}

// withMark gives a request its mark on the way.
func withMark(ctx context.Context, mark string) context.Context {
	if mark == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, link.EtcdMark, mark)
}

// pass gives the turn to the next member, unless somebody else has done so.
func (p *etcdPort) pass(turn int64) { p.member.CompareAndSwap(turn, turn+1) }

// Grant implements world.Etcd.
func (p *etcdPort) Grant(ctx context.Context, ttl time.Duration) (world.EtcdLease, error) {
	return onMember(ctx, p, request[world.EtcdLease]{what: world.EtcdGrant{TTL: ttl}, answer: world.EtcdLease.Text},
		func(ctx context.Context, m *etcdConn) (world.EtcdLease, error) {
			reply, err := m.lease.LeaseGrant(ctx, &pb.LeaseGrantRequest{TTL: int64(ttl / time.Second)})
			if err != nil {
				return world.EtcdLease{}, err
			}
			return world.EtcdLease{ID: reply.ID, TTL: time.Duration(reply.TTL) * time.Second}, nil
		})
}

// KeepAlive implements world.Etcd.
func (p *etcdPort) KeepAlive(ctx context.Context, lease int64) (time.Duration, error) {
	return onMember(ctx, p, request[time.Duration]{what: world.EtcdKeepAlive{Lease: lease}, answer: world.TTLText},
		func(ctx context.Context, m *etcdConn) (time.Duration, error) { return m.keepAlive(ctx, lease) })
}

// keepAlive sends one renewal on a stream of its own.
func (m *etcdConn) keepAlive(ctx context.Context, lease int64) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the stream
	stream, err := m.lease.LeaseKeepAlive(ctx)
	if err != nil {
		return 0, err
	}
	if err := stream.Send(&pb.LeaseKeepAliveRequest{ID: lease}); err != nil {
		return 0, world.ErrConnection
	}
	reply, err := stream.Recv()
	switch {
	case err != nil:
		return 0, err
	case reply.TTL <= 0: // that is how a stream says it
		return 0, world.ErrLeaseNotFound
	}
	return time.Duration(reply.TTL) * time.Second, nil
}

// Revoke implements world.Etcd.
func (p *etcdPort) Revoke(ctx context.Context, lease int64) error {
	r := request[struct{}]{what: world.EtcdRevoke{Lease: lease}, answer: ok}
	_, err := onMember(ctx, p, r, func(ctx context.Context, m *etcdConn) (struct{}, error) {
		_, err := m.lease.LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: lease})
		return struct{}{}, err
	})
	return err
}

func ok(struct{}) string { return world.OKText }

// Do implements world.Etcd.
func (p *etcdPort) Do(ctx context.Context, op world.EtcdOp) (world.EtcdResult, error) {
	r := request[world.EtcdResult]{
		what: op, answer: func(r world.EtcdResult) string { return r.Text() },
	}
	return onMember(ctx, p, r, func(ctx context.Context, m *etcdConn) (world.EtcdResult, error) {
		reply, err := m.kv.Do(ctx, libraryOp(op))
		if err != nil {
			return world.EtcdResult{}, err
		}
		return single(&reply), nil
	})
}

// Txn implements world.Etcd.
func (p *etcdPort) Txn(ctx context.Context, txn world.EtcdTxn) (world.EtcdResult, error) {
	r := request[world.EtcdResult]{
		what: txn, answer: func(r world.EtcdResult) string { return r.TxnText() },
	}
	return onMember(ctx, p, r, func(ctx context.Context, m *etcdConn) (world.EtcdResult, error) {
		reply, err := m.kv.Txn(ctx).If(libraryCompares(txn.If)...).
			Then(libraryOps(txn.Then)...).Else(libraryOps(txn.Else)...).Commit()
		if err != nil {
			return world.EtcdResult{}, err
		}
		return transaction(reply), nil
	})
}

// etcdWatch is world.EtcdWatch on a stream of the protocol.
type etcdWatch struct {
	port   *etcdPort
	turn   int64 // of the member that it is on
	events *feed[world.EtcdEvent]
	life   context.Context // of the stream
	stop   context.CancelFunc
}

// Watch implements world.Etcd. It returns when a member has confirmed the watch.
func (p *etcdPort) Watch(ctx context.Context, key string, fromRevision int64) (world.EtcdWatch, error) {
	return p.watch(ctx, key, false, fromRevision)
}

// WatchPrefix implements world.Etcd, as Watch does.
func (p *etcdPort) WatchPrefix(ctx context.Context, prefix string, fromRevision int64) (world.EtcdWatch, error) {
	return p.watch(ctx, prefix, true, fromRevision)
}

func (p *etcdPort) watch(ctx context.Context, key string, prefix bool, fromRevision int64) (world.EtcdWatch, error) {
	life, stop := context.WithCancel(context.Background())
	watch := &etcdWatch{port: p, turn: p.member.Load(), events: newFeed[world.EtcdEvent](), life: life, stop: stop}
	r := request[struct{}]{what: world.EtcdWatchOf{Key: key, Prefix: prefix, From: fromRevision}, answer: ok}
	_, err := onMember(ctx, p, r, func(ctx context.Context, m *etcdConn) (struct{}, error) {
		stream, err := m.openWatch(withMark(life, markOf(ctx)), key, prefix, fromRevision)
		if err == nil {
			go watch.read(stream)
		}
		return struct{}{}, err
	})
	if err != nil {
		stop()
		return nil, err
	}
	return watch, nil
}

func (m *etcdConn) openWatch(life context.Context, key string, prefix bool, fromRevision int64) (pb.Watch_WatchClient, error) {
	stream, err := m.watch.Watch(life)
	if err != nil {
		return nil, err
	}
	create := &pb.WatchCreateRequest{Key: []byte(key), StartRevision: fromRevision}
	if prefix {
		create.RangeEnd = []byte(clientv3.GetPrefixRangeEnd(key))
	}
	ask := &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: create}}
	if err := stream.Send(ask); err != nil {
		return nil, world.ErrConnection
	}
	reply, err := stream.Recv()
	switch {
	case err != nil:
		return nil, err
	case reply.Canceled:
		return nil, errors.New("etcdserver: watch refused: " + reply.CancelReason)
	}
	return stream, nil
}

// read keeps what the member sends, until the stream ends.
func (w *etcdWatch) read(stream pb.Watch_WatchClient) {
	for {
		reply, err := stream.Recv()
		if err != nil || reply.Canceled {
			w.events.finish(world.ErrConnection)
			if w.life.Err() == nil { // else the client has closed it
				w.port.pass(w.turn)
			}
			w.stop()
			return
		}
		for _, e := range reply.Events {
			w.events.put(world.EtcdEvent{
				Deleted: e.Type == mvccpb.DELETE, Key: string(e.Kv.Key), Revision: e.Kv.ModRevision,
			})
		}
	}
}

// Next implements world.EtcdWatch.
func (w *etcdWatch) Next(ctx context.Context) (world.EtcdEvent, error) {
	defer w.port.w.turns.leave()()
	return w.events.next(ctx)
}

// Close implements world.EtcdWatch. The reader ends with the stream.
func (w *etcdWatch) Close() { w.stop() }

// etcdError turns an error of the library into one of the port's. A member that
// says it has no leader, or has lost it, does not know what became of the request
// either.
func etcdError(err error) error {
	if err == nil {
		return nil
	}
	said := rpctypes.Error(err)
	var member rpctypes.EtcdError
	switch {
	case err == world.ErrLeaseNotFound || err == world.ErrConnection:
		return err
	case errors.Is(said, rpctypes.ErrLeaseNotFound):
		return world.ErrLeaseNotFound
	case errors.As(said, &member) && member.Code() != codes.Unavailable:
		return errors.New(rpctypes.ErrorDesc(said))
	case errors.As(said, &member) && strings.Contains(member.Error(), "timed out"):
		return world.ErrTimeout
	}
	if s, ok := status.FromError(err); ok && s.Code() == codes.InvalidArgument {
		return errors.New(s.Message())
	}
	return world.ErrConnection
}
