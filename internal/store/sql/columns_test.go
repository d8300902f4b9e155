//go:build linux

package sql_test

import (
	"testing"
	"time"

	. "lockstep/internal/store/sql"
)

// columns: a column takes what fits into it, and MariaDB subtracts without a sign where one operand has none.
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
	for _, wait := range []string{"-0.5", "-1", "-1.5", "0.5"} {
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
