package sim

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store/zookeeper"
)

// ensemble is a world with three servers whose clients A and B run the functions of a test. The
// response timeout is out of the way, as in the library.
type ensemble struct {
	*World
	t *testing.T
}

func newEnsemble(t *testing.T) *ensemble {
	t.Helper()
	p := story(t, "zk-sequential", "network={latency: 1ms, timeout: 1m}")
	v, _ := locks.Lookup("zk-sequential")
	w := New()
	t.Cleanup(w.Close)
	must.Do(t, w.setUp(p, v, 1))
	return &ensemble{w, t}
}

// run lets the clients play, until the last of them has returned.
func (e *ensemble) run(scripts ...func(c *client, zk zookeeper.Client)) {
	e.t.Helper()
	left := len(scripts)
	for i, script := range scripts {
		c := e.clients[i]
		e.k.Spawn(c.proc, "main", func() {
			script(c, zookeeper.Client{Env: c, Port: c})
			if left--; left == 0 {
				e.k.Halt()
			}
		})
	}
	must.Do(e.t, e.k.Run(100_000, nil))
	if left > 0 {
		e.t.Fatalf("%d clients hang", left)
	}
}

// cut holds back everything between a client and some servers for a while.
func (e *ensemble) cut(client string, from, length time.Duration, servers ...string) {
	var ids []history.NodeID
	for _, s := range servers {
		ids = append(ids, e.hist.Node(s))
	}
	e.k.After(from, kernel.HandlerFunc(func() {
		e.network.partition(1, []history.NodeID{e.hist.Node(client)}, ids, true)
	}), 0)
	e.k.After(from+length, kernel.HandlerFunc(func() { e.network.heal(1) }), 0)
}

// split holds back everything between B with its server and all others for a while.
func (e *ensemble) split(from, length time.Duration) {
	ids := func(names ...string) (all []history.NodeID) {
		for _, n := range names {
			all = append(all, e.hist.Node(n))
		}
		return all
	}
	e.k.After(from, kernel.HandlerFunc(func() {
		e.network.partition(1, ids("B", "zk-2"), ids("A", "zk-1", "zk-3"), true)
	}), 0)
	e.k.After(from+length, kernel.HandlerFunc(func() { e.network.heal(1) }), 0)
}

func (e *ensemble) session(c *client, zk zookeeper.Client) *zookeeper.Session {
	e.t.Helper()
	return must.Get(zk.Connect(c.Background(), 10*time.Second))(e.t)
}

// stateAt is a state with the second in which it began, to a tenth.
type stateAt struct {
	state zookeeper.State
	at    time.Duration
}

func follow(c *client, s *zookeeper.Session, n int) (seen []stateAt) {
	for range n {
		state, err := s.NextState(c.Background())
		if err != nil {
			panic(err)
		}
		seen = append(seen, stateAt{state, c.Mono().Truncate(100 * time.Millisecond)})
	}
	return seen
}

// A server has been silent for two thirds of the timeout at 6.67 s; the library then takes the next
// one.
func TestZKSessionMovesToAnotherServer(t *testing.T) {
	e := newEnsemble(t)
	e.cut("A", time.Second, 20*time.Second, "zk-1")
	e.run(func(c *client, zk zookeeper.Client) {
		s := e.session(c, zk)
		id := s.ID()
		must.Get(s.Create(c.Background(), "/lock", "", zookeeper.Ephemeral))(t)
		must.Slices(t, follow(c, s, 2),
			[]stateAt{{zookeeper.Disconnected, 6600 * time.Millisecond}, {zookeeper.Connected, 6600 * time.Millisecond}})
		stat, err := s.Exists(c.Background(), "/lock")
		if err != nil || stat == nil || stat.EphemeralOwner != id || s.ID() != id {
			t.Errorf("session %d, was %d; node %+v, %v", s.ID(), id, stat, err)
		}
	})
}

// Heartbeats keep an idle session alive, and fail when no server answers.
func TestZKSessionLivesByHeartbeats(t *testing.T) {
	e := newEnsemble(t)
	e.run(func(c *client, zk zookeeper.Client) {
		s := e.session(c, zk)
		_ = c.Sleep(c.Background(), 5*time.Minute)
		must.Equalf[error](t, s.Delete(c.Background(), "/lock", -1), zookeeper.ErrNoNode,
			"after five idle minutes")
	})
	pings := 0
	for _, ev := range e.hist.Events {
		if ev.Kind == history.Sent && e.hist.Text(ev.Text) == "PING" {
			pings++
		}
	}
	if pings < 85 || pings > 90 { // one every 3.33 s, and the way there and back
		t.Errorf("%d heartbeats in five minutes", pings)
	}
}

