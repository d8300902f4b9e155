package sql

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/store"
)

// bench is a model with a clock and named connections: A to D are sessions of four clients, a and b
// connections of the pools of the first two.
type bench struct {
	*testing.T
	db    *DB
	now   time.Duration
	ahead time.Duration // of the wall clock
	asked []Stmt        // by id, from 1
}

const (
	clientA history.NodeID = 1
	clientB history.NodeID = 2
)

func (b *bench) conn(who string) store.Conn {
	switch who {
	case "A":
		return store.Conn{ID: 11, Client: clientA}
	case "B":
		return store.Conn{ID: 12, Client: clientB}
	case "C":
		return store.Conn{ID: 13, Client: 3}
	case "D":
		return store.Conn{ID: 14, Client: 4}
	case "a":
		return store.Conn{Client: clientA}
	}
	return store.Conn{Client: clientB}
}

func (b *bench) clock() store.Clock { return store.Clock{Wall: b.now + b.ahead, Mono: b.now} }

// do executes a statement and returns the text of its answer, or "waits".
func (b *bench) do(who, query string, args ...Value) string {
	b.Helper()
	stmt := Stmt{Query: query, Args: args}
	b.asked = append(b.asked, stmt)
	a, done := b.db.Exec(b.clock(), uint64(len(b.asked)), b.conn(who), stmt)
	if !done {
		return "waits"
	}
	return store.AnswerText(stmt, a.Value, a.Err)
}

// late is the text of a late answer.
func (b *bench) late(a store.LateAnswer) string {
	return store.AnswerText(b.asked[a.ID-1], a.Value, a.Err)
}

// want compares the answer of a statement, and the model's output.
func (b *bench) want(got, answer string, changes ...string) {
	b.Helper()
	must.Equalf(b, got, answer, "answer")
	out := b.db.Output()
	var all []string
	for _, c := range out.Changes {
		all = append(all, fmt.Sprintf("%v %d by %d %v", c.Kind, c.Owner, c.By, c.TTL))
	}
	for _, late := range out.Answers {
		all = append(all, "late "+b.late(late))
	}
	for _, c := range out.Drops {
		all = append(all, fmt.Sprintf("drops %d", c.ID))
	}
	must.Slicesf(b, all, changes, "output")
}

// rowOf is the entry of one of our locks in its table.
func rowOf(create string) store.Entry {
	row := store.Entry{Key: "lock", Table: strings.Fields(create)[2], Name: "name"}
	if strings.Contains(create, "expires_at") {
		row.Expires = "expires_at"
	}
	return row
}

func newBench(t *testing.T, f Flavour, setup ...string) *bench {
	cfg := Config{Flavour: f, Lock: store.Entry{Key: "lock"}, EpochMS: 1_000_000}
	if len(setup) > 0 {
		cfg.Lock = rowOf(setup[0])
	}
	for _, s := range setup {
		cfg.Setup = append(cfg.Setup, Stmt{Query: s})
	}
	return &bench{T: t, db: New(cfg)}
}

const (
	plainTable = "CREATE TABLE p (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) NOT NULL UNIQUE)"
	timedTable = "CREATE TABLE l (name VARCHAR(64) NOT NULL PRIMARY KEY, owner VARCHAR(64) NOT NULL, expires_at BIGINT NOT NULL)"
	nowMS      = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)"
)

func TestRowsAreEntries(t *testing.T) {
	b := newBench(t, MySQL, plainTable)
	b.want(b.do("a", "INSERT INTO p (name) VALUES ('other')"), "1 row, id 1")
	b.want(b.do("a", "INSERT INTO p (name) VALUES ('lock')"), "1 row, id 2", "granted 1 by 1 0s")
	b.want(b.do("b", "INSERT INTO p (name) VALUES ('lock')"), "ERROR 1062 (23000): Duplicate entry 'lock' for key 'name'")
	b.want(b.do("b", "DELETE FROM p WHERE name = 'lock'"), "1 row", "removed 1 by 2 0s")
	b.want(b.do("b", "DELETE FROM p WHERE name = 'lock'"), "0 rows")
}

