//go:build linux

package sql_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/store"
	. "lockstep/internal/store/sql"
	"lockstep/internal/store/storetest"
)

// TestKnownCases plays on both real servers what random scripts leave out.
func TestKnownCases(t *testing.T) {
	type known struct {
		name string
		run  func(*testing.T, *realServer)
	}
	cases := []known{
		{"deadlocks", deadlocks}, {"deadlocks of names", deadlocksOfNames}, {"timeouts", timeouts}, {"three inserts", threeInserts}, {"two inserts behind a delete", insertsBehindADelete}, {"names", names}, {"gaps", gaps}, {"wrong tables", wrongTables},
		{"clocks", clocks}, {"what the locks send", locksSpeakSQL},
		{"two versions of a unique key", twoVersions}, {"columns", columns}, {"words", words}, {"settings", settings},
		{"keys of several columns", severalColumns}, {"subqueries", subqueries}, {"functions", functions},
		{"conditions", conditions}, {"conflicts", conflicts}, {"generated ids", generatedIDs}, {"busy rows", busyRows}, {"times", times}, {"now", now},
	}
	own := map[Flavour][]known{ // what InnoDB locks for a LIMIT is not modelled, and MariaDB's named locks are a session's
		PostgreSQL: {{"jobs", jobs}, {"locks of transactions", locksOfTransactions}},
	}
	for _, f := range flavours {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			real := startServer(t, f)
			for _, c := range slices.Concat(cases, own[real.is]) {
				t.Run(c.name, func(t *testing.T) { c.run(t, real) })
			}
		})
	}
}

func twoRows(table string) []string {
	return []string{
		"CREATE TABLE " + table + " (name VARCHAR(64) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)",
		"INSERT INTO " + table + " (name, n) VALUES ('a', 0)", "INSERT INTO " + table + " (name, n) VALUES ('b', 0)",
	}
}

// twoVersions: a transaction that still sees a row which another one has deleted inserts a row with
// the same unique key, and reads both, one or the other.
func twoVersions(t *testing.T, real *realServer) {
	generated := "id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY"
	if real.is == PostgreSQL {
		generated = "id BIGSERIAL PRIMARY KEY"
	}
	d := newDuel(t, real,
		"CREATE TABLE v1 ("+generated+", name VARCHAR(64) NOT NULL UNIQUE, n BIGINT NOT NULL)",
		"CREATE TABLE v2 (name VARCHAR(64) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)",
		"INSERT INTO v1 (name, n) VALUES ('a', 1)", "INSERT INTO v2 (name, n) VALUES ('a', 1)")
	a, b := d.connect(1), d.connect(2)
	d.do(a, "BEGIN")
	for _, table := range []string{"v1", "v2"} {
		d.do(a, "SELECT n FROM "+table)
	}
	for _, table := range []string{"v1", "v2"} {
		d.do(b, "DELETE FROM "+table+" WHERE name = 'a'")
		d.do(a, "INSERT INTO "+table+" (name, n) VALUES ('a', 2)")
		for _, where := range []string{"", " WHERE name = 'a'", " WHERE name = 'a' AND n = 2", " WHERE n = 2", " WHERE name = 'a' FOR UPDATE"} {
			d.do(a, "SELECT name, n FROM "+table+where)
		}
	}
	d.do(a, "COMMIT")
	d.do(a, "SELECT name, n FROM v1")
	d.endAll()
}

// deadlocks: two transactions lock two rows in opposite orders. Both databases refuse the one that
// closed the cycle: InnoDB at once, PostgreSQL after it has waited for a second.
func deadlocks(t *testing.T, real *realServer) {
	d := newDuel(t, real, twoRows("d1")...)
	a, b := d.connect(1), d.connect(2)
	for _, p := range []*pair{a, b} {
		d.do(p, "BEGIN")
	}
	d.do(a, "UPDATE d1 SET n = n + 1 WHERE name = 'a'")
	d.do(b, "UPDATE d1 SET n = n + 1 WHERE name = 'b'")
	d.do(a, "UPDATE d1 SET n = n + 1 WHERE name = 'b'")
	if real.is == PostgreSQL {
		// A looks for a cycle after its first second, and finds none yet.
		time.Sleep(300 * time.Millisecond)
		d.Model.Tick(d.Now())
		time.Sleep(900 * time.Millisecond)
		d.Model.Tick(d.Now())
	}
	d.do(b, "UPDATE d1 SET n = n + 1 WHERE name = 'a'")
	d.Pass(10 * time.Second)
	if d.waits(a) || d.waits(b) {
		d.Fail("a statement is still waiting")
	}
	d.do(b, "ROLLBACK")
	d.do(a, "COMMIT")
	d.do(b, "SELECT name, n FROM d1")
	d.endAll()
}

