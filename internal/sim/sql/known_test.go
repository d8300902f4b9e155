//go:build linux

package sql

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/world"
)

// TestKnownCases runs on both real servers what random scripts leave out.
func TestKnownCases(t *testing.T) {
	cases := []struct {
		name string
		run  func(*testing.T, *realServer)
	}{
		{"deadlocks", deadlocks}, {"deadlocks of names", deadlocksOfNames}, {"timeouts", timeouts}, {"three inserts", threeInserts}, {"two inserts behind a delete", insertsBehindADelete}, {"names", names}, {"gaps", gaps}, {"wrong tables", wrongTables},
		{"clocks", clocks}, {"what the locks send", locksSpeakSQL},
		{"two versions of a unique key", twoVersions},
	}
	for _, f := range flavours {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			real := startServer(t, f.flavour, 0)
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) { c.run(t, real) })
			}
		})
	}
}

// pass lets the time pass until no statement waits for it any more.
func (d *duel) pass() {
	d.Helper()
	for {
		at, ok := d.model.Due()
		if !ok || at > time.Since(d.began)+10*time.Second {
			return
		}
		time.Sleep(time.Until(d.began.Add(at)))
		d.model.Tick(d.now())
		d.lateAnswers()
	}
}

func twoRows(table string) []string {
	return []string{
		"CREATE TABLE " + table + " (name VARCHAR(64) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)",
		"INSERT INTO " + table + " (name, n) VALUES ('a', 0)", "INSERT INTO " + table + " (name, n) VALUES ('b', 0)",
	}
}

