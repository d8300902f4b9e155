//go:build linux

package sql

import (
	"slices"
	"testing"
	"time"

	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

// dialect is how a flavour takes a lock of the session.
var dialect = map[Flavour]struct{ take, taken string }{
	MySQL:      {"SELECT GET_LOCK('lock', 60)", "(1)"},
	PostgreSQL: {"SELECT pg_advisory_lock(hashtext('lock'))", "('')"},
}

// A session that says nothing for as long as that is over, and not a moment before; one
// whose statement waits says nothing either, and is not idle.
func TestAnIdleSessionEnds(t *testing.T) {
	for _, f := range flavours {
		t.Run(f.name, func(t *testing.T) {
			b := newBench(t, f.flavour)
			b.db.cfg.IdleTimeout = 10 * time.Second
			tick := func(at time.Duration) {
				t.Helper()
				if due, ok := b.db.Due(); !ok || due > at && at%time.Second == 0 {
					t.Errorf("due at %v, %v, want by %v", due, ok, at)
				}
				b.now = at
				b.db.Tick(b.clock())
			}
			b.want(b.do("A", dialect[f.flavour].take), dialect[f.flavour].taken, "granted 1 by 1 0s")
			b.now = 4 * time.Second
			b.want(b.do("A", "SELECT 1"), "(1)") // it speaks, and has ten more seconds
			b.now = 5 * time.Second
			b.want(b.do("B", dialect[f.flavour].take), "waits")
			tick(14*time.Second - 1)
			b.want("", "")
			tick(14 * time.Second)
			b.want("", "", "expired 1 by 0 0s", "granted 2 by 2 0s", "late "+dialect[f.flavour].taken, "drops 11")
			tick(24*time.Second - 1) // B has waited since 5 s, and is idle since 14 s
			b.want("", "")
			tick(24 * time.Second)
			b.want("", "", "expired 2 by 0 0s", "drops 12")
			if at, ok := b.db.Due(); ok {
				t.Errorf("nobody is left, and something is due at %v", at)
			}
		})
	}
}

// It does not matter to a session that nothing ends how long it is idle.
func TestAnIdleSessionStays(t *testing.T) {
	b := newBench(t, PostgreSQL)
	b.want(b.do("A", dialect[PostgreSQL].take), dialect[PostgreSQL].taken, "granted 1 by 1 0s")
	if at, ok := b.db.Due(); ok {
		t.Errorf("due at %v", at)
	}
}

// A transaction that is idle ends as a session that is idle does: its row is free, and what
// it has written is undone.
func TestAnIdleTransactionEnds(t *testing.T) {
	for _, f := range flavours {
		b := newBench(t, f.flavour, twoRows("d")...)
		b.db.cfg.IdleTimeout = 10 * time.Second
		b.want(b.do("A", "BEGIN"), "OK")
		b.want(b.do("A", "UPDATE d SET n = 7 WHERE name = 'a'"), "1 row")
		b.want(b.do("B", "SELECT n FROM d WHERE name = 'a' FOR UPDATE"), "waits")
		b.now = 10 * time.Second
		b.db.Tick(b.clock())
		b.want("", "", "late (0)", "drops 11")
	}
}

// The same operations on the model and on real servers, with the time that their own
// settings count.
func TestIdleSessionsEndAsOnRealServers(t *testing.T) {
	const idle = 3 * time.Second // that a busy machine need not get between two statements
	for _, f := range flavours {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			real := startServer(t, f.flavour, idle)
			take := dialect[f.flavour].take
			lockRow := "SELECT n FROM d WHERE name = 'a' FOR UPDATE"
			story := []struct{ who, query string }{
				{"A", take}, {"B", take}, {"A", "SELECT 1"},
				{"C", "BEGIN"}, {"C", lockRow}, {"D", lockRow}, {"C", "COMMIT"},
			}
			admin := &realSession{server: real, conn: real.admin}
			var setup []world.Stmt
			for _, query := range twoRows("d") {
				setup = append(setup, world.Stmt{Query: query})
				if res := admin.exec(world.Stmt{Query: query}); res.Err != nil {
					t.Fatal(res.Err)
				}
			}
			model := &idleModel{db: New(Config{Flavour: f.flavour, LockKey: "lock", IdleTimeout: idle, Setup: setup}), gone: map[uint64]bool{}}
			sessions := map[string]*realSession{}
			var got, want []string
			for _, step := range story {
				s := sessions[step.who]
				if s == nil {
					s = real.connect(t)
					sessions[step.who] = s
				}
				p, err := parse(f.flavour, step.query)
				if err != nil {
					t.Fatal(err)
				}
				answer := "gone"
				if res := s.exec(world.Stmt{Query: step.query}); res.Err == nil {
					answer = text(p, &res, nil)
				}
				got = append(got, step.who+": "+answer)
				want = append(want, step.who+": "+model.do(uint64(step.who[0]), step.query))
			}
			if !slices.Equal(got, want) {
				t.Errorf("the server says %q, the model %q", got, want)
			}
			if !slices.Contains(want, "A: gone") || !slices.Contains(want, "C: gone") {
				t.Errorf("in the model nobody's session ended: %q", want)
			}
		})
	}
}

// idleModel is a model whose time passes only while somebody waits.
type idleModel struct {
	db   *DB
	now  time.Duration
	id   uint64
	gone map[uint64]bool // connections
}

// do executes a statement and lets time pass until it has its answer.
func (m *idleModel) do(conn uint64, query string) string {
	if m.gone[conn] {
		return "gone"
	}
	m.id++
	a, done := m.db.Exec(store.Clock{Mono: m.now}, m.id, store.Conn{ID: conn}, &Op{Stmt: world.Stmt{Query: query}})
	for answer := a.Text; ; {
		out := m.db.Output()
		for _, late := range out.Answers {
			done, answer = done || late.ID == m.id, late.Text
		}
		for _, c := range out.Drops {
			m.gone[c.ID] = true
		}
		if done {
			return answer
		}
		m.now, _ = m.db.Due()
		m.db.Tick(store.Clock{Mono: m.now})
	}
}
