//go:build linux

package etcd

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

var (
	conformanceSeed       = flag.Uint64("conformance.seed", 1, "seed of the random requests")
	conformanceOperations = flag.Int("conformance.operations", 20_000, "how many random operations to compare, each of a transaction's counted")
)

// pair is the model beside a real server. They get the same requests.
type pair struct {
	t      *testing.T
	model  *Store
	real   *realCluster
	now    store.Clock
	luck   *rand.Rand
	leases []int64 // of the model, dead ones among them
	ops    int     // operations, each of a transaction's counted
	conn   store.Conn
	heard  map[uint64][]Event // what the model pushed, by connection
	log    []string
	seen   map[string]int // kinds of answers, so that the test cannot be a test of errors only
}

func newPair(t *testing.T, seed uint64) *pair {
	return &pair{
		t: t, real: startCluster(t), model: New(Config{LockKey: "lock", Election: realElection}),
		luck: rand.New(rand.NewPCG(seed, 1)), heard: map[uint64][]Event{}, seen: map[string]int{},
		conn: store.Conn{ID: 1, Client: 1},
	}
}

// exec runs a request on both and compares the answers.
func (p *pair) exec(op store.Op) any {
	p.t.Helper()
	p.log = append(p.log, string(op.AppendText(nil)))
	answer, done := p.model.Exec(p.now, uint64(len(p.log)), p.conn, op)
	if !done {
		p.t.Fatalf("the model keeps %s waiting", p.log[len(p.log)-1])
	}
	p.hear()
	got, gotErr := p.real.exec(op)
	if granted, ok := got.(*clientv3.LeaseGrantResponse); ok {
		got = p.granted(answer, granted)
	}
	if want, is := describe(answer.Value, answer.Err), describe(got, gotErr); want != is {
		p.fail("the model answers %s,\netcd %s", want, is)
	}
	p.count(op, answer)
	return answer.Value
}

// granted notes a lease under both of its numbers.
func (p *pair) granted(answer store.Answer, reply *clientv3.LeaseGrantResponse) any {
	model := answer.Value.(world.EtcdLease).ID
	p.real.leases[model], p.real.models[reply.ID] = reply.ID, model
	p.leases = append(p.leases, model)
	return world.EtcdLease{ID: model, TTL: time.Duration(reply.TTL) * time.Second}
}

func (p *pair) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(format, args...)
	p.t.Fatalf("after\n%s", p.log[max(0, len(p.log)-10):])
}

func (p *pair) hear() {
	for _, push := range p.model.Output().Pushes {
		p.heard[push.Conn.ID] = append(p.heard[push.Conn.ID], push.Value.(Event))
	}
}

func (p *pair) count(op store.Op, a store.Answer) {
	p.ops++
	kind := op.Name()
	if t, ok := op.(Txn); ok {
		p.ops += len(t.Then) + len(t.Else) - 1
		if result, ok := a.Value.(world.EtcdResult); ok && !result.Succeeded {
			kind += " failed"
		}
	}
	if a.Err != nil {
		kind += " error " + a.Err.Error()
	}
	p.seen[kind]++
}

// keys are few, so that operations meet, and at most twelve: etcd sorts longer
// lists by an unstable algorithm, and keys of one transaction have one revision.
var keys = []string{"lock", "lock/a", "lock/b", "lock/c", "lock/b/d", "other", "lock/e", "locks"}

func (p *pair) key() string { return keys[p.luck.IntN(len(keys))] }

func (p *pair) prefix() string { return []string{"lock/", "lock", "l", "other", "no"}[p.luck.IntN(5)] }

// lease picks a lease: one of the latest, which may be gone, or none at all.
func (p *pair) lease() int64 {
	n := len(p.leases)
	if n == 0 || p.luck.IntN(20) == 0 {
		return 4711
	}
	return p.leases[max(0, n-1-p.luck.IntN(6))]
}

// revision picks one that a key has or had, or 0.
func (p *pair) revision(key string) int64 {
	e := p.model.get(key)
	switch {
	case e == nil || p.luck.IntN(4) == 0:
		return 0
	case p.luck.IntN(2) == 0:
		return e.ModRevision
	default:
		return e.CreateRevision
	}
}