// deadlocksOfNames: the same with named locks. MariaDB refuses the statement that closed the cycle,
// and leaves everything else as it is.
func deadlocksOfNames(t *testing.T, real *realServer) {
	d := newDuel(t, real)
	a, b := d.connect(1), d.connect(2)
	take, wait := "SELECT GET_LOCK(?, 0)", "SELECT GET_LOCK(?, 20)"
	if real.is == PostgreSQL {
		take, wait = "SELECT pg_try_advisory_lock(hashtext(?))", "SELECT pg_advisory_lock(hashtext(?))"
	}
	d.do(a, take, Text("u"))
	d.do(b, take, Text("v"))
	d.do(a, wait, Text("v"))
	time.Sleep(1200 * time.Millisecond) // PostgreSQL has looked for a cycle by then
	d.Model.Tick(d.Now())
	d.do(b, wait, Text("u"))
	d.Pass(10 * time.Second)
	for _, p := range []*pair{a, b} {
		if !d.waits(p) {
			d.do(p, take, Text("u"))
			d.do(p, take, Text("v"))
		}
	}
	d.endAll()
}

// timeouts: a wait ends after its timeout, which ends the statement only.
func timeouts(t *testing.T, real *realServer) {
	d := newDuel(t, real, twoRows("t1")...)
	a, b := d.connect(1), d.connect(2)
	d.do(a, "BEGIN")
	d.do(a, "SELECT n FROM t1 WHERE name = 'a' FOR UPDATE")
	if real.is == MySQL {
		d.do(b, "SET innodb_lock_wait_timeout = 1")
		d.do(a, "SELECT GET_LOCK('x', 0)")
		d.do(b, "SELECT GET_LOCK('x', ? / 1000)", Num(300))
		d.Pass(10 * time.Second)
		d.do(b, "SELECT GET_LOCK('y', 1), RELEASE_LOCK('y'), IS_USED_LOCK('x'), RELEASE_LOCK('x')")
	} else {
		d.do(b, "SET lock_timeout = 300")
		d.do(a, "SELECT pg_advisory_lock(7)")
		d.do(b, "SELECT pg_advisory_lock(3 + 4)")
		d.Pass(10 * time.Second)
	}
	d.do(b, "BEGIN")
	d.do(b, "UPDATE t1 SET n = 5 WHERE name = 'b'")
	d.do(b, "UPDATE t1 SET n = 5 WHERE name = 'a'")
	d.Pass(10 * time.Second)
	d.do(b, "SELECT n FROM t1 WHERE name = 'b'")
	d.do(b, "COMMIT")
	d.do(a, "COMMIT")
	d.do(b, "SELECT name, n FROM t1")
	d.Demand(2, "late")
	d.endAll()
}

// threeInserts: two statements wait for an insert that is undone. In InnoDB both lock the gap, and
// one of them fails; in PostgreSQL the second one is a duplicate. Which one comes second varies.
func threeInserts(t *testing.T, real *realServer) {
	d := newDuel(t, real, twoRows("i1")...)
	a, b, c := d.connect(1), d.connect(2), d.connect(3)
	insert := Stmt{Query: "INSERT INTO i1 (name, n) VALUES ('a5', 1)"}
	d.do(a, "BEGIN")
	d.do(a, insert.Query)
	d.bothGoOn(a, "ROLLBACK", b, c, insert.Query)
	d.endAll()
}

// insertsBehindADelete: two statements wait to insert a row that a transaction deletes. In InnoDB
// both lock the place of the row, and each then waits for the other; in PostgreSQL the second one
// is a duplicate.
func insertsBehindADelete(t *testing.T, real *realServer) {
	d := newDuel(t, real, twoRows("i2")...)
	a, b, c := d.connect(1), d.connect(2), d.connect(3)
	d.do(a, "BEGIN")
	d.do(a, "DELETE FROM i2 WHERE name = 'a'")
	d.bothGoOn(a, "COMMIT", b, c, "INSERT INTO i2 (name, n) VALUES ('a', 1)")
	d.do(a, "SELECT name, n FROM i2")
	d.endAll()
}

// bothGoOn lets b and c wait for a with the same statement, and compares how they end, in any
// order.
func (d *duel) bothGoOn(a *pair, ends string, b, c *pair, query string) {
	d.do(b, query)
	d.do(c, query)
	if !d.waits(b) || !d.waits(c) {
		d.Fail("no statement waits")
	}
	var model, server []string
	d.Same = func(_ ports.Request, want store.Answer, got storetest.Reply) string {
		model, server = append(model, outcome(want.Value, want.Err)), append(server, outcome(got.Value, got.Err))
		return ""
	}
	d.do(a, ends)
	d.Same = same
	slices.Sort(model)
	slices.Sort(server)
	if !slices.Equal(model, server) || len(model) != 3 {
		d.Fail("model  %q\nserver %q", model, server)
	}
}

