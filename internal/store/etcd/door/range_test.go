//go:build linux

package door

import (
	"fmt"
	"math/rand/v2"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockstep/internal/must"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/store"
	"lockstep/internal/store/etcd"
	_ "lockstep/internal/store/etcd/live"
)

// Sorted, limited and counted ranges are answered like by etcd, or refused.
func TestRangesAreThoseOfEtcd(t *testing.T) {
	client := must.Get(clientv3.New(clientv3.Config{Endpoints: []string{livetest.One(t, etcd.ID).Endpoint}, Logger: zap.NewNop()}))(t)
	defer client.Close()
	real := pb.NewKVClient(client.ActiveConnection())
	model := etcd.New(etcd.Config{})
	exec := func(op etcd.Op) etcd.Result {
		answer, _ := model.Exec(store.Clock{}, 1, store.Conn{}, op)
		return answer.Value.(etcd.Result)
	}
	base := int64(0) // what its revisions are ahead of the model's
	for i, key := range []string{"l/b", "l/a", "l/d", "m", "l/c", "l/a"} {
		put := must.Get(real.Put(t.Context(), &pb.PutRequest{Key: []byte(key), Value: fmt.Append(nil, i)}))(t)
		base = put.Header.Revision - exec(etcd.Op{Kind: etcd.Put, Key: key, Value: fmt.Sprint(i)}).Revision
	}
	rng := rand.New(rand.NewPCG(1, 1))
	answered, more := 0, 0
	for range 4000 {
		r := &pb.RangeRequest{
			Key: []byte([]string{"l/", "l", "l/a", "x"}[rng.IntN(4)]), Limit: rng.Int64N(4), KeysOnly: rng.IntN(5) == 0, CountOnly: rng.IntN(8) == 0,
			SortOrder: pb.RangeRequest_SortOrder(rng.IntN(3)), SortTarget: pb.RangeRequest_SortTarget(rng.IntN(5)),
		}
		if rng.IntN(3) > 0 {
			r.RangeEnd = []byte(clientv3.GetPrefixRangeEnd(string(r.Key)))
		}
		if rng.IntN(4) == 0 {
			r.MaxCreateRevision = rng.Int64N(8)
		}
		op, missing := get(r)
		if missing != "" {
			continue
		}
		got := found(r, &exec(op).Responses[0])
		if r.MaxCreateRevision > 0 {
			r.MaxCreateRevision += base
		}
		want := must.Get(real.Range(t.Context(), r))(t)
		want.Header = nil
		for _, kv := range want.Kvs {
			kv.CreateRevision -= base
			kv.ModRevision -= base
		}
		must.Equalf(t, got.String(), want.String(),
			"%v is answered", r)
		answered++
		if want.More {
			more++
		}
	}
	if answered < 300 || more < 30 {
		t.Errorf("only %d ranges were answered, of which %d were cut", answered, more)
	}
}
