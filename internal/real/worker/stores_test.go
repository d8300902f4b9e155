package worker

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store"
)

// reported keeps the messages of a worker to its harness.
type reported struct {
	w       *worker
	mu      sync.Mutex
	all     []proto.Up
	reading func(proto.Up) // is called before a question is answered; nil: not checked
}

// lines are the texts of the events of the wire, in their order.
func (r *reported) lines() []string {
	r.w.ask(proto.Up{Kind: proto.Extra}) // the answer comes after all earlier messages have been read
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, m := range r.all {
		switch m.Event {
		case history.Sent:
			out = append(out, m.Text)
		case history.Replied:
			out = append(out, "-> "+m.Text)
		case history.TimedOut:
			out = append(out, "-- "+m.Text)
		}
	}
	return out
}

// tasks are the tasks that have sent a request of that name.
func (r *reported) tasks(name string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, m := range r.all {
		if m.Event == history.Sent && m.Command == name {
			out = append(out, m.Task)
		}
	}
	return out
}

// alone returns a worker whose harness answers every question. Its test has the turn.
func alone(t testing.TB, timeout time.Duration) (*worker, *reported) {
	t.Helper()
	theirs, end, err := proto.Pair()
	if err != nil {
		t.Fatal(err)
	}
	mine := proto.NewConn(end)
	w := &worker{conn: mine, waiting: map[int64]chan proto.Down{}}
	w.began.Store(true)
	w.start.Timeout = timeout
	w.clock = clock{zero: osproc.Now(), epoch: time.Now()}
	w.turns.take()
	reports := &reported{w: w}
	go func() {
		for {
			var m proto.Up
			if theirs.Receive(&m) != nil {
				return
			}
			reports.mu.Lock()
			reports.all = append(reports.all, m)
			reading := reports.reading
			reports.mu.Unlock()
			if reading != nil {
				reading(m)
			}
			if m.ID != 0 && theirs.Send(proto.Down{ID: m.ID}) != nil {
				return
			}
		}
	}()
	go func() {
		for {
			var answer proto.Down
			if mine.Receive(&answer) != nil {
				return
			}
			w.mu.Lock()
			waits := w.waiting[answer.ID]
			w.mu.Unlock()
			waits <- answer
		}
	}()
	// The socket stays open: a worker whose harness has gone ends the process.
	return w, reports
}

// realStore is one real server of a store.
type realStore struct {
	*livestore.Driver
	*livetest.Servers
}

func startStore(t testing.TB, id store.ID) *realStore {
	t.Helper()
	return &realStore{livestore.Of(id), livetest.One(t, id)}
}

// port is a worker's port to the server, which has answered.
func (s *realStore) port(t testing.TB, w *worker, dial dialFunc) *storePort {
	t.Helper()
	p, err := newStorePort(w, s.Driver, []string{s.Endpoint}, dial)
	if err == nil {
		err = p.ready(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// setUp executes the requests on which our locks depend.
func (s *realStore) setUp(t testing.TB, w *worker) {
	t.Helper()
	p := s.port(t, w, w.dialDirectly)
	for _, r := range store.Of(s.Store).Prepared(locks.Key) {
		if _, err := p.Send(context.Background(), r); err != nil {
			t.Fatalf("%s: %v", ports.RequestText(r), err)
		}
	}
}

// contender is one client of a lock.
type contender struct {
	w    *worker
	lock locks.Lock
}

func newContender(t *testing.T, id string, timeout time.Duration, connect func(*worker, *locks.Deps)) *contender {
	t.Helper()
	variant, ok := locks.Lookup(id)
	if !ok {
		t.Fatalf("no lock %s", id)
	}
	w, _ := alone(t, timeout)
	w.turns.give() // each step of a contender takes it
	deps := locks.Deps{
		Env: newEnv(w, t.Name()), Name: locks.Key, Owner: "A",
		Lease: 2 * time.Second, Retry: 20 * time.Millisecond, Wait: 20 * time.Second, Timeout: timeout, Settings: store.Settings{100 * time.Millisecond},
	}
	if variant.Store == locks.StoreZooKeeper {
		deps.Name += "-" + id // the queue of one lock is the node of another
	}
	connect(w, &deps)
	return &contender{w, variant.New(deps)}
}

func (c *contender) acquire(within time.Duration) (locks.Lease, error) {
	c.w.turns.take()
	defer c.w.turns.give()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return c.lock.Acquire(ctx)
}

func (c *contender) release(lease locks.Lease) error {
	c.w.turns.take()
	defer c.w.turns.give()
	return lease.Release(context.Background())
}

// contendFor plays every variant of a store that is not a misprint:
// one client has the lock, a second one waits for it and gets it afterwards.
func contendFor(t *testing.T, kind locks.Store, timeout time.Duration, connect func(*worker, *locks.Deps)) {
	played := 0
	for _, v := range locks.Simulated() {
		if v.Store != kind || locks.Misprint(v.ID) {
			continue
		}
		played++
		t.Run(v.ID, func(t *testing.T) { contend(t, v.ID, timeout, connect) })
	}
	if played == 0 {
		t.Fatalf("no variant of %s", kind)
	}
}

func contend(t *testing.T, id string, timeout time.Duration, connect func(*worker, *locks.Deps)) {
	a, b := newContender(t, id, timeout, connect), newContender(t, id, timeout, connect)
	for round := range realtest.Tiers(1, 2) {
		lease, err := a.acquire(10 * time.Second)
		if err != nil {
			t.Fatalf("round %d: the first one: %v", round, err)
		}
		if second, err := b.acquire(200 * time.Millisecond); err != context.DeadlineExceeded {
			t.Fatalf("round %d: the second one got %v, %v while the first has it", round, second, err)
		}
		type outcome struct {
			lease locks.Lease
			err   error
		}
		got := make(chan outcome, 1)
		go func() {
			second, err := b.acquire(20 * time.Second)
			got <- outcome{second, err}
		}()
		time.Sleep(100 * time.Millisecond)
		if err := a.release(lease); err != nil {
			t.Fatalf("round %d: the release of the first: %v", round, err)
		}
		second := <-got
		if second.err != nil {
			t.Fatalf("round %d: the second one, after the release: %v", round, second.err)
		}
		if first, next := lease.Token(), second.lease.Token(); (first != 0 || next != 0) && next <= first {
			t.Errorf("round %d: token %d after token %d", round, next, first)
		}
		if err := b.release(second.lease); err != nil {
			t.Fatalf("round %d: the release of the second: %v", round, err)
		}
	}
}

// gate is a way to a server that can be shut: connections break and new ones are refused.
type gate struct {
	mu    sync.Mutex
	shut  bool
	conns []net.Conn
	dials int
}

func (g *gate) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dials++
	if g.shut {
		return nil, errors.New("shut")
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, addr)
	if err == nil {
		g.conns = append(g.conns, conn)
	}
	return conn, err
}

// set shuts or opens the gate and returns how many callers have reached it.
func (g *gate) set(shut bool) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
	for _, c := range g.conns {
		if shut {
			c.Close()
		}
	}
	return g.dials
}

// wantError compares and returns how long it took.
func wantError(t *testing.T, what string, err, want error, took, least, most time.Duration) {
	t.Helper()
	must.Equalf(t, err, want, "%s", what)
	if took < least || took > most {
		t.Errorf("%s: after %v, want %v to %v", what, took, least, most)
	}
}
