//go:build linux

package sql_test

import (
	"testing"
	"time"

	. "lockstep/internal/store/sql"
)

// columns: a column takes what fits into it, and MariaDB subtracts without a sign where one operand
// has none.
func columns(t *testing.T, real *realServer) {
	types := "k BIGINT PRIMARY KEY, name VARCHAR(4), i INT, b BIGINT"
	if real.is == MySQL {
		types += ", u INT UNSIGNED, w BIGINT UNSIGNED, f BOOLEAN"
	}
	d := newDuel(t, real, "CREATE TABLE c1 ("+types+")")
	a := d.connect(1)
	insert := func(column, value string, args ...Value) {
		d.do(a, "INSERT INTO c1 (k, "+column+") VALUES (?, "+value+")", append([]Value{Num(int64(d.Asked))}, args...)...)
	}
	for _, name := range []string{"'abcd'", "'abcde'", "'ä€ßÿ'", "'ä€ßÿx'", "'ab      '", "'      '", "'abcde '", "1234", "12345"} {
		insert("name", name)
	}
	insert("name", "?", Text("abcde"))
	numbers := []string{
		"2147483647", "2147483648", "-2147483648", "-2147483649", "2147483648 - 1", "'2147483648'", "' 7 '", "'+7'", "'-7'", "'x'",
		"9223372036854775807", "9223372036854775808", "'9223372036854775808'",
	}
	for _, number := range numbers {
		insert("i", number)
		insert("b", number)
	}
	insert("i", "?", Num(1_700_000_000_000))
	if real.is == PostgreSQL {
		d.do(a, "INSERT INTO c1 (k, k) VALUES (1, 2)")
		d.do(a, "UPDATE c1 SET b = 1, b = 2")
		d.do(a, "UPDATE c1 SET b = name")
		d.do(a, "UPDATE c1 SET name = b WHERE k = -1")
		d.do(a, "INSERT INTO c1 (k, i, b) VALUES (-1, 2147483647, 2147483647)")
		for _, sum := range []string{"i + 1", "b + 1", "i + b", "i * 2", "1 + i::bigint", "2147483648 - 1",
			"2147483647 + 1", "- 2147483648", "i - i - 1", "(i - 1) * 2"} {
			d.do(a, "SELECT "+sum+" FROM c1 WHERE k = -1")
		}
		for _, n := range []int64{7, 1_700_000_000_000} {
			d.do(a, "UPDATE c1 SET b = ? + 5000 WHERE k = -1", Num(n))
			d.do(a, "UPDATE c1 SET b = ?::bigint + 5000 WHERE k = -1", Num(n))
			d.do(a, "UPDATE c1 SET b = ? WHERE k = -1", Num(n))
			d.do(a, "UPDATE c1 SET i = ? WHERE k = -1", Num(n))
			d.do(a, "SELECT ? + b FROM c1 WHERE k = -1", Num(n))
		}
		d.endAll()
		return
	}
	for _, number := range []string{"4294967295", "4294967296", "0", "-1"} {
		insert("u", number)
		insert("w", number)
		insert("f", number)
	}
	insert("f", "128")
	d.do(a, "INSERT INTO c1 (k, i, b, u, w) VALUES (-1, 0, 0, 0, 0)")
	for _, sum := range []string{"i - 1", "b - 1", "u - 1", "w - 1", "1 - u", "0 - u", "1 - 2 - u", "u - 1 + 1", "b - 1 + w", "(1 - 2) * w"} {
		d.do(a, "SELECT "+sum+" FROM c1 WHERE k = -1")
	}
	for _, wait := range []string{"-0.5", "0.5"} {
		d.do(a, "SELECT GET_LOCK('c1', "+wait+")")
	}
	d.do(a, "UPDATE c1 SET w = w - 1 WHERE k = -1")
	d.do(a, "UPDATE c1 SET b = w - 1 WHERE k = -1")
	d.do(a, "UPDATE c1 SET u = b - 1 WHERE k = -1")
	d.do(a, "INSERT INTO c1 (k, K) VALUES (1, 2)")
	d.endAll()
}

