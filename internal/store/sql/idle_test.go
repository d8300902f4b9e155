package sql

import (
	"testing"
	"time"
)

// dialect is how a flavour takes a lock of the session.
var dialect = map[Flavour]struct{ name, take, taken string }{
	MySQL:      {"MySQL", "SELECT GET_LOCK('lock', 60)", "(1)"},
	PostgreSQL: {"PostgreSQL", "SELECT pg_advisory_lock(hashtext('lock'))", "('')"},
}

// A session ends exactly after the idle timeout. A session whose statement waits is not idle.
func TestAnIdleSessionEnds(t *testing.T) {
	for f, d := range dialect {
		t.Run(d.name, func(t *testing.T) {
			b := newBench(t, f)
			b.db.cfg.IdleTimeout = 10 * time.Second
			tick := func(at time.Duration) {
				t.Helper()
				if due, ok := b.db.Due(); !ok || due > at && at%time.Second == 0 {
					t.Errorf("due at %v, %v, want by %v", due, ok, at)
				}
				b.now = at
				b.db.Tick(b.clock())
			}
			b.want(b.do("A", d.take), d.taken, "granted 1 by 1 0s")
			b.now = 4 * time.Second
			b.want(b.do("A", "SELECT 1"), "(1)") // which gives it ten more seconds
			b.now = 5 * time.Second
			b.want(b.do("B", d.take), "waits")
			tick(14*time.Second - 1)
			b.want("", "")
			tick(14 * time.Second)
			b.want("", "", "expired 1 by 0 0s", "granted 2 by 2 0s", "late "+d.taken, "drops 11")
			tick(24*time.Second - 1) // B has waited since 5 s, and is idle since 14 s
			b.want("", "")
			tick(24 * time.Second)
			b.want("", "", "expired 2 by 0 0s", "drops 12")
			if at, ok := b.db.Due(); ok {
				t.Errorf("without sessions something is due at %v", at)
			}
		})
	}
}

// Without an idle timeout, sessions stay.
func TestAnIdleSessionStays(t *testing.T) {
	b := newBench(t, PostgreSQL)
	b.want(b.do("A", dialect[PostgreSQL].take), dialect[PostgreSQL].taken, "granted 1 by 1 0s")
	if at, ok := b.db.Due(); ok {
		t.Errorf("due at %v", at)
	}
}

// An idle transaction ends with its session: its rows are unlocked and its changes undone.
func TestAnIdleTransactionEnds(t *testing.T) {
	for f := range dialect {
		b := newBench(t, f, twoRowsTable, "INSERT INTO d (name, n) VALUES ('a', 0)")
		b.db.cfg.IdleTimeout = 10 * time.Second
		b.want(b.do("A", "BEGIN"), "OK")
		b.want(b.do("A", "UPDATE d SET n = 7 WHERE name = 'a'"), "1 row")
		b.want(b.do("B", "SELECT n FROM d WHERE name = 'a' FOR UPDATE"), "waits")
		b.now = 10 * time.Second
		b.db.Tick(b.clock())
		b.want("", "", "late (0)", "drops 11")
	}
}
