package sql

import (
	"strings"
	"testing"
)

// What MariaDB and PostgreSQL answer to statements that locks should not send; known cases play such with real servers.
// What the model does not know it refuses: a wrong answer would be taken for the server's.
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
