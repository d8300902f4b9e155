package sql

import (
	"strings"
	"testing"

	"lockstep/internal/store"
)

// asked executes statements, each on the session that its first letter names, and returns the result of the
// last one of each session.
func asked(f Flavour, setup string, statements ...string) map[byte]string {
	d := New(Config{Flavour: f, Lock: store.Entry{Key: "lock"}, Setup: []Stmt{{Query: setup}}})
	out, who := map[byte]string{}, map[uint64]byte{}
	for i, s := range statements {
		id := uint64(i + 1)
		who[id] = s[0]
		a, done := d.Exec(store.Clock{}, id, store.Conn{ID: uint64(s[0]), Client: 1}, Stmt{Query: s[2:]})
		if out[s[0]] = "waits"; done {
			out[s[0]] = a.Text
		}
		for _, late := range d.Output().Answers {
			out[who[late.ID]] = late.Text
		}
	}
	return out
}

// Named locks are told apart by their bytes, rows by the collation.
func TestNamesInMariaDB(t *testing.T) {
	got := asked(MySQL, "CREATE TABLE n (name VARCHAR(64) PRIMARY KEY)", "A SELECT GET_LOCK('a', 0)", "B SELECT GET_LOCK('A', 0)", "C SELECT GET_LOCK('a ', 0)", "D SELECT GET_LOCK('a', 0)")
	for who, want := range map[byte]string{'A': "(1)", 'B': "(1)", 'C': "(1)", 'D': "(0)"} {
		if got[who] != want {
			t.Errorf("%c: %s, want %s", who, got[who], want)
		}
	}
}

// Two statements that wait to insert what another one deletes are a deadlock in InnoDB.
func TestTwoInsertsBehindADelete(t *testing.T) {
	insert := "INSERT INTO n (name) VALUES ('a')"
	got := asked(MySQL, "CREATE TABLE n (name VARCHAR(64) PRIMARY KEY)", "A "+insert, "A BEGIN", "A DELETE FROM n WHERE name = 'a'", "B "+insert, "C "+insert, "A COMMIT")
	if got['B'] != "1 row" || !strings.Contains(got['C'], "1213") {
		t.Errorf("B: %s, C: %s, want one of them refused because of a deadlock", got['B'], got['C'])
	}
}

// A gap reaches to the next rows that are there.
func TestGapsReachToTheNextRows(t *testing.T) {
	table := "CREATE TABLE n (name VARCHAR(64) PRIMARY KEY)"
	for key, want := range map[string]string{"a": "1 row", "c": "waits", "d": "waits", "e": "waits", "g": "1 row"} {
		got := asked(MySQL, table, "A INSERT INTO n (name) VALUES ('b')", "A INSERT INTO n (name) VALUES ('f')", "A BEGIN",
			"A SELECT name FROM n WHERE name = 'd' FOR UPDATE", "B INSERT INTO n (name) VALUES ('"+key+"')")
		if got['B'] != want {
			t.Errorf("%s, between b and f: %s, want %s", key, got['B'], want)
		}
	}
}
