package door

import (
	"cmp"
	"context"
	"math"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"lockstep/internal/store/etcd"
)

// Range implements pb.KVServer.
func (m *member) Range(ctx context.Context, r *pb.RangeRequest) (*pb.RangeResponse, error) {
	out, err := m.single(ctx, &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: r}})
	return out.GetResponseRange(), err
}

// Put implements pb.KVServer.
func (m *member) Put(ctx context.Context, r *pb.PutRequest) (*pb.PutResponse, error) {
	out, err := m.single(ctx, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: r}})
	return out.GetResponsePut(), err
}

// DeleteRange implements pb.KVServer.
func (m *member) DeleteRange(ctx context.Context, r *pb.DeleteRangeRequest) (*pb.DeleteRangeResponse, error) {
	out, err := m.single(ctx, &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: r}})
	return out.GetResponseDeleteRange(), err
}

// single runs one operation outside of a transaction.
func (m *member) single(ctx context.Context, o *pb.RequestOp) (*pb.ResponseOp, error) {
	op, missing := operation(o)
	if missing != "" {
		return nil, m.refuse(missing)
	}
	result, err := ask[etcd.Result](ctx, m, op)
	if err != nil {
		return nil, err
	}
	return m.response(o, &result.Responses[0], result.Revision), nil
}

// Txn implements pb.KVServer.
func (m *member) Txn(ctx context.Context, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	var txn etcd.Txn
	for _, c := range r.Compare {
		one, missing := compare(c)
		if missing != "" {
			return nil, m.refuse(missing)
		}
		txn.If = append(txn.If, one)
	}
	for _, branch := range []struct {
		from []*pb.RequestOp
		to   *[]etcd.Op
	}{{r.Success, &txn.Then}, {r.Failure, &txn.Else}} {
		for _, o := range branch.from {
			one, missing := operation(o)
			if missing != "" {
				return nil, m.refuse(missing)
			}
			*branch.to = append(*branch.to, one)
		}
	}
	result, err := ask[etcd.Result](ctx, m, txn)
	if err != nil {
		return nil, err
	}
	out := &pb.TxnResponse{Header: m.header(result.Revision), Succeeded: result.Succeeded}
	ran := r.Success
	if !result.Succeeded {
		ran = r.Failure
	}
	for i, o := range ran {
		out.Responses = append(out.Responses, m.response(o, &result.Responses[i], result.Revision))
	}
	return out, nil
}

// Compact implements pb.KVServer.
func (m *member) Compact(context.Context, *pb.CompactionRequest) (*pb.CompactionResponse, error) {
	return nil, m.refuse("compaction")
}

// response is the answer to one operation.
func (m *member) response(o *pb.RequestOp, r *etcd.Response, revision int64) *pb.ResponseOp {
	header := m.header(revision)
	switch o := o.Request.(type) {
	case *pb.RequestOp_RequestRange:
		one := found(o.RequestRange, r)
		one.Header = header
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseRange{ResponseRange: one}}
	case *pb.RequestOp_RequestPut:
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponsePut{ResponsePut: &pb.PutResponse{Header: header}}}
	default:
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: &pb.DeleteRangeResponse{Header: header, Deleted: r.Deleted}}}
	}
}

// operation reads one operation; missing is the part of it that the model does not have.
func operation(o *pb.RequestOp) (op etcd.Op, missing string) {
	switch o := o.Request.(type) {
	case *pb.RequestOp_RequestRange:
		return get(o.RequestRange)
	case *pb.RequestOp_RequestPut:
		return put(o.RequestPut)
	case *pb.RequestOp_RequestDeleteRange:
		return remove(o.RequestDeleteRange)
	}
	return op, "a transaction within a transaction"
}

func compare(c *pb.Compare) (out etcd.Compare, missing string) {
	out = etcd.Compare{Key: string(c.Key)}
	switch {
	case len(c.RangeEnd) > 0:
		return out, "a comparison of many keys"
	case c.Result != pb.Compare_EQUAL:
		return out, "a comparison other than ="
	case c.Target == pb.Compare_CREATE:
		out.Revision = c.GetCreateRevision()
	case c.Target == pb.Compare_MOD:
		out.Mod, out.Revision = true, c.GetModRevision()
	case c.Target == pb.Compare_VALUE:
		out.ByValue, out.Value = true, string(c.GetValue())
	case c.Target == pb.Compare_VERSION && c.GetVersion() == 0: // there is no such key, and none has the revision 0
	default:
		return out, "a comparison of " + c.Target.String()
	}
	return out, ""
}