// A row becomes an entry when its transaction is committed.
func TestUncommittedRowsAreNoEntries(t *testing.T) {
	b := newBench(t, MySQL, plainTable)
	b.want(b.do("A", "BEGIN"), "OK")
	b.want(b.do("A", "INSERT INTO p (name) VALUES ('lock')"), "1 row, id 1")
	b.want(b.do("b", "INSERT INTO p (name) VALUES ('lock')"), "waits")
	b.want(b.do("A", "ROLLBACK"), "OK", "granted 2 by 2 0s", "late 1 row, id 2")
	b.want(b.do("b", "DELETE FROM p WHERE name = 'lock'"), "1 row", "removed 2 by 2 0s")
	b.want(b.do("A", "BEGIN"), "OK")
	b.want(b.do("A", "INSERT INTO p (name) VALUES ('lock')"), "1 row, id 3")
	b.want(b.do("A", "COMMIT"), "OK", "granted 1 by 1 0s")
}

func TestRowsWithATime(t *testing.T) {
	b := newBench(t, MySQL, timedTable)
	take := "UPDATE l SET owner = ?, expires_at = " + nowMS + " + 500 WHERE name = 'lock' AND expires_at < " + nowMS
	b.want(b.do("a", "INSERT INTO l (name, owner, expires_at) VALUES ('lock', 'x', "+nowMS+" + 500)"), "1 row", "granted 1 by 1 500ms")
	b.now = 400 * time.Millisecond
	b.want(b.do("a", "UPDATE l SET expires_at = "+nowMS+" + 500 WHERE owner = 'x' AND name = 'lock'"), "1 row", "extended 1 by 1 500ms")
	b.now = 900 * time.Millisecond
	b.want(b.do("b", take, Text("y")), "0 rows") // expires_at is 900 ms, which is not less
	b.now = 901 * time.Millisecond
	b.want(b.do("b", take, Text("y")), "1 row", "expired 1 by 0 0s", "granted 2 by 2 500ms")
	b.want(b.do("a", "UPDATE l SET expires_at = 0 WHERE name = 'lock' AND owner = 'x'"), "0 rows")
	b.want(b.do("b", "UPDATE l SET expires_at = 0 WHERE name = 'lock' AND owner = 'y'"), "1 row", "removed 2 by 2 0s")
	b.want(b.do("a", take, Text("z")), "1 row", "granted 1 by 1 500ms")
	// A takeover that does not look at the time is not an expiry.
	b.want(b.do("b", "UPDATE l SET owner = 'y' WHERE name = 'lock'"), "1 row", "removed 1 by 2 0s", "granted 2 by 2 500ms")
	clear := "DELETE FROM l WHERE name = 'lock' AND expires_at < " + nowMS
	b.want(b.do("a", clear), "0 rows")
	b.now = 1402 * time.Millisecond
	b.want(b.do("a", clear), "1 row", "expired 2 by 0 0s")
}

func TestNamedLocksAreEntries(t *testing.T) {
	b := newBench(t, MySQL)
	b.want(b.do("A", "SELECT GET_LOCK('other', 0)"), "(1)")
	b.want(b.do("B", "SELECT GET_LOCK('LOCK', 0), GET_LOCK('lock ', 0)"), "(1, 1)") // names are compared as bytes
	b.want(b.do("A", "SELECT GET_LOCK('lock', 0)"), "(1)", "granted 1 by 1 0s")
	b.want(b.do("A", "SELECT GET_LOCK('lock', 0)"), "(1)")
	b.want(b.do("B", "SELECT GET_LOCK('lock', 0)"), "(0)")
	b.want(b.do("B", "SELECT GET_LOCK('lock', 2)"), "waits")
	b.want(b.do("A", "SELECT RELEASE_LOCK('lock')"), "(1)")
	b.now = time.Second
	b.db.Closed(b.clock(), b.conn("A"))
	b.want("", "", "expired 1 by 0 0s", "granted 2 by 2 0s", "late (1)")
	b.want(b.do("A", "SELECT RELEASE_LOCK('lock'), RELEASE_LOCK('other')"), "(0, NULL)")
	b.want(b.do("B", "SELECT RELEASE_LOCK('lock')"), "(1)", "removed 2 by 2 0s")
}

func TestAdvisoryLocksAreEntries(t *testing.T) {
	b := newBench(t, PostgreSQL)
	b.want(b.do("A", "SELECT pg_advisory_lock(hashtext('lock'))"), "('')", "granted 1 by 1 0s")
	b.want(b.do("B", "SELECT pg_try_advisory_lock(hashtext('lock')), pg_try_advisory_lock(hashtext('Lock'))"), "(0, 1)")
	b.want(b.do("B", "SELECT pg_advisory_lock(hashtext('lock'))"), "waits")
	if !b.db.Evict(b.clock(), "lock") {
		t.Error("there was something to evict")
	}
	b.want("", "", "expired 1 by 0 0s", "granted 2 by 2 0s", "late ('')", "drops 11")
}