// names: which names are equal, of named locks and of rows.
func names(t *testing.T, real *realServer) {
	d := newDuel(t, real, "CREATE TABLE n1 (name VARCHAR(64) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)")
	a, b := d.connect(1), d.connect(2)
	take := "SELECT GET_LOCK(?, 0)"
	if real.is == PostgreSQL {
		take = "SELECT pg_try_advisory_lock(hashtext(?))"
	}
	for _, p := range []*pair{a, b} {
		for _, name := range []string{"A", "a", "A ", " A", "Ä", "ä", "A"} {
			d.do(p, take, Text(name))
			if real.is == MySQL {
				d.do(p, "SELECT IS_USED_LOCK(?)", Text(name))
			}
		}
	}
	for _, name := range []string{"A", "a", "A ", " A"} {
		d.do(a, "INSERT INTO n1 (name, n) VALUES (?, 1)", Text(name))
	}
	d.endAll()
}

// gaps: a transaction locks rows or their gaps; another session inserts rows near by.
func gaps(t *testing.T, real *realServer) {
	d, rng := newDuel(t, real), storetest.Rand(t, 1, 5)
	for round := range 90 {
		table, columns, is, some := fmt.Sprintf("g%d", round), "name", "name = ?", []string{"'b'", "'d'", "'f'", "'h'"}
		key := func() []Value { return []Value{Text(string(rune('a' + rng.IntN(9))))} }
		if round%3 == 2 { // a key of two columns
			columns, is, some = "part, name", "part = ? AND name = ?", []string{"1, 'b'", "1, 'd'", "2, 'b'", "3, 'a'"}
			key = func() []Value { return []Value{Num(rng.Int64N(4)), Text(string(rune('a' + rng.IntN(5))))} }
		}
		setup := []string{"CREATE TABLE " + table + " (part BIGINT, name VARCHAR(64) NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (" + columns + "))"}
		for _, k := range some {
			if rng.IntN(2) == 0 {
				setup = append(setup, "INSERT INTO "+table+" ("+columns+", n) VALUES ("+k+", 0)")
			}
		}
		d.setUp(setup...)
		a, b := d.connect(1), d.connect(2)
		d.do(a, "BEGIN")
		for range 1 + rng.IntN(2) {
			switch rng.IntN(4) {
			case 0:
				d.do(a, "UPDATE "+table+" SET n = n + 1 WHERE "+is, key()...)
			case 1:
				d.do(a, "DELETE FROM "+table+" WHERE n > 5 AND "+is, key()...)
			default:
				d.do(a, "SELECT n FROM "+table+" WHERE "+is+" FOR UPDATE", key()...)
			}
		}
		for range 4 {
			if !d.waits(b) {
				k := key()
				d.do(b, "INSERT INTO "+table+" ("+columns+", n) VALUES ("+strings.Repeat("?, ", len(k))+"1)", k...)
			}
		}
		d.do(a, []string{"COMMIT", "ROLLBACK"}[rng.IntN(2)])
		d.do(a, "SELECT name, n FROM "+table)
		d.endAll()
	}
	if real.is == MySQL {
		d.Demand(10, "INSERT waits")
	}
}

