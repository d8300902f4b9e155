//go:build linux

package sql_test

import (
	"slices"
	"testing"
	"time"

	. "lockstep/internal/store/sql"
)

// What people write in locks of their own, on real servers and in the model.

// conditions: a condition is true, false or unknown.
func conditions(t *testing.T, real *realServer) {
	d := newDuel(t, real,
		"CREATE TABLE w (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64), n BIGINT)",
		"INSERT INTO w VALUES ('a', 'x', 1)", "INSERT INTO w VALUES ('b', NULL, 2)", "INSERT INTO w (name, owner, n) VALUES ('c', 'y', NULL)")
	a := d.connect(1)
	for _, where := range []string{
		"owner IS NULL", "owner IS NOT NULL", "owner <> 'x'", "owner != 'x'", "NOT owner = 'x'", "n < 2 OR owner IS NULL",
		"n < 2 OR n IS NULL AND owner = 'y'", "(n < 2 OR n IS NULL) AND owner = 'y'", "NOT (n = 1 AND owner = 'x')", "n IN (1, 3)",
		"n NOT IN (1, 3)", "n IN (1, NULL)", "n NOT IN (1, NULL)", "name IN ('a', 'c') AND n = 1", "w.n = 1", "v.n = 1", "n = 1 IS NULL",
		"owner = NULL", "NOT owner = NULL", "TRUE", "FALSE", "NULL", "NOT FALSE AND n = 1", "n", "n + 1", "'x'", "CASE WHEN n = 1 THEN FALSE ELSE TRUE END",
		"COALESCE(n, 7) = 7", "CASE WHEN n IS NULL THEN 5 WHEN n = 2 THEN 6 END = 6", "name = 'a' OR name = 'b'",
	} {
		if real.is == MySQL && where == "'x'" {
			continue // a text as a number
		}
		d.do(a, "SELECT name FROM w WHERE "+where)
	}
	for _, e := range []string{"1 = 1", "1 <> 1", "NULL IS NULL", "1 < NULL", "NOT NULL", "TRUE OR NULL", "FALSE AND NULL", "COALESCE(NULL, NULL)", "NOT 1 = 2"} {
		d.do(a, "SELECT "+e)
	}
	for _, tail := range []string{" ORDER BY name LIMIT 1", " LIMIT 1", " ORDER BY n DESC, name ASC", " ORDER BY nix"} {
		d.do(a, "SELECT n FROM w WHERE name = 'b'"+tail)
		d.do(a, "SELECT n FROM w WHERE name = 'b'"+tail+" FOR UPDATE")
	}
	d.do(a, "UPDATE w SET n = COALESCE(n, 0) + 1 WHERE owner IS NULL OR n IS NULL")
	d.do(a, "UPDATE w SET name = 'a', n = 5 WHERE name = 'a'")
	d.do(a, "UPDATE w SET w = 'a' WHERE name = 'nowhere'")
	d.do(a, "UPDATE w SET n = z WHERE name = 'nowhere'")
	if real.is == MySQL {
		d.do(a, "UPDATE w SET owner = IF(n = 5, 'five', IFNULL(owner, 'none')) WHERE name = 'a'")
		d.do(a, "SELECT IF(NULL, 1, 2), IFNULL(NULL, 3), IF(0, 1, NULL)")
	} else {
		for _, returning := range []string{"*", "name, n + 1", "nix", "w.n", "n IS NULL"} {
			d.do(a, "UPDATE w SET n = 8 WHERE name = 'a' RETURNING "+returning)
		}
		d.do(a, "INSERT INTO w (name) VALUES ('d') RETURNING name, owner")
		d.do(a, "DELETE FROM w WHERE name = 'd' RETURNING name, n")
		d.do(a, "DELETE FROM w WHERE name = 'd' RETURNING name, n")
	}
	d.do(a, "SELECT * FROM w")
	d.endAll()
}

