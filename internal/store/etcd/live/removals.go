package live

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockstep/internal/history"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
)

// A server of etcd keeps every change of every key, with a revision, but not who made it. The reply to
// a request that has changed something names the revision. A request without such a reply may have
// made each revision that is exactly what it would have done then.

// removals implements livestore.Driver. The keys of all locks count.
func removals(members []*servers.Server, _ string, sent []livestore.Deed) ([]livestore.Removal, bool) {
	var requests []*request
	for i := range sent {
		r := &request{Deed: &sent[i]}
		if r.read() != nil {
			return nil, false
		}
		requests = append(requests, r)
	}
	for _, s := range members {
		if events, err := changesOf(s.Addr); err == nil {
			return foreign(events, requests)
		}
	}
	return nil, false
}

// changesOf returns all changes that a member knows, in order; an error if it has forgotten some.
func changesOf(addr string) (all []*clientv3.Event, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{addr}, Logger: zap.NewNop()})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	last, err := client.Get(ctx, "lockstep")
	if err != nil || last.Header.Revision <= 1 {
		return nil, err
	}
	for part := range client.Watch(ctx, "", clientv3.WithPrefix(), clientv3.WithRev(1)) {
		if all = append(all, part.Events...); part.Err() != nil {
			return nil, part.Err()
		}
		if len(all) > 0 && all[len(all)-1].Kv.ModRevision >= last.Header.Revision {
			return all, nil
		}
	}
	return nil, context.Cause(ctx)
}

// foreign returns the removals of entries that other clients have made; false if the requests do not
// explain all changes.
func foreign(changes []*clientv3.Event, requests []*request) (out []livestore.Removal, ok bool) {
	s := state{}
	for len(changes) > 0 {
		n := slices.IndexFunc(changes, func(e *clientv3.Event) bool { return e.Kv.ModRevision != changes[0].Kv.ModRevision })
		if n < 0 {
			n = len(changes)
		}
		one := changes[:n]
		changes = changes[n:]
		by := s.doers(requests, one)
		if len(by) == 0 && !s.ended(one) {
			return nil, false
		}
		out = append(out, s.robbed(one, by)...)
		s.apply(one, by)
	}
	return out, !slices.ContainsFunc(requests, func(r *request) bool { return r.revision != 0 && !r.found })
}

// state is the keys that exist.
type state map[string]item

type item struct {
	*mvccpb.KeyValue
	owner history.NodeID // 0: unknown
	after time.Time      // it was made later than that
}

// doers returns the requests of which one has made a revision: none was sent after a reply that names it or a
// later one.
func (s state) doers(requests []*request, one []*clientv3.Event) (by []*request) {
	revision := one[0].Kv.ModRevision
	for _, r := range requests {
		late := func(q *request) bool { return q.after >= revision && q.Answered.Before(r.Sent) }
		if !r.mayHaveMade(revision) || slices.ContainsFunc(requests, late) || !s.effect(r).is(one) {
			continue
		}
		if r.revision != 0 {
			r.found = true
			return []*request{r}
		}
		by = append(by, r)
	}
	return by
}

// ended reports whether a revision is the end of a lease.
func (s state) ended(one []*clientv3.Event) bool {
	lease := s[string(one[0].Kv.Key)].lease()
	return lease != 0 && s.effect(&request{lease: lease}).is(one)
}

func (i item) lease() int64 {
	if i.KeyValue == nil {
		return 0
	}
	return i.Lease
}

// robbed returns the keys of other clients that a revision has removed or overwritten. It is certain
// that it was removed by a request if the reply says so, and removed only if no entry took its place.
func (s state) robbed(one []*clientv3.Event, by []*request) (out []livestore.Removal) {
	puts := slices.ContainsFunc(one, func(e *clientv3.Event) bool { return e.Type == clientv3.EventTypePut })
	for _, e := range one {
		was, there := s[string(e.Kv.Key)]
		i := slices.IndexFunc(by, func(r *request) bool { return there && r.By != was.owner })
		if i < 0 {
			continue
		}
		r := by[i]
		removal := livestore.Removal{By: r.By, From: r.Sent, At: r.Sent}
		if len(by) == 1 && r.answered && !puts {
			removal.Owner, removal.At = was.owner, r.Answered
		}
		if was.after.After(removal.From) {
			removal.From = was.after
		}
		out = append(out, removal)
	}
	return out
}