// get reads a range: one key, or all that begin with it, which found may sort, or of these the one
// that was created first or last.
func get(r *pb.RangeRequest) (op etcd.Op, missing string) {
	prefix, ok := isPrefix(r.Key, r.RangeEnd)
	op = etcd.Op{Kind: etcd.Get, Key: string(r.Key), Prefix: prefix}
	byCreation := r.SortTarget == pb.RangeRequest_CREATE && r.Limit == 1 && prefix
	switch {
	case !ok:
		return op, "a range that is no prefix"
	case r.Revision != 0:
		return op, "a read of the past"
	case r.Serializable:
		return op, "a serializable read, which may be stale"
	case r.MinModRevision != 0 || r.MaxModRevision != 0 || r.MinCreateRevision != 0:
		return op, "a range by revisions other than the highest of creation"
	case r.SortTarget == pb.RangeRequest_VERSION || r.SortTarget == pb.RangeRequest_VALUE: // several keys may have the same
		return op, "a range sorted by " + r.SortTarget.String()
	case r.SortTarget != pb.RangeRequest_KEY && r.SortOrder == pb.RangeRequest_NONE && r.Limit > 0: // it is cut before it is sorted
		return op, "a limited range without an order sorted by " + r.SortTarget.String()
	case byCreation && r.SortOrder == pb.RangeRequest_DESCEND:
		op.MaxCreateRevision = r.MaxCreateRevision
		if op.MaxCreateRevision == 0 {
			op.MaxCreateRevision = math.MaxInt64
		}
	case r.MaxCreateRevision != 0:
		return op, "a range up to a revision of creation that is not sorted by it"
	case byCreation:
		op.FirstCreated = true
	}
	return op, ""
}

func put(r *pb.PutRequest) (op etcd.Op, missing string) {
	op = etcd.Op{Kind: etcd.Put, Key: string(r.Key), Value: string(r.Value), Lease: number(r.Lease)}
	if r.PrevKv || r.IgnoreValue || r.IgnoreLease {
		return op, "a put that looks at what was there"
	}
	return op, ""
}

func remove(r *pb.DeleteRangeRequest) (op etcd.Op, missing string) {
	prefix, ok := isPrefix(r.Key, r.RangeEnd)
	op = etcd.Op{Kind: etcd.Delete, Key: string(r.Key), Prefix: prefix}
	switch {
	case !ok:
		return op, "a deletion of a range that is no prefix"
	case r.PrevKv:
		return op, "a deletion that returns what was there"
	}
	return op, ""
}

// isPrefix reports whether a range is all keys that begin with key; ok is false for any other range
// of several keys.
func isPrefix(key, end []byte) (prefix, ok bool) {
	const none = "\x00" // no key is greater than all that begin so: no lock uses this range of all keys
	last := clientv3.GetPrefixRangeEnd(string(key))
	return len(end) > 0, len(end) == 0 || string(end) == last && last != none
}

// found is the answer to a range in the form that was asked for.
func found(r *pb.RangeRequest, what *etcd.Response) *pb.RangeResponse {
	out := &pb.RangeResponse{Count: what.Count}
	if r.CountOnly {
		return out
	}
	out.More = what.More
	sorted(r, what.KVs)
	for i := range what.KVs {
		if r.Limit > 0 && int64(i) == r.Limit {
			out.More = true
			break
		}
		kv := keyValue(&what.KVs[i])
		if r.KeysOnly {
			kv.Value = nil
		}
		out.Kvs = append(out.Kvs, kv)
	}
	return out
}

// sorted sorts keys as a range asks for, upwards unless it says otherwise.
func sorted(r *pb.RangeRequest, keys []etcd.KV) {
	slices.SortFunc(keys, func(a, b etcd.KV) int {
		order := cmp.Compare(a.Key, b.Key)
		switch r.SortTarget {
		case pb.RangeRequest_CREATE:
			order = cmp.Or(cmp.Compare(a.CreateRevision, b.CreateRevision), order)
		case pb.RangeRequest_MOD:
			order = cmp.Or(cmp.Compare(a.ModRevision, b.ModRevision), order)
		}
		if r.SortOrder == pb.RangeRequest_DESCEND {
			return -order
		}
		return order
	})
}

func keyValue(kv *etcd.KV) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{
		Key: []byte(kv.Key), Value: []byte(kv.Value), CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision,
		Version: kv.Version, Lease: number(kv.Lease),
	}
}