// words: quotes, and names in small and large letters.
func words(t *testing.T, real *realServer) {
	d := newDuel(t, real, "CREATE TABLE Words (Name VARCHAR(64) NOT NULL PRIMARY KEY, N BIGINT)")
	a := d.connect(1)
	d.do(a, "INSERT INTO Words (name, n) VALUES ('a', 1)")
	for _, table := range []string{"words", "WORDS", `"Words"`, `"words"`} {
		if real.is == PostgreSQL || table != `"words"` && table != `"Words"` {
			d.do(a, "SELECT n FROM "+table)
		}
	}
	name := "SELECT GET_LOCK(\"lock\", 0), IS_USED_LOCK('other'), RELEASE_LOCK('lock')"
	if real.is == PostgreSQL {
		name = `SELECT N FROM words WHERE "name" = 'a'`
	}
	d.do(a, name)
	if real.is == MySQL {
		d.do(a, `SELECT n FROM Words WHERE name = "a"`)
		d.do(a, "SELECT `N` FROM `Words` WHERE `name` = \"a\" FOR UPDATE")
		long := make([]byte, 192)
		for i := range long {
			long[i] = 'n'
		}
		d.do(a, "SELECT GET_LOCK(?, 0)", Text(string(long)))
		d.do(a, "SELECT GET_LOCK(?, 0)", Text(string(long)+"n"))
		d.do(a, "SELECT RELEASE_LOCK(?)", Text(string(long)+"n"))
	}
	d.endAll()
}

// settings: in PostgreSQL the end of a transaction without a commit undoes a setting.
func settings(t *testing.T, real *realServer) {
	if real.is == MySQL {
		t.Skip("SET is no part of a transaction in MariaDB")
	}
	d := newDuel(t, real, twoRows("s1")...)
	a, b := d.connect(1), d.connect(2)
	d.do(a, "BEGIN")
	d.do(a, "UPDATE s1 SET n = 1 WHERE name = 'a'")
	for _, end := range [][]string{{"ROLLBACK"}, {"SELEC", "COMMIT"}, {"COMMIT"}} {
		d.do(b, "BEGIN")
		d.do(b, "SET lock_timeout = 300")
		for _, query := range end {
			d.do(b, query)
		}
		if end[0] == "COMMIT" {
			d.do(b, "UPDATE s1 SET n = 2 WHERE name = 'a'") // gives up
			d.Pass(10 * time.Second)
			continue
		}
		d.do(b, "UPDATE s1 SET n = n + 1 WHERE name = 'a'")
		time.Sleep(400 * time.Millisecond)
		d.Model.Tick(d.Now()) // would give up, too
		d.Collect()
		d.do(a, "COMMIT")
		d.do(a, "BEGIN")
		d.do(a, "UPDATE s1 SET n = 1 WHERE name = 'a'")
	}
	d.endAll()
}

// What locks of frameworks have: keys of several columns, counts and subqueries, queues of jobs.

