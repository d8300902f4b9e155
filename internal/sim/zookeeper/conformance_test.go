//go:build linux

package zookeeper

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

// pair is the model and a real server, which are given the same requests. Both
// begin with an empty tree, so even the numbers of their transactions are equal;
// only the names of sessions differ.
type pair struct {
	t        *testing.T
	addr     string
	model    *Model
	now      time.Duration // on the model's clock
	nextConn uint64
	slots    []*slot // by client
	known    passwords
	ids      map[int64]int64 // the model's sessions by the server's
	queues   map[uint64][]Event
	dropped  map[uint64]bool
	log      []string
}

// slot is a client with its session and connection on both sides.
type slot struct {
	real     *realConn
	conn     store.Conn
	client   history.NodeID
	session  int64 // the server's
	asked    time.Duration
	lastSeen int64 // zxid
}

func newPair(t *testing.T, tick time.Duration, clients int) *pair {
	p := &pair{
		t: t, addr: startServer(t, tick), model: New(Config{Tick: tick}),
		known: passwords{}, ids: map[int64]int64{}, queues: map[uint64][]Event{}, dropped: map[uint64]bool{},
	}
	for i := range clients {
		p.slots = append(p.slots, &slot{client: history.NodeID(i + 1), asked: 15 * tick})
		p.connect(p.slots[i], 0)
	}
	return p
}

func (p *pair) fail(format string, args ...any) {
	p.t.Helper()
	last := p.log[max(0, len(p.log)-25):]
	p.t.Fatalf("%s\nafter %d steps, the last of them:\n%s", fmt.Sprintf(format, args...), len(p.log), strings.Join(last, "\n"))
}

// exec gives the model a request and sorts what comes out.
func (p *pair) exec(c store.Conn, op store.Op) store.Answer {
	a, done := p.model.Exec(store.Clock{Mono: p.now}, 0, c, op)
	if !done {
		p.fail("%s waits", op.Name())
	}
	p.collect()
	return a
}

func (p *pair) collect() {
	out := p.model.Output()
	for _, push := range out.Pushes {
		p.queues[push.Conn.ID] = append(p.queues[push.Conn.ID], push.Value.(Event))
	}
	for _, c := range out.Drops {
		p.dropped[c.ID] = true
	}
}

// connect opens a session (0) or takes one up on a new connection of both sides.
func (p *pair) connect(s *slot, session int64) {
	p.nextConn++
	conn := store.Conn{ID: p.nextConn, Client: s.client}
	p.log = append(p.log, fmt.Sprintf("client %d connects, session %d", s.client, p.ids[session]))
	a := p.exec(conn, Connect{Timeout: s.asked, Session: p.ids[session]})
	real, granted, err := dialReal(p.addr, s.asked, session, p.known)
	if !errors.Is(a.Err, err) {
		p.fail("model: %v, server: %v", a.Err, err)
	}
	if err != nil {
		return
	}
	got := a.Value.(Session)
	if session == 0 {
		p.ids[real.session] = got.ID
	}
	if p.ids[real.session] != got.ID || got.Timeout != granted {
		p.fail("model: session %d for %v, server: session %d for %v", got.ID, got.Timeout, p.ids[real.session], granted)
	}
	s.real, s.conn, s.session = real, conn, real.session
}

// ask sends both sides a request and compares answers, events and zxids.
func (p *pair) ask(s *slot, op store.Op) {
	p.log = append(p.log, fmt.Sprintf("client %d: %s", s.client, op.AppendText(nil)))
	a := p.exec(s.conn, op)
	value, err := s.real.ask(op)
	want := p.text(value, err)
	for _, e := range inOrder(s.real.events) {
		want += "; " + e.text()
	}
	s.real.events = nil
	got := p.text(plain(a.Value), a.Err)
	for _, e := range inOrder(p.queues[s.conn.ID]) {
		got += "; " + e.text()
	}
	delete(p.queues, s.conn.ID)
	if got != want {
		p.fail("model:  %s\nserver: %s", got, want)
	}
	if p.model.zxid != s.real.zxid {
		p.fail("model: transaction %d, server: %d", p.model.zxid, s.real.zxid)
	}
	s.lastSeen = s.real.zxid
	p.log[len(p.log)-1] += " -> " + got
}

