package live

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/store"
	"lockstep/internal/store/consul"
)

// direct is a store.Port to the first server.
type direct struct{ livestore.Executor }

func (d direct) Send(ctx context.Context, r ports.Request) (any, error) { return d.Do(ctx, 0, r) }
func (d direct) Dial(context.Context) (store.Connection, error)         { return d, nil }
func (d direct) Next(context.Context) (any, error) {
	return nil, errors.New("Consul sends no messages of its own")
}
func (d direct) GiveUp() {}
func (d direct) Close()  {}

func TestRealConsulAnswersAsThePortPromises(t *testing.T) {
	s := startServer(t, time.Second)
	var dialer net.Dialer
	executor, err := connect(livestore.Client{Endpoints: []string{s.addr}, Dial: dialer.DialContext})
	if err != nil {
		t.Fatal(err)
	}
	p := consul.Client{Port: direct{executor}}
	ctx := t.Context()
	none, err := p.Get(ctx, "lock", 0, 0)
	if err != nil || none.Exists || none.Index < 1 {
		t.Fatalf("no key: %+v, %v", none, err)
	}
	session, err := p.CreateSession(ctx, time.Minute, 0, true)
	if err != nil || session == "" {
		t.Fatalf("session %q, %v", session, err)
	}
	if locked, err := p.Acquire(ctx, "lock", "A", session); !locked || err != nil {
		t.Fatalf("locked: %v, %v", locked, err)
	}
	has, err := p.Get(ctx, "lock", none.Index, time.Minute) // the index has changed, so this does not wait
	if err != nil || !has.Exists || has.Value != "A" || has.Session != session || has.LockIndex != 1 || has.ModifyIndex != has.Index || has.Index <= none.Index {
		t.Errorf("the key: %+v, %v", has, err)
	}
	if waited, err := p.Get(ctx, "lock", has.Index, 10*time.Millisecond); err != nil || waited != has {
		t.Errorf("after a wait: %+v, %v", waited, err)
	}
	other, err := p.CreateSession(ctx, time.Minute, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if locked, err := p.Acquire(ctx, "lock", "B", other); locked || err != nil {
		t.Errorf("locked twice: %v, %v", locked, err)
	}
	if released, err := p.Release(ctx, "lock", "B", other); released || err != nil {
		t.Errorf("released by another session: %v, %v", released, err)
	}
	if err := errors.Join(p.RenewSession(ctx, session), p.DestroySession(ctx, session)); err != nil {
		t.Error(err)
	}
	if gone, err := p.Get(ctx, "lock", 0, 0); err != nil || gone.Exists {
		t.Errorf("the key still exists after its session: %+v, %v", gone, err)
	}
	if err := p.RenewSession(ctx, session); err != consul.ErrNoSession {
		t.Errorf("renewing a destroyed session: %v", err)
	}
	if _, err := p.Acquire(ctx, "lock", "A", session); err != consul.ErrNoSession {
		t.Errorf("locking for a destroyed session: %v", err)
	}
	if _, err := p.CreateSession(ctx, time.Millisecond, 0, false); err == nil || err == ports.ErrConnection {
		t.Errorf("a session that is too short: %v", err)
	}
	if err := s.process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Get(ctx, "lock", 0, 0); err != ports.ErrConnection {
		t.Errorf("a dead server answers %v", err)
	}
}