// severalColumns: rows are the same when all columns of a key are, and are locked by all of them.
func severalColumns(t *testing.T, real *realServer) {
	d := newDuel(t, real,
		"CREATE TABLE q (sched VARCHAR(120) NOT NULL, name VARCHAR(40) NOT NULL, n BIGINT, other CHAR(2), v BIGINT, CONSTRAINT q_other UNIQUE (n, other), PRIMARY KEY (sched, name))",
		"INSERT INTO q VALUES ('s', 'a', 1, 'xx', 0)", "INSERT INTO q VALUES ('s', 'c', 1, 'yy', 0)", "INSERT INTO q VALUES ('t', 'a', NULL, 'xx', 0)")
	a, b := d.connect(1), d.connect(2)
	insert := "INSERT INTO q (name, sched, n, other) VALUES "
	rows := []string{"('a', 's', 2, 'xx')", "('a', 'u', 1, 'xx')", "('b', 'u', NULL, 'xx')", "('c', 'u', NULL, 'xx')", "(NULL, 's', 7, 'xx')", "('a', 't', 1, 'yy')"}
	tails := []string{"", ignore, " ON CONFLICT (name, sched) DO UPDATE SET v = 7", " ON CONFLICT (sched) DO NOTHING", " ON CONFLICT (sched, nix) DO NOTHING",
		" ON CONFLICT ON CONSTRAINT q_other DO UPDATE SET v = 9 RETURNING *", " ON CONFLICT (sched, name, n) DO NOTHING"}
	if real.is == MySQL {
		tails = []string{"", " ON DUPLICATE KEY UPDATE v = 9"}
	}
	for _, row := range rows {
		for _, tail := range tails {
			d.do(a, "BEGIN")
			d.do(a, insert+row+tail)
			d.do(a, "SELECT * FROM q")
			d.do(a, "ROLLBACK")
		}
	}
	for _, first := range []string{"SELECT * FROM q WHERE sched = 's' AND name = 'a' FOR UPDATE", "UPDATE q SET name = name, v = 5 WHERE name = 'a' AND sched = 's'",
		"DELETE FROM q WHERE sched = 's' AND name = 'a'", insert + "('x', 's', 5, 'zz')", "SELECT n FROM q WHERE sched = 's' AND name = 'x' FOR UPDATE"} {
		for _, second := range []string{"UPDATE q SET v = 6 WHERE sched = 's' AND name = 'c'", "UPDATE q SET v = 6 WHERE sched = 't' AND name = 'a'",
			"UPDATE q SET v = 6 WHERE sched = 's' AND name = 'a'", insert + "('x', 's', 8, 'zz')", insert + "('x', 't', 8, 'zz')", "SELECT name FROM q WHERE n = 1 AND other = 'yy' FOR UPDATE"} {
			d.do(a, "BEGIN")
			d.do(a, first)
			d.do(b, "BEGIN")
			d.do(b, second)
			d.do(a, "ROLLBACK")
			d.do(b, "ROLLBACK")
		}
	}
	for _, query := range []string{"CREATE TABLE q2 (a INT, b INT, PRIMARY KEY (a, a))", "CREATE TABLE q2 (a INT, b INT, PRIMARY KEY (a, nix))", "CREATE TABLE q2 (a INT PRIMARY KEY, b INT, PRIMARY KEY (a, b))"} {
		d.do(a, query)
	}
	d.do(a, "DELETE FROM q WHERE name = 'a' AND v = 0") // no key begins with it
	d.do(a, "SELECT * FROM q")
	d.endAll()
}

