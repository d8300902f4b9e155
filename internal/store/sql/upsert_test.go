package sql

import (
	"testing"
	"time"
)

// An upsert takes over the entry of a lock when its condition holds, and waits for a client that has locked the row. The
// end of a lease may be a time.
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

// A condition is unknown where it asks for NULL, and so is its opposite. A column without a time zone ignores the one in a
// text.
func TestWhatIsUnknown(t *testing.T) {
	b := newBench(t, PostgreSQL, "CREATE TABLE m (n BIGINT, t TIMESTAMP, z TIMESTAMPTZ)",
		"INSERT INTO m VALUES (NULL, '2030-01-02 03:04:05+02:00', '2030-01-02 03:04:05+02:00')")
	for where, want := range map[string]string{
		"n = 1": "no row", "NOT n = 1": "no row", "n IS NULL": "(1)", "n = 1 OR TRUE": "(1)", "n NOT IN (1, 2)": "no row",
		"t = '2030-01-02 03:04:05'": "(1)", "z = '2030-01-02 01:04:05'": "(1)", "t = '2030-01-02 03:04:05-07:00'": "(1)", "z = t": "no row", "t + interval '-1 h 30 min' > t": "ERROR 0A000: the model does not know the interval \"-1 h 30 min\"",
		"t + interval '-1 hour 30 mins' = '2030-01-02 02:34:05'":             "(1)",
		"t + interval '999999999 hours 999999999 hours 999999999 hours' > t": "ERROR 0A000: the model does not know the interval \"999999999 hours 999999999 hours 999999999 hours\"",
	} {
		if got := b.do("A", "SELECT 1 FROM m WHERE "+where); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
}
