package worker

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/zookeeper"
)

// zkSession is a session with its past states. Its test has the turn.
type zkSession struct {
	*zookeeper.Session
	w      *worker
	states []zookeeper.State
}

func zkClient(t *testing.T, w *worker, addr string, dial dialFunc) zookeeper.Client {
	t.Helper()
	p := must.Get(newStorePort(w, livestore.Of(zookeeper.ID), []string{addr}, dial))(t)
	return zookeeper.Client{Env: newEnv(w, t.Name()), Port: p}
}

func zkSessionOn(t *testing.T, w *worker, addr string, timeout time.Duration, dial dialFunc) *zkSession {
	t.Helper()
	client := zkClient(t, w, addr, dial)
	session := must.Get(client.Connect(within(t, 10*time.Second), timeout))(t)
	s := &zkSession{session, w, []zookeeper.State{session.State()}}
	client.Env.Go(context.Background(), "states", func(ctx context.Context) {
		for {
			state, err := session.NextState(ctx)
			if err != nil {
				return
			}
			s.states = append(s.states, state)
		}
	})
	s.pause(time.Millisecond)
	return s
}

// pause lets the other tasks run.
func (s *zkSession) pause(d time.Duration) {
	defer s.w.turns.leave()()
	time.Sleep(d)
}

// wantHistory waits until a session has been in these states.
func (s *zkSession) wantHistory(t *testing.T, want ...zookeeper.State) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !slices.Equal(s.states, want); s.pause(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the session was %v, want %v", s.states, want)
		}
	}
}

func TestAZooKeeperSessionIsKeptAlive(t *testing.T) {
	server := startStore(t, zookeeper.ID)
	w, reports := alone(t, time.Second)
	way := &gate{}
	s := zkSessionOn(t, w, server.Endpoint, 1800*time.Millisecond, way.dial)
	other := zkSessionOn(t, w, server.Endpoint, 2*time.Second, w.dialDirectly)
	id := s.ID()
	must.Get(other.Create(context.Background(), "/seen", "", zookeeper.Ephemeral))(t)
	_, gone, err := s.ExistsWatch(context.Background(), "/seen")
	if err != nil {
		t.Fatal(err)
	}
	s.pause(4500 * time.Millisecond)
	if s.State() != zookeeper.Connected {
		t.Fatalf("the state is %v without a fault", s.State())
	}
	pings := reports.tasks("PING")
	if len(pings) < 5 || slices.ContainsFunc(pings, func(task string) bool { return task != ports.Watchdog }) {
		t.Errorf("heartbeats of %q, want one every 600 ms by the watchdog", pings)
	}
	way.set(true)
	way.set(false)
	s.wantHistory(t, zookeeper.Connected, zookeeper.Disconnected, zookeeper.Connected)
	must.Equalf(t, s.ID(), id, "another session")
	must.Do(t, other.Delete(context.Background(), "/seen", -1))
	if err := gone.Wait(within(t, 5*time.Second)); err != nil {
		t.Errorf("the watch did not survive the reconnect: %v", err)
	}
	text := strings.Join(reports.lines(), "\n")
	for _, want := range []string{"CONNECT 1800 SESSION 0x" + strconv.FormatInt(id, 16) + "\n", "SETWATCHES SINCE ", " /seen\n"} {
		must.Contain(t, text, want)
	}
}

func TestAnExpiredZooKeeperSessionNeverComesBack(t *testing.T) {
	server := startStore(t, zookeeper.ID)
	w, _ := alone(t, time.Second)
	way := &gate{}
	ctx := context.Background()
	s := zkSessionOn(t, w, server.Endpoint, 400*time.Millisecond, way.dial)
	other := zkSessionOn(t, w, server.Endpoint, 2*time.Second, w.dialDirectly)
	id := s.ID()
	must.Get(s.Create(ctx, "/mine", "", zookeeper.Ephemeral))(t)
	_, never, err := s.ExistsWatch(ctx, "/never")
	if err != nil {
		t.Fatal(err)
	}
	_, gone, err := other.ExistsWatch(ctx, "/mine")
	if err != nil {
		t.Fatal(err)
	}
	way.set(true)
	s.wantHistory(t, zookeeper.Connected, zookeeper.Disconnected)
	began := time.Now()
	_, err = s.Exists(ctx, "/mine")
	wantError(t, "no server", err, ports.ErrConnection, time.Since(began), 0, 100*time.Millisecond)
	if err := gone.Wait(within(t, 5*time.Second)); err != nil {
		t.Fatalf("the node of an expired session stays: %v", err)
	}
	must.Equalf(t, s.State(), zookeeper.Disconnected, "the state is … before a server has said so")
	way.set(false)
	must.Equalf(t, must.Get(s.NextState(within(t, 5*time.Second)))(t), zookeeper.Expired,
		"after the reconnect: state")
	must.Equalf[error](t, never.Wait(within(t, time.Second)), zookeeper.ErrSessionExpired,
		"a watch of an expired session")
	dials := way.set(false)
	s.pause(1500 * time.Millisecond) // go-zookeeper would have a new session by now
	if again := way.set(false); again != dials {
		t.Errorf("connected %d times after the end of the session", again-dials)
	}
	if s.State() != zookeeper.Expired || s.ID() != id {
		t.Errorf("state %v, session %x, want the old one, %x", s.State(), s.ID(), id)
	}
	if _, err := s.Create(ctx, "/mine", "", zookeeper.Ephemeral); err != zookeeper.ErrSessionExpired {
		t.Errorf("a request: %v, want exactly %v", err, zookeeper.ErrSessionExpired)
	}
}

func TestASilentZooKeeperIsLost(t *testing.T) {
	server := startStore(t, zookeeper.ID)
	w, reports := alone(t, 200*time.Millisecond)
	s := zkSessionOn(t, w, server.Endpoint, 2*time.Second, w.dialDirectly)
	must.Do(t, server.Freeze())
	began := time.Now()
	_, err := s.Exists(context.Background(), "/lock")
	wantError(t, "silence", err, ports.ErrConnection, time.Since(began), 200*time.Millisecond, 400*time.Millisecond)
	if lines := reports.lines(); !slices.Contains(lines, "-- "+ports.ErrTimeout.Error()) {
		t.Errorf("reported %q", lines)
	}
	must.Equalf(t, s.State(), zookeeper.Disconnected, "state … after silence")
	must.Do(t, server.Thaw())
	s.wantHistory(t, zookeeper.Connected, zookeeper.Disconnected, zookeeper.Connected)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Exists(cancelled, "/lock"); err != context.Canceled {
		t.Errorf("a context that has ended: %v", err)
	}
}

func TestConnectingToZooKeeperEndsWithItsContext(t *testing.T) {
	w, _ := alone(t, 200*time.Millisecond)
	way := &gate{}
	way.set(true)
	began := time.Now()
	_, err := zkClient(t, w, "127.0.0.1:1", way.dial).Connect(within(t, 300*time.Millisecond), time.Second)
	wantError(t, "no server", err, context.DeadlineExceeded, time.Since(began), 290*time.Millisecond, 500*time.Millisecond)
}

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
	w, reports := alone(t, timeout)
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
	before := len(reports.lines())
	if err, _ := get(cancelled); err != context.Canceled || len(reports.lines()) != before {
		t.Errorf("after the cancellation: %v, %q", err, reports.lines()[before:])
	}
	must.Do(t, s.Kill())
	time.Sleep(50 * time.Millisecond) // until the library notices
	for range 3 {
		err, took = get(context.Background())
		wantError(t, "no server listens", err, ports.ErrConnection, took, 0, 200*time.Millisecond)
	}
}
