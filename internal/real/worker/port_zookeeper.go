package worker

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/locks"
	"lockstep/internal/real/link"
	"lockstep/internal/world"
)

// zkPort is world.ZooKeeper on go-zookeeper.
type zkPort struct {
	w         *worker
	endpoints []string
	dial      dialFunc
	server    atomic.Int64 // which was tried last
}

var _ world.ZooKeeper = (*zkPort)(nil)

// newZooKeeper makes the port; endpoints are the addresses of the links. What the
// library does behind its caller's back, and whether it may:
//
//   - it opens a new session when the old one has expired, and goes on as if
//     nothing had happened: off. When a server says that the session is over, no
//     connection is made any more; a lock that wants another session opens it;
//   - it tries the servers in a random order, and waits for a second before it
//     connects anew to the only one: replaced, the next server is tried at once,
//     and the second passes when all have been tried;
//   - it waits more than six session timeouts for the answer to a reconnect:
//     two thirds of one, as for any other sign of a server;
//   - it keeps a request that was made just when the connection broke, sends it
//     over the next one or fails it when there is none: this remains. While it is
//     known that there is no server, requests fail at once;
//   - heartbeats, each third of the timeout, and watches laid anew on a new
//     connection are what the port promises. They are reported, as requests of the
//     watchdog.
func newZooKeeper(w *worker, endpoints []string, dial dialFunc) *zkPort {
	p := &zkPort{w: w, endpoints: endpoints, dial: dial}
	p.server.Store(int64(w.start.First))
	return p
}

// connectZooKeeper gives a lock the ensemble.
func (w *worker) connectZooKeeper(d *locks.Deps) error {
	p := newZooKeeper(w, w.start.Endpoints, w.dialDirectly)
	d.ZooKeeper = p
	return w.warm(p.connect)
}