// A wait for a named lock ends at an instant of the wall clock, a wait for a row after a duration.
func TestAStepEndsWaitsForNames(t *testing.T) {
	b := newBench(t, MySQL, "CREATE TABLE r (name VARCHAR(64) NOT NULL PRIMARY KEY)", "INSERT INTO r (name) VALUES ('lock')")
	b.want(b.do("A", "SELECT GET_LOCK('lock', 0)"), "(1)", "granted 1 by 1 0s")
	b.want(b.do("B", "SELECT GET_LOCK('lock', 5)"), "waits")
	b.ahead = -2 * time.Second
	b.db.Tick(b.clock())
	if due, ok := b.db.Due(); due != 7*time.Second || !ok {
		t.Errorf("after a step back due at %v, %v, want 7s", due, ok)
	}
	b.now, b.ahead = time.Second, 4*time.Second
	b.db.Tick(b.clock())
	b.want("", "", "late (0)")
	b.do("A", "BEGIN")
	b.want(b.do("A", "SELECT name FROM r WHERE name = 'lock' FOR UPDATE"), "('lock')", "granted 1 by 1 0s")
	b.do("B", "BEGIN")
	b.want(b.do("B", "SELECT name FROM r WHERE name = 'lock' FOR UPDATE"), "waits")
	b.ahead = time.Hour
	b.db.Tick(b.clock())
	b.want("", "")
}

// The waiting statement of a closed session gets nothing.
func TestAClosedSessionDoesNotWait(t *testing.T) {
	b := newBench(t, MySQL)
	b.want(b.do("A", "SELECT GET_LOCK('lock', 0)"), "(1)", "granted 1 by 1 0s")
	b.want(b.do("B", "SELECT GET_LOCK('lock', 60)"), "waits")
	b.db.Closed(b.clock(), b.conn("B"))
	b.want(b.do("A", "SELECT RELEASE_LOCK('lock')"), "(1)", "removed 1 by 1 0s")
}

func TestLockedRowsAreEntries(t *testing.T) {
	b := newBench(t, MySQL, "CREATE TABLE r (name VARCHAR(64) NOT NULL PRIMARY KEY)", "INSERT INTO r (name) VALUES ('lock')")
	lock := "SELECT name FROM r WHERE name = 'lock' FOR UPDATE"
	b.want(b.do("a", lock), "('lock')") // the lock ends with its statement
	b.want(b.do("A", "BEGIN"), "OK")
	b.want(b.do("A", lock), "('lock')", "granted 1 by 1 0s")
	b.want(b.do("A", lock), "('lock')")
	b.want(b.do("B", "SET innodb_lock_wait_timeout = 2"), "OK")
	b.want(b.do("B", "BEGIN"), "OK")
	b.want(b.do("B", lock), "waits")
	if due, ok := b.db.Due(); due != 2*time.Second || !ok {
		t.Errorf("due at %v, %v", due, ok)
	}
	b.now = 2 * time.Second
	b.db.Tick(b.clock())
	b.want("", "", "late ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction")
	b.want(b.do("B", lock), "waits")
	b.want(b.do("A", "COMMIT"), "OK", "removed 1 by 1 0s", "granted 2 by 2 0s", "late ('lock')")
	b.db.Restart(b.clock())
	b.want("", "", "forgotten 2 by 0 0s")
	b.want(b.do("A", lock), "('lock')")
}

// A lease that is read for update is the reader's from then on, until it says otherwise.
func TestALeaseIsReadAndWritten(t *testing.T) {
	b := newBench(t, MySQL, timedTable, "INSERT INTO l VALUES ('lock', '', 0)")
	b.do("A", "BEGIN")
	b.want(b.do("A", "SELECT owner FROM l WHERE name = 'lock' FOR UPDATE"), "('')", "granted 1 by 1 0s")
	b.want(b.do("A", "UPDATE l SET owner = 'A', expires_at = 1010000 WHERE name = 'lock'"), "1 row")
	b.want(b.do("A", "COMMIT"), "OK", "extended 1 by 1 10s")
	b.do("B", "BEGIN")
	b.want(b.do("B", "SELECT owner FROM l WHERE name = 'lock' FOR UPDATE"), "('A')")
	b.want(b.do("B", "UPDATE l SET owner = '' WHERE name = 'lock'"), "1 row")
	b.want(b.do("B", "COMMIT"), "OK", "removed 1 by 2 0s")
}

