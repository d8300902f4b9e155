package worker

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/etcd"
)

func startEtcd(t *testing.T) *servers.Server {
	t.Helper()
	realtest.Need(t, "etcd")
	t.Setenv("TMPDIR", t.TempDir())
	members, err := livestore.Of(etcd.ID).Start(t.Context(), livestore.Wish{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = members[0].Stop() })
	return members[0]
}

func etcdOf(t *testing.T, w *worker, addrs ...string) etcd.Client {
	t.Helper()
	p, err := newStorePort(w, livestore.Of(etcd.ID), addrs, w.dialDirectly)
	if err == nil {
		err = p.ready(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return etcd.Client{Port: p}
}

func TestEtcdAnswersAsThePortPromises(t *testing.T) {
	s := startEtcd(t)
	w, told := alone(t, time.Second)
	p := etcdOf(t, w, s.Addr)
	ctx := context.Background()
	lease, err := p.Grant(ctx, 5*time.Second)
	if err != nil || lease.ID == 0 || lease.TTL != 5*time.Second {
		t.Fatalf("granted %+v, %v", lease, err)
	}
	if ttl, err := p.KeepAlive(ctx, lease.ID); err != nil || ttl != 5*time.Second {
		t.Errorf("renewed for %v, %v", ttl, err)
	}
	txn := etcd.Txn{
		If:   []etcd.Compare{{Key: "lock"}},
		Then: []etcd.Op{{Kind: etcd.Put, Key: "lock", Value: "A", Lease: lease.ID}},
		Else: []etcd.Op{{Kind: etcd.Get, Key: "lock"}},
	}
	made, err := p.Txn(ctx, txn)
	if err != nil || !made.Succeeded {
		t.Fatalf("the first transaction: %+v, %v", made, err)
	}
	found, err := p.Txn(ctx, txn)
	if err != nil || found.Succeeded || len(found.Responses) != 1 {
		t.Fatalf("the second transaction: %+v, %v", found, err)
	}
	want := etcd.KV{
		Key: "lock", Value: "A", CreateRevision: made.Revision, ModRevision: made.Revision, Version: 1, Lease: lease.ID,
	}
	if got := found.Responses[0].KVs; len(got) != 1 || got[0] != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
	if err := p.Revoke(ctx, lease.ID); err != nil {
		t.Errorf("revoking: %v", err)
	}
	if got, err := p.Do(ctx, etcd.Op{Kind: etcd.Get, Key: "lock"}); err != nil || len(got.Responses[0].KVs) != 0 {
		t.Errorf("the key has outlived its lease: %+v, %v", got, err)
	}
	gone := func(what string, err error) {
		if err != etcd.ErrLeaseNotFound {
			t.Errorf("%s: %v, want exactly %v", what, err, etcd.ErrLeaseNotFound)
		}
	}
	_, err = p.KeepAlive(ctx, lease.ID)
	gone("renewing a lease that has gone", err)
	gone("revoking it", p.Revoke(ctx, lease.ID))
	_, err = p.Do(ctx, etcd.Op{Kind: etcd.Put, Key: "lock", Lease: lease.ID})
	gone("using it", err)
	put := etcd.Op{Kind: etcd.Put, Key: "twice"}
	_, err = p.Txn(ctx, etcd.Txn{Then: []etcd.Op{put, put}})
	if err == nil || err.Error() != "etcdserver: duplicate key given in txn request" {
		t.Errorf("a transaction that etcd refuses: %v", err)
	}
	for _, name := range []string{"a", "b"} {
		if _, err := p.Do(ctx, etcd.Op{Kind: etcd.Put, Key: "queue/" + name}); err != nil {
			t.Fatal(err)
		}
	}
	first, err := p.Do(ctx, etcd.Op{Kind: etcd.Get, Key: "queue/", Prefix: true, FirstCreated: true})
	if err != nil || len(first.Responses[0].KVs) != 1 || first.Responses[0].KVs[0].Key != "queue/a" {
		t.Errorf("first created: %+v, %v", first, err)
	}
	last, err := p.Do(ctx, etcd.Op{Kind: etcd.Get, Key: "queue/", Prefix: true, MaxCreateRevision: first.Revision})
	if err != nil || len(last.Responses[0].KVs) != 1 || last.Responses[0].KVs[0].Key != "queue/b" {
		t.Errorf("last created: %+v, %v", last, err)
	}
	if got, err := p.Do(ctx, etcd.Op{Kind: etcd.Delete, Key: "queue/", Prefix: true}); err != nil || got.Responses[0].Deleted != 2 {
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
	base, err := p.Do(ctx, etcd.Op{Kind: etcd.Put, Key: "lock"})
	if err != nil {
		t.Fatal(err)
	}
	watch, err := p.Watch(ctx, etcd.Watch{Key: "lock", From: base.Revision + 1})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	for _, op := range []etcd.Op{
		{Kind: etcd.Put, Key: "lock"}, {Kind: etcd.Put, Key: "other"}, {Kind: etcd.Delete, Key: "lock"},
	} {
		if _, err := p.Do(ctx, op); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []etcd.Event{
		{Key: "lock", Revision: base.Revision + 1}, {Key: "lock", Revision: base.Revision + 3, Deleted: true},
	} {
		got, err := watch.Next(within(t, 5*time.Second))
		if got.Put = (etcd.KV{}); got != want || err != nil {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	if _, err := watch.Next(within(t, 50*time.Millisecond)); err != context.DeadlineExceeded {
		t.Errorf("nothing has changed: %v", err)
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Next(within(t, 5*time.Second)); err != ports.ErrConnection {
		t.Errorf("the server is dead: %v, want %v", err, ports.ErrConnection)
	}
}

func TestErrorsOfEtcdAreThoseOfThePort(t *testing.T) {
	const timeout = 300 * time.Millisecond
	s := startEtcd(t)
	w, told := alone(t, timeout)
	p := etcdOf(t, w, s.Addr)
	get := func(ctx context.Context) (error, time.Duration) {
		began := time.Now()
		_, err := p.Do(ctx, etcd.Op{Kind: etcd.Get, Key: "lock"})
		return err, time.Since(began)
	}
	if err := s.Freeze(); err != nil {
		t.Fatal(err)
	}
	err, took := get(context.Background())
	wantError(t, "silence", err, ports.ErrTimeout, took, timeout, timeout+200*time.Millisecond)
	began := time.Now()
	_, err = p.KeepAlive(context.Background(), 1)
	wantError(t, "a silent renewal", err, ports.ErrTimeout, time.Since(began), timeout, timeout+200*time.Millisecond)
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
		wantError(t, "no server listens", err, ports.ErrConnection, took, 0, 200*time.Millisecond)
	}
}

func TestASilentMemberOfEtcdIsPassedOver(t *testing.T) {
	dead := answering(t, "")
	s := startEtcd(t)
	w, _ := alone(t, 200*time.Millisecond)
	port, err := newStorePort(w, livestore.Of(etcd.ID), []string{dead, s.Addr}, w.dialDirectly)
	if err != nil {
		t.Fatal(err)
	}
	p := etcd.Client{Port: port}
	for i, want := range []error{ports.ErrTimeout, nil, nil} {
		if _, err := p.Do(context.Background(), etcd.Op{Kind: etcd.Get, Key: "lock"}); err != want {
			t.Errorf("request %d: %v, want %v", i, err, want)
		}
	}
}
