package zookeeper

import (
	"context"
	"slices"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Client is an ensemble as one client sees it, with what a client library does by itself.
// Its heartbeats are tasks of the client's process, so they freeze and die with it.
//
// It follows the library of Java (ClientCnxn): a heartbeat after a third of the
// session's timeout without other traffic, another server after two thirds without
// a sign of the current one, watches set again after a reconnect. Where libraries
// differ:
//   - go-zookeeper opens a new session by itself when the old one has expired, and
//     its user may not notice. Here a session never comes back; a lock that wants
//     another one opens it.
//   - Java and go-zookeeper keep a request while they look for a server, and fail
//     it when they have found none; here it fails at once.
//   - No library waits less for one reply than for the connection; here the
//     scenario's response timeout, when it is shorter, ends the connection too.
type Client struct {
	Env  ports.Env
	Port store.Port
}

// pause is between two attempts to connect; go-zookeeper waits as long, Java a
// random time up to it.
func (c Client) pause() time.Duration {
	pause := time.Second
	if h, ok := c.Port.(store.Hesitant); ok {
		pause += h.Hesitates()
	}
	return pause
}

// Connect opens a session, waits until a server has granted it, and keeps it alive. The client
// learns that the session has expired only from a server.
func (c Client) Connect(ctx context.Context, timeout time.Duration) (*Session, error) {
	s := &Session{client: c, timeout: timeout, state: Disconnected, changed: c.Env.NewSignal()}
	for s.connect(ctx) != nil {
		if err := c.Env.Sleep(ctx, c.pause()); err != nil {
			return nil, err
		}
	}
	c.Env.Go(c.Env.Background(), ports.Watchdog, s.keep)
	return s, nil
}

// Session is a session of a client. Requests return ports.ErrConnection while it has no server
// and ErrSessionExpired once it is over.
type Session struct {
	client  Client
	id      int64
	timeout time.Duration
	state   State
	states  []State          // all that it has been in
	changed ports.Signal     // of a new state, or of a watch that has fired
	conn    store.Connection // nil while there is no server
	zxid    int64            // the latest transaction that the client knows of
	sent    time.Duration    // when the last request was, on the monotonic clock
	heard   time.Duration    // when the server gave its last sign
	watches []*Watch
}

// ID is the session's number on the servers.
func (s *Session) ID() int64 { return s.id }

// Timeout is the timeout that the server has granted: 2 to 20 of its ticks.
func (s *Session) Timeout() time.Duration { return s.timeout }

// State is the session's state as the client knows it.
func (s *Session) State() State { return s.state }

// NextState waits for the next change of the session's state.
func (s *Session) NextState(ctx context.Context) (State, error) {
	for seen := len(s.states); ; {
		if len(s.states) > seen {
			return s.states[seen], nil
		}
		if err := s.changed.Wait(ctx); err != nil {
			return s.state, err
		}
	}
}

func (s *Session) become(state State) {
	s.state = state
	s.states = append(s.states, state)
	s.changed.Notify()
}

// connect tries one server; after a failure the next attempt is on the next one.
func (s *Session) connect(ctx context.Context) error {
	env := s.client.Env
	ctx, cancel := env.WithTimeout(ctx, s.timeout/3)
	defer cancel()
	cn, err := s.client.Port.Dial(ctx)
	if err != nil {
		return err
	}
	sent := env.Mono()
	value, err := cn.Send(ctx, Connect{Timeout: s.timeout, Session: s.id})
	if err != nil {
		cn.GiveUp()
		return err
	}
	granted := value.(ConnectReply)
	s.id, s.timeout, s.conn = granted.ID, granted.Timeout, cn
	s.sent, s.heard = sent, env.Mono()
	env.Go(env.Background(), "zookeeper events", func(ctx context.Context) { s.listen(ctx, cn) })
	s.become(Connected)
	return nil
}

// keep is the task that keeps the session alive, until it is over.
func (s *Session) keep(ctx context.Context) {
	for s.state != Expired {
		if s.conn != nil {
			s.beat(ctx)
			continue
		}
		switch err := s.connect(ctx); err {
		case nil:
			s.restoreWatches(ctx)
		case ErrSessionExpired:
			s.become(Expired)
		default:
			_ = s.client.Env.Sleep(ctx, s.client.pause()) // the background never ends
		}
	}
}

// beat waits for a third of the timeout without traffic, then sends a heartbeat
// and waits for its answer: the server has two thirds in all.
func (s *Session) beat(ctx context.Context) {
	env, cn := s.client.Env, s.conn
	for idle := env.Mono() - s.sent; idle < s.timeout/3; idle = env.Mono() - s.sent {
		pause, cancel := env.WithTimeout(ctx, s.timeout/3-idle)
		_ = s.changed.Wait(pause) // a lost connection wakes it early
		cancel()
		if s.conn != cn {
			return
		}
	}
	left := s.heard + 2*s.timeout/3 - env.Mono()
	if left <= 0 {
		s.lose(cn)
		return
	}
	ctx, cancel := env.WithTimeout(ctx, left)
	defer cancel()
	if _, err := s.request(ctx, Ping{}); err != nil {
		s.lose(cn)
	}
}

// lose gives up a connection; the next one leads to the next server.
func (s *Session) lose(cn store.Connection) {
	if s.conn != cn {
		cn.Close()
		return
	}
	cn.GiveUp()
	s.conn = nil
	s.become(Disconnected)
}

// listen receives the events of watches, until the connection breaks.
func (s *Session) listen(ctx context.Context, cn store.Connection) {
	for {
		m, err := cn.Next(ctx)
		if err != nil {
			s.lose(cn)
			return
		}
		s.heard = s.client.Env.Mono()
		s.fire(m.(Event).Path)
	}
}

// request sends one request to the current server.
func (s *Session) request(ctx context.Context, op store.Op) (any, error) {
	cn := s.conn
	switch {
	case s.state == Expired:
		return nil, ErrSessionExpired
	case cn == nil:
		return nil, ports.ErrConnection
	}
	s.sent = s.client.Env.Mono()
	value, err := cn.Send(ctx, op)
	switch {
	case err == ports.ErrTimeout || err == ports.ErrConnection:
		s.lose(cn)
		return nil, ports.ErrConnection
	case err != nil && err == ctx.Err():
		return nil, err
	case s.conn != cn: // given up meanwhile
		return nil, ports.ErrConnection
	}
	s.heard = s.client.Env.Mono()
	return value, err
}

// Create makes a node and returns its path, which ends in a number when the
// node is sequential. ErrNodeExists, ErrNoNode (of the parent).
func (s *Session) Create(ctx context.Context, path, data string, mode Mode) (string, error) {
	made, err := store.Value[Created](s.request(ctx, Create{Path: path, Data: data, Mode: mode}))
	s.zxid = max(s.zxid, made.Zxid)
	return made.Path, err
}

// Delete removes a node if its version matches; -1 matches any. ErrNoNode,
// ErrBadVersion.
func (s *Session) Delete(ctx context.Context, path string, version int32) error {
	_, err := s.request(ctx, Delete{Path: path, Version: version})
	return err
}

// Exists returns the node's state, nil when there is none.
func (s *Session) Exists(ctx context.Context, path string) (*Stat, error) {
	return s.find(ctx, Exists{Path: path})
}

func (s *Session) find(ctx context.Context, op Exists) (*Stat, error) {
	found, err := store.Value[Found](s.request(ctx, op))
	s.zxid = max(s.zxid, found.Zxid)
	return found.Stat, err
}

// ExistsWatch is Exists that leaves a watch behind, whether the node exists or not. The watch is
// registered before the request is sent, since its event may overtake the reply.
func (s *Session) ExistsWatch(ctx context.Context, path string) (*Stat, *Watch, error) {
	w := &Watch{session: s, path: path}
	s.watches = append(s.watches, w)
	stat, err := s.find(ctx, Exists{Path: path, Watch: true})
	if err != nil {
		s.watches = slices.DeleteFunc(s.watches, func(other *Watch) bool { return other == w })
		return nil, nil, err
	}
	w.exist = stat == nil
	return stat, w, nil
}

// Children returns the names of the node's children in the order of the alphabet.
func (s *Session) Children(ctx context.Context, path string) ([]string, error) {
	names, err := store.Value[[]string](s.request(ctx, Children{Path: path}))
	slices.Sort(names)
	return names, err
}

// Close ends the session; its ephemeral nodes go at once.
func (s *Session) Close(ctx context.Context) error {
	cn := s.conn
	_, err := s.request(ctx, Close{})
	if err != nil {
		return err
	}
	s.conn = nil
	cn.Close()
	s.become(Expired)
	return nil
}

// Watch fires once.
type Watch struct {
	session *Session
	path    string
	exist   bool // set when the node did not exist
	fired   bool
}

// Wait blocks until the watch fires. A watch survives a change of the server;
// ErrSessionExpired when the session ends first.
func (w *Watch) Wait(ctx context.Context) error {
	for !w.fired {
		if w.session.state == Expired {
			return ErrSessionExpired
		}
		if err := w.session.changed.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fire wakes the watchers of a node.
func (s *Session) fire(path string) {
	s.watches = slices.DeleteFunc(s.watches, func(w *Watch) bool {
		w.fired = w.fired || w.path == path
		return w.fired
	})
	s.changed.Notify()
}

// restoreWatches sets the watches of the old connection on a new one.
func (s *Session) restoreWatches(ctx context.Context) {
	op := SetWatches{Since: s.zxid}
	for _, w := range s.watches {
		if w.exist {
			op.Exist = append(op.Exist, w.path)
		} else {
			op.Data = append(op.Data, w.path)
		}
	}
	if len(s.watches) > 0 {
		_, _ = s.request(ctx, op) // if it fails the connection is lost, and they are set on the next one
	}
}