// wrongTables: MariaDB's errors for wrong definitions, in order.
func wrongTables(t *testing.T, real *realServer) {
	if real.is != MySQL {
		t.Skip("no lock creates tables in PostgreSQL")
	}
	d := newDuel(t, real)
	a := d.connect(1)
	for _, query := range []string{
		"CREATE TABLE t (id INT, UNIQUE KEY k (nix)) ENGINE=InnoD",
		"CREATE TABLE t (id INT, UNIQUE KEY k (nix)) ENGINE=InnoDB",
		"CREATE TABLE t (id INT, ID INT)", "CREATE TABLE t (id INT AUTO_INCREMENT)", "CREATE TABLE t (id INT AUTO_INCREMENT, n INT PRIMARY KEY)",
		"CREATE TABLE t (id INT(11) UNSIGNED NOT NULL AUTO_INCREMENT, name VARCHAR(64), PRIMARY KEY (id), UNIQUE KEY k (name))",
		"CREATE TABLE t (x INT)",
		"CREATE TABLE IF NOT EXISTS t (x INT)",
		"INSERT INTO t (name) VALUES ('a')", "INSERT INTO t (name) VALUES ('A ')", "INSERT INTO t (name) VALUES (NULL)",
		"INSERT INTO t (name) VALUES (NULL)", "INSERT INTO t (id, name) VALUES (40, 'z')", "INSERT INTO t (id, name) VALUES (0, 'y')",
		"SELECT * FROM t", "CREATE TABLE t2 (n BIGINT NOT NULL, s TEXT)", "INSERT INTO t2 (s) VALUES ('x')",
		"INSERT INTO t2 (n, s) VALUES ('x', 'x')", "INSERT INTO t2 (n, s) VALUES ('7', 7)", "INSERT INTO t2 (n, s) VALUES (7 / 2, NULL)",
		"SELECT s, n FROM t2 WHERE n = 7", "SELECT s FROM t2 WHERE s = 'x'", "SELECT n + NULL FROM t2",
		"SET nothing = 1", "SELECT GET_LOCK('', 1)", "SELECT 7 - -2, 2 * (3 + 4)",
	} {
		d.do(a, query)
	}
	d.endAll()
}

// clocks: the expressions for the time give milliseconds of the server's wall clock. A wrong unit
// or epoch is off by days; the tolerance of seconds is for clock adjustments and busy machines.
func clocks(t *testing.T, real *realServer) {
	d := newDuel(t, real)
	a := d.connect(1)
	for _, query := range map[Flavour][]string{
		MySQL:      {"SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) + 5000"},
		PostgreSQL: {"SELECT (extract(epoch FROM now()) * 1000)::bigint + 5000", "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 5000"},
	}[real.is] {
		want := a.real.must(query)
		got, _ := d.Model.Exec(d.Now(), 1, a.Conn, Stmt{Query: query})
		if got.Err != nil {
			t.Fatalf("%s: %v", query, got.Err)
		}
		rows := got.Value.(Result).Rows
		ahead := rows[0][0].Num - want.Rows[0][0].Num
		if ahead < -5000 || ahead > 5000 || !want.Rows[0][0].IsNum {
			t.Errorf("%s: server %v, model %v", query, want.Rows, rows)
		}
	}
	d.endAll()
}

// locksSpeakSQL sends the statements of the locks' wire files to the real servers and to the model,
// with the tables that the locks expect.
func locksSpeakSQL(t *testing.T, real *realServer) {
	d := newDuel(t, real)
	var setup []string
	for _, r := range store.Of(real.id).Prepared("lock") {
		setup = append(setup, ports.RequestText(r))
	}
	d.setUp(setup...)
	written, err := filepath.Glob(filepath.Join("../../locks/testdata/wire", real.wire+"-*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range written {
		file := must.Get(os.ReadFile(path))(t)
		clients := map[string]*pair{"A": d.connect(1), "B": d.connect(2)}
		for line := range strings.Lines(string(file)) {
			who, rest, _ := strings.Cut(line, " ")
			query, _, found := strings.Cut(rest, " -> ")
			if p := clients[who]; found && p != nil {
				d.do(p, strings.ReplaceAll(query, "<token>", who))
			}
		}
		d.endAll()
	}
	if d.Asked < 6 {
		t.Errorf("only %d statements were found", d.Asked)
	}
}

// Idle sessions end in the model as on real servers. No time passes, on either, before the other
// session waits: a busy machine may be slow between two statements.
func TestIdleSessionsEndAsOnRealServers(t *testing.T) {
	for _, f := range flavours {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			d := newDuel(t, startServer(t, f))
			d.Now, d.cfg.IdleTimeout = nil, time.Second
			d.setUp(twoRows("d")...)
			take := map[Flavour]string{MySQL: "SELECT GET_LOCK('lock', 60)", PostgreSQL: "SELECT pg_advisory_lock(hashtext('lock'))"}[f.is]
			lockRow := "SELECT n FROM d WHERE name = 'a' FOR UPDATE"
			for _, story := range [][]string{{take}, {"BEGIN", lockRow}} { // the other session repeats the last statement
				holder, other := d.connect(1), d.connect(2)
				for _, query := range story {
					d.do(holder, query)
				}
				d.do(other, story[len(story)-1])
				for _, query := range f.impatient {
					holder.real.must(query)
				}
				if d.Tick(d.Due()); d.waits(other) || !d.Dropped(holder.Conn) {
					d.Fail("in the model no session ended")
				}
				if _, err := d.real.exec(holder.Conn, Stmt{Query: "SELECT 1"}); err != ports.ErrConnection {
					d.Fail("on a session that was idle for a second: %v", err)
				}
			}
		})
	}
}
