//go:build linux

package live

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/storetest"
)

// realElection is the election timeout of the real servers of these tests.
const realElection = 100 * time.Millisecond

// pair is the model and a real server, which begin at the same revision, with a source of random
// requests. Only the numbers of leases differ.
type pair struct {
	storetest.Duel
	server *livetest.Servers
	leases storetest.Names[int64]
	rng    *rand.Rand
}

func newPair(t *testing.T) *pair {
	p := &pair{server: livetest.Start(t, etcd.ID, livestore.Wish{Election: realElection})}
	p.Duel = storetest.Duel{
		T: t, Model: etcd.New(etcd.Config{LockKey: "lock", Election: realElection}), Real: p.server.Do,
		Translate: p.translated, Same: p.same, Kind: kindOf,
	}
	return p
}

func (p *pair) translated(r ports.Request) ports.Request {
	switch r := r.(type) {
	case etcd.KeepAlive:
		return etcd.KeepAlive{Lease: p.leases.Theirs(r.Lease)}
	case etcd.Revoke:
		return etcd.Revoke{Lease: p.leases.Theirs(r.Lease)}
	case etcd.Op:
		r.Lease = p.leases.Theirs(r.Lease)
		return r
	case etcd.Txn:
		return etcd.Txn{If: r.If, Then: p.theirs(r.Then), Else: p.theirs(r.Else)}
	}
	return r
}

func (p *pair) theirs(ops []etcd.Op) (out []etcd.Op) {
	for _, op := range ops {
		out = append(out, p.translated(op).(etcd.Op))
	}
	return out
}

// same records both numbers of a new lease, and compares answers with those of the model.
func (p *pair) same(r ports.Request, want store.Answer, got storetest.Reply) string {
	switch v := got.Value.(type) {
	case etcd.Lease:
		if made, ok := want.Value.(etcd.Lease); ok {
			p.leases.Bind(made.ID, v.ID)
		}
		got.Value = etcd.Lease{ID: p.leases.Ours(v.ID), TTL: v.TTL}
	case etcd.Result:
		for _, response := range v.Responses {
			for i := range response.KVs {
				response.KVs[i].Lease = p.leases.Ours(response.KVs[i].Lease)
			}
		}
	}
	return storetest.Differ(r, want, got)
}

func kindOf(r ports.Request, a store.Answer) string {
	kind := ports.Name(r)
	if result, ok := a.Value.(etcd.Result); ok && kind == "TXN" && !result.Succeeded {
		kind += " failed"
	}
	if a.Err != nil {
		kind += " error " + a.Err.Error()
	}
	return kind
}

// keys are few, so that operations meet, and at most twelve: etcd sorts longer
// lists by an unstable algorithm, and keys of one transaction have one revision.
var keys = []string{"lock", "lock/a", "lock/b", "lock/c", "lock/b/d", "other", "lock/e", "locks"}

func (p *pair) key() string { return keys[p.rng.IntN(len(keys))] }

func (p *pair) prefix() string { return []string{"lock/", "lock", "l", "other", "no"}[p.rng.IntN(5)] }

// lease picks a lease: one of the latest, which may be gone, or none at all.
func (p *pair) lease() int64 {
	n := len(p.leases.Made)
	if n == 0 || p.rng.IntN(20) == 0 {
		return 4711
	}
	return p.leases.Made[max(0, n-1-p.rng.IntN(6))]
}

// revision picks a revision that a key has or had, or 0.
func (p *pair) revision(key string) int64 {
	found := p.state(key).Responses[0].KVs
	switch {
	case len(found) == 0 || p.rng.IntN(4) == 0:
		return 0
	case p.rng.IntN(2) == 0:
		return found[0].ModRevision
	default:
		return found[0].CreateRevision
	}
}

// value is the value of a key, or one that it may have by chance.
func (p *pair) value(key string) string {
	found := p.state(key).Responses[0].KVs
	if len(found) == 0 || p.rng.IntN(3) == 0 {
		return fmt.Sprint(p.rng.IntN(100))
	}
	return found[0].Value
}

// state is the state of a key in the model, and the model's revision.
func (p *pair) state(key string) etcd.Result {
	return p.Modelled(etcd.Op{Key: key}).(etcd.Result)
}

func (p *pair) at() int64 { return p.state("lock").Revision }

