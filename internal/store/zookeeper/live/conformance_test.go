//go:build linux

package live

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/store"
	"lockstep/internal/store/storetest"
	"lockstep/internal/store/zookeeper"
)

// pair is the model and a real server. Both begin with an empty tree, so even the numbers of their
// transactions are equal; only the numbers of sessions differ.
type pair struct {
	storetest.Duel
	server *livetest.Servers
	names  storetest.Names[int64]
	guests []*guest // by client
}

// guest is a client with its session and connection.
type guest struct {
	store.Conn
	id   int64 // the model's
	asks time.Duration
	seen int64 // the latest transaction
}

func newPair(t *testing.T, tick time.Duration, clients int) *pair {
	p := &pair{server: livetest.Start(t, zookeeper.ID, livestore.Wish{Settings: store.Settings{tick}})}
	p.Duel = storetest.Duel{
		T: t, Model: zookeeper.New(zookeeper.Config{Tick: tick}), Real: p.server.Do, Hears: p.server.Heard,
		Translate: p.translated, Same: p.same,
	}
	for range clients {
		p.begin(15 * tick)
	}
	return p
}

// begin opens the session of another client.
func (p *pair) begin(asks time.Duration) {
	s := &guest{Conn: store.Conn{Client: history.NodeID(len(p.guests) + 1)}, asks: asks}
	p.guests = append(p.guests, s)
	p.connect(s, 0)
}

func (p *pair) translated(r ports.Request) ports.Request {
	if c, ok := r.(zookeeper.Connect); ok {
		c.Session = p.names.Theirs(c.Session)
		return c
	}
	return r
}

func (p *pair) same(r ports.Request, want store.Answer, got storetest.Reply) string {
	if made, ok := want.Value.(zookeeper.ConnectReply); ok && got.Err == nil && p.names.Theirs(made.ID) == made.ID {
		p.names.Bind(made.ID, got.Value.(zookeeper.ConnectReply).ID)
	}
	want.Value, got.Value = p.plain(want.Value), p.plain(got.Value)
	if storetest.Differ(r, want, got) != "" {
		return fmt.Sprintf("%v, and from the server %v", want.Value, got.Value)
	}
	return ""
}

// plain is an answer without pointers, with the model's sessions and with sorted children.
func (p *pair) plain(value any) any {
	switch v := value.(type) {
	case zookeeper.ConnectReply:
		return zookeeper.ConnectReply{ID: p.names.Ours(v.ID), Timeout: v.Timeout}
	case zookeeper.Found:
		var stat zookeeper.Stat
		if v.Stat != nil {
			stat = *v.Stat
		}
		stat.EphemeralOwner = p.names.Ours(stat.EphemeralOwner)
		return fmt.Sprintf("%t %+v at %d", v.Stat != nil, stat, v.Zxid)
	case []string:
		return slices.Sorted(slices.Values(v))
	}
	return value
}

// ask asks for something on a session.
func (p *pair) ask(s *guest, r ports.Request) any {
	p.T.Helper()
	a, _ := p.DoAs(s.Conn, r)
	switch v := a.Value.(type) {
	case zookeeper.Created:
		s.seen = v.Zxid
	case zookeeper.Found:
		s.seen = v.Zxid
	}
	return a.Value
}

// connect opens a session (0) or resumes one, on a new connection.
func (p *pair) connect(s *guest, id int64) {
	p.T.Helper()
	c := p.Open(s.Client)
	a, _ := p.DoAs(c, zookeeper.Connect{Timeout: s.asks, Session: id})
	if a.Err != nil {
		p.gone(c)
		return
	}
	s.Conn, s.id = c, a.Value.(zookeeper.ConnectReply).ID
}

// gone demands that model and server have closed a connection.
func (p *pair) gone(c store.Conn) {
	p.T.Helper()
	a, _ := p.Model.Exec(p.Clock, 0, c, zookeeper.Ping{})
	p.Collect()
	if _, err := p.server.Do(c, zookeeper.Ping{}); err != ports.ErrConnection || a.Err != err || !p.Dropped(c) {
		p.Fail("on a closed connection of client %d: model %v, server %v", c.Client, a.Err, err)
	}
}

// end ends a session from its client.
func (p *pair) end(s *guest) {
	p.ask(s, zookeeper.Close{})
	p.gone(s.Conn)
}

