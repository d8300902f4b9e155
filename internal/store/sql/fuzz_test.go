//go:build linux

package sql

import (
	"testing"
	"time"

	"lockstep/internal/store"
)

// Any statement is answered or waits, errors have a text, and waiting statements are answered by
// their timeouts.
func FuzzStatement(f *testing.F) {
	for _, query := range []string{
		"SELECT GET_LOCK('lock', 10), RELEASE_LOCK('lock')", "SELECT pg_advisory_lock(hashtext('lock'))",
		"INSERT INTO locks (name, owner) VALUES ('lock', ?)", "UPDATE locks SET owner = ?, expires = NOW(3) WHERE name = 'lock' AND owner < 7.5",
		"SELECT * FROM locks WHERE name = 'lock' FOR UPDATE", "DELETE FROM locks WHERE owner = ?", "SET SESSION innodb_lock_wait_timeout = 3", "BEGIN",
		"SET lock_timeout = 1000", "SELECT 1 / 2305843009213693952, -9223372036854775807 - 1", "SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)",
		"SELECT extract(epoch FROM clock_timestamp())::bigint", "CREATE TABLE t (id BIGINT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(64) NOT NULL UNIQUE)", "SELECT ((1", "SELECT * FROM locks WHERE name", "SET lock_timeout = 9999999999999", "SELECT GET_LOCK('lock', 9223372036854775807)", "",
		"INSERT INTO locks (name, expires) VALUES ('lock', 1) ON CONFLICT (name) DO UPDATE SET expires = EXCLUDED.expires WHERE locks.expires < 5 RETURNING *",
		"INSERT INTO locks VALUES ('lock', NULL, 1) ON DUPLICATE KEY UPDATE owner = IF(expires IS NULL OR expires < 3, VALUES(owner), owner)",
		"SELECT now() + interval '1 min 30.5 s' > '2030-01-02T03:04:05.5+01:00' AT TIME ZONE 'utc'", "SELECT DATE_ADD(NOW(3), INTERVAL 3 SECOND), UNIX_TIMESTAMP(NOW())",
		"SELECT make_interval(secs => 3) * 2, CASE WHEN NOT (1 = 2 AND NULL) THEN 7 END", "SELECT * FROM locks WHERE name IN ('a', 'b') ORDER BY name LIMIT 1 FOR UPDATE SKIP LOCKED",
		"SELECT COUNT(owner) AS n, COUNT(*) FROM locks AS l WHERE l.name IN (SELECT name FROM locks ORDER BY expires DESC LIMIT 2)", "BEGIN ISOLATION LEVEL READ COMMITTED",
		"UPDATE locks SET owner = ? WHERE name = (SELECT name FROM locks ORDER BY expires LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING *", "SET LOCAL lock_timeout = '2 s'",
		"INSERT INTO locks (name, expires) SELECT 'lock', 7 WHERE NOT EXISTS (SELECT 1 FROM locks WHERE expires BETWEEN 1 AND 5)", "SELECT pg_advisory_xact_lock(1, 2), COALESCE(1, NULL), 'a' || 7",
		"SELECT COALESCE(GET_LOCK('lock', 1), 0), NULLIF(RELEASE_ALL_LOCKS(), 0), CONCAT('a', IS_FREE_LOCK('x'))", "CREATE TABLE t (a INT, b CHAR(3), CONSTRAINT k UNIQUE (b, a), PRIMARY KEY (a, b))",
		"CREATE TABLE t (at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP, name VARCHAR(9) PRIMARY KEY)",
	} {
		f.Add(query, "INSERT INTO locks (name, owner) VALUES ('lock', ?)", "text", int64(1))
	}
	f.Fuzz(func(t *testing.T, query, other, text string, num int64) {
		for _, flavour := range []Flavour{MySQL, PostgreSQL} {
			d := New(Config{Flavour: flavour, Lock: store.Entry{Key: "lock"}, Setup: []Stmt{
				{Query: "CREATE TABLE locks (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64), expires BIGINT)"},
				{Query: "INSERT INTO locks (name, owner) VALUES ('lock', 'x')"},
			}})
			now, waits := store.Clock{}, map[uint64]bool{}
			for i, q := range []string{"BEGIN", query, other, query, "COMMIT", other} {
				id := uint64(i + 1)
				op := Stmt{Query: q}
				for range d.cfg.Flavour.paramsOf(q) {
					op.Args = append(op.Args, [...]Value{Text(text), Num(num), {Null: true}}[len(op.Args)%3])
				}
				answer, done := d.Exec(now, id, store.Conn{ID: uint64(1 + i%2), Client: 1}, op)
				if waits[id] = !done; done {
					check(t, q, answer)
				}
				now.Mono += time.Millisecond
				now.Wall += time.Millisecond
			}
			for range 20 {
				for _, late := range d.Output().Answers {
					if !waits[late.ID] {
						t.Fatalf("statement %d is answered late, and did not wait", late.ID)
					}
					waits[late.ID] = false
					check(t, query, late.Answer)
				}
				due, ok := d.Due()
				if !ok {
					break
				}
				if due > now.Mono {
					now.Wall += due - now.Mono
					now.Mono = due
				}
				d.Tick(now)
			}
			d.Closed(now, store.Conn{ID: 1})
			d.Closed(now, store.Conn{ID: 2})
			if len(d.sessions)+len(d.waiting) != 0 {
				t.Fatalf("%d sessions and %d statements are left", len(d.sessions), len(d.waiting))
			}
		}
	})
}

// paramsOf returns the number of a statement's parameters; 0 if it does not parse.
func (f Flavour) paramsOf(query string) int {
	st, err := parse(f, query)
	if err != nil {
		return 0
	}
	return st.params
}

func check(t *testing.T, query string, a store.Answer) {
	t.Helper()
	if a.Err != nil && a.Err.Error() == "" {
		t.Fatalf("%q fails without a reason", query)
	}
}
