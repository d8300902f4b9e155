// Package livetest starts real servers of a store for a test, with the client of the live world.
package livetest

import (
	"strings"
	"sync"
	"testing"

	"lockstep/internal/ports"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	"lockstep/internal/store/storetest"
)

// Servers are real servers, which end with the test. Requests go to the first one.
type Servers struct {
	servers.Running // the first one
	Members         []*servers.Server
	Endpoint        string // of the first one, for a client
	livestore.Executor

	t     testing.TB
	mu    sync.Mutex
	lines map[uint64]*line
}

type line struct {
	livestore.Line
	mu     sync.Mutex
	pushed []any
}

// One starts one server of a store.
func One(t testing.TB, id store.ID) *Servers {
	t.Helper()
	if store.Of(id).Topology == store.Quorum {
		return Start(t, id, livestore.Wish{})
	}
	return Launch(t, id, livestore.Single{})
}

// Start starts the servers of a store. It skips a test whose programs are missing, see
// realtest.Need.
func Start(t testing.TB, id store.ID, w livestore.Wish) *Servers {
	t.Helper()
	s := need(t, id)
	t.Setenv("TMPDIR", t.TempDir())
	var err error
	if s.Members, err = livestore.Of(id).Start(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	var endpoints []string
	for _, m := range s.Members {
		endpoints = append(endpoints, m.Addr)
		stopLater(t, m.Stop)
	}
	s.Running, s.Endpoint = s.Members[0], endpoints[0]
	s.connect(id, endpoints...)
	return s
}

// Launch starts one server of a Replicated store. Its client has the rights of an operator.
func Launch(t testing.TB, id store.ID, one livestore.Single) *Servers {
	t.Helper()
	s := need(t, id)
	one.Name = string(id)
	db, err := livestore.Of(id).Launch(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	stopLater(t, db.Stop)
	s.Running, s.Endpoint = db, db.Endpoint(db.Listens())
	s.connect(id, strings.Replace(s.Endpoint, "client@", "root@", 1))
	return s
}

// Redis starts a Redis server, which ends with the test. It skips a test without the program, see
// realtest.Need.
func Redis(t testing.TB, o servers.RedisOptions) *servers.Server {
	t.Helper()
	realtest.Need(t, "redis-server")
	t.Setenv("TMPDIR", t.TempDir())
	s, err := servers.StartRedis(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	stopLater(t, s.Stop)
	return s
}

func need(t testing.TB, id store.ID) *Servers {
	t.Helper()
	realtest.NeedServers(t, id)
	return &Servers{t: t, lines: map[uint64]*line{}}
}

func stopLater(t testing.TB, stop func() error) {
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func (s *Servers) connect(id store.ID, endpoints ...string) {
	s.t.Helper()
	var err error
	if s.Executor, err = livestore.Of(id).Operator(endpoints...); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = s.Close() })
}

// Do is storetest.Duel.Real. Each connection but storetest.Conn is one of its own, opened by its
// first request.
func (s *Servers) Do(c store.Conn, r ports.Request) (any, error) {
	if c == storetest.Conn {
		return s.Executor.Do(s.t.Context(), 0, r)
	}
	l, err := s.open(c)
	if err != nil {
		return nil, err
	}
	return l.Do(s.t.Context(), r)
}

func (s *Servers) open(c store.Conn) (*line, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lines[c.ID]; l != nil {
		return l, nil
	}
	l := &line{}
	push := func(message any) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.pushed = append(l.pushed, message)
	}
	var err error
	l.Line, err = s.Executor.(livestore.Opener).Open(s.t.Context(), 0, livestore.Incoming{Push: push, Broke: func() {}})
	if err == nil {
		s.lines[c.ID] = l
		s.t.Cleanup(l.Close)
	}
	return l, err
}

// Line returns the connection of c; nil without one.
func (s *Servers) Line(c store.Conn) livestore.Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lines[c.ID]; l != nil {
		return l.Line
	}
	return nil
}

// Heard is storetest.Duel.Hears.
func (s *Servers) Heard(c store.Conn) (pushed []any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lines[c.ID]; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		pushed, l.pushed = l.pushed, nil
	}
	return pushed
}
