package live

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"lockstep/internal/history"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
)

// A server of etcd keeps every change of every key, with a revision, but not who made it. The reply
// to a request that has changed something names the revision. A request without such a reply may
// have made each revision that one of its branches would have made.

// removals implements livestore.Driver. The keys of all locks count.
func removals(members []*servers.Server, _ string, sent []livestore.Request) ([]livestore.Removal, bool) {
	var requests []*request
	for i := range sent {
		r := &request{Request: &sent[i]}
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
	return nil, errors.New("the server did not report all changes in time")
}

// foreign returns the removals of entries that other clients have made; false if the requests do
// not explain all changes.
func foreign(changes []*clientv3.Event, requests []*request) (out []livestore.Removal, ok bool) {
	s := state{}
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].Kv.ModRevision == changes[0].Kv.ModRevision {
			n++
		}
		one := changes[:n]
		changes = changes[n:]
		by := s.doers(requests, one)
		if len(by) == 0 && !s.ended(one) {
			return nil, false
		}
		out = append(out, s.foreignRemovals(one, by)...)
		s.apply(one, by)
	}
	return out, !slices.ContainsFunc(requests, func(r *request) bool { return r.revision != 0 && !r.found })
}

// state is the keys that exist.
type state map[string]item

type item struct {
	lease int64          // 0: none
	owner history.NodeID // 0: unknown
	after time.Time      // it was made later than that
}

// doers returns the requests of which one has made a revision. None of them was sent after a reply
// that names this revision or a later one.
func (s state) doers(requests []*request, one []*clientv3.Event) (by []*request) {
	revision := one[0].Kv.ModRevision
	for _, r := range requests {
		late := func(q *request) bool { return q.after >= revision && q.Answered.Before(r.Sent) }
		if !r.mayHaveMade(revision) || slices.ContainsFunc(requests, late) || !s.mayBe(r, one) {
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
	return s.mayBe(&request{lease: s[string(one[0].Kv.Key)].lease}, one)
}

// foreignRemovals returns the keys of other clients that a revision has removed or overwritten. It is
// certain that it was removed by a request if the reply says so, and removed only if no entry took
// its place.
func (s state) foreignRemovals(one []*clientv3.Event, by []*request) (out []livestore.Removal) {
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
		made := item{lease: e.Kv.Lease, owner: by[0].By, after: by[0].Sent}
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

// mayBe reports whether a request may have made a revision, if its conditions held.
func (s state) mayBe(r *request, one []*clientv3.Event) bool {
	return !slices.ContainsFunc(one, func(e *clientv3.Event) bool {
		lease := s[string(e.Kv.Key)].lease
		if e.Type == clientv3.EventTypeDelete && lease != 0 && lease == r.lease {
			return false
		}
		return !slices.ContainsFunc(r.ops, func(op *pb.RequestOp) bool { return does(op, e) })
	})
}

// does reports whether an operation, or one within a transaction, may have made a change. The end
// of a range is exclusive; none is the one key, and a zero byte is no end.
func does(op *pb.RequestOp, e *clientv3.Event) bool {
	if p := op.GetRequestPut(); p != nil {
		same := p.IgnoreValue || bytes.Equal(p.Value, e.Kv.Value)
		return e.Type == clientv3.EventTypePut && bytes.Equal(p.Key, e.Kv.Key) && same
	}
	if d := op.GetRequestDeleteRange(); d != nil {
		from, end := bytes.Compare(e.Kv.Key, d.Key), bytes.Compare(e.Kv.Key, d.RangeEnd)
		within := from == 0 || from > 0 && len(d.RangeEnd) > 0 && (end < 0 || string(d.RangeEnd) == "\x00")
		return e.Type == clientv3.EventTypeDelete && within
	}
	t := op.GetRequestTxn()
	return slices.ContainsFunc(slices.Concat(t.GetSuccess(), t.GetFailure()), func(op *pb.RequestOp) bool { return does(op, e) })
}
