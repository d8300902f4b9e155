package sql

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/store"
)

// What MariaDB and PostgreSQL answer to statements that locks should not send; known cases play
// such with real servers. What the model does not know it refuses: a wrong answer would be taken
// for the server's.
func TestWhatAServerRefuses(t *testing.T) {
	table := "CREATE TABLE locks (name VARCHAR(4) PRIMARY KEY, i INT, n BIGINT)"
	mysqlTable := "CREATE TABLE locks (name VARCHAR(4) PRIMARY KEY, i INT, n BIGINT, u INT UNSIGNED)"
	row := "INSERT INTO locks (name, i, n) VALUES ('5', 5, 5)"
	for _, tt := range []struct{ query, mysql, postgres string }{
		{"INSERT INTO locks (name) VALUES ('abcd   ')", "1 row", "1 row"},
		{"INSERT INTO locks (name) VALUES ('abcde')", "1406 (22001)", "22001"},
		{"INSERT INTO locks (name, i) VALUES ('a', 1700000000000)", "1264 (22003)", "22003"},
		{"INSERT INTO locks (name, n) VALUES ('a', ' 7')", "1 row", "1 row"},
		{"INSERT INTO locks (name, n) VALUES ('a', '7x')", "does not know", "22P02"},
		{"INSERT INTO locks (name, n) VALUES ('a', '9223372036854775808')", "1264 (22003)", "22003"},
		{"INSERT INTO locks (name, name) VALUES ('a', 'b')", "1110 (42000)", "42701"},
		{"INSERT INTO locks (name, n) VALUES ('a', DEFAULT)", "1064", "42601"},
		{"INSERT INTO locks (name, u) VALUES ('a', -1)", "1264 (22003)", "42703"},
		{"UPDATE locks SET n = name", "0 rows", "42804"},
		{"UPDATE locks SET n = 7 WHERE name = 5", "does not know", "does not know"},
		{"UPDATE LOCKS SET n = 7 WHERE name = '5'", "1146", "1 row"},
		{"SELECT n FROM locks WHERE name = \"5\"", "(5)", "42703"},
		{"SELECT n FROM locks WHERE `n` = 5", "(5)", "42601"},
		{"SELECT n FROM locks WHERE n = 5 -- comment", "1064", "42601"},
		{`SELECT 'a\b'`, "1064", `('a\b')`},
		{"SELECT n FROM locks WHERE n < CURRENT_TIMESTAMP", "does not know", "does not know"},
		{"SELECT 1 FROM dual", "does not know", "42P01"},
		{"SELECT 1 FROM pg_locks", "1146", "does not know"},
		{"SET autocommit = 0", "does not know", "does not know"},
		{"SET lock_timeout = '5s'", "does not know", "OK"},
		{"SET lock_timeout = 'soon'", "does not know", "does not know"},
		{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "does not know an isolation other than REPEATABLE READ", "OK"},
		{"INSERT INTO locks (name) SELECT 'a' WHERE NOT EXISTS (SELECT 1 FROM locks)", "Instead, read first, and then INSERT ... VALUES", "0 rows"},
		{"SELECT name FROM locks WHERE EXISTS (SELECT 1 FROM locks AS l WHERE l.name = locks.name)", "outside of its own table", "outside of its own table"},
		{"UPDATE locks SET n = 7 WHERE n = (SELECT n FROM locks)", "a subquery in a statement that locks", "two such statements at once may find the same row"},
		{"DELETE FROM locks WHERE n IN (SELECT n FROM locks FOR UPDATE)", "a subquery in a statement that locks", "1 row"},
		{"INSERT INTO locks (n) SELECT 7 WHERE NOT EXISTS (SELECT 1 FROM locks)", "Instead, read first", "two such statements at once would both add a row"},
		{"DELETE FROM locks RETURNING COUNT(*)", "1064", "42601"},
		{"CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT DEFAULT (SELECT n FROM locks))", "1064", "42601"},
		{"SELECT DISTINCT name FROM locks", "1064", "42601"},
		{"SELECT TIMESTAMPDIFF(SECOND, NOW(), NOW())", "the function TIMESTAMPDIFF", "42703"},
		{"SELECT name, COUNT(*) FROM locks", "a count beside something else", "a count beside something else"},
		{"SELECT a.n FROM locks a JOIN locks b ON a.n = b.n", "Instead, read each table by itself", "Instead, read each table by itself"},
		{"WITH l AS (SELECT 1 FROM locks) SELECT 1 FROM l", "Instead, write the part in WITH as a subquery", "Instead, write the part in WITH as a subquery"},
		{"SELECT n FROM locks LIMIT 1 FOR UPDATE", "ORDER BY and LIMIT in a statement that locks", "(5)"},
		{"CREATE TABLE t (id BIGINT PRIMARY KEY, KEY (id))", "an index that is no key", "'(id))'"},
		{"CREATE TABLE t (id UUID PRIMARY KEY)", "the type UUID", "the type UUID"},
		{"SELECT GET_LOCK('a', '1')", "does not know", "does not know"},
		{"SELECT GET_LOCK('a', -1)", "MySQL waits for ever, MariaDB answers NULL at once", "does not know"},
		{"CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT PRIMARY KEY)", "1068 (42000)", "42P16"},
		{"CREATE TABLE t (id SERIAL PRIMARY KEY)", "the type SERIAL", "OK"},
		{"CREATE TABLE t (id BIGINT(20) UNSIGNED AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB", "OK", "42601"},
		{"CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR)", "1064", "OK"},
	} {
		for f, want := range map[Flavour]string{MySQL: tt.mysql, PostgreSQL: tt.postgres} {
			setup := []string{table, row}
			if f == MySQL {
				setup[0] = mysqlTable
			}
			if got := newBench(t, f, setup...).do("A", tt.query); !strings.Contains(got, want) {
				t.Errorf("flavour %d: %s: %s, want %s", f, tt.query, got, want)
			}
		}
	}
	sums := newBench(t, PostgreSQL, table, "INSERT INTO locks (name, i, n) VALUES ('a', 1700000000, 1700000000)")
	for query, want := range map[string]string{
		"SELECT i * 1000 FROM locks": "22003", "SELECT n * 1000, i + n * 2 FROM locks": "(1700000000000, 5100000000)",
		"SELECT 2147483647 + 1": "22003", "SELECT 2147483648 + 1, 2147483647 + 1::bigint": "(2147483649, 2147483648)",
	} {
		if got := sums.do("A", query); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	later := "UPDATE locks SET n = ? + 5000" // the argument has the type of 5000
	if got := sums.do("A", later, Num(1_700_000_000_000)); !strings.Contains(got, "22003") {
		t.Errorf("%s: %s", later, got)
	}
	below := newBench(t, MySQL, mysqlTable, "INSERT INTO locks (name, u) VALUES ('a', 0)")
	for _, query := range []string{"UPDATE locks SET u = u - 1", "SELECT 1 + (u - 2) FROM locks"} {
		if got := below.do("A", query); !strings.Contains(got, "1690 (22003)") {
			t.Errorf("%s: %s", query, got)
		}
	}
}

// How PostgreSQL 15 treats booleans; the random scripts compare this with a server.
func TestBooleans(t *testing.T) {
	table := "CREATE TABLE b (name TEXT PRIMARY KEY, f BOOLEAN NOT NULL, n BIGINT)"
	for query, want := range map[string]string{
		"SELECT TRUE, ' YES '::boolean, CAST('of' AS BOOLEAN)": "(1, 1, 0)",
		"SELECT 5::bool, (2 - 2)::boolean":                     "(1, 0)",
		"SELECT 'o'::boolean":                                  "22P02",
		"SELECT 7::bigint::boolean":                            "42846",
		"SELECT TRUE::bigint":                                  "42846",
		"SELECT TRUE + 1":                                      "42883",
		"SELECT n FROM b WHERE f = 1":                          "42883",
		"SELECT n FROM b WHERE f = 'x'":                        "22P02",
		"INSERT INTO b (name, f) VALUES ('a', 1)":              "42804",
		"INSERT INTO b (name, f) VALUES ('a', 'y')":            "1 row",
		"UPDATE b SET n = f":                                   "42804",
		"SELECT GET_LOCK('a', 0)":                              "0A000",
	} {
		if got := newBench(t, PostgreSQL, table).do("A", query); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	d := New(Config{Flavour: PostgreSQL})
	a, _ := d.Exec(store.Clock{}, 1, store.Conn{ID: 1}, Stmt{Query: "SELECT pg_try_advisory_lock(1), TRUE, 1"})
	if row := a.Value.(Result).Rows[0]; !row[0].IsBool || !row[1].IsBool || row[2].IsBool {
		t.Errorf("the types of %+v", row)
	}
}

// An upsert takes over the entry of a lock when its condition holds, and waits for a client that
// has locked the row. The end of a lease may be a time.
func TestUpsert(t *testing.T) {
	for _, tt := range []struct {
		flavour      Flavour
		create, take string
		extended     string
	}{
		{PostgreSQL, "CREATE TABLE l (name TEXT PRIMARY KEY, owner TEXT, expires_at TIMESTAMPTZ)",
			"INSERT INTO l VALUES ('lock', ?, now() + interval '500 ms') ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner, " +
				"expires_at = EXCLUDED.expires_at WHERE l.expires_at < now()", "1 row"},
		{MySQL, "CREATE TABLE l (name VARCHAR(9) PRIMARY KEY, owner VARCHAR(9), expires_at DATETIME(3))",
			"INSERT INTO l VALUES ('lock', ?, NOW(3) + INTERVAL 500000 MICROSECOND) ON DUPLICATE KEY UPDATE " +
				"owner = IF(expires_at < NOW(3), VALUES(owner), owner), expires_at = IF(expires_at < NOW(3), VALUES(expires_at), expires_at)", "2 rows"},
	} {
		b := newBench(t, tt.flavour, tt.create)
		b.want(b.do("a", tt.take, Text("A")), "1 row", "granted 1 by 1 500ms")
		b.want(b.do("b", tt.take, Text("B")), "0 rows")
		b.now += 501 * time.Millisecond
		b.want(b.do("A", "BEGIN"), "OK")
		b.want(b.do("A", "SELECT owner FROM l WHERE name = 'lock' FOR UPDATE"), "('A')")
		b.want(b.do("b", tt.take, Text("B")), "waits")
		b.want(b.do("C", "SELECT owner FROM l WHERE name = 'lock' FOR UPDATE SKIP LOCKED"), "no row")
		b.want(b.do("A", "COMMIT"), "OK", "expired 1 by 0 0s", "granted 2 by 2 500ms", "late "+tt.extended)
	}
}

// A condition is unknown where it asks for NULL, and so is its opposite. A column without a time
// zone ignores the one in a text.
func TestWhatIsUnknown(t *testing.T) {
	b := newBench(t, PostgreSQL, "CREATE TABLE m (n BIGINT, t TIMESTAMP, z TIMESTAMPTZ)",
		"INSERT INTO m VALUES (NULL, '2030-01-02 03:04:05+02:00', '2030-01-02 03:04:05+02:00')")
	for where, want := range map[string]string{
		"n = 1": "no row", "NOT n = 1": "no row", "n IS NULL": "(1)", "n = 1 OR TRUE": "(1)", "n NOT IN (1, 2)": "no row",
		"t = '2030-01-02 03:04:05'": "(1)", "z = '2030-01-02 01:04:05'": "(1)", "t = '2030-01-02 03:04:05-07:00'": "(1)", "z = t": "no row", "t + interval '-1 h 30 min' > t": "ERROR 0A000: the model does not know the interval \"-1 h 30 min\"",
		"t + interval '-1 hour 30 mins' = '2030-01-02 02:34:05'":             "(1)",
		"t + interval '999999999 hours 999999999 hours 999999999 hours' > t": "ERROR 0A000: the model does not know the interval \"999999999 hours 999999999 hours 999999999 hours\"",
	} {
		must.Equalf(t, b.do("A", "SELECT 1 FROM m WHERE "+where), want, "%s", where)
	}
}

const namesTable = "CREATE TABLE n (name VARCHAR(64) PRIMARY KEY)"

// Two statements that wait to insert a row which a transaction deletes are a deadlock in InnoDB.
func TestTwoInsertsBehindADelete(t *testing.T) {
	insert := "INSERT INTO n (name) VALUES ('a')"
	b := newBench(t, MySQL, namesTable, insert)
	b.want(b.do("A", "BEGIN"), "OK")
	b.want(b.do("A", "DELETE FROM n WHERE name = 'a'"), "1 row")
	b.want(b.do("B", insert), "waits")
	b.want(b.do("C", insert), "waits")
	b.want(b.do("A", "COMMIT"), "OK",
		"late ERROR 1213 (40001): Deadlock found when trying to get lock; try restarting transaction", "late 1 row")
}

// A gap lock reaches to the nearest existing rows.
func TestGapsReachToTheNextRows(t *testing.T) {
	for key, want := range map[string]string{"a": "1 row", "c": "waits", "d": "waits", "e": "waits", "g": "1 row"} {
		b := newBench(t, MySQL, namesTable, "INSERT INTO n (name) VALUES ('b')", "INSERT INTO n (name) VALUES ('f')")
		b.want(b.do("A", "BEGIN"), "OK")
		b.want(b.do("A", "SELECT name FROM n WHERE name = 'd' FOR UPDATE"), "no row")
		b.want(b.do("B", "INSERT INTO n (name) VALUES ('"+key+"')"), want)
	}
}
