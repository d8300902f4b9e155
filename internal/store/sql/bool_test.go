package sql

import (
	"strings"
	"testing"

	"lockstep/internal/store"
)

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