func (s state) apply(one []*clientv3.Event, by []*request) {
	for _, e := range one {
		if e.Type == clientv3.EventTypeDelete {
			delete(s, string(e.Kv.Key))
			continue
		}
		made := item{KeyValue: e.Kv, owner: by[0].By, after: by[0].Sent}
		for _, r := range by[1:] {
			if r.By != made.owner {
				made.owner = 0
			}
			if r.Sent.Before(made.after) {
				made.after = r.Sent
			}
		}
		s[string(e.Kv.Key)] = made
	}
}

// effect is what a request would write, and nil for what it would remove.
type effect map[string]*pb.PutRequest

func (s state) effect(r *request) effect {
	out := effect{}
	for key, i := range s {
		if r.lease != 0 && i.lease() == r.lease {
			out[key] = nil
		}
	}
	s.run(r.ops, out)
	return out
}

func (s state) run(ops []*pb.RequestOp, out effect) {
	for _, op := range ops {
		if p := op.GetRequestPut(); p != nil {
			out[string(p.Key)] = p
		}
		if d := op.GetRequestDeleteRange(); d != nil {
			for _, i := range s.among(d.Key, d.RangeEnd) {
				out[string(i.Key)] = nil
			}
		}
		if t := op.GetRequestTxn(); t != nil {
			if slices.ContainsFunc(t.Compare, func(c *pb.Compare) bool { return !s.holds(c) }) {
				s.run(t.Failure, out)
			} else {
				s.run(t.Success, out)
			}
		}
	}
}

// among returns the keys of a range. The end is exclusive; none is the one key, and a zero byte is no end.
func (s state) among(from, end []byte) (out []item) {
	for _, i := range s {
		first, last := bytes.Compare(i.Key, from), bytes.Compare(i.Key, end)
		if first == 0 && len(end) == 0 || first >= 0 && len(end) > 0 && (last < 0 || string(end) == "\x00") {
			out = append(out, i)
		}
	}
	return out
}

// holds reports whether a condition holds, of all keys of its range. A missing key has no value, and zeros besides.
func (s state) holds(c *pb.Compare) bool {
	all := s.among(c.Key, c.RangeEnd)
	if len(all) == 0 {
		if c.Target == pb.Compare_VALUE {
			return false
		}
		all = []item{{KeyValue: &mvccpb.KeyValue{}}}
	}
	return !slices.ContainsFunc(all, func(i item) bool {
		order := map[pb.Compare_CompareTarget]int{
			pb.Compare_VERSION: cmp.Compare(i.Version, c.GetVersion()),
			pb.Compare_CREATE:  cmp.Compare(i.CreateRevision, c.GetCreateRevision()),
			pb.Compare_MOD:     cmp.Compare(i.ModRevision, c.GetModRevision()),
			pb.Compare_VALUE:   bytes.Compare(i.Value, c.GetValue()),
			pb.Compare_LEASE:   cmp.Compare(i.Lease, c.GetLease()),
		}[c.Target]
		return !map[pb.Compare_CompareResult]bool{
			pb.Compare_EQUAL: order == 0, pb.Compare_NOT_EQUAL: order != 0, pb.Compare_GREATER: order > 0, pb.Compare_LESS: order < 0,
		}[c.Result]
	})
}

// is reports whether an effect is that of a revision.
func (e effect) is(one []*clientv3.Event) bool {
	return len(e) == len(one) && !slices.ContainsFunc(one, func(c *clientv3.Event) bool {
		p, in := e[string(c.Kv.Key)]
		if p == nil || c.Type == clientv3.EventTypeDelete {
			return !in || p != nil || c.Type != clientv3.EventTypeDelete
		}
		return !p.IgnoreValue && !bytes.Equal(p.Value, c.Kv.Value) || !p.IgnoreLease && p.Lease != c.Kv.Lease
	})
}
