package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/world"
)

func startConsul(t *testing.T) *servers.Server {
	t.Helper()
	realtest.Need(t, "consul")
	t.Setenv("TMPDIR", t.TempDir())
	members, err := servers.StartConsul(t.Context(), servers.ConsulOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = members[0].Stop() })
	return members[0]
}

func TestLocksContendOnConsul(t *testing.T) {
	s := startConsul(t)
	contendFor(t, locks.StoreConsul, time.Second, func(w *worker, d *locks.Deps) {
		d.Consul = newConsul(w, []string{s.Addr}, w.dialDirectly)
	})
}

func TestConsulAnswersAsThePortPromises(t *testing.T) {
	s := startConsul(t)
	w, told := alone(t, 2*time.Second)
	p := newConsul(w, []string{s.Addr}, w.dialDirectly)
	ctx := context.Background()
	if err := p.connect(ctx); err != nil {
		t.Fatal(err)
	}
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
	has, err := p.Get(ctx, "lock", none.Index, time.Minute) // which has changed, so that nothing waits
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
		t.Errorf("the key has outlived its session: %+v, %v", gone, err)
	}
	if err := p.RenewSession(ctx, session); err != world.ErrNoSession {
		t.Errorf("renewing what has gone: %v", err)
	}
	if _, err := p.Acquire(ctx, "lock", "A", session); err != world.ErrNoSession {
		t.Errorf("locking for what has gone: %v", err)
	}
	if _, err := p.CreateSession(ctx, time.Millisecond, 0, false); err == nil || unanswered(err) {
		t.Errorf("a session that is too short: %v", err)
	}
	lines := told.lines()
	if lines[0] != "GET lock" || lines[2] != "SESSION TTL 1m0s LOCK-DELAY 0s BEHAVIOR delete" || lines[3] != "-> "+session || lines[5] != "-> true" {
		t.Errorf("reported %q", lines[:6])
	}
}

// A blocking query outlasts the response timeout, and one of a server that is silent ends.
func TestABlockingQueryOfConsul(t *testing.T) {
	s := startConsul(t)
	w, _ := alone(t, 300*time.Millisecond)
	p := newConsul(w, []string{s.Addr}, w.dialDirectly)
	ctx := context.Background()
	none, err := p.Get(ctx, "lock", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := p.Get(ctx, "lock", none.Index, 600*time.Millisecond); err != nil || again != none {
		t.Errorf("after its time: %+v, %v", again, err)
	}
	limited, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := p.Get(limited, "lock", none.Index, time.Minute); err != context.DeadlineExceeded {
		t.Errorf("given up: %v", err)
	}
	if err := s.Freeze(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Get(ctx, "lock", none.Index, 10*time.Millisecond); err != world.ErrTimeout {
		t.Errorf("of a server that is stopped: %v", err)
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Get(ctx, "lock", 0, 0); err != world.ErrConnection {
		t.Errorf("of a server that is dead: %v", err)
	}
}