// A client that is cut off from all servers learns that its session has expired only from a server.
func TestZKSessionExpiresWhenAServerSaysSo(t *testing.T) {
	e := newEnsemble(t)
	e.cut("A", time.Second, 30*time.Second, "zk-1", "zk-2", "zk-3")
	e.run(func(c *client, zk zookeeper.Client) {
		s := e.session(c, zk)
		_, watch, err := s.ExistsWatch(c.Background(), "/lock")
		if err != nil {
			t.Error(err)
		}
		seen := follow(c, s, 1)
		must.Equalf(t, s.Delete(c.Background(), "/lock", -1), ports.ErrConnection,
			"a request without a server")
		seen = append(seen, follow(c, s, 1)...)
		if seen[0].state != zookeeper.Disconnected || seen[1].state != zookeeper.Expired || seen[1].at < 31*time.Second {
			t.Errorf("states %v", seen)
		}
		must.Equalf[error](t, watch.Wait(c.Background()), zookeeper.ErrSessionExpired,
			"a watch of a dead session")
		must.Equalf[error](t, s.Delete(c.Background(), "/lock", -1), zookeeper.ErrSessionExpired,
			"a request of a dead session")
		if next := e.session(c, zk); next.ID() == s.ID() {
			t.Error("the new session has the old one's number")
		}
	})
}

// The server closes the connection of a paused client. Its library connects again as soon as the
// pause is over: a short pause costs a connection, a long one the session.
func TestZKSessionAfterAPause(t *testing.T) {
	for thaws, want := range map[time.Duration]zookeeper.State{9 * time.Second: zookeeper.Connected, 16 * time.Second: zookeeper.Expired} {
		e := newEnsemble(t)
		a := e.clients[0]
		e.k.After(time.Second, kernel.HandlerFunc(a.proc.Freeze), 0)
		e.k.After(thaws, kernel.HandlerFunc(a.proc.Thaw), 0)
		e.run(func(c *client, zk zookeeper.Client) {
			must.Slices(t, follow(c, e.session(c, zk), 2), []stateAt{{zookeeper.Disconnected, thaws}, {want, thaws}})
		})
	}
}

// B's watch is on a server that B cannot reach when A deletes the node. The watch fires when the
// library sets it again on the next server.
func TestZKWatchSurvivesAChangeOfServer(t *testing.T) {
	e := newEnsemble(t)
	e.cut("B", 2*time.Second, 20*time.Second, "zk-2")
	e.run(func(c *client, zk zookeeper.Client) {
		s := e.session(c, zk)
		must.Get(s.Create(c.Background(), "/lock", "", zookeeper.Ephemeral))(t)
		_ = c.Sleep(c.Background(), 3*time.Second)
		must.Do(t, s.Delete(c.Background(), "/lock", -1))
	}, func(c *client, zk zookeeper.Client) {
		s := e.session(c, zk)
		_ = c.Sleep(c.Background(), time.Second)
		stat, watch, err := s.ExistsWatch(c.Background(), "/lock")
		if err != nil || stat == nil {
			t.Errorf("%+v, %v", stat, err)
		}
		must.Do(t, watch.Wait(c.Background()))
		// The last reply came after one second, so the server is given up at 7.67 s.
		if at := c.Mono(); at < 7600*time.Millisecond || at > 7800*time.Millisecond {
			t.Errorf("the watch fired at %v", at)
		}
	})
}

// A server that has lost touch with its leader answers heartbeats for five ticks, since it does not
// know. The leader hears of none, and ends the session before.
func TestZKServerDoesNotKnowThatItIsCutOff(t *testing.T) {
	e := newEnsemble(t)
	e.split(3200*time.Millisecond, 30*time.Second) // just before B's next heartbeat
	var gone time.Duration
	e.run(func(c *client, zk zookeeper.Client) {
		s := e.session(c, zk)
		_ = c.Sleep(c.Background(), time.Second)
		stat, watch, err := s.ExistsWatch(c.Background(), "/lock")
		if err != nil || stat == nil {
			t.Errorf("%+v, %v", stat, err)
		}
		must.Do(t, watch.Wait(c.Background()))
		gone = c.Mono().Truncate(100 * time.Millisecond)
	}, func(c *client, zk zookeeper.Client) {
		s := e.session(c, zk)
		must.Get(s.Create(c.Background(), "/lock", "", zookeeper.Ephemeral))(t)
		must.Slices(t, follow(c, s, 1), []stateAt{{zookeeper.Disconnected, 13200 * time.Millisecond}})
	})
	must.Equalf(t, gone, 12*time.Second, "B's node is gone after")
}

