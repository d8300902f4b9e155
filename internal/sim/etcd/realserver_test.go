//go:build linux

package etcd

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

// realElection is the election timeout of the real servers of these tests.
const realElection = 100 * time.Millisecond

// realCluster is an etcd child process with a client.
type realCluster struct {
	t      *testing.T
	client *clientv3.Client
	leases map[int64]clientv3.LeaseID // real ones by the model's numbers
	models map[clientv3.LeaseID]int64
	base   int64 // what its revisions are ahead of the model's
}

func startCluster(t *testing.T) *realCluster {
	t.Helper()
	realtest.Need(t, "etcd")
	members, err := servers.StartEtcd(t.Context(), servers.EtcdOptions{Election: realElection})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := members[0].Stop(); err != nil {
			t.Error(err)
		}
	})
	client, err := clientv3.New(clientv3.Config{
		Endpoints: []string{members[0].Addr}, DialTimeout: 5 * time.Second, Logger: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	r := &realCluster{t: t, client: client, leases: map[int64]clientv3.LeaseID{}, models: map[clientv3.LeaseID]int64{}}
	reply, err := client.Get(r.ctx(), "nothing")
	if err != nil {
		t.Fatal(err)
	}
	r.base = reply.Header.Revision - New(Config{}).revision
	return r
}

// ctx bounds one request.
func (r *realCluster) ctx() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	r.t.Cleanup(cancel)
	return ctx
}

// exec runs a request of the model on the real thing.
func (r *realCluster) exec(op store.Op) (any, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	switch op := op.(type) {
	case Grant:
		reply, err := r.client.Grant(ctx, int64(op.TTL/time.Second))
		if err != nil {
			return nil, plain(err)
		}
		return reply, nil // its number is not the model's
	case KeepAlive:
		reply, err := r.client.KeepAliveOnce(ctx, r.lease(op.Lease))
		if err != nil {
			return nil, plain(err)
		}
		return time.Duration(reply.TTL) * time.Second, nil
	case Revoke:
		_, err := r.client.Revoke(ctx, r.lease(op.Lease))
		return nil, plain(err)
	case Do:
		reply, err := r.client.Do(ctx, r.op(op.EtcdOp))
		if err != nil {
			return nil, plain(err)
		}
		return r.single(&reply), nil
	case Txn:
		reply, err := r.client.Txn(ctx).If(r.compares(op.If)...).Then(r.ops(op.Then)...).Else(r.ops(op.Else)...).Commit()
		if err != nil {
			return nil, plain(err)
		}
		return r.transaction(reply), nil
	}
	panic("no such request: " + op.Name())
}

// lease translates the model's number of a lease.
func (r *realCluster) lease(model int64) clientv3.LeaseID {
	if id, ok := r.leases[model]; ok {
		return id
	}
	return clientv3.LeaseID(model) // neither has made it
}

func plain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		return world.ErrLeaseNotFound
	default:
		return errors.New(rpctypes.ErrorDesc(err))
	}
}

func (r *realCluster) op(op world.EtcdOp) clientv3.Op {
	var options []clientv3.OpOption
	if op.Prefix {
		options = append(options, clientv3.WithPrefix())
	}
	switch op.Kind {
	case world.EtcdPut:
		if op.Lease != 0 {
			options = append(options, clientv3.WithLease(r.lease(op.Lease)))
		}
		return clientv3.OpPut(op.Key, op.Value, options...)
	case world.EtcdDelete:
		return clientv3.OpDelete(op.Key, options...)
	}
	switch {
	case op.Prefix && op.MaxCreateRevision > 0:
		options = append(clientv3.WithLastCreate(), clientv3.WithMaxCreateRev(op.MaxCreateRevision+r.base))
	case op.Prefix && op.FirstCreated:
		options = clientv3.WithFirstCreate()
	}
	return clientv3.OpGet(op.Key, options...)
}

func (r *realCluster) ops(ops []world.EtcdOp) []clientv3.Op {
	var out []clientv3.Op
	for _, op := range ops {
		out = append(out, r.op(op))
	}
	return out
}