// connect finds out before true time begins whether there is a server.
func (p *zkPort) connect(ctx context.Context) error {
	for _, endpoint := range p.endpoints {
		err := untilAnswered(ctx, "a server of ZooKeeper", func(ctx context.Context) error {
			conn, err := p.dial(ctx, "tcp", endpoint)
			if err == nil {
				_ = conn.Close() // it was only a question
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Connect implements world.ZooKeeper.
func (p *zkPort) Connect(ctx context.Context, timeout time.Duration) (world.ZKSession, error) {
	defer p.w.turns.leave()()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := &zkSession{port: p, timeout: timeout, state: world.ZKDisconnected, changed: make(chan struct{}), task: taskOf(ctx)}
	lib, _, err := zk.Connect(p.endpoints, timeout,
		zk.WithDialer(s.dial), zk.WithHostProvider(&zkHosts{servers: p.endpoints, last: &p.server}),
		zk.WithEventCallback(s.told), zk.WithLogger(silentZK{}), zk.WithLogInfo(false))
	if err != nil {
		return nil, err
	}
	s.have(lib)
	for {
		state, changed := s.look()
		if state != world.ZKDisconnected {
			return s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			s.end()
			return nil, ctx.Err()
		}
	}
}

type silentZK struct{}

func (silentZK) Printf(string, ...any) {}

// zkSession is world.ZKSession.
type zkSession struct {
	port *zkPort

	mu      sync.Mutex
	lib     *zk.Conn
	id      int64
	timeout time.Duration
	state   world.ZKState
	states  []world.ZKState // that it has been in
	changed chan struct{}   // closed and made anew with each state
	over    bool            // no more connections
	task    string          // in whose name connections are made: who opens it, then the watchdog
	wire    *zkWire         // the present connection
}

var _ world.ZKSession = (*zkSession)(nil)

func (s *zkSession) have(lib *zk.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lib = lib
	if s.over { // the news came before
		go lib.Close()
	}
}

func (s *zkSession) look() (world.ZKState, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.changed
}

// become changes the state; s.mu is held. An expired session never comes back.
func (s *zkSession) become(state world.ZKState) {
	if s.state == state || s.state == world.ZKExpired {
		return
	}
	s.state = state
	s.states = append(s.states, state)
	close(s.changed)
	s.changed = make(chan struct{})
}

// told is called by the library, in its own tasks and before it goes on.
func (s *zkSession) told(e zk.Event) {
	if e.Type != zk.EventSession {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over:
	case e.State == zk.StateExpired:
		s.over = true
		s.become(world.ZKExpired)
		_ = s.wire.Close() // which the library leaves open
		if s.lib != nil {
			go s.lib.Close() // it waits for the task that calls
		}
	case e.State == zk.StateHasSession:
		s.task = world.Watchdog
		s.become(world.ZKConnected)
	default:
		s.become(world.ZKDisconnected)
	}
}

// end gives the session up without telling a server.
func (s *zkSession) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.become(world.ZKExpired)
	if s.wire != nil {
		_ = s.wire.Close() // it may be closed already
	}
	go s.lib.Close()
}

// ID implements world.ZKSession.
func (s *zkSession) ID() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Timeout implements world.ZKSession.
func (s *zkSession) Timeout() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.timeout
}

// State implements world.ZKSession.
func (s *zkSession) State() world.ZKState {
	state, _ := s.look()
	return state
}

// NextState implements world.ZKSession.
func (s *zkSession) NextState(ctx context.Context) (world.ZKState, error) {
	s.mu.Lock()
	seen := len(s.states)
	s.mu.Unlock()
	defer s.port.w.turns.leave()()
	for {
		s.mu.Lock()
		states, state, changed := s.states, s.state, s.changed
		s.mu.Unlock()
		switch {
		case len(states) > seen:
			return states[seen], nil
		case ctx.Err() != nil:
			return state, ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// onSession sends one request over the session's present connection.
func onSession[T any](ctx context.Context, s *zkSession, r request[T], send func(*zk.Conn) (T, error)) (T, error) {
	var none T
	s.mu.Lock()
	state, lib, wire := s.state, s.lib, s.wire
	s.mu.Unlock()
	switch state {
	case world.ZKExpired:
		return none, world.ErrSessionExpired
	case world.ZKDisconnected:
		return none, world.ErrConnection
	}
	r.server = wire.server
	r.send = func(context.Context) (T, error) {
		value, err := send(lib)
		return value, zkError(err)
	}
	value, err := perform(ctx, s.port.w, r)
	if err == world.ErrTimeout {
		s.lose(wire) // as every connection whose server is silent
		return none, world.ErrConnection
	}
	return value, err
}

// lose gives up a connection. The library makes the next one.
func (s *zkSession) lose(wire *zkWire) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = wire.Close() // it may be closed already
	if s.wire == wire {
		s.become(world.ZKDisconnected)
	}
}

// Create implements world.ZKSession. Anybody may do anything with the node.
func (s *zkSession) Create(ctx context.Context, path, data string, mode world.ZKMode) (string, error) {
	r := request[string]{what: world.ZKCreate{Path: path, Data: data, Mode: mode}, mark: link.ZooKeeperMark("CREATE", path), answer: func(path string) string { return path }}
	return onSession(ctx, s, r, func(lib *zk.Conn) (string, error) {
		return lib.Create(path, []byte(data), zkFlags[mode], zk.WorldACL(zk.PermAll))
	})
}

var zkFlags = [...]int32{
	world.ZKPersistent: 0, world.ZKEphemeral: zk.FlagEphemeral,
	world.ZKEphemeralSequential: zk.FlagEphemeral | zk.FlagSequence,
}

// Delete implements world.ZKSession.
func (s *zkSession) Delete(ctx context.Context, path string, version int32) error {
	r := request[struct{}]{what: world.ZKDelete{Path: path, Version: version}, mark: link.ZooKeeperMark("DELETE", path), answer: ok}
	_, err := onSession(ctx, s, r, func(lib *zk.Conn) (struct{}, error) {
		return struct{}{}, lib.Delete(path, version)
	})
	return err
}

// Exists implements world.ZKSession.
func (s *zkSession) Exists(ctx context.Context, path string) (*world.ZKStat, error) {
	r := request[*world.ZKStat]{what: world.ZKExists{Path: path}, mark: link.ZooKeeperMark("EXISTS", path), answer: (*world.ZKStat).Text}
	return onSession(ctx, s, r, func(lib *zk.Conn) (*world.ZKStat, error) {
		exists, stat, err := lib.Exists(path)
		return zkStat(exists, stat), err
	})
}

func zkStat(exists bool, stat *zk.Stat) *world.ZKStat {
	if !exists || stat == nil {
		return nil
	}
	return &world.ZKStat{Czxid: stat.Czxid, Version: stat.Version, EphemeralOwner: stat.EphemeralOwner}
}

// watched is what a request that leaves a watch behind brings.
type watched struct {
	stat   *world.ZKStat
	events <-chan zk.Event
}

// ExistsWatch implements world.ZKSession.
func (s *zkSession) ExistsWatch(ctx context.Context, path string) (*world.ZKStat, world.ZKWatch, error) {
	r := request[watched]{
		what: world.ZKExists{Path: path, Watch: true}, mark: link.ZooKeeperMark("EXISTS", path),
		answer: func(w watched) string { return w.stat.Text() },
	}
	got, err := onSession(ctx, s, r, func(lib *zk.Conn) (watched, error) {
		exists, stat, events, err := lib.ExistsW(path)
		return watched{zkStat(exists, stat), events}, err
	})
	if err != nil {
		return nil, nil, err
	}
	return got.stat, &zkWatch{w: s.port.w, events: got.events}, nil
}

// Children implements world.ZKSession.
func (s *zkSession) Children(ctx context.Context, path string) ([]string, error) {
	r := request[[]string]{what: world.ZKChildren{Path: path}, mark: link.ZooKeeperMark("CHILDREN", path), answer: world.ZKNamesText}
	return onSession(ctx, s, r, func(lib *zk.Conn) ([]string, error) {
		names, _, err := lib.Children(path)
		slices.Sort(names)
		return names, err
	})
}

// Close implements world.ZKSession. Whether a server has answered or not, this
// process keeps the session alive no longer.
func (s *zkSession) Close(ctx context.Context) error {
	r := request[struct{}]{what: world.ZKClose{}, mark: link.ZooKeeperMark("CLOSE", ""), answer: ok}
	_, err := onSession(ctx, s, r, func(lib *zk.Conn) (struct{}, error) {
		s.mu.Lock()
		s.over = true
		wire := s.wire
		s.mu.Unlock()
		lib.Close()
		s.mu.Lock()
		s.become(world.ZKExpired)
		s.mu.Unlock()
		if !wire.hasClosed() {
			return struct{}{}, zk.ErrConnectionClosed
		}
		return struct{}{}, nil
	})
	return err
}