func (p *pair) get() etcd.Op {
	op := etcd.Op{Key: p.key()}
	if p.rng.IntN(2) == 0 {
		op = etcd.Op{Key: p.prefix(), Prefix: true}
		switch p.rng.IntN(3) {
		case 0:
			op.FirstCreated = true
		case 1:
			op.MaxCreateRevision = max(1, p.at()-p.rng.Int64N(20))
		}
	}
	return op
}

func (p *pair) put() etcd.Op {
	op := etcd.Op{Kind: etcd.Put, Key: p.key(), Value: fmt.Sprint(p.rng.IntN(100))}
	if p.rng.IntN(3) > 0 {
		op.Lease = p.lease()
	}
	return op
}

func (p *pair) delete() etcd.Op {
	if p.rng.IntN(4) == 0 {
		return etcd.Op{Kind: etcd.Delete, Key: p.prefix(), Prefix: true}
	}
	return etcd.Op{Kind: etcd.Delete, Key: p.key()}
}

func (p *pair) operation() etcd.Op {
	switch p.rng.IntN(5) {
	case 0, 1:
		return p.put()
	case 2:
		return p.delete()
	default:
		return p.get()
	}
}

func (p *pair) operations() []etcd.Op {
	var ops []etcd.Op
	for range p.rng.IntN(4) {
		ops = append(ops, p.operation())
	}
	return ops
}

func (p *pair) txn() etcd.Txn {
	var txn etcd.Txn
	for range p.rng.IntN(3) {
		key := p.key()
		compare := etcd.Compare{Key: key, Mod: p.rng.IntN(2) == 0, Revision: p.revision(key)}
		if p.rng.IntN(3) == 0 {
			compare = etcd.Compare{Key: key, ByValue: true, Value: p.value(key)}
		}
		txn.If = append(txn.If, compare)
	}
	txn.Then, txn.Else = p.operations(), p.operations()
	return txn
}

func (p *pair) request() store.Op {
	switch p.rng.IntN(20) {
	case 0, 1:
		// Long leases: none may end by itself while the test runs.
		return etcd.Grant{TTL: time.Duration(3600+p.rng.IntN(100)) * time.Second}
	case 2:
		return etcd.KeepAlive{Lease: p.lease()}
	case 3:
		return etcd.Revoke{Lease: p.lease()}
	case 4, 5:
		return p.put()
	case 6:
		return p.delete()
	case 7, 8:
		return p.get()
	default:
		return p.txn()
	}
}

// script runs some requests with a few watches beside them.
func (p *pair) script(requests int) {
	type begun struct {
		key string
		store.Conn
	}
	var watches []begun
	for range requests {
		if p.rng.IntN(40) == 0 {
			w := etcd.Watch{Key: p.key(), Prefix: p.rng.IntN(3) == 0}
			if p.rng.IntN(3) > 0 {
				w.From = max(1, p.at()+2-p.rng.Int64N(20))
			}
			watches = append(watches, begun{w.Key, p.Open(2)})
			p.DoAs(watches[len(watches)-1].Conn, w)
		}
		p.Do(p.request())
	}
	// A watch that reports a last put has reported all changes before it. Two puts are needed
	// because the watch may begin in the future.
	for _, w := range watches {
		p.Do(etcd.Op{Kind: etcd.Put, Key: w.key})
		p.Do(etcd.Op{Kind: etcd.Put, Key: w.key})
		p.sameEvents(w.Conn, p.at())
	}
}

// sameEvents compares the events of a watch until a revision, that of its last change, and ends the
// watch.
func (p *pair) sameEvents(c store.Conn, last int64) {
	p.T.Helper()
	var got []any
	if !realtest.Soon(20*time.Second, func() bool {
		for _, message := range p.server.Heard(c) {
			event := message.(etcd.Event)
			event.Put.Lease = p.leases.Ours(event.Put.Lease)
			got = append(got, event)
		}
		return len(got) > 0 && got[len(got)-1].(etcd.Event).Revision >= last
	}) {
		p.Fail("a watch is silent; it has reported %v", got)
	}
	want := p.Heard(c)
	if !slices.Equal(got, want) {
		p.Fail("a watch reports\n%v with the model,\n%v with etcd", want, got)
	}
	p.Count("events", len(want))
	p.server.Line(c).Close()
	p.Closed(c)
}