// conflicts: an INSERT that says what to do when its key is there.
func conflicts(t *testing.T, real *realServer) {
	d := newDuel(t, real,
		"CREATE TABLE k (name VARCHAR(64) NOT NULL PRIMARY KEY, other VARCHAR(64) UNIQUE, owner VARCHAR(64), n BIGINT NOT NULL)",
		"INSERT INTO k VALUES ('a', 'A', 'x', 1)", "INSERT INTO k VALUES ('b', 'B', 'y', 2)", "INSERT INTO k VALUES ('d', 'D', 'y', 2)")
	a, b, c := d.connect(1), d.connect(2), d.connect(3)
	insert := func(p *pair, name, other, clause string) {
		query := "INSERT INTO k (name, other, owner, n) VALUES (?, ?, 'new', 7)" + clause
		if real.is == MySQL && clause == ignore {
			query = "INSERT IGNORE INTO k (name, other, owner, n) VALUES (?, ?, 'new', 7)"
		}
		d.do(p, query, Text(name), Text(other))
	}
	update := map[Flavour]string{MySQL: " ON DUPLICATE KEY UPDATE owner = VALUES(owner), n = n + VALUES(n)",
		PostgreSQL: " ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner, n = k.n + EXCLUDED.n"}[real.is]
	clauses := map[Flavour][]string{
		MySQL: {ignore, update, " ON DUPLICATE KEY UPDATE n = 7", " ON DUPLICATE KEY UPDATE n = IF(n > 3, VALUES(n), n)", " ON DUPLICATE KEY UPDATE nix = 7",
			" ON DUPLICATE KEY UPDATE n = VALUES(nix)", " ON DUPLICATE KEY UPDATE n = k.n + 1, owner = n"},
		PostgreSQL: {ignore, update, " ON CONFLICT (name) DO NOTHING", " ON CONFLICT (owner) DO NOTHING", " ON CONFLICT (nix) DO NOTHING", " ON CONFLICT DO UPDATE SET n = 1",
			" ON CONFLICT (name) DO UPDATE SET n = n + 1", " ON CONFLICT (name) DO UPDATE SET n = k.n + 1 WHERE k.n > 3", " ON CONFLICT (name) DO UPDATE SET n = 1 WHERE n > 3",
			" ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name, n = 9 RETURNING name, n", " ON CONFLICT (name) DO UPDATE SET n = EXCLUDED.nix", " ON CONFLICT (name) DO UPDATE SET n = z.n",
			" ON CONFLICT ON CONSTRAINT k_pkey DO UPDATE SET n = 3 RETURNING *", " ON CONFLICT ON CONSTRAINT nix DO NOTHING", " ON CONFLICT (other) DO UPDATE SET n = k.n + 1 WHERE k.owner = 'y' RETURNING n",
			" RETURNING owner"},
	}[real.is]
	for _, clause := range clauses {
		for _, row := range [][2]string{{"a", "A"}, {"a", "Q"}, {"z", "B"}, {"a", "B"}, {"new", "new"}} {
			d.do(a, "BEGIN")
			insert(a, row[0], row[1], clause)
			d.do(a, "SELECT * FROM k")
			d.do(a, "ROLLBACK")
		}
	}
	for _, clause := range []string{ignore, update} {
		for _, end := range []string{"COMMIT", "ROLLBACK"} {
			for _, first := range []string{"INSERT INTO k (name, n) VALUES ('c', 1)", "DELETE FROM k WHERE name = 'a'", "UPDATE k SET n = n + 1 WHERE name = 'a'", "SELECT n FROM k WHERE name = 'a' FOR UPDATE"} {
				d.do(a, "BEGIN")
				d.do(a, first)
				for _, name := range []string{"c", "a"} {
					if !d.waits(b) {
						insert(b, name, name, clause)
					}
				}
				d.do(a, end)
				d.do(b, "SELECT * FROM k")
				d.do(b, "DELETE FROM k WHERE name = 'c'")
				d.do(b, "UPDATE k SET owner = 'x', n = 1 WHERE name = 'a'")
			}
		}
	}
	both := func(first, end, name, other string) {
		d.do(a, "BEGIN")
		d.do(a, first)
		t.Log(first, end)
		d.bothGoOn(a, end, b, c, "INSERT INTO k (name, other, owner, n) VALUES ('"+name+"', "+other+", 'new', 7)"+update)
		d.do(a, "SELECT name, n FROM k")
	}
	both("INSERT INTO k (name, other, n) VALUES ('c', 'c', 1)", "ROLLBACK", "c", "NULL")
	both("DELETE FROM k WHERE name = 'd'", "COMMIT", "d", "NULL")
	if real.is == MySQL {
		both("INSERT INTO k (name, other, n) VALUES ('e', 'E', 1)", "ROLLBACK", "f", "'E'")
		both("DELETE FROM k WHERE name = 'b'", "COMMIT", "g", "'B'")
	}
	d.endAll()
}