func (p *pair) get() world.EtcdOp {
	op := world.EtcdOp{Key: p.key()}
	if p.luck.IntN(2) == 0 {
		op = world.EtcdOp{Key: p.prefix(), Prefix: true}
		switch p.luck.IntN(3) {
		case 0:
			op.FirstCreated = true
		case 1:
			op.MaxCreateRevision = max(1, p.model.revision-p.luck.Int64N(20))
		}
	}
	return op
}

func (p *pair) put() world.EtcdOp {
	op := world.EtcdOp{Kind: world.EtcdPut, Key: p.key(), Value: fmt.Sprint(p.luck.IntN(100))}
	if p.luck.IntN(3) > 0 {
		op.Lease = p.lease()
	}
	return op
}

func (p *pair) delete() world.EtcdOp {
	if p.luck.IntN(4) == 0 {
		return world.EtcdOp{Kind: world.EtcdDelete, Key: p.prefix(), Prefix: true}
	}
	return world.EtcdOp{Kind: world.EtcdDelete, Key: p.key()}
}

func (p *pair) operation() world.EtcdOp {
	switch p.luck.IntN(5) {
	case 0, 1:
		return p.put()
	case 2:
		return p.delete()
	default:
		return p.get()
	}
}

func (p *pair) operations() []world.EtcdOp {
	var ops []world.EtcdOp
	for range p.luck.IntN(4) {
		ops = append(ops, p.operation())
	}
	return ops
}

func (p *pair) txn() Txn {
	var txn Txn
	for range p.luck.IntN(3) {
		key := p.key()
		txn.If = append(txn.If, world.EtcdCompare{Key: key, Mod: p.luck.IntN(2) == 0, Revision: p.revision(key)})
	}
	txn.Then, txn.Else = p.operations(), p.operations()
	return txn
}

func (p *pair) request() store.Op {
	switch p.luck.IntN(20) {
	case 0, 1:
		// Long leases: none may end by itself while the test runs.
		return Grant{TTL: time.Duration(3600+p.luck.IntN(100)) * time.Second}
	case 2:
		return KeepAlive{Lease: p.lease()}
	case 3:
		return Revoke{Lease: p.lease()}
	case 4, 5:
		return Do{p.put()}
	case 6:
		return Do{p.delete()}
	case 7, 8:
		return Do{p.get()}
	default:
		return p.txn()
	}
}

// script runs some requests with a few watches beside them.
func (p *pair) script(requests int) {
	type both struct {
		Watch
		real *realWatch
		conn store.Conn
	}
	var watches []both
	for range requests {
		if p.luck.IntN(40) == 0 {
			w := both{Watch: Watch{Key: p.key(), Prefix: p.luck.IntN(3) == 0}, conn: store.Conn{ID: uint64(len(p.heard) + 2), Client: 1}}
			if p.luck.IntN(3) > 0 {
				w.From = max(1, p.model.revision+2-p.luck.Int64N(20))
			}
			p.heard[w.conn.ID] = nil
			p.model.Exec(p.now, 0, w.conn, w.Watch)
			p.hear()
			w.real = p.real.watch(w.Watch)
			watches = append(watches, w)
			p.ops++
		}
		p.exec(p.request())
	}
	// A last put shows that a watch has brought everything before it; two of them,
	// because one may begin in the future.
	for _, w := range watches {
		p.exec(Do{world.EtcdOp{Kind: world.EtcdPut, Key: w.Key}})
		p.exec(Do{world.EtcdOp{Kind: world.EtcdPut, Key: w.Key}})
		want := p.heard[w.conn.ID]
		got := w.real.upTo(p.model.revision)
		if !slices.Equal(got, want) {
			p.fail("%s brings\n%v with the model,\n%v with etcd", w.AppendText(nil), want, got)
		}
		p.seen["events"] += len(want)
		w.real.stop()
		p.model.Closed(p.now, w.conn)
	}
}

// The model and the real server give the same answers to random scripts, with
// all revisions, versions and leases.
func TestRealServerAgrees(t *testing.T) {
	t.Logf("seed %d", *conformanceSeed)
	p := newPair(t, *conformanceSeed)
	for p.ops < *conformanceOperations {
		p.script(100)
	}
	t.Logf("%d operations in %d requests, now at revision %d: %v", p.ops, len(p.log), p.model.revision, p.seen)
	for _, kind := range []string{
		"TXN", "TXN failed", "GET", "PUT", "DELETE", "GRANT", "REVOKE", "KEEPALIVE", "events",
		"TXN error " + world.ErrLeaseNotFound.Error(), "TXN error " + ErrDuplicateKey.Error(),
		"REVOKE error " + world.ErrLeaseNotFound.Error(), "KEEPALIVE error " + world.ErrLeaseNotFound.Error(),
	} {
		if p.seen[kind] < 20 {
			t.Errorf("only %d times %q: the scripts miss it", p.seen[kind], kind)
		}
	}
}