// hangUp closes a client's connection, but not its session. It waits for the server to close its
// end: the server then forgets the connection of the session, even if that has a new one by then.
func (p *pair) hangUp(s *guest) {
	p.T.Helper()
	l := p.server.Line(s.Conn).(*line)
	_ = l.conn.(*net.TCPConn).CloseWrite()
	if !realtest.Soon(20*time.Second, l.isBroken) {
		p.Fail("the server keeps a connection that client %d has closed", s.Client)
	}
	p.Closed(s.Conn)
}

func (l *line) isBroken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// move resumes a session on a new connection, while the old one is open or after it was closed, and
// sets watches again.
func (p *pair) move(s *guest, hangUp bool, watches zookeeper.SetWatches) {
	p.T.Helper()
	old := s.Conn
	if hangUp {
		p.hangUp(s)
	}
	p.connect(s, s.id)
	if !hangUp {
		p.gone(old)
	}
	p.ask(s, watches)
}

// script draws requests.
type script struct {
	*pair
	rng   *rand.Rand
	paths []string // to draw from: fixed ones, and sequential nodes
}

// fixed is the number of fixed paths.
const fixed = 7

func (s *script) pick(texts ...string) string { return texts[s.rng.IntN(len(texts))] }

func (s *script) path() string { return s.pick(s.paths...) }

func (s *script) create(who *guest) {
	op := zookeeper.Create{Path: s.path(), Mode: zookeeper.Mode(s.rng.IntN(3))}
	if op.Mode == zookeeper.EphemeralSequential {
		op.Path = s.pick("/lock/q-", "/t/q-", "/t/a/q-", "/q-", "/lock/", "/t/a/", "/")
	}
	if s.rng.IntN(20) == 0 {
		op.Path += s.pick("/", "//a", "/.", "/..", "/a/../b", "/\x00", "/\x7f", "/\ufff5", "/\ue000", "/é b.", "/...", "/🔒")
	}
	made, ok := s.ask(who, op).(zookeeper.Created)
	if ok && op.Mode == zookeeper.EphemeralSequential {
		s.paths[fixed+s.rng.IntN(len(s.paths)-fixed)] = made.Path
	}
}

func (s *script) delete() zookeeper.Delete {
	op := zookeeper.Delete{Path: s.path(), Version: -1}
	if version := s.rng.IntN(6); version < 2 {
		op.Version = int32(version)
	}
	return op
}

func (s *script) somePaths() (paths []string) {
	for range s.rng.IntN(3) {
		paths = append(paths, s.path())
	}
	return paths
}

func (s *script) step() ports.Request {
	who := s.guests[s.rng.IntN(len(s.guests))]
	switch n := s.rng.IntN(1000); {
	case n < 300:
		s.create(who)
	case n < 620:
		s.ask(who, s.delete())
	case n < 880:
		s.ask(who, zookeeper.Exists{Path: s.path(), Watch: n >= 700})
	case n < 960:
		s.ask(who, zookeeper.Children{Path: s.pick("/lock", "/t", "/t/a", "/u/v")})
	case n < 980:
		s.ask(who, zookeeper.Ping{})
	case n < 988:
		s.end(who)
		s.connect(who, who.id) // is over
		s.connect(who, 0)
	default:
		since := who.seen - int64(s.rng.IntN(20))
		s.move(who, n < 994, zookeeper.SetWatches{Since: since, Data: s.somePaths(), Exist: s.somePaths()})
	}
	return nil
}

// The model and a real server give the same answers and events for random requests of several
// sessions.
func TestRealZooKeeperAgrees(t *testing.T) {
	s := &script{pair: newPair(t, 2*time.Second, 4), rng: storetest.Rand(t, 20260801, 4)}
	s.paths = []string{"/lock", "/t", "/t/a", "/t/b", "/t/a/x", "/u", "/u/v", "/lock", "/lock", "/lock", "/lock", "/lock"}
	s.Run(realtest.Tiers(13_000, 26_000), s.step)
	for _, g := range s.guests {
		s.ask(g, zookeeper.Ping{}) // brings what is left to tell
	}
	s.Demand(100, "CONNECT", "CONNECT refused", "CLOSE", "PING", "CREATE", "CREATE refused", "DELETE", "DELETE refused", "EXISTS",
		"CHILDREN", "CHILDREN refused", "SETWATCHES", "told")
}

func TestRealZooKeeperAgreesOnTimeouts(t *testing.T) {
	p := newPair(t, 100*time.Millisecond, 0)
	for _, asks := range []time.Duration{0, 50, 199, 200, 201, 1999, 2000, 2001, 60_000} {
		p.begin(asks * time.Millisecond)
	}
}

