package sql

import "testing"

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