// On a pooled connection the session ends with the statement.
func TestAPooledStatementLeavesNothing(t *testing.T) {
	b := newBench(t, MySQL, plainTable)
	b.want(b.do("a", "SELECT GET_LOCK('lock', 0)"), "(1)", "granted 1 by 1 0s", "expired 1 by 0 0s")
	b.want(b.do("a", "BEGIN"), "OK")
	b.want(b.do("a", "INSERT INTO p (name) VALUES ('lock')"), "1 row, id 1", "granted 1 by 1 0s")
}

func TestEvictDeletesTheRow(t *testing.T) {
	b := newBench(t, MySQL, plainTable)
	b.want(b.do("a", "INSERT INTO p (name) VALUES ('lock')"), "1 row, id 1", "granted 1 by 1 0s")
	if !b.db.Evict(b.clock(), "lock") || b.db.Evict(b.clock(), "lock") {
		t.Error("there was one row to evict")
	}
	b.want(b.do("b", "INSERT INTO p (name) VALUES ('lock')"), "1 row, id 2", "removed 1 by 0 0s", "granted 2 by 2 0s")
}

// A replica has the committed rows with their owners, and the last generated id.
func TestReplica(t *testing.T) {
	b, r := newBench(t, MySQL, plainTable), newBench(t, MySQL, plainTable)
	ship := func() {
		for _, e := range b.db.Output().Effects {
			r.db.Apply(r.clock(), e)
		}
	}
	b.do("A", "INSERT INTO p (name) VALUES ('lock')")
	b.do("A", "SELECT GET_LOCK('lock', 0)")
	b.do("A", "CREATE TABLE q (n INT)")
	b.do("A", "BEGIN")
	b.do("A", "INSERT INTO p (name) VALUES ('uncommitted')")
	ship()
	r.want("", "", "replicated 1 by 0 0s")
	r.want(r.do("B", "SELECT name FROM p"), "('lock')")
	r.want(r.do("B", "SELECT n FROM q"), "no row")
	r.want(r.do("B", "SELECT GET_LOCK('lock', 0)"), "(1)", "granted 2 by 2 0s")
	r.want(r.do("B", "INSERT INTO p (name) VALUES ('lock')"), "ERROR 1062 (23000): Duplicate entry 'lock' for key 'name'")
	b.do("B", "DELETE FROM p WHERE name = 'lock'")
	ship()
	r.want(r.do("B", "INSERT INTO p (name) VALUES ('lock')"), "1 row, id 3", "granted 2 by 2 0s")
	r.db.CopyTo(b.db, b.clock())
	b.want(b.do("A", "SELECT id FROM p"), "(3)", "forgotten 1 by 0 0s") // the named lock
}

// PostgreSQL releases the locks of a transaction at its first error. The later end of the session
// does not affect the rows, which other transactions may have locked by then.
func TestAnAbortedTransactionIsOver(t *testing.T) {
	b := newBench(t, PostgreSQL, "CREATE TABLE p (name VARCHAR(64) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)", "INSERT INTO p (name, n) VALUES ('x', 1)")
	b.want(b.do("A", "BEGIN"), "OK")
	b.want(b.do("A", "DELETE FROM p WHERE name = 'x'"), "1 row")
	b.want(b.do("B", "BEGIN"), "OK")
	b.want(b.do("B", "UPDATE p SET n = n + 1 WHERE name = 'x'"), "waits")
	b.want(b.do("A", "SELECT nothing"), `ERROR 42703: column "nothing" does not exist`, "late 1 row")
	b.db.Closed(b.clock(), b.conn("A"))
	b.want(b.do("B", "SELECT n FROM p"), "(2)")
	b.want(b.do("B", "COMMIT"), "OK")
	b.want(b.do("a", "SELECT n FROM p"), "(2)")
}