// subqueries: whether there is a row, which one, how many; and the names of the results.
func subqueries(t *testing.T, real *realServer) {
	d := newDuel(t, real,
		"CREATE TABLE u (id BIGINT PRIMARY KEY, owner VARCHAR(9), n BIGINT)", "CREATE TABLE v (id BIGINT PRIMARY KEY)",
		"INSERT INTO u VALUES (3, 'x', NULL)", "INSERT INTO u VALUES (1, 'y', 2)", "INSERT INTO u VALUES (2, NULL, 1)", "INSERT INTO u VALUES (4, 'z', 2)", "INSERT INTO v VALUES (2)")
	a, b := d.connect(1), d.connect(2)
	for _, query := range []string{
		"SELECT COUNT(*) FROM u", "SELECT count(n), count(*) AS all_of_them FROM u", "SELECT COUNT(*) FROM u WHERE id > 7", "SELECT COUNT(*) FROM u LIMIT 1", "SELECT COUNT(owner) FROM u AS w WHERE w.n = 2",
		"SELECT EXISTS(SELECT 1 FROM u WHERE id = 1)", "SELECT EXISTS(SELECT * FROM u WHERE id = 9) AS there", "SELECT NOT EXISTS (SELECT 1 FROM u WHERE owner IS NULL)",
		"SELECT (SELECT owner FROM u WHERE id = 1)", "SELECT (SELECT owner FROM u WHERE id = 9) IS NULL AS gone", "SELECT (SELECT id FROM u)", "SELECT (SELECT COUNT(*) FROM u) > 3",
		"SELECT id FROM u WHERE id IN (SELECT id FROM v)", "SELECT id FROM u WHERE n IN (SELECT n FROM u WHERE id < 3)", "SELECT id FROM u WHERE id NOT IN (SELECT n FROM u)",
		"SELECT id FROM u WHERE id = (SELECT n FROM u WHERE id = (SELECT id FROM v))", "SELECT COUNT(*) FROM v WHERE EXISTS (SELECT 1 FROM u)",
		"SELECT id FROM u ORDER BY n DESC, id LIMIT 1", "SELECT id FROM u ORDER BY n, id DESC LIMIT 1", "SELECT id FROM u ORDER BY n IS NULL, n, id LIMIT 2", "SELECT id FROM u ORDER BY id DESC LIMIT 3",
		"SELECT id FROM u WHERE id BETWEEN 2 AND 3", "SELECT id FROM u WHERE n NOT IN (2) OR id BETWEEN 7 AND 4", "SELECT u.id FROM u x", "SELECT x.id FROM u x WHERE x.owner = 'x'",
		"SELECT id AS Name, owner other, n + 1, 7, 'x', NULL, n IS NULL, COALESCE(n, 0), CASE WHEN n = 1 THEN 1 ELSE n END FROM u", "SELECT 1 AS one", "SELECT Owner, u.N FROM u", "SELECT * FROM v",
	} {
		d.do(a, query)
	}
	if real.is == MySQL {
		d.do(a, "UPDATE u SET n = 7 WHERE id = 2 LIMIT 1")
		d.do(a, "DELETE FROM u WHERE id = 9 LIMIT 1")
		d.do(a, "SELECT COUNT(*) FROM u WHERE id = 1 FOR UPDATE")
		d.endAll()
		return
	}
	absent := "INSERT INTO u (id, owner) SELECT 7, 'new' WHERE NOT EXISTS (SELECT 1 FROM u WHERE id = 7)"
	for _, query := range []string{
		"UPDATE u SET n = (SELECT COUNT(*) FROM v) WHERE id = (SELECT id FROM v) RETURNING id AS changed, n", "UPDATE u AS w SET n = 8 WHERE w.id = 2", "UPDATE u AS w SET n = 8 WHERE u.id = 2",
		"DELETE FROM u WHERE id IN (SELECT id FROM v) RETURNING *", absent, absent, "SELECT COUNT(*) FROM u FOR UPDATE", "INSERT INTO v SELECT 5 WHERE 1 = 2", "SELECT now() - now() = interval '0 s', id::text FROM v",
		"INSERT INTO v AS w VALUES (2) ON CONFLICT (id) DO UPDATE SET id = w.id RETURNING w.id",
		"INSERT INTO u VALUES (11) RETURNING *", "INSERT INTO u (id, owner) VALUES (13)", "INSERT INTO v VALUES (14, 15)",
	} {
		d.do(a, query)
	}
	d.do(a, "DELETE FROM u WHERE id = 7")
	d.do(a, "BEGIN")
	d.do(a, absent)
	d.do(b, absent) // sees no row, waits, and is a duplicate
	d.do(a, "COMMIT")
	d.endAll()
}

// jobs: several clients take the next row that no other one has locked.
func jobs(t *testing.T, real *realServer) {
	d := newDuel(t, real, "CREATE TABLE j (id BIGSERIAL PRIMARY KEY, owner TEXT, at BIGINT NOT NULL)")
	a, b, c := d.connect(1), d.connect(2), d.connect(3)
	for _, at := range []string{"7", "5", "6", "5", "9"} {
		d.do(a, "INSERT INTO j (at) VALUES ("+at+") RETURNING id")
	}
	next := "SELECT id FROM j WHERE owner IS NULL ORDER BY at, id LIMIT 1 FOR UPDATE SKIP LOCKED"
	for _, p := range []*pair{a, b, c} {
		d.do(p, "BEGIN")
		d.do(p, "UPDATE j SET owner = 'x' WHERE id = ("+next+") RETURNING id")
	}
	d.do(b, "ROLLBACK")
	d.do(b, "BEGIN")
	d.do(b, "SELECT id, at FROM j WHERE owner IS NULL ORDER BY at DESC LIMIT 2 FOR UPDATE SKIP LOCKED")
	d.do(a, "COMMIT")
	d.do(a, "UPDATE j SET owner = 'y' WHERE id IN (SELECT id FROM j WHERE owner IS NULL ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING *")
	d.do(a, next)
	d.do(c, "SELECT id FROM j WHERE owner IS NULL ORDER BY at LIMIT 1 FOR NO KEY UPDATE NOWAIT")
	d.do(c, "ROLLBACK")
	d.do(c, "SELECT id FROM j WHERE owner IS NULL ORDER BY at DESC LIMIT 1 FOR UPDATE") // the row that b has locked
	d.do(b, "COMMIT")
	d.endAll()
}