// untilGone keeps a client alive on the server until nodes have expired with their sessions, which
// must not be too early.
func (p *pair) untilGone(observer *guest, began time.Time, atLeast time.Duration, nodes ...string) {
	p.T.Helper()
	for _, path := range nodes {
		for {
			v, err := p.server.Do(observer.Conn, zookeeper.Exists{Path: path})
			if err != nil || time.Since(began) > 20*time.Second {
				p.Fail("%s has not expired: %v", path, err)
			}
			if v.(zookeeper.Found).Stat == nil {
				break
			}
		}
	}
	if lasted := time.Since(began); lasted < atLeast {
		p.T.Errorf("sessions that last until %v have expired after %v", atLeast, lasted)
	}
}

// The test keeps one client alive on both sides, and the others are silent.
func TestRealZooKeeperAgreesOnExpiry(t *testing.T) {
	const tick = 100 * time.Millisecond
	p := newPair(t, tick, 4)
	observer, silent := p.guests[0], p.guests[1:]
	p.ask(observer, zookeeper.Create{Path: "/lock"})
	began := time.Now()
	for i, s := range silent {
		s.asks = time.Duration(310+300*i) * time.Millisecond
		p.move(s, false, zookeeper.SetWatches{}) // with a timeout of its own
		p.ask(s, zookeeper.Create{Path: "/lock/q-", Mode: zookeeper.EphemeralSequential})
		p.ask(s, zookeeper.Create{Path: fmt.Sprintf("/e-%d", i), Mode: zookeeper.Ephemeral})
	}
	for i, s := range silent {
		path := fmt.Sprintf("/e-%d", i)
		p.ask(observer, zookeeper.Exists{Path: path, Watch: true})
		p.untilGone(observer, began, s.asks, path)
		// In the model, the session is the next to expire, on a whole tick.
		due := p.Due()
		if due <= s.asks || due > s.asks+tick || due%tick != 0 {
			t.Errorf("the model's session of %v would end after %v", s.asks, due)
		}
		p.Clock.Mono = due - 1
		p.Model.Exec(p.Clock, 0, observer.Conn, zookeeper.Ping{}) // as the real one has
		if p.Collect(); p.Dropped(s.Conn) {
			t.Errorf("the model ends the session of client %d too early", s.Client)
		}
		p.Tick(due)
		p.gone(s.Conn)
		p.ask(observer, zookeeper.Exists{Path: path}) // with the event
		p.connect(s, s.id)                            // is over
	}
	p.ask(observer, zookeeper.Children{Path: "/lock"})
}

// A session outlives its connection for its whole timeout. Resuming it restarts the timeout, even
// without a request. Sessions of one tick expire together, in no visible order. The observer stays
// alive, and the model's clock is set by hand.
func TestRealZooKeeperAgreesOnSessionsWithoutAConnection(t *testing.T) {
	const tick, timeout, taken = 100 * time.Millisecond, 2 * time.Second, 1200 * time.Millisecond
	p := newPair(t, tick, 5)
	observer, saved := p.guests[0], p.guests[1]
	p.ask(observer, zookeeper.Create{Path: "/lock"})
	began := time.Now()
	for i, s := range p.guests[1:] {
		s.asks = timeout
		p.move(s, false, zookeeper.SetWatches{})
		p.ask(s, zookeeper.Create{Path: "/lock/q-", Mode: zookeeper.EphemeralSequential})
		p.ask(s, zookeeper.Create{Path: fmt.Sprintf("/e-%d", i), Mode: zookeeper.Ephemeral})
		if i != 3 {
			p.hangUp(s) // the last one is silent on an open connection
		}
	}
	for ; time.Since(began) < taken; time.Sleep(20 * time.Millisecond) {
		p.ask(observer, zookeeper.Ping{})
	}
	p.Clock.Mono = taken
	p.ask(observer, zookeeper.Ping{})
	p.connect(saved, saved.id)
	p.hangUp(saved)
	for i := range p.guests[1:] {
		p.ask(observer, zookeeper.Exists{Path: fmt.Sprintf("/e-%d", i), Watch: true})
	}
	ends := func(after time.Duration, nodes ...string) {
		t.Helper()
		p.untilGone(observer, began, after, nodes...)
		p.Tick(after + tick)
		p.ask(observer, zookeeper.Children{Path: "/lock"}) // with the events
	}
	ends(timeout, "/e-1", "/e-2", "/e-3")
	for _, s := range p.guests[2:] {
		p.connect(s, s.id) // is over
	}
	p.ask(observer, zookeeper.Exists{Path: "/e-0"})
	ends(taken+timeout, "/e-0")
	p.connect(saved, saved.id)
}