// The model and the real server give the same answers to random scripts, with
// all revisions, versions and leases.
func TestRealServerAgrees(t *testing.T) {
	p := newPair(t)
	p.rng = storetest.Rand(t, 1, 1)
	for p.Asked < storetest.Operations(10_000) {
		p.script(100)
	}
	p.Demand(20, "TXN", "TXN failed", "GET", "PUT", "DELETE", "GRANT", "REVOKE", "KEEPALIVE", "WATCH", "events",
		"TXN error "+etcd.ErrLeaseNotFound.Error(), "TXN error "+etcd.ErrDuplicateKey.Error(),
		"REVOKE error "+etcd.ErrLeaseNotFound.Error(), "KEEPALIVE error "+etcd.ErrLeaseNotFound.Error())
}

func TestRealServerAgreesOnRefusals(t *testing.T) {
	p := newPair(t)
	const longest = 9_000_000_000 * time.Second
	put := func(key string, lease int64) etcd.Op {
		return etcd.Op{Kind: etcd.Put, Key: key, Lease: lease}
	}
	for _, op := range []store.Op{
		put("", 0), etcd.Op{Kind: etcd.Get}, etcd.Op{Kind: etcd.Delete}, put("lock", 4711),
		etcd.Txn{If: []etcd.Compare{{}}},
		etcd.Txn{Then: []etcd.Op{put("a", 0), put("a", 0)}},
		etcd.Txn{Else: []etcd.Op{put("a", 0), put("a", 0)}},
		etcd.Txn{Then: []etcd.Op{put("a", 0)}, Else: []etcd.Op{put("a", 4711)}},
		etcd.Txn{Then: []etcd.Op{put("b", 0), put("a", 4711)}},
		etcd.Op{Key: "b"},
		etcd.Txn{Then: []etcd.Op{{Kind: etcd.Delete, Key: "l", Prefix: true}, put("lock", 0)}},
		etcd.Txn{Then: []etcd.Op{{Kind: etcd.Delete, Key: "lock"}, {Kind: etcd.Delete, Key: "lock"}}},
		etcd.Txn{},
		etcd.Grant{TTL: 0}, etcd.Grant{TTL: time.Second}, etcd.Grant{TTL: 7 * time.Second},
		etcd.Grant{TTL: -time.Second}, etcd.Grant{TTL: longest + time.Second}, etcd.Grant{TTL: math.MaxInt64}, etcd.Grant{TTL: longest},
	} {
		p.Do(op)
	}
}

// The keys of an expired lease are deleted at one revision, in alphabetical order, and a renewal is
// refused.
func TestRealServerAgreesOnExpiry(t *testing.T) {
	p := newPair(t)
	lease := p.Do(etcd.Grant{TTL: time.Second}).(etcd.Lease)
	other := p.Do(etcd.Grant{TTL: 2 * time.Second}).(etcd.Lease)
	for _, key := range []string{"lock/b", "lock/a", "lock/c"} {
		p.Do(etcd.Op{Kind: etcd.Put, Key: key, Lease: lease.ID})
	}
	p.Do(etcd.Op{Kind: etcd.Put, Key: "lock/c", Lease: other.ID})
	watch := p.Open(2)
	p.DoAs(watch, etcd.Watch{Key: "lock/", Prefix: true, From: 1})
	for _, end := range []time.Duration{time.Second, 2 * time.Second} {
		due := p.Due()
		if due < end || due > end+500*time.Millisecond {
			t.Fatalf("the next lease ends at %v; want one at %v", due, end)
		}
		p.Tick(due)
		p.waitRevision()
		p.Do(etcd.Op{Key: "lock/", Prefix: true})
	}
	p.Do(etcd.KeepAlive{Lease: lease.ID})
	p.Do(etcd.Revoke{Lease: other.ID})
	p.sameEvents(watch, p.at())
}

// waitRevision waits until the real server is at the revision of the model.
func (p *pair) waitRevision() {
	p.T.Helper()
	var v any
	var err error
	if !realtest.Soon(20*time.Second, func() bool {
		v, err = p.Served(etcd.Op{Key: "nothing"})
		return err != nil || v.(etcd.Result).Revision >= p.at()
	}) || err != nil {
		p.Fail("etcd is at %v, %v, the model at revision %d", v, err, p.at())
	}
}