func (r *realCluster) compares(cmps []world.EtcdCompare) []clientv3.Cmp {
	var out []clientv3.Cmp
	for _, c := range cmps {
		target := clientv3.CreateRevision(c.Key)
		if c.Mod {
			target = clientv3.ModRevision(c.Key)
		}
		revision := c.Revision
		if revision != 0 {
			revision += r.base
		}
		out = append(out, clientv3.Compare(target, "=", revision))
	}
	return out
}

func (r *realCluster) single(reply *clientv3.OpResponse) world.EtcdResult {
	switch {
	case reply.Get() != nil:
		get := reply.Get()
		return world.EtcdResult{Revision: get.Header.Revision - r.base, Responses: []world.EtcdResponse{{KVs: r.kvs(get.Kvs), Count: get.Count, More: get.More}}}
	case reply.Del() != nil:
		del := reply.Del()
		return world.EtcdResult{Revision: del.Header.Revision - r.base, Responses: []world.EtcdResponse{{Deleted: del.Deleted}}}
	default:
		return world.EtcdResult{Revision: reply.Put().Header.Revision - r.base, Responses: []world.EtcdResponse{{}}}
	}
}

func (r *realCluster) transaction(reply *clientv3.TxnResponse) world.EtcdResult {
	out := world.EtcdResult{Succeeded: reply.Succeeded, Revision: reply.Header.Revision - r.base}
	for _, part := range reply.Responses {
		var response world.EtcdResponse
		if get := part.GetResponseRange(); get != nil {
			response.KVs, response.Count, response.More = r.kvs(get.Kvs), get.Count, get.More
		}
		if del := part.GetResponseDeleteRange(); del != nil {
			response.Deleted = del.Deleted
		}
		out.Responses = append(out.Responses, response)
	}
	return out
}

func (r *realCluster) kvs(kvs []*mvccpb.KeyValue) []world.EtcdKV {
	var out []world.EtcdKV
	for _, kv := range kvs {
		out = append(out, world.EtcdKV{
			Key: string(kv.Key), Value: string(kv.Value), Version: kv.Version,
			CreateRevision: kv.CreateRevision - r.base, ModRevision: kv.ModRevision - r.base,
			Lease: r.models[clientv3.LeaseID(kv.Lease)],
		})
	}
	return out
}

// realWatch collects the changes of one key.
type realWatch struct {
	cluster *realCluster
	channel clientv3.WatchChan
	stop    context.CancelFunc
	events  []Event
}

// watch begins a watch and returns when the server has it.
func (r *realCluster) watch(op Watch) *realWatch {
	ctx, cancel := context.WithCancel(r.t.Context())
	options := []clientv3.OpOption{clientv3.WithCreatedNotify()}
	if op.From > 0 {
		options = append(options, clientv3.WithRev(op.From+r.base))
	}
	if op.Prefix {
		options = append(options, clientv3.WithPrefix())
	}
	w := &realWatch{cluster: r, stop: cancel, channel: r.client.Watch(ctx, op.Key, options...)}
	w.take()
	return w
}

// take takes the next message of the stream.
func (w *realWatch) take() {
	w.cluster.t.Helper()
	select {
	case message, ok := <-w.channel:
		if !ok || message.Err() != nil {
			w.cluster.t.Fatalf("a watch broke: %v", message.Err())
		}
		for _, e := range message.Events {
			event := Event{EtcdEvent: world.EtcdEvent{
				Deleted: e.Type == clientv3.EventTypeDelete, Key: string(e.Kv.Key),
				Revision: e.Kv.ModRevision - w.cluster.base,
			}}
			if !event.Deleted {
				event.Put = w.cluster.kvs([]*mvccpb.KeyValue{e.Kv})[0]
			}
			w.events = append(w.events, event)
		}
	case <-time.After(20 * time.Second):
		w.cluster.t.Fatalf("a watch is silent; it has brought %v", w.events)
	}
}

// upTo returns the changes up to a revision, which must be that of one of them.
func (w *realWatch) upTo(revision int64) []Event {
	w.cluster.t.Helper()
	for len(w.events) == 0 || w.events[len(w.events)-1].Revision < revision {
		w.take()
	}
	return w.events
}

func describe(value any, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%+v", value)
}
