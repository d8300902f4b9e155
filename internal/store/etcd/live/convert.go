package live

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockstep/internal/store/etcd"
)

// Between the port's requests and answers and those of etcd's client library.

func libraryOp(op etcd.Op) clientv3.Op {
	var options []clientv3.OpOption
	if op.Prefix {
		options = append(options, clientv3.WithPrefix())
	}
	switch op.Kind {
	case etcd.Put:
		if op.Lease != 0 {
			options = append(options, clientv3.WithLease(clientv3.LeaseID(op.Lease)))
		}
		return clientv3.OpPut(op.Key, op.Value, options...)
	case etcd.Delete:
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

func libraryOps(ops []etcd.Op) []clientv3.Op {
	out := make([]clientv3.Op, 0, len(ops))
	for _, op := range ops {
		out = append(out, libraryOp(op))
	}
	return out
}

func libraryCompares(conditions []etcd.Compare) []clientv3.Cmp {
	out := make([]clientv3.Cmp, 0, len(conditions))
	for _, c := range conditions {
		switch {
		case c.ByValue:
			out = append(out, clientv3.Compare(clientv3.Value(c.Key), "=", c.Value))
		case c.Mod:
			out = append(out, clientv3.Compare(clientv3.ModRevision(c.Key), "=", c.Revision))
		default:
			out = append(out, clientv3.Compare(clientv3.CreateRevision(c.Key), "=", c.Revision))
		}
	}
	return out
}

func single(reply *clientv3.OpResponse) etcd.Result {
	var out etcd.Result
	var response etcd.Response
	switch {
	case reply.Get() != nil:
		out.Revision, response = reply.Get().Header.Revision, found(reply.Get().Kvs, reply.Get().Count, reply.Get().More)
	case reply.Del() != nil:
		out.Revision, response.Deleted = reply.Del().Header.Revision, reply.Del().Deleted
	default:
		out.Revision = reply.Put().Header.Revision
	}
	out.Responses = []etcd.Response{response}
	return out
}

func transaction(reply *clientv3.TxnResponse) etcd.Result {
	out := etcd.Result{Succeeded: reply.Succeeded, Revision: reply.Header.Revision}
	for _, part := range reply.Responses {
		out.Responses = append(out.Responses, responseOf(part))
	}
	return out
}

func responseOf(part *pb.ResponseOp) (out etcd.Response) {
	if get := part.GetResponseRange(); get != nil {
		out = found(get.Kvs, get.Count, get.More)
	}
	if del := part.GetResponseDeleteRange(); del != nil {
		out.Deleted = del.Deleted
	}
	return out
}

func found(kvs []*mvccpb.KeyValue, count int64, more bool) etcd.Response {
	out := etcd.Response{Count: count, More: more}
	for _, kv := range kvs {
		out.KVs = append(out.KVs, keyValue(kv))
	}
	return out
}

func keyValue(kv *mvccpb.KeyValue) etcd.KV {
	return etcd.KV{
		Key: string(kv.Key), Value: string(kv.Value), Version: kv.Version,
		CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Lease: kv.Lease,
	}
}