const ignore = " ON CONFLICT DO NOTHING"

// generatedIDs: which ids an INSERT draws, and tells, that changes a row or none.
func generatedIDs(t *testing.T, real *realServer) {
	id, clauses := "id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", []string{"", " ON DUPLICATE KEY UPDATE n = n + 1", " ON DUPLICATE KEY UPDATE n = n"}
	if real.is == PostgreSQL {
		id, clauses = "id BIGSERIAL PRIMARY KEY", []string{ignore, " ON CONFLICT (name) DO UPDATE SET n = g.n + 1 RETURNING id"}
	}
	d := newDuel(t, real, "CREATE TABLE g ("+id+", name VARCHAR(64) NOT NULL UNIQUE, n BIGINT DEFAULT 5)")
	a := d.connect(1)
	for _, name := range []string{"a", "b", "a", "c"} {
		for _, clause := range clauses {
			d.do(a, "INSERT INTO g (name) VALUES (?)"+clause, Text(name))
		}
		if real.is == MySQL {
			d.do(a, "INSERT IGNORE INTO g (name) VALUES (?)", Text(name))
		}
	}
	d.do(a, "SELECT * FROM g")
	if real.is == PostgreSQL {
		for _, is := range []string{"ALWAYS", "BY DEFAULT"} {
			d.do(a, "CREATE TABLE g"+is[:2]+" (id BIGINT GENERATED "+is+" AS IDENTITY PRIMARY KEY, n SMALLINT)")
			for _, row := range []string{"(n) VALUES (1)", "(id, n) VALUES (5, 1)", "(n) VALUES (32768)", "(n) VALUES (2)"} {
				d.do(a, "INSERT INTO g"+is[:2]+" "+row+" RETURNING *")
			}
		}
	}
	d.endAll()
}

// busyRows: SKIP LOCKED leaves out what another transaction has locked, and NOWAIT fails.
func busyRows(t *testing.T, real *realServer) {
	d := newDuel(t, real, twoRows("s")...)
	a, b := d.connect(1), d.connect(2)
	for _, first := range []string{"SELECT n FROM s WHERE name = 'a' FOR UPDATE", "UPDATE s SET n = 5 WHERE name = 'a'", "DELETE FROM s WHERE name = 'a'"} {
		d.do(a, "BEGIN")
		d.do(a, first)
		for _, how := range []string{"SKIP LOCKED", "NOWAIT"} {
			for _, where := range []string{" WHERE name = 'a'", "", " WHERE name = 'b'", " WHERE n = 0", " WHERE name = 'c'"} {
				d.do(b, "BEGIN")
				d.do(b, "SELECT name, n FROM s"+where+" FOR UPDATE "+how)
				if where != "" && where != " WHERE n = 0" { // else it has locked what a skips
					d.do(a, "SELECT name FROM s WHERE name = 'b' FOR UPDATE SKIP LOCKED")
				}
				d.do(b, "ROLLBACK")
			}
		}
		d.do(a, "ROLLBACK")
	}
	d.endAll()
}