// twoVersions: a transaction that still sees a row which another one has deleted puts a row
// with the same unique key in its place, and reads both, one or the other.
func twoVersions(t *testing.T, real *realServer) {
	generated := "id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY"
	if real.flavour == PostgreSQL {
		generated = "id BIGSERIAL PRIMARY KEY"
	}
	d := newDuel(t, real,
		"CREATE TABLE v1 ("+generated+", name VARCHAR(64) NOT NULL UNIQUE, n BIGINT NOT NULL)",
		"CREATE TABLE v2 (name VARCHAR(64) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)",
		"INSERT INTO v1 (name, n) VALUES ('a', 1)", "INSERT INTO v2 (name, n) VALUES ('a', 1)")
	a, b := d.connect("A"), d.connect("B")
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

// deadlocks: two transactions that lock two rows in opposite orders. Both
// databases refuse the one that closed the circle: InnoDB at once, PostgreSQL when
// that one has waited for a second.
func deadlocks(t *testing.T, real *realServer) {
	d := newDuel(t, real, twoRows("d1")...)
	a, b := d.connect("A"), d.connect("B")
	for _, p := range []*pair{a, b} {
		d.do(p, "BEGIN")
	}
	d.do(a, "UPDATE d1 SET n = n + 1 WHERE name = 'a'")
	d.do(b, "UPDATE d1 SET n = n + 1 WHERE name = 'b'")
	d.do(a, "UPDATE d1 SET n = n + 1 WHERE name = 'b'")
	if real.flavour == PostgreSQL {
		// A looks for a circle after its first second, and finds none yet.
		time.Sleep(300 * time.Millisecond)
		d.model.Tick(d.now())
		time.Sleep(900 * time.Millisecond)
		d.model.Tick(d.now())
	}
	d.do(b, "UPDATE d1 SET n = n + 1 WHERE name = 'a'")
	d.pass()
	if a.blocked || b.blocked {
		d.fatalf("somebody still waits")
	}
	d.do(b, "ROLLBACK")
	d.do(a, "COMMIT")
	d.do(b, "SELECT name, n FROM d1")
	d.endAll()
}

// deadlocksOfNames: the same with named locks. MariaDB refuses the statement that
// closed the circle, and leaves everything else as it is.
func deadlocksOfNames(t *testing.T, real *realServer) {
	d := newDuel(t, real)
	a, b := d.connect("A"), d.connect("B")
	take, wait := "SELECT GET_LOCK(?, 0)", "SELECT GET_LOCK(?, 20)"
	if real.flavour == PostgreSQL {
		take, wait = "SELECT pg_try_advisory_lock(hashtext(?))", "SELECT pg_advisory_lock(hashtext(?))"
	}
	d.do(a, take, world.SQLText("u"))
	d.do(b, take, world.SQLText("v"))
	d.do(a, wait, world.SQLText("v"))
	time.Sleep(1200 * time.Millisecond) // PostgreSQL has looked for a circle by then
	d.model.Tick(d.now())
	d.do(b, wait, world.SQLText("u"))
	d.pass()
	for _, p := range []*pair{a, b} {
		if !p.blocked {
			d.do(p, take, world.SQLText("u"))
			d.do(p, take, world.SQLText("v"))
		}
	}
	d.endAll()
}

// timeouts: waits end after the time that was set, the statement only.
func timeouts(t *testing.T, real *realServer) {
	d := newDuel(t, real, twoRows("t1")...)
	a, b := d.connect("A"), d.connect("B")
	d.do(a, "BEGIN")
	d.do(a, "SELECT n FROM t1 WHERE name = 'a' FOR UPDATE")
	if real.flavour == MySQL {
		d.do(b, "SET innodb_lock_wait_timeout = 1")
		d.do(a, "SELECT GET_LOCK('x', 0)")
		d.do(b, "SELECT GET_LOCK('x', ? / 1000)", world.SQLNum(300))
		d.pass()
		d.do(b, "SELECT GET_LOCK('y', 1), RELEASE_LOCK('y'), IS_USED_LOCK('x'), RELEASE_LOCK('x')")
	} else {
		d.do(b, "SET lock_timeout = 300")
		d.do(a, "SELECT pg_advisory_lock(7)")
		d.do(b, "SELECT pg_advisory_lock(3 + 4)")
		d.pass()
	}
	d.do(b, "BEGIN")
	d.do(b, "UPDATE t1 SET n = 5 WHERE name = 'b'")
	d.do(b, "UPDATE t1 SET n = 5 WHERE name = 'a'")
	d.pass()
	d.do(b, "SELECT n FROM t1 WHERE name = 'b'")
	d.do(b, "COMMIT")
	d.do(a, "COMMIT")
	d.do(b, "SELECT name, n FROM t1")
	if d.late < 2 {
		d.fatalf("only %d statements had to wait", d.late)
	}
	d.endAll()
}

// threeInserts: two statements wait for an insert that is undone. InnoDB lets
// both look at the gap at once, and one of them fails; PostgreSQL tells the second
// one of a duplicate. Which one it is differs from time to time.
func threeInserts(t *testing.T, real *realServer) {
	d := newDuel(t, real, twoRows("i1")...)
	a, b, c := d.connect("A"), d.connect("B"), d.connect("C")
	insert := world.Stmt{Query: "INSERT INTO i1 (name, n) VALUES ('a5', 1)"}
	d.do(a, "BEGIN")
	d.do(a, insert.Query)
	d.bothGoOn(a, "ROLLBACK", b, c, insert.Query)
	d.endAll()
}

// insertsBehindADelete: two statements wait to insert what a transaction deletes. InnoDB lets both lock the
// place of the row that has gone, and each then waits for the other; PostgreSQL tells the second of a duplicate.
func insertsBehindADelete(t *testing.T, real *realServer) {
	d := newDuel(t, real, twoRows("i2")...)
	a, b, c := d.connect("A"), d.connect("B"), d.connect("C")
	d.do(a, "BEGIN")
	d.do(a, "DELETE FROM i2 WHERE name = 'a'")
	d.bothGoOn(a, "COMMIT", b, c, "INSERT INTO i2 (name, n) VALUES ('a', 1)")
	d.do(a, "SELECT name, n FROM i2")
	d.endAll()
}

// bothGoOn lets b and c wait for a with the same statement, and compares how they end, in whichever order.
func (d *duel) bothGoOn(a *pair, ends string, b, c *pair, query string) {
	d.do(b, query)
	d.do(c, query)
	if !b.blocked || !c.blocked {
		d.fatalf("nobody waits")
	}
	a.real.exec(world.Stmt{Query: ends})
	want := []string{outcome(<-b.answers), outcome(<-c.answers)}
	d.model.Exec(d.now(), 99, a.conn, &Op{Stmt: world.Stmt{Query: ends}})
	var got []string
	for _, late := range d.model.Output().Answers {
		got = append(got, outcome(result(late.Answer)))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		d.Errorf("server %q\nmodel  %q", want, got)
	}
	b.blocked, c.blocked = false, false
}

// names: what is one name and what are two, of named locks and of rows.
func names(t *testing.T, real *realServer) {
	d := newDuel(t, real, "CREATE TABLE n1 (name VARCHAR(64) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)")
	a, b := d.connect("A"), d.connect("B")
	take := "SELECT GET_LOCK(?, 0)"
	if real.flavour == PostgreSQL {
		take = "SELECT pg_try_advisory_lock(hashtext(?))"
	}
	for _, p := range []*pair{a, b} {
		for _, name := range []string{"A", "a", "A ", " A", "Ä", "ä", "A"} {
			d.do(p, take, world.SQLText(name))
			if real.flavour == MySQL {
				d.do(p, "SELECT IS_USED_LOCK(?)", world.SQLText(name))
			}
		}
	}
	for _, name := range []string{"A", "a", "A ", " A"} {
		d.do(a, "INSERT INTO n1 (name, n) VALUES (?, 1)", world.SQLText(name))
	}
	d.endAll()
}

// gaps: a transaction looks for rows, there or not, and perhaps makes one; another session inserts one near by.
func gaps(t *testing.T, real *realServer) {
	luck := rand.New(rand.NewPCG(*conformanceSeed, 5))
	key := func() string { return string(rune('a' + luck.IntN(9))) }
	waits := 0
	for round := range 60 {
		table := fmt.Sprintf("g%d", round)
		setup := []string{"CREATE TABLE " + table + " (name VARCHAR(64) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)"}
		for _, k := range []string{"b", "d", "f", "h"} {
			if luck.IntN(2) == 0 {
				setup = append(setup, "INSERT INTO "+table+" (name, n) VALUES ('"+k+"', 0)")
			}
		}
		d := newDuel(t, real, setup...)
		a, b := d.connect("A"), d.connect("B")
		d.do(a, "BEGIN")
		for range 1 + luck.IntN(2) {
			k := world.SQLText(key())
			switch luck.IntN(4) {
			case 0:
				d.do(a, "UPDATE "+table+" SET n = n + 1 WHERE name = ?", k)
			case 1:
				d.do(a, "DELETE FROM "+table+" WHERE n > 5 AND name = ?", k)
			default:
				d.do(a, "SELECT n FROM "+table+" WHERE name = ? FOR UPDATE", k)
			}
		}
		for range 4 {
			if !b.blocked {
				d.do(b, "INSERT INTO "+table+" (name, n) VALUES (?, 1)", world.SQLText(key()))
			}
		}
		d.do(a, []string{"COMMIT", "ROLLBACK"}[luck.IntN(2)])
		d.do(a, "SELECT name, n FROM "+table)
		waits += d.blocks
		d.endAll()
	}
	if real.flavour == MySQL && waits < 10 {
		t.Errorf("only %d inserts had to wait", waits)
	}
}

// wrongTables: what MariaDB says of definitions that are wrong, in their order.
func wrongTables(t *testing.T, real *realServer) {
	if real.flavour != MySQL {
		t.Skip("the locks in PostgreSQL make no tables")
	}
	d := newDuel(t, real)
	a := d.connect("A")
	for _, query := range []string{
		"CREATE TABLE t (id INT, UNIQUE KEY k (nix)) ENGINE=InnoD",
		"CREATE TABLE t (id INT, UNIQUE KEY k (nix)) ENGINE=InnoDB",
		"CREATE TABLE t (id INT, ID INT)",
		"CREATE TABLE t (id INT(11) UNSIGNED NOT NULL AUTO_INCREMENT, name VARCHAR(64), PRIMARY KEY (id), UNIQUE KEY k (name))",
		"CREATE TABLE t (x INT)",
		"CREATE TABLE IF NOT EXISTS t (x INT)",
		"INSERT INTO t (name) VALUES ('a')", "INSERT INTO t (name) VALUES ('A ')", "INSERT INTO t (name) VALUES (NULL)",
		"INSERT INTO t (name) VALUES (NULL)", "INSERT INTO t (id, name) VALUES (40, 'z')", "INSERT INTO t (id, name) VALUES (0, 'y')",
		"SELECT * FROM t", "CREATE TABLE t2 (n BIGINT NOT NULL, s TEXT)", "INSERT INTO t2 (s) VALUES ('x')",
		"INSERT INTO t2 (n, s) VALUES ('x', 'x')", "INSERT INTO t2 (n, s) VALUES ('7', 7)", "INSERT INTO t2 (n, s) VALUES (7 / 2, NULL)",
		"SELECT s, n FROM t2 WHERE n = 7", "SELECT s FROM t2 WHERE s = 'x'", "SELECT n + NULL FROM t2",
		"SET nothing = 1", "SELECT GET_LOCK('', 1), GET_LOCK('x', -1)", "SELECT 7 - -2, 2 * (3 + 4)",
	} {
		d.do(a, query)
	}
	d.endAll()
}

// clocks: the expressions for the time give milliseconds of the server's wall clock.
// A wrong unit or epoch is off by days; the seconds allowed are for a clock that is
// being set right while the model counts from when the duel began, and for a busy machine.
func clocks(t *testing.T, real *realServer) {
	d := newDuel(t, real)
	a := d.connect("A")
	for _, query := range map[Flavour][]string{
		MySQL:      {"SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) + 5000"},
		PostgreSQL: {"SELECT (extract(epoch FROM now()) * 1000)::bigint + 5000", "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 5000"},
	}[real.flavour] {
		stmt := world.Stmt{Query: query}
		want := a.real.exec(stmt)
		got, _ := d.model.Exec(d.now(), 1, a.conn, &Op{Stmt: stmt})
		if want.Err != nil || got.Err != nil {
			t.Fatalf("%s: server %v, model %v", query, want.Err, got.Err)
		}
		ahead := result(got).Rows[0][0].Num - want.Rows[0][0].Num
		if ahead < -5000 || ahead > 5000 || !want.Rows[0][0].IsNum {
			t.Errorf("%s: server %v, model %v", query, want.Rows, result(got).Rows)
		}
	}
	d.endAll()
}

// locksSpeakSQL sends what the locks send, as it is written down for them, to
// the real servers and to the model, with the tables that the locks expect.
func locksSpeakSQL(t *testing.T, real *realServer) {
	d := newDuel(t, real)
	admin := &realSession{server: real, conn: real.admin}
	for _, stmt := range locks.SQLTables(real.store(), locks.Key) {
		if res := admin.exec(stmt); res.Err != nil {
			t.Fatalf("%s: %v", stmt.Query, res.Err)
		}
	}
	d.model = New(Config{Flavour: real.flavour, LockKey: locks.Key, EpochMS: d.began.UnixMilli(), Setup: locks.SQLTables(real.store(), locks.Key)})
	sent := 0
	for _, v := range locks.Simulated() {
		if v.Store != real.store() {
			continue
		}
		file, err := os.ReadFile(filepath.Join("../../locks/testdata/wire", v.ID+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		clients := map[string]*pair{"A": d.connect("A"), "B": d.connect("B")}
		for line := range strings.Lines(string(file)) {
			who, rest, _ := strings.Cut(line, " ")
			query, _, found := strings.Cut(rest, " -> ")
			if p := clients[who]; found && p != nil {
				d.do(p, strings.ReplaceAll(query, "<token>", who))
				sent++
			}
		}
		d.endAll()
	}
	if sent < 6 {
		t.Errorf("only %d statements were found", sent)
	}
}