// A cut that is shorter is noticed by no client.
func TestZKServerIsBackInTime(t *testing.T) {
	e := newEnsemble(t)
	e.split(3200*time.Millisecond, 5*time.Second)
	e.run(func(*client, zookeeper.Client) {}, func(c *client, zk zookeeper.Client) {
		s := e.session(c, zk)
		must.Get(s.Create(c.Background(), "/lock", "", zookeeper.Ephemeral))(t)
		ctx, cancel := c.WithTimeout(c.Background(), 30*time.Second)
		defer cancel()
		if state, err := s.NextState(ctx); err == nil {
			t.Errorf("state %v at %v", state, c.Mono())
		}
		stat, err := s.Exists(c.Background(), "/lock")
		if err != nil || stat == nil {
			t.Errorf("%+v, %v", stat, err)
		}
	})
}

// The death of a server breaks its connections: no heartbeat is needed to notice.
func TestZKSessionNoticesADeadServer(t *testing.T) {
	e := newEnsemble(t)
	e.clients[0].member = 1
	e.k.After(time.Second, kernel.HandlerFunc(func() { injector{e.World}.Crash(1, "zk-2") }), 0)
	e.run(func(c *client, zk zookeeper.Client) {
		must.Slices(t, follow(c, e.session(c, zk), 2),
			[]stateAt{{zookeeper.Disconnected, time.Second}, {zookeeper.Connected, time.Second}})
	})
}

// A new leader keeps the sessions, and so their nodes.
func TestZKSessionOutlivesTheLeader(t *testing.T) {
	e := newEnsemble(t)
	e.k.After(time.Second, kernel.HandlerFunc(func() { injector{e.World}.Crash(1, "zk-1") }), 0)
	e.run(func(c *client, zk zookeeper.Client) {
		s := e.session(c, zk)
		must.Get(s.Create(c.Background(), "/lock", "", zookeeper.Ephemeral))(t)
		_ = c.Sleep(c.Background(), 20*time.Second)
		stat, err := s.Exists(c.Background(), "/lock")
		if err != nil || stat == nil || stat.EphemeralOwner != s.ID() {
			t.Errorf("%+v, %v", stat, err)
		}
		must.Equalf(t, s.State(), zookeeper.Connected, "state")
	})
}

func TestZKConnectGivesUpWithItsContext(t *testing.T) {
	e := newEnsemble(t)
	e.cut("A", 0, time.Minute, "zk-1", "zk-2", "zk-3")
	e.run(func(c *client, zk zookeeper.Client) {
		ctx, cancel := c.WithTimeout(c.Background(), 5*time.Second)
		defer cancel()
		_ = c.Sleep(c.Background(), time.Millisecond)
		if _, err := zk.Connect(ctx, 10*time.Second); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// The server that is asked answers a read by itself, but a write needs the leader and a majority:
// the client of a follower waits for two messages, or for four more between servers.
func TestReadsAreLocal(t *testing.T) {
	h := play(t, story(t, "zk-sequential", "network.latency=1ms")) // B talks to zk-2, which follows
	took := map[string]time.Duration{}
	for _, e := range h.Events {
		if e.Kind != history.Replied || h.Name(e.Node) != "B" {
			continue
		}
		sent := &h.Events[e.Cause]
		for sent.Kind != history.Sent {
			sent = &h.Events[sent.Cause]
		}
		command, _, _ := strings.Cut(h.Text(sent.Text), " ")
		if _, seen := took[command]; !seen {
			took[command] = e.At.Sub(sent.At)
		}
	}
	for command, want := range map[string]time.Duration{
		"CHILDREN": 2 * time.Millisecond, "EXISTS": 2 * time.Millisecond, "CREATE": 6 * time.Millisecond,
	} {
		must.Equalf(t, took[command], want, "%s of a follower's client took", command)
	}
}