// A request that arrives while the session waits is executed afterwards.
func TestASessionDoesOneThingAfterTheOther(t *testing.T) {
	b := newBench(t, MySQL)
	b.want(b.do("A", "SELECT GET_LOCK('lock', 0)"), "(1)", "granted 1 by 1 0s")
	b.want(b.do("B", "SELECT GET_LOCK('lock', 5)"), "waits")
	b.want(b.do("B", "SELECT RELEASE_LOCK('lock')"), "waits")
	b.want(b.do("A", "SELECT RELEASE_LOCK('lock')"), "(1)",
		"removed 1 by 1 0s", "granted 2 by 2 0s", "removed 2 by 2 0s", "late (1)", "late (1)")
}

// A row of any table belongs to its last writer, until its time is up or a column is emptied.
func TestRowsOfAnyTable(t *testing.T) {
	const table = "CREATE TABLE j (job VARCHAR(64) NOT NULL PRIMARY KEY, locked_by VARCHAR(64), until_s BIGINT)"
	row := store.Entry{Key: "lock", Table: "j", Name: "job", Expires: "until_s", Seconds: true}
	b := &bench{T: t, db: New(Config{Flavour: MySQL, Lock: row, EpochMS: 1_000_000, Setup: []Stmt{{Query: table}}})}
	b.want(b.do("a", "INSERT INTO j (job, locked_by, until_s) VALUES ('other', 'x', 1010)"), "1 row")
	b.want(b.do("a", "INSERT INTO j (job, locked_by, until_s) VALUES ('lock', 'x', 1010)"), "1 row", "granted 1 by 1 10s")
	b.want(b.do("a", "UPDATE j SET until_s = 1020 WHERE job = 'lock'"), "1 row", "extended 1 by 1 20s")
	b.want(b.do("b", "UPDATE j SET until_s = 1030 WHERE job = 'lock'"), "1 row", "removed 1 by 2 0s", "granted 2 by 2 30s")
	b.want(b.do("a", "UPDATE j SET locked_by = NULL WHERE job = 'lock'"), "1 row", "removed 2 by 1 0s")
	b.want(b.do("b", "UPDATE j SET locked_by = 'y' WHERE job = 'lock'"), "1 row", "granted 2 by 2 30s")
	b.want(b.do("a", "UPDATE j SET until_s = 0 WHERE job = 'lock'"), "1 row", "removed 2 by 1 0s")
	b.want(b.do("a", "UPDATE j SET until_s = 1002 WHERE job = 'lock'"), "1 row", "granted 1 by 1 2s")
	b.now = 3 * time.Second
	b.want(b.do("b", "UPDATE j SET until_s = 1009 WHERE job = 'lock'"), "1 row", "expired 1 by 0 0s", "granted 2 by 2 6s")
	b.now = 10 * time.Second
	b.want(b.do("b", "UPDATE j SET until_s = 1014 WHERE job = 'lock'"), "1 row", "expired 2 by 0 0s", "granted 2 by 2 4s")
	b.want(b.do("b", "DELETE FROM j WHERE job = 'lock'"), "1 row", "removed 2 by 2 0s")
}

// Kept returns a client's named locks and the rows that it has locked or written, by each column
// that may name the lock.
func TestKept(t *testing.T) {
	b := newBench(t, MySQL, "CREATE TABLE k (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, job VARCHAR(64) NOT NULL UNIQUE, free_at BIGINT)")
	keeps := func(client history.NodeID, want ...string) {
		t.Helper()
		var got []string
		for _, e := range b.db.Kept(client) {
			got = append(got, fmt.Sprintf("%s %s.%s %s %v %v", e.Key, e.Table, e.Name, e.Expires, e.Seconds, e.Lease))
		}
		must.Slicesf(t, got, want, "of client %d", client)
	}
	b.do("A", "SELECT GET_LOCK('app.lock', 0)")
	keeps(clientA, "app.lock .  false 0s")
	b.do("A", "SELECT RELEASE_LOCK('app.lock')")
	b.do("b", "INSERT INTO k (job, free_at) VALUES ('my-lock', 1005)")
	keeps(clientA)
	keeps(clientB, "1 k.id free_at true 5s", "my-lock k.job free_at true 5s")
	b.do("a", "UPDATE k SET free_at = 1005000 WHERE job = 'my-lock'")
	keeps(clientB)
	keeps(clientA, "1 k.id free_at false 5s", "my-lock k.job free_at false 5s")
	b.do("B", "BEGIN")
	b.do("B", "SELECT id FROM k WHERE job = 'my-lock' FOR UPDATE")
	keeps(clientB, "1 k.id free_at false 5s", "my-lock k.job free_at false 5s")
	b.do("B", "COMMIT")
	keeps(clientB)
}