// times: columns of times, and arithmetic with them.
func times(t *testing.T, real *realServer) {
	types, second := "name VARCHAR(64) PRIMARY KEY, t DATETIME(3), s DATETIME, u TIMESTAMP(6) NULL", "INTERVAL ? SECOND"
	if real.is == PostgreSQL {
		types, second = "name VARCHAR(64) PRIMARY KEY, t TIMESTAMP(3), s TIMESTAMP(0), u TIMESTAMPTZ", "? * INTERVAL '1 second'"
	}
	d := newDuel(t, real, "CREATE TABLE m ("+types+")")
	a := d.connect(1)
	for i, text := range []string{
		"2030-01-02 03:04:05", "2030-01-02 03:04:05.6789", "2030-01-02 03:04:05.123456", "2030-01-02T03:04:05.5", "2030-01-02", "2030-01-02 23:59:59.9999",
		"2030-01-02 03:04:05+01:00", "2030-01-02 03:04:05.25Z", "2030-01-02 03:04:05-05",
	} {
		if real.is == MySQL && i > 5 {
			break // MariaDB knows no time zones in a text
		}
		name := Text(string(rune('a' + i)))
		d.do(a, "INSERT INTO m (name, t, s, u) VALUES (?, ?, ?, ?)", name, Text(text), Text(text), Text(text))
		d.do(a, "SELECT t, s, u FROM m WHERE name = ?", name)
	}
	for _, where := range []string{"t < '2030-01-02 03:04:05.5'", "'2030-01-02 03:04:05.679' = t", "u > s", "t = s", "t IS NULL", "u <> t",
		"t < '2030-01-02 03:04:05.25' AND t > '2030-01-02 03:00:00'"} {
		d.do(a, "SELECT name FROM m WHERE "+where)
	}
	d.do(a, "UPDATE m SET t = t + "+second+", s = s - "+second+" WHERE name = 'a'", Num(30), Num(7))
	d.do(a, "SELECT t, s FROM m WHERE name = 'a'")
	d.do(a, "SELECT name FROM m WHERE t + "+second+" > '2030-01-02 03:04:36'", Num(2))
	if real.is == PostgreSQL {
		for _, e := range []string{
			"t + INTERVAL '1 minute 30.5 seconds'", "t - '2 hours'::interval", "t + make_interval(secs => 5)", "t + CAST('7 ms' AS INTERVAL)", "t + 1", "INTERVAL '1 day' + t",
			"u AT TIME ZONE 'UTC'", "timezone('utc', u)", "t - s > INTERVAL '10 s'", "extract(epoch FROM t - s)::bigint", "t < 5", "t < TRUE", "t = '2030-01-02 03:04:35+01:00'", "u = '2030-01-02 04:04:05+01:00'",
			"u AT TIME ZONE 'utc' = '2030-01-02 03:04:05+01:00'", "t AT TIME ZONE 'utc' = '2030-01-02 04:04:35+01:00'", "t = name", "t::timestamptz", "'2030-01-01'::timestamp",
		} {
			d.do(a, "SELECT "+e+" FROM m WHERE name = 'a'")
		}
		d.do(a, "UPDATE m SET t = 5")
		d.do(a, "UPDATE m SET t = name")
		d.do(a, "UPDATE m SET name = t WHERE name = 'nowhere'")
	} else {
		for _, e := range []string{"DATE_ADD(t, INTERVAL 90 SECOND)", "DATE_SUB(t, INTERVAL 1 HOUR)", "t + INTERVAL 1500 MICROSECOND", "t + INTERVAL 1 DAY",
			"UNIX_TIMESTAMP(s)", "UNIX_TIMESTAMP(t)", "t + INTERVAL 0.5 SECOND"} {
			d.do(a, "SELECT "+e+" FROM m WHERE name = 'a'")
		}
	}
	d.endAll()
}

// now: the words for the time of the server, each beside one that the random scripts know.
func now(t *testing.T, real *realServer) {
	d := newDuel(t, real)
	a := d.connect(1)
	for _, query := range map[Flavour][]string{
		MySQL:      {"SELECT NOW()", "SELECT NOW(3)", "SELECT NOW(6)", "SELECT CURRENT_TIMESTAMP", "SELECT CURRENT_TIMESTAMP(3)", "SELECT UTC_TIMESTAMP()", "SELECT NOW() + INTERVAL 1 HOUR"},
		PostgreSQL: {"SELECT now()", "SELECT CURRENT_TIMESTAMP", "SELECT statement_timestamp()", "SELECT transaction_timestamp()", "SELECT clock_timestamp()", "SELECT now() + interval '1 hour'"},
	}[real.is] {
		want := a.real.must(query)
		got, _ := d.Model.Exec(d.Now(), 1, a.Conn, Stmt{Query: query})
		if got.Err != nil {
			t.Fatalf("%s: %v", query, got.Err)
		}
		model, server := got.Value.(Result).Rows[0][0], want.Rows[0][0]
		if ahead := time.Duration(model.Num-server.Num) * time.Microsecond; ahead.Abs() > 5*time.Second || !server.IsTime || !model.IsTime {
			t.Errorf("%s: server %v, model %v", query, server, model)
		}
		if columns := got.Value.(Result).Columns; !slices.Equal(columns, want.Columns) {
			t.Errorf("%s: columns %q, and from the server %q", query, columns, want.Columns)
		}
	}
	d.endAll()
}
