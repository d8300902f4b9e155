package worker

import (
	"context"
	"net"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockstep/internal/world"
)

// Between the port's requests and answers and those of etcd's client library.

func onTCP(dial dialFunc) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, endpoint string) (net.Conn, error) { return dial(ctx, "tcp", endpoint) }
}

func libraryOp(op world.EtcdOp) clientv3.Op {
	var options []clientv3.OpOption
	if op.Prefix {
		options = append(options, clientv3.WithPrefix())
	}
	switch op.Kind {
	case world.EtcdPut:
		if op.Lease != 0 {
			options = append(options, clientv3.WithLease(clientv3.LeaseID(op.Lease)))
		}
		return clientv3.OpPut(op.Key, op.Value, options...)
	case world.EtcdDelete:
		return clientv3.OpDelete(op.Key, options...)
	}
	switch { // both options below ask for the prefix themselves
	case op.Prefix && op.MaxCreateRevision > 0:
		options = append(clientv3.WithLastCreate(), clientv3.WithMaxCreateRev(op.MaxCreateRevision))
	case op.Prefix && op.FirstCreated:
		options = clientv3.WithFirstCreate()
	}
	return clientv3.OpGet(op.Key, options...)
}

func libraryOps(ops []world.EtcdOp) []clientv3.Op {
	out := make([]clientv3.Op, 0, len(ops))
	for _, op := range ops {
		out = append(out, libraryOp(op))
	}
	return out
}

func libraryCompares(conditions []world.EtcdCompare) []clientv3.Cmp {
	out := make([]clientv3.Cmp, 0, len(conditions))
	for _, c := range conditions {
		target := clientv3.CreateRevision(c.Key)
		if c.Mod {
			target = clientv3.ModRevision(c.Key)
		}
		out = append(out, clientv3.Compare(target, "=", c.Revision))
	}
	return out
}

func single(reply *clientv3.OpResponse) world.EtcdResult {
	var out world.EtcdResult
	var response world.EtcdResponse
	switch {
	case reply.Get() != nil:
		out.Revision, response.KVs = reply.Get().Header.Revision, keys(reply.Get().Kvs)
	case reply.Del() != nil:
		out.Revision, response.Deleted = reply.Del().Header.Revision, reply.Del().Deleted
	default:
		out.Revision = reply.Put().Header.Revision
	}
	out.Responses = []world.EtcdResponse{response}
	return out
}

func transaction(reply *clientv3.TxnResponse) world.EtcdResult {
	out := world.EtcdResult{Succeeded: reply.Succeeded, Revision: reply.Header.Revision}
	for _, part := range reply.Responses {
		out.Responses = append(out.Responses, responseOf(part))
	}
	return out
}

func responseOf(part *pb.ResponseOp) (out world.EtcdResponse) {
	if get := part.GetResponseRange(); get != nil {
		out.KVs = keys(get.Kvs)
	}
	if del := part.GetResponseDeleteRange(); del != nil {
		out.Deleted = del.Deleted
	}
	return out
}

func keys(kvs []*mvccpb.KeyValue) []world.EtcdKV {
	var out []world.EtcdKV
	for _, kv := range kvs {
		out = append(out, world.EtcdKV{
			Key: string(kv.Key), Value: string(kv.Value), Version: kv.Version,
			CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Lease: kv.Lease,
		})
	}
	return out
}