// plain makes the model's value comparable with what decode returns.
func plain(value any) any {
	switch v := value.(type) {
	case Created:
		return v.Path
	case Found:
		return v.Stat
	case []string:
		sort.Strings(v)
	}
	return value
}

func (p *pair) text(value any, err error) string {
	if err != nil {
		return err.Error()
	}
	stat, ok := value.(*world.ZKStat)
	if !ok {
		return fmt.Sprint(value)
	}
	if stat == nil {
		return "no node"
	}
	named := *stat
	if mine, foreign := p.ids[stat.EphemeralOwner]; foreign {
		named.EphemeralOwner = mine
	}
	return fmt.Sprint(named)
}

// inOrder sorts events: a server tells those of one transaction in any order.
func inOrder(events []Event) []Event {
	slices.SortFunc(events, func(a, b Event) int { return strings.Compare(a.text(), b.text()) })
	return events
}

// closeSession ends a session from its client, and looks that both sides are done
// with the connection.
func (p *pair) closeSession(s *slot) {
	p.ask(s, Close{})
	if _, err := s.real.read(); !errors.Is(err, errGone) {
		p.fail("the connection of a closed session stays: %v", err)
	}
	if a := p.exec(s.conn, Ping{}); !errors.Is(a.Err, world.ErrConnection) || !p.dropped[s.conn.ID] {
		p.fail("the model answers on the connection of a closed session: %v", a.Err)
	}
	_ = s.real.conn.Close()
}

// move takes a session to a new connection while the old one is open, or after
// it was closed, and lays the watches anew.
func (p *pair) move(s *slot, hangUp bool, watches SetWatches) {
	old, oldConn := s.real, s.conn
	if hangUp {
		// The server forgets by a connection's session which connection it has, also when the
		// session has another by then. So it has to be done with the old one first.
		_ = old.conn.CloseWrite()
		var err error
		for err == nil {
			_, err = old.read()
		}
		if !errors.Is(err, errGone) {
			p.fail("a connection that the client has closed: %v", err)
		}
		_ = old.conn.Close()
		p.model.Closed(store.Clock{Mono: p.now}, oldConn)
	}
	p.connect(s, s.session)
	if !hangUp {
		var err error
		for err == nil { // events may lie before the end
			_, err = old.read()
		}
		if !errors.Is(err, errGone) || !p.dropped[oldConn.ID] {
			p.fail("a session is on two connections: server %v, model dropped %v", err, p.dropped[oldConn.ID])
		}
		_ = old.conn.Close()
	}
	delete(p.queues, oldConn.ID)
	p.ask(s, watches)
}

// script draws requests.
type script struct {
	*pair
	luck  *rand.Rand
	paths []string // to draw from: a fixed few, and sequential nodes
}

func (s *script) path() string { return s.paths[s.luck.IntN(len(s.paths))] }

func (s *script) create() Create {
	op := Create{Path: s.path(), Mode: world.ZKMode(s.luck.IntN(3))}
	if op.Mode == world.ZKEphemeralSequential {
		op.Path = []string{"/lock/q-", "/t/q-", "/t/a/q-", "/q-"}[s.luck.IntN(4)]
	}
	return op
}

func (s *script) delete() Delete {
	op := Delete{Path: s.path(), Version: -1}
	if version := s.luck.IntN(6); version < 2 {
		op.Version = int32(version)
	}
	return op
}

func (s *script) somePaths() (paths []string) {
	for range s.luck.IntN(3) {
		paths = append(paths, s.path())
	}
	return paths
}

// remember keeps the path of a new sequential node among those to draw from.
func (s *script) remember(op Create) {
	if op.Mode != world.ZKEphemeralSequential {
		return
	}
	parent, _, _ := split(op.Path)
	if names := s.model.nodes[parent]; names != nil && len(names.children) > 0 {
		path := strings.TrimSuffix(parent, "/") + "/" + names.children[len(names.children)-1]
		s.paths[fixed+s.luck.IntN(len(s.paths)-fixed)] = path
	}
}

// fixed is how many paths are always there to draw from.
const fixed = 7