func TestRealServerAgreesOnRefusals(t *testing.T) {
	p := newPair(t, 2)
	put := func(key string, lease int64) world.EtcdOp {
		return world.EtcdOp{Kind: world.EtcdPut, Key: key, Lease: lease}
	}
	for _, op := range []store.Op{
		Do{put("", 0)}, Do{world.EtcdOp{Kind: world.EtcdGet}}, Do{world.EtcdOp{Kind: world.EtcdDelete}}, Do{put("lock", 4711)},
		Txn{world.EtcdTxn{If: []world.EtcdCompare{{}}}},
		Txn{world.EtcdTxn{Then: []world.EtcdOp{put("a", 0), put("a", 0)}}},
		Txn{world.EtcdTxn{Else: []world.EtcdOp{put("a", 0), put("a", 0)}}},
		Txn{world.EtcdTxn{Then: []world.EtcdOp{put("a", 0)}, Else: []world.EtcdOp{put("a", 4711)}}},
		Txn{world.EtcdTxn{Then: []world.EtcdOp{put("b", 0), put("a", 4711)}}},
		Do{world.EtcdOp{Key: "b"}},
		Txn{world.EtcdTxn{Then: []world.EtcdOp{{Kind: world.EtcdDelete, Key: "l", Prefix: true}, put("lock", 0)}}},
		Txn{world.EtcdTxn{Then: []world.EtcdOp{{Kind: world.EtcdDelete, Key: "lock"}, {Kind: world.EtcdDelete, Key: "lock"}}}},
		Txn{world.EtcdTxn{}},
		Grant{TTL: 0}, Grant{TTL: time.Second}, Grant{TTL: 7 * time.Second},
		Grant{TTL: -time.Second}, Grant{TTL: maxTTL + time.Second}, Grant{TTL: math.MaxInt64}, Grant{TTL: maxTTL},
	} {
		p.exec(op)
	}
}

// Leases that end by themselves: their keys go at one revision, in the order of
// the alphabet, and a renewal comes too late.
func TestRealServerAgreesOnExpiry(t *testing.T) {
	p := newPair(t, 3)
	lease := p.exec(Grant{TTL: time.Second}).(world.EtcdLease)
	other := p.exec(Grant{TTL: 2 * time.Second}).(world.EtcdLease)
	for _, key := range []string{"lock/b", "lock/a", "lock/c"} {
		p.exec(Do{world.EtcdOp{Kind: world.EtcdPut, Key: key, Lease: lease.ID}})
	}
	p.exec(Do{world.EtcdOp{Kind: world.EtcdPut, Key: "lock/c", Lease: other.ID}})
	p.model.Exec(p.now, 0, store.Conn{ID: 9}, Watch{Key: "lock/a", From: 1})
	w := p.real.watch(Watch{Key: "lock/a", From: 1})
	defer w.stop()
	for _, end := range []time.Duration{time.Second, 2 * time.Second} {
		due, ok := p.model.Due()
		if !ok || due < end || due > end+scanPeriod {
			t.Fatalf("the next lease ends at %v, %v; want one at %v", due, ok, end)
		}
		p.now.Mono = due
		p.model.Tick(p.now)
		p.hear()
		p.real.waitRevision(p.model.revision)
		p.exec(Do{world.EtcdOp{Key: "lock/", Prefix: true}})
	}
	p.exec(KeepAlive{Lease: lease.ID})
	p.exec(Revoke{Lease: other.ID})
	want := p.heard[9]
	if got := w.upTo(want[len(want)-1].Revision); !slices.Equal(got, want) {
		t.Errorf("the watch brings\n%v with the model,\n%v with etcd", want, got)
	}
}

// waitRevision waits until the real server is at a revision of the model.
func (r *realCluster) waitRevision(model int64) {
	r.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		reply, err := r.client.Get(r.t.Context(), "nothing")
		if err != nil {
			r.t.Fatal(err)
		}
		if reply.Header.Revision-r.base >= model {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("etcd is at revision %d, the model at %d", reply.Header.Revision-r.base, model)
		}
	}
}
