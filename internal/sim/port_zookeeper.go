package sim

import (
	"context"
	"slices"
	"time"

	"lockstep/internal/sim/kernel"
	"lockstep/internal/sim/store"
	"lockstep/internal/sim/zookeeper"
	"lockstep/internal/world"
)

// zkPort is world.ZooKeeper for one client: what a client library does by itself.
// Its heartbeats are tasks of the client's process, so they freeze and die with it.
//
// It follows the library of Java (ClientCnxn): a heartbeat after a third of the
// session's timeout without other traffic, another server after two thirds without
// a sign of the present one, watches laid anew after a reconnect. Where libraries
// differ:
//   - go-zookeeper opens a new session by itself when the old one has expired, and
//     its user may not notice. Here a session never comes back; a lock that wants
//     another one opens it.
//   - Java and go-zookeeper keep a request while they look for a server, and fail
//     it when they have found none; here it fails at once.
//   - No library waits less for one reply than for the connection; here the
//     scenario's response timeout, when it is shorter, ends the connection too.
type zkPort struct{ client *client }

var _ world.ZooKeeper = (*zkPort)(nil)

// zkPause is between two attempts to connect; go-zookeeper waits as long, Java a
// random time up to it.
const zkPause = time.Second

// Connect implements world.ZooKeeper.
func (p *zkPort) Connect(ctx context.Context, timeout time.Duration) (world.ZKSession, error) {
	c := p.client
	s := &zkSession{client: c, timeout: timeout, state: world.ZKDisconnected, changed: c.w.k.NewSignal()}
	for s.connect(ctx) != nil {
		if err := c.Sleep(ctx, s.pause()); err != nil {
			return nil, err
		}
	}
	c.Go(c.Background(), world.Watchdog, s.keep)
	return s, nil
}

// zkSession is world.ZKSession.
type zkSession struct {
	client  *client
	id      int64
	timeout time.Duration
	state   world.ZKState
	states  []world.ZKState // that it has been in
	changed *kernel.Signal  // the state, or a watch has fired
	conn    *conn           // nil while there is no server
	zxid    int64           // the latest transaction that the client knows of
	sent    time.Duration   // when the last request was, on the monotonic clock
	heard   time.Duration   // when the server gave its last sign
	watches []*zkWatch
}

var _ world.ZKSession = (*zkSession)(nil)

// ID implements world.ZKSession.
func (s *zkSession) ID() int64 { return s.id }

// Timeout implements world.ZKSession.
func (s *zkSession) Timeout() time.Duration { return s.timeout }

// State implements world.ZKSession.
func (s *zkSession) State() world.ZKState { return s.state }

// NextState implements world.ZKSession.
func (s *zkSession) NextState(ctx context.Context) (world.ZKState, error) {
	for seen := len(s.states); ; {
		if len(s.states) > seen {
			return s.states[seen], nil
		}
		if err := s.changed.Wait(ctx); err != nil {
			return s.state, err
		}
	}
}

func (s *zkSession) become(state world.ZKState) {
	s.state = state
	s.states = append(s.states, state)
	s.changed.Notify()
}

// pause is between two attempts to connect.
func (s *zkSession) pause() time.Duration { return zkPause + s.client.w.timing.Reconnect }

// connect tries one server; after a failure it is the next one's turn.
func (s *zkSession) connect(ctx context.Context) error {
	c := s.client
	ctx, cancel := c.WithTimeout(ctx, s.timeout/3)
	defer cancel()
	cn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	sent := c.Mono()
	value, err := cn.ask(ctx, zookeeper.Connect{Timeout: s.timeout, Session: s.id})
	if err != nil {
		cn.Close()
		c.member++
		return err
	}
	granted := value.(zookeeper.Session)
	s.id, s.timeout, s.conn = granted.ID, granted.Timeout, cn
	s.sent, s.heard = sent, c.Mono()
	c.Go(c.Background(), "zookeeper events", func(ctx context.Context) { s.listen(ctx, cn) })
	s.become(world.ZKConnected)
	return nil
}

// keep is the task that keeps the session alive, until it is over.
func (s *zkSession) keep(ctx context.Context) {
	for s.state != world.ZKExpired {
		if s.conn != nil {
			s.beat(ctx)
			continue
		}
		switch err := s.connect(ctx); err {
		case nil:
			s.layWatches(ctx)
		case world.ErrSessionExpired:
			s.become(world.ZKExpired)
		default:
			_ = s.client.Sleep(ctx, s.pause()) // the background never ends
		}
	}
}

// beat waits for a third of the timeout without traffic, then sends a heartbeat
// and waits for its answer: the server has two thirds in all.
func (s *zkSession) beat(ctx context.Context) {
	c, cn := s.client, s.conn
	for idle := c.Mono() - s.sent; idle < s.timeout/3; idle = c.Mono() - s.sent {
		pause, cancel := c.WithTimeout(ctx, s.timeout/3-idle)
		_ = s.changed.Wait(pause) // a lost connection wakes it early
		cancel()
		if s.conn != cn {
			return
		}
	}
	left := s.heard + 2*s.timeout/3 - c.Mono()
	if left <= 0 {
		s.lose(cn)
		return
	}
	ctx, cancel := c.WithTimeout(ctx, left)
	defer cancel()
	if _, err := s.request(ctx, zookeeper.Ping{}); err != nil {
		s.lose(cn)
	}
}