func (s *script) step() {
	who := s.slots[s.luck.IntN(len(s.slots))]
	switch n := s.luck.IntN(1000); {
	case n < 300:
		op := s.create()
		s.ask(who, op)
		s.remember(op)
	case n < 620:
		s.ask(who, s.delete())
	case n < 700:
		s.ask(who, Exists{Path: s.path()})
	case n < 880:
		s.ask(who, Exists{Path: s.path(), Watch: true})
	case n < 960:
		s.ask(who, Children{Path: []string{"/lock", "/t", "/t/a"}[s.luck.IntN(3)]})
	case n < 980:
		s.ask(who, Ping{})
	case n < 988:
		s.closeSession(who)
		s.connect(who, who.session) // is over
		s.connect(who, 0)
	default:
		since := who.lastSeen - int64(s.luck.IntN(20))
		s.move(who, n < 994, SetWatches{Since: since, Data: s.somePaths(), Exist: s.somePaths()})
	}
}

var (
	conformanceSeed       = flag.Uint64("conformance.seed", 20260801, "seed of the random requests")
	conformanceOperations = flag.Int("conformance.operations", 25_000, "how many random requests to compare")
)

func TestModelAnswersAsARealServer(t *testing.T) {
	s := &script{pair: newPair(t, 2*time.Second, 4), luck: rand.New(rand.NewPCG(*conformanceSeed, 4))}
	s.paths = append([]string{"/lock", "/t", "/t/a", "/t/b", "/t/a/x", "/u", "/u/v"}, make([]string, 5)...)
	for i := fixed; i < len(s.paths); i++ {
		s.paths[i] = s.paths[0]
	}
	t.Logf("seed %d", *conformanceSeed)
	events := 0
	for range *conformanceOperations {
		s.step()
		events += strings.Count(s.log[len(s.log)-1], "; ")
	}
	for _, slot := range s.slots {
		s.ask(slot, Ping{}) // brings the events that are left
	}
	t.Logf("%d steps, %d events, %d transactions, %d sessions", len(s.log), events, s.model.zxid, s.model.made)
}

func TestSessionTimeoutsAreNegotiatedAsByARealServer(t *testing.T) {
	p := newPair(t, 100*time.Millisecond, 0)
	for i, ask := range []time.Duration{0, 50, 199, 200, 201, 1999, 2000, 2001, 60_000} {
		p.connect(&slot{client: history.NodeID(i + 1), asked: ask * time.Millisecond}, 0)
	}
}

// The test keeps one client alive on both sides, and lets the others fall silent.
func TestSessionsExpireAsInARealServer(t *testing.T) {
	const tick = 100 * time.Millisecond
	p := newPair(t, tick, 4)
	observer, silent := p.slots[0], p.slots[1:]
	p.ask(observer, Create{Path: "/lock"})
	began := time.Now()
	for i, s := range silent {
		s.asked = time.Duration(310+300*i) * time.Millisecond
		p.move(s, false, SetWatches{}) // with a timeout of its own
		p.ask(s, Create{Path: "/lock/q-", Mode: world.ZKEphemeralSequential})
		p.ask(s, Create{Path: fmt.Sprintf("/e-%d", i), Mode: world.ZKEphemeral})
	}
	for i, s := range silent {
		path := fmt.Sprintf("/e-%d", i)
		p.ask(observer, Exists{Path: path, Watch: true})
		for len(observer.real.events) == 0 {
			if _, err := observer.real.ask(Ping{}); err != nil {
				t.Fatal(err)
			}
			if time.Since(began) > 20*time.Second {
				t.Fatalf("the session of client %d does not expire", s.client)
			}
		}
		if lasted := time.Since(began); lasted < s.asked {
			t.Errorf("a session of %v lasted %v", s.asked, lasted)
		}
		// Now the model's clock: its session is the next to end, on a whole tick.
		due, _ := p.model.Due()
		if due <= s.asked || due > s.asked+tick || due%tick != 0 {
			t.Errorf("the model's session of %v would end after %v", s.asked, due)
		}
		p.now = due - 1
		p.exec(observer.conn, Ping{}) // as the real one has
		if p.dropped[s.conn.ID] {
			t.Errorf("the model ends the session of client %d too early", s.client)
		}
		p.now = due
		p.model.Tick(store.Clock{Mono: p.now})
		p.collect()
		if !p.dropped[s.conn.ID] {
			t.Errorf("the model keeps the connection of client %d", s.client)
		}
		if _, err := s.real.read(); !errors.Is(err, errGone) {
			t.Errorf("the server keeps the connection of client %d: %v", s.client, err)
		}
		p.ask(observer, Exists{Path: path}) // with the event
		p.connect(s, s.session)             // is over
	}
	p.ask(observer, Children{Path: "/lock"})
}