// functions: those of values.
func functions(t *testing.T, real *realServer) {
	d := newDuel(t, real, "CREATE TABLE names (n BIGINT)", "INSERT INTO names VALUES (7)")
	a := d.connect(1)
	for _, e := range map[Flavour][]string{
		MySQL: {"NULLIF(1, 1)", "NULLIF('a', 'b')", "CONCAT('a', 7, 'b')", "CONCAT('a', NULL)", "TIMESTAMPADD(SECOND, 5, CAST('2030-01-02 03:04:05' AS DATETIME))",
			"CAST(7 AS CHAR)", "CONNECTION_ID() = CONNECTION_ID()", "IS_FREE_LOCK('f')", "GET_LOCK('f', 0) AS got", "IS_FREE_LOCK('f')", "IS_USED_LOCK('f') = CONNECTION_ID()",
			"COALESCE(GET_LOCK('f', 0), 0)", "IF(IS_FREE_LOCK('f'), 'free', 'taken')", "RELEASE_ALL_LOCKS()", "RELEASE_ALL_LOCKS()"},
		PostgreSQL: {"NULLIF(1, 1)", "NULLIF('a', 'b')", "'a' || 7 || 'b'", "'a' || NULL", "7::text", "7::bigint::text", "CASE WHEN FALSE THEN 'x' ELSE 7::text END", "(SELECT n FROM names)::text", "(SELECT n + 1 FROM names)::text", "now() + ('5' || ' seconds')::interval > now()",
			"pg_backend_pid() = pg_backend_pid()", "CASE WHEN pg_try_advisory_lock(3) THEN 'got' ELSE 'not' END", "pg_advisory_unlock_all()", "pg_advisory_unlock(3)"},
	}[real.is] {
		d.do(a, "SELECT "+e)
	}
	d.endAll()
}

// locksOfTransactions: advisory locks that end with a transaction, and keys of two parts.
func locksOfTransactions(t *testing.T, real *realServer) {
	d := newDuel(t, real)
	a, b := d.connect(1), d.connect(2)
	try := func(key string) { d.do(b, "SELECT pg_try_advisory_lock("+key+"), pg_advisory_unlock("+key+")") }
	for _, key := range []string{"5", "1, 2", "hashtext('a')::bigint", "hashtextextended('a', 0)", "hashtext('a'), 7"} {
		for _, end := range []string{"COMMIT", "ROLLBACK", "SELEC"} {
			d.do(a, "BEGIN")
			d.do(a, "SELECT pg_advisory_xact_lock("+key+")")
			d.do(a, "SELECT pg_advisory_lock("+key+")")
			try(key)
			try("2, 1")
			free := "SELECT pg_advisory_unlock(" + key + "), pg_advisory_unlock(" + key + "), pg_advisory_unlock_all()"
			if end != "COMMIT" {
				d.do(a, free)
			}
			try(key)
			d.do(a, end)
			try(key)
			d.do(a, "ROLLBACK")
			d.do(a, free)
		}
		d.do(a, "SELECT pg_try_advisory_xact_lock("+key+")") // a transaction of its own
		try(key)
	}
	d.do(a, "BEGIN")
	d.do(a, "SELECT pg_advisory_xact_lock(9)")
	d.do(b, "SELECT pg_advisory_xact_lock(9) AS waited")
	d.do(a, "COMMIT")
	for _, set := range []string{"SET LOCAL lock_timeout = '300ms'", "SET lock_timeout TO 300"} {
		d.do(a, "SELECT pg_advisory_lock(9)")
		d.do(b, set)
		d.do(b, "BEGIN ISOLATION LEVEL READ COMMITTED")
		d.do(b, set)
		d.do(b, "SELECT pg_try_advisory_lock(8)")
		d.do(b, "COMMIT WORK")
		d.do(b, "SELECT pg_advisory_lock(9)")
		time.Sleep(400 * time.Millisecond)
		d.Model.Tick(d.Now())
		d.Collect()
		d.do(a, "SELECT pg_advisory_unlock(9)")
		d.do(b, "SELECT pg_advisory_unlock_all()")
	}
	d.endAll()
}
