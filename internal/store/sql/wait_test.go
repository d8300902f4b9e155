package sql

import (
	"testing"
	"time"

	"lockstep/internal/must"
)

// The conformance tests compare these cases with real servers; here they run without servers.

const twoRowsTable = "CREATE TABLE d (name VARCHAR(64) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)"

// Waiters get a lock in the order of their requests.
func TestFirstComeFirstServed(t *testing.T) {
	b := newBench(t, MySQL)
	get, free := "SELECT GET_LOCK('x', 60)", "SELECT RELEASE_LOCK('x')"
	b.want(b.do("A", get), "(1)")
	for _, who := range []string{"B", "C", "D"} {
		b.want(b.do(who, get), "waits")
	}
	// Requests 2, 3 and 4 are those above; A's second one is number 6 and comes after them.
	for i, next := range []struct {
		who string
		id  uint64
	}{{"A", 2}, {"B", 3}, {"C", 4}, {"D", 6}} {
		must.Equalf(t, b.do(next.who, free), "(1)", "%s's release", next.who)
		if out := b.db.Output(); len(out.Answers) != 1 || out.Answers[0].ID != next.id || b.late(out.Answers[0]) != "(1)" {
			t.Errorf("after %s's release: %+v, want the answer to %d", next.who, out.Answers, next.id)
		}
		if i == 0 {
			b.want(b.do("A", get), "waits")
		}
	}
}

// A statement that wants a row exclusively waits for all that share it, and later sharers wait
// behind it; otherwise they could starve it.
func TestASharerDoesNotOvertake(t *testing.T) {
	b := newBench(t, MySQL, twoRowsTable, "INSERT INTO d (name, n) VALUES ('a', 0)")
	const (
		duplicate = "ERROR 1062 (23000): Duplicate entry 'a' for key 'PRIMARY'"
		share     = "INSERT INTO d (name, n) VALUES ('a', 0)" // shares the row that is there
	)
	for _, who := range []string{"A", "B", "C"} {
		b.want(b.do(who, "BEGIN"), "OK")
	}
	b.want(b.do("A", share), duplicate)
	b.want(b.do("B", "SELECT n FROM d WHERE name = 'a' FOR UPDATE"), "waits")
	b.want(b.do("C", share), "waits")
	b.want(b.do("A", "COMMIT"), "OK", "late (0)")
	b.want(b.do("B", "COMMIT"), "OK", "late "+duplicate)
}

// PostgreSQL: of several inserts that wait for a transaction, the first one succeeds.
func TestTheFirstWaiterInserts(t *testing.T) {
	b := newBench(t, PostgreSQL, "CREATE TABLE d (name VARCHAR(64) NOT NULL PRIMARY KEY)")
	insert := "INSERT INTO d (name) VALUES ('a')"
	b.want(b.do("A", "BEGIN"), "OK")
	b.want(b.do("A", insert), "1 row")
	b.want(b.do("B", insert), "waits")
	b.want(b.do("C", insert), "waits")
	b.do("A", "ROLLBACK")
	out := b.db.Output()
	if len(out.Answers) != 2 || out.Answers[0].ID != 3 || out.Answers[0].Err != nil || out.Answers[1].ID != 4 || out.Answers[1].Err == nil {
		t.Errorf("late answers %+v, want B's row and C's error", out.Answers)
	}
}

// Of two equally large transactions that deadlock, InnoDB refuses the one that closed the cycle.
func TestTheTransactionThatClosesTheCycleIsRefused(t *testing.T) {
	b := newBench(t, MySQL, twoRowsTable, "INSERT INTO d (name, n) VALUES ('a', 0)", "INSERT INTO d (name, n) VALUES ('b', 0)")
	add := func(row string) string { return "UPDATE d SET n = n + 1 WHERE name = '" + row + "'" }
	b.want(b.do("A", "BEGIN"), "OK")
	b.want(b.do("B", "BEGIN"), "OK")
	b.want(b.do("A", add("a")), "1 row")
	b.want(b.do("B", add("b")), "1 row")
	b.want(b.do("A", add("b")), "waits")
	b.want(b.do("B", add("a")), "ERROR 1213 (40001): Deadlock found when trying to get lock; try restarting transaction", "late 1 row")
}

// A lease includes its last millisecond: a takeover within it removes the holder's entry, and only
// later ones find it expired.
func TestALeaseLastsThroughItsLastMillisecond(t *testing.T) {
	for _, tt := range []struct {
		at   time.Duration
		gone string
	}{{500 * time.Millisecond, "removed 1 by 2 0s"}, {501 * time.Millisecond, "expired 1 by 0 0s"}} {
		b := newBench(t, MySQL, timedTable)
		b.want(b.do("a", "INSERT INTO l (name, owner, expires_at) VALUES ('lock', 'x', "+nowMS+" + 500)"), "1 row", "granted 1 by 1 500ms")
		b.now = tt.at
		b.want(b.do("b", "UPDATE l SET owner = ?, expires_at = "+nowMS+" + 500 WHERE name = 'lock'", Text("y")), "1 row", tt.gone, "granted 2 by 2 500ms")
	}
}

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
