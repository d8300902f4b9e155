package worker

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/store/etcd"
)

func TestAnEtcdWatchKeepsEventsUntilTheyAreRead(t *testing.T) {
	s := startStore(t, etcd.ID)
	w, _ := alone(t, time.Second)
	p := etcd.Client{Port: s.port(t, w, w.dialDirectly)}
	ctx := context.Background()
	base := must.Get(p.Do(ctx, etcd.Op{Kind: etcd.Put, Key: "lock"}))(t)
	watch := must.Get(p.Watch(ctx, etcd.Watch{Key: "lock", From: base.Revision + 1}))(t)
	defer watch.Close()
	for _, op := range []etcd.Op{
		{Kind: etcd.Put, Key: "lock"}, {Kind: etcd.Put, Key: "other"}, {Kind: etcd.Delete, Key: "lock"},
	} {
		must.Get(p.Do(ctx, op))(t)
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
		t.Errorf("without a change: %v", err)
	}
	must.Do(t, s.Kill())
	if _, err := watch.Next(within(t, 5*time.Second)); err != ports.ErrConnection {
		t.Errorf("with a dead server: %v, want %v", err, ports.ErrConnection)
	}
}

func TestErrorsOfEtcdAreThoseOfThePort(t *testing.T) {
	const timeout = 300 * time.Millisecond
	s := startStore(t, etcd.ID)
	w, told := alone(t, timeout)
	p := etcd.Client{Port: s.port(t, w, w.dialDirectly)}
	get := func(ctx context.Context) (error, time.Duration) {
		began := time.Now()
		_, err := p.Do(ctx, etcd.Op{Kind: etcd.Get, Key: "lock"})
		return err, time.Since(began)
	}
	must.Do(t, s.Freeze())
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
	must.Do(t, s.Kill())
	time.Sleep(50 * time.Millisecond) // until the library notices
	for range 3 {
		err, took = get(context.Background())
		wantError(t, "no server listens", err, ports.ErrConnection, took, 0, 200*time.Millisecond)
	}
}
