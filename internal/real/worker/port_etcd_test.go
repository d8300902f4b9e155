package worker

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/world"
)

func startEtcd(t *testing.T) *servers.Server {
	t.Helper()
	realtest.Need(t, "etcd")
	t.Setenv("TMPDIR", t.TempDir())
	members, err := servers.StartEtcd(t.Context(), servers.EtcdOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = members[0].Stop() })
	return members[0]
}

func etcdOf(t *testing.T, w *worker, addrs ...string) *etcdPort {
	t.Helper()
	p, err := newEtcd(w, addrs, w.dialDirectly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

func TestLocksContendOnEtcd(t *testing.T) {
	s := startEtcd(t)
	contendFor(t, locks.StoreEtcd, time.Second, func(w *worker, d *locks.Deps) { d.Etcd = etcdOf(t, w, s.Addr) })
}

func TestEtcdAnswersAsThePortPromises(t *testing.T) {
	s := startEtcd(t)
	w, told := alone(t, time.Second)
	p := etcdOf(t, w, s.Addr)
	ctx := context.Background()
	if err := p.connect(ctx); err != nil {
		t.Fatal(err)
	}
	lease, err := p.Grant(ctx, 5*time.Second)
	if err != nil || lease.ID == 0 || lease.TTL != 5*time.Second {
		t.Fatalf("granted %+v, %v", lease, err)
	}
	if ttl, err := p.KeepAlive(ctx, lease.ID); err != nil || ttl != 5*time.Second {
		t.Errorf("renewed for %v, %v", ttl, err)
	}
	txn := world.EtcdTxn{
		If:   []world.EtcdCompare{{Key: "lock"}},
		Then: []world.EtcdOp{{Kind: world.EtcdPut, Key: "lock", Value: "A", Lease: lease.ID}},
		Else: []world.EtcdOp{{Kind: world.EtcdGet, Key: "lock"}},
	}
	made, err := p.Txn(ctx, txn)
	if err != nil || !made.Succeeded {
		t.Fatalf("the first transaction: %+v, %v", made, err)
	}
	found, err := p.Txn(ctx, txn)
	if err != nil || found.Succeeded || len(found.Responses) != 1 {
		t.Fatalf("the second transaction: %+v, %v", found, err)
	}
	want := world.EtcdKV{
		Key: "lock", Value: "A", CreateRevision: made.Revision, ModRevision: made.Revision, Version: 1, Lease: lease.ID,
	}
	if got := found.Responses[0].KVs; len(got) != 1 || got[0] != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
	if err := p.Revoke(ctx, lease.ID); err != nil {
		t.Errorf("revoking: %v", err)
	}
	if got, err := p.Do(ctx, world.EtcdOp{Kind: world.EtcdGet, Key: "lock"}); err != nil || len(got.Responses[0].KVs) != 0 {
		t.Errorf("the key has outlived its lease: %+v, %v", got, err)
	}
	gone := func(what string, err error) {
		if err != world.ErrLeaseNotFound {
			t.Errorf("%s: %v, want exactly %v", what, err, world.ErrLeaseNotFound)
		}
	}
	_, err = p.KeepAlive(ctx, lease.ID)
	gone("renewing a lease that has gone", err)
	gone("revoking it", p.Revoke(ctx, lease.ID))
	_, err = p.Do(ctx, world.EtcdOp{Kind: world.EtcdPut, Key: "lock", Lease: lease.ID})
	gone("using it", err)
	put := world.EtcdOp{Kind: world.EtcdPut, Key: "twice"}
	_, err = p.Txn(ctx, world.EtcdTxn{Then: []world.EtcdOp{put, put}})
	if err == nil || err.Error() != "etcdserver: duplicate key given in txn request" {
		t.Errorf("a transaction that etcd refuses: %v", err)
	}
	for _, name := range []string{"a", "b"} {
		if _, err := p.Do(ctx, world.EtcdOp{Kind: world.EtcdPut, Key: "queue/" + name}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := p.Do(ctx, world.EtcdOp{Kind: world.EtcdGet, Key: "queue/", Prefix: true, FirstCreated: true})
	if err != nil || len(first.Responses[0].KVs) != 1 || first.Responses[0].KVs[0].Key != "queue/a" {
		t.Errorf("first created: %+v, %v", first, err)
	}
	last, err := p.Do(ctx, world.EtcdOp{Kind: world.EtcdGet, Key: "queue/", Prefix: true, MaxCreateRevision: first.Revision})
	if err != nil || len(last.Responses[0].KVs) != 1 || last.Responses[0].KVs[0].Key != "queue/b" {
		t.Errorf("last created: %+v, %v", last, err)
	}
	if got, err := p.Do(ctx, world.EtcdOp{Kind: world.EtcdDelete, Key: "queue/", Prefix: true}); err != nil || got.Responses[0].Deleted != 2 {
		t.Errorf("deleted %+v, %v", got, err)
	}
	lines := told.lines()
	if lines[0] != "GRANT 5" || lines[1] != "-> "+lease.Text() || lines[3] != "-> TTL 5" {
		t.Errorf("reported %q", lines[:4])
	}
}

func TestAnEtcdWatchKeepsWhatNobodyWaitsFor(t *testing.T) {
	s := startEtcd(t)
	w, _ := alone(t, time.Second)
	p := etcdOf(t, w, s.Addr)
	ctx := context.Background()
	base, err := p.Do(ctx, world.EtcdOp{Kind: world.EtcdPut, Key: "lock"})
	if err != nil {
		t.Fatal(err)
	}
	watch, err := p.Watch(ctx, "lock", base.Revision+1)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	for _, op := range []world.EtcdOp{
		{Kind: world.EtcdPut, Key: "lock"}, {Kind: world.EtcdPut, Key: "other"}, {Kind: world.EtcdDelete, Key: "lock"},
	} {
		if _, err := p.Do(ctx, op); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []world.EtcdEvent{
		{Key: "lock", Revision: base.Revision + 1}, {Key: "lock", Revision: base.Revision + 3, Deleted: true},
	} {
		if got, err := watch.Next(within(t, 5*time.Second)); got != want || err != nil {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	if _, err := watch.Next(within(t, 50*time.Millisecond)); err != context.DeadlineExceeded {
		t.Errorf("nothing has changed: %v", err)
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Next(within(t, 5*time.Second)); err != world.ErrConnection {
		t.Errorf("the server is dead: %v, want %v", err, world.ErrConnection)
	}
}

func TestErrorsOfEtcdAreThoseOfThePort(t *testing.T) {
	const timeout = 300 * time.Millisecond
	s := startEtcd(t)
	w, told := alone(t, timeout)
	p := etcdOf(t, w, s.Addr)
	if err := p.connect(context.Background()); err != nil {
		t.Fatal(err)
	}
	get := func(ctx context.Context) (error, time.Duration) {
		began := time.Now()
		_, err := p.Do(ctx, world.EtcdOp{Kind: world.EtcdGet, Key: "lock"})
		return err, time.Since(began)
	}
	if err := s.Freeze(); err != nil {
		t.Fatal(err)
	}
	err, took := get(context.Background())
	wantError(t, "silence", err, world.ErrTimeout, took, timeout, timeout+200*time.Millisecond)
	began := time.Now()
	_, err = p.KeepAlive(context.Background(), 1)
	wantError(t, "a silent renewal", err, world.ErrTimeout, time.Since(began), timeout, timeout+200*time.Millisecond)
	err, took = get(within(t, 100*time.Millisecond))
	wantError(t, "a deadline", err, context.DeadlineExceeded, took, 90*time.Millisecond, 250*time.Millisecond)
	cancelled, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	err, took = get(cancelled)
	wantError(t, "a cancellation", err, context.Canceled, took, 90*time.Millisecond, 250*time.Millisecond)
	before := len(told.lines())
	if err, _ := get(cancelled); err != context.Canceled || len(told.lines()) != before {
		t.Errorf("after the cancellation: %v, %q", err, told.lines()[before:])
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // the library hears of it
	for range 3 {
		err, took = get(context.Background())
		wantError(t, "nobody listens", err, world.ErrConnection, took, 0, 200*time.Millisecond)
	}
}

func TestASilentMemberOfEtcdIsPassedOver(t *testing.T) {
	dead := answering(t, "")
	s := startEtcd(t)
	w, _ := alone(t, 200*time.Millisecond)
	p := etcdOf(t, w, dead, s.Addr)
	for i, want := range []error{world.ErrTimeout, nil, nil} {
		if _, err := p.Do(context.Background(), world.EtcdOp{Kind: world.EtcdGet, Key: "lock"}); err != want {
			t.Errorf("request %d: %v, want %v", i, err, want)
		}
	}
}