// lose gives up a connection; the next one is to the next server.
func (s *zkSession) lose(cn *conn) {
	cn.Close()
	if s.conn == cn {
		s.conn = nil
		s.client.member++
		s.become(world.ZKDisconnected)
	}
}

// listen takes what a server sends by itself, for as long as the connection lasts.
func (s *zkSession) listen(ctx context.Context, cn *conn) {
	for {
		m, err := cn.next(ctx)
		if err != nil {
			s.lose(cn)
			return
		}
		s.heard = s.client.Mono()
		s.fire(m.(zookeeper.Event).Path)
	}
}

// request sends one request to the present server.
func (s *zkSession) request(ctx context.Context, op store.Op) (any, error) {
	cn := s.conn
	switch {
	case s.state == world.ZKExpired:
		return nil, world.ErrSessionExpired
	case cn == nil:
		return nil, world.ErrConnection
	}
	s.sent = s.client.Mono()
	value, err := cn.ask(ctx, op)
	switch {
	case err == world.ErrTimeout || err == world.ErrConnection:
		s.lose(cn)
		return nil, world.ErrConnection
	case err != nil && err == ctx.Err():
		return nil, err
	case s.conn != cn: // the library has given it up meanwhile
		return nil, world.ErrConnection
	}
	s.heard = s.client.Mono()
	return value, err
}

// Create implements world.ZKSession.
func (s *zkSession) Create(ctx context.Context, path, data string, mode world.ZKMode) (string, error) {
	made, err := answer[zookeeper.Created](s.request(ctx, zookeeper.Create{Path: path, Data: data, Mode: mode}))
	s.zxid = max(s.zxid, made.Zxid)
	return made.Path, err
}

// Delete implements world.ZKSession.
func (s *zkSession) Delete(ctx context.Context, path string, version int32) error {
	_, err := s.request(ctx, zookeeper.Delete{Path: path, Version: version})
	return err
}

// Exists implements world.ZKSession.
func (s *zkSession) Exists(ctx context.Context, path string) (*world.ZKStat, error) {
	return s.find(ctx, zookeeper.Exists{Path: path})
}

func (s *zkSession) find(ctx context.Context, op zookeeper.Exists) (*world.ZKStat, error) {
	found, err := answer[zookeeper.Found](s.request(ctx, op))
	s.zxid = max(s.zxid, found.Zxid)
	return found.Stat, err
}

// ExistsWatch implements world.ZKSession. The watch is there before the request,
// since its event may overtake the reply.
func (s *zkSession) ExistsWatch(ctx context.Context, path string) (*world.ZKStat, world.ZKWatch, error) {
	w := &zkWatch{session: s, path: path}
	s.watches = append(s.watches, w)
	stat, err := s.find(ctx, zookeeper.Exists{Path: path, Watch: true})
	if err != nil {
		s.watches = slices.DeleteFunc(s.watches, func(other *zkWatch) bool { return other == w })
		return nil, nil, err
	}
	w.exist = stat == nil
	return stat, w, nil
}

// Children implements world.ZKSession.
func (s *zkSession) Children(ctx context.Context, path string) ([]string, error) {
	names, err := answer[[]string](s.request(ctx, zookeeper.Children{Path: path}))
	slices.Sort(names)
	return names, err
}

// Close implements world.ZKSession.
func (s *zkSession) Close(ctx context.Context) error {
	cn := s.conn
	_, err := s.request(ctx, zookeeper.Close{})
	if err != nil {
		return err
	}
	s.conn = nil
	cn.Close()
	s.become(world.ZKExpired)
	return nil
}

// zkWatch is world.ZKWatch.
type zkWatch struct {
	session *zkSession
	path    string
	exist   bool // laid when the node did not exist
	fired   bool
}

// Wait implements world.ZKWatch.
func (w *zkWatch) Wait(ctx context.Context) error {
	for !w.fired {
		if w.session.state == world.ZKExpired {
			return world.ErrSessionExpired
		}
		if err := w.session.changed.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fire wakes those who watch a node.
func (s *zkSession) fire(path string) {
	s.watches = slices.DeleteFunc(s.watches, func(w *zkWatch) bool {
		w.fired = w.fired || w.path == path
		return w.fired
	})
	s.changed.Notify()
}

// layWatches lays on a new connection the watches that were on the old one.
func (s *zkSession) layWatches(ctx context.Context) {
	op := zookeeper.SetWatches{Since: s.zxid}
	for _, w := range s.watches {
		if w.exist {
			op.Exist = append(op.Exist, w.path)
		} else {
			op.Data = append(op.Data, w.path)
		}
	}
	if len(s.watches) > 0 {
		_, _ = s.request(ctx, op) // if it fails the connection is lost, and they are laid on the next one
	}
}
