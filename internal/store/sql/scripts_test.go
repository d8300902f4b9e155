//go:build linux

package sql_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
	. "lockstep/internal/store/sql"
)

// scripts makes random scripts of statements. They avoid what a real server does not do
// deterministically:
//
//   - Deadlocks: a transaction goes through the keys upwards.
//   - Two statements that wait to insert the same key: when the insert that they
//     wait for is undone, MySQL lets them deadlock, PostgreSQL lets them race. An
//     insert and another statement race as well.
//   - A row that a scan has locked in one index and a statement in another one: only
//     one statement waits for it.
//   - Neighbours of a gap: permanent rows separate the keys of a script.
//   - Ghosts: InnoDB only marks a row as deleted, and purges it later, when no transaction may
//     still read it. Until then statements lock the mark, and wait for it; no script locks the
//     key of such a row here.
type scripts struct {
	*rand.Rand
	d       *duel
	scripts int
	table   string
	haunted map[string]bool // keys of which there may be a ghost
}

var scriptKeys = []string{"a", "b", "c"}

// everything is the highest key of a transaction that went through the whole table.
const everything = "z"

func (g *scripts) pick(texts ...string) string { return texts[g.IntN(len(texts))] }

func (g *scripts) script() {
	g.d.T.Helper()
	g.scripts++
	g.table, g.haunted = fmt.Sprintf("t%d", g.scripts), map[string]bool{}
	id := "id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY"
	if g.d.real.is == PostgreSQL {
		id = "id BIGSERIAL PRIMARY KEY"
	}
	g.d.setUp(
		fmt.Sprintf("CREATE TABLE %s (%s, name VARCHAR(64) NOT NULL UNIQUE, owner VARCHAR(64), n BIGINT NOT NULL, f BOOLEAN)", g.table, id),
		fmt.Sprintf("INSERT INTO %s (name, n) VALUES ('!', 0)", g.table),
		fmt.Sprintf("INSERT INTO %s (name, n) VALUES ('a~', 0)", g.table),
		fmt.Sprintf("INSERT INTO %s (name, n) VALUES ('b~', 0)", g.table),
		fmt.Sprintf("INSERT INTO %s (name, n) VALUES ('c~', 0)", g.table),
	)
	for client := range history.NodeID(5) {
		g.d.connect(client + 1)
	}
	for range 80 {
		g.step()
	}
	g.d.endAll()
	g.d.real.admin.must("DROP TABLE " + g.table)
}

// locksNames reports whether a session uses named locks only; the others use rows.
func (p *pair) locksNames() bool { return p.Client > 3 }

// step lets one session that does not wait do something.
func (g *scripts) step() {
	g.layGhosts()
	p := g.d.pairs[g.IntN(len(g.d.pairs))]
	if g.IntN(60) == 0 {
		g.d.end(p)
		p.over = true
		g.d.connect(p.Client)
		return
	}
	switch {
	case g.d.waits(p):
	case p.locksNames():
		g.namedLocks(p)
	default:
		query, args := g.statement(p)
		g.d.do(p, query, args...)
	}
}

// layGhosts updates the keys that may have a ghost; the purge removes them all at some time.
func (g *scripts) layGhosts() {
	if g.d.real.is != MySQL {
		return
	}
	for _, p := range g.d.pairs {
		if p.over {
			for _, k := range p.deleted {
				g.haunted[k] = true
			}
			p.deleted = nil
		}
	}
	if len(g.haunted) == 0 {
		return
	}
	if g.d.real.admin.number("SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'") == 0 {
		clear(g.haunted)
	}
}

// note tracks the state of a session after a statement.
func (d *duel) note(c store.Conn, r ports.Request, a store.Answer) {
	p, stmt := d.pairs[slices.IndexFunc(d.pairs, func(p *pair) bool { return p.Conn == c })], r.(Stmt)
	res, _ := a.Value.(Result)
	word, _, _ := strings.Cut(stmt.Query, " ")
	if word == "DELETE" && res.Affected > 0 {
		if n := len(stmt.Args); n > 0 {
			p.deleted = append(p.deleted, stmt.Args[n-1].Text)
		} else {
			p.deleted = append(p.deleted, scriptKeys...)
		}
	}
	defer func() { p.over = !p.inTx || word == "BEGIN" }()
	switch {
	case word == "BEGIN" && !p.failed:
		if !p.inTx || d.real.is == MySQL {
			p.inTx, p.highest, p.mayRest = true, "", true
		}
	case word == "COMMIT" || word == "ROLLBACK":
		p.inTx, p.failed, p.highest = false, false, ""
	case a.Err != nil:
		p.failed = p.inTx && d.real.is == PostgreSQL
		p.mayRest = false
	case strings.Contains(stmt.Query, "name = ?") || word == "INSERT":
		p.mayRest = res.Affected > 0 || len(res.Rows) > 0
	}
}

// key draws a key that the session may lock now; "" for none.
func (g *scripts) key(p *pair) string {
	if !p.inTx {
		return g.pick(scriptKeys...)
	}
	var free []string
	for _, k := range scriptKeys {
		if k > p.highest || k == p.highest && p.mayRest && len(g.awaiting(k)) == 0 {
			free = append(free, k)
		}
	}
	if len(free) == 0 {
		return ""
	}
	return g.pick(free...)
}

// quiet reports whether no other session has a transaction or waits.
func (g *scripts) quiet(p *pair) bool {
	for _, other := range g.d.pairs {
		if other != p && (other.inTx || g.d.waits(other) && !other.locksNames()) {
			return false
		}
	}
	return true
}

// awaiting are the statements that wait for a key.
func (g *scripts) awaiting(k string) (all []string) {
	for _, p := range g.d.pairs {
		stmt, waits := g.d.Waiting(p.Conn).(Stmt)
		if waits && !p.locksNames() && stmt.Args[len(stmt.Args)-1].Text == k {
			all = append(all, stmt.Query)
		}
	}
	return all
}

// contested reports whether the outcome would be random if one more statement waited for a key.
func (g *scripts) contested(k, query string) bool {
	inserts, deletes := strings.HasPrefix(query, "INSERT"), strings.HasPrefix(query, "DELETE")
	both, scanned := false, false
	for _, p := range g.d.pairs {
		scanned = scanned || p.inTx && p.highest == everything
		deletes = deletes || slices.Contains(p.deleted, k)
	}
	awaiting := g.awaiting(k)
	for _, other := range awaiting {
		deletes = deletes || strings.HasPrefix(other, "DELETE")
		both = both || inserts && strings.HasPrefix(other, "INSERT")
		inserts = inserts || strings.HasPrefix(other, "INSERT")
	}
	if len(awaiting) == 0 {
		return false
	}
	return both || deletes || scanned || inserts && (g.d.real.is == PostgreSQL || g.d.model.Unborn(g.table, k))
}

func (g *scripts) statement(p *pair) (string, []Value) {
	if p.failed && g.IntN(3) > 0 {
		return g.pick("ROLLBACK", "COMMIT"), nil
	}
	switch g.IntN(20) {
	case 0, 1, 2:
		if p.inTx {
			return g.pick("COMMIT", "COMMIT", "ROLLBACK"), nil
		}
		return "BEGIN", nil
	case 3:
		return g.pick("BEGIN", "COMMIT", "ROLLBACK"), nil
	case 4:
		return "SELECT id, name, owner, n, f FROM " + g.table + g.pick("", "", " WHERE f = "+g.truth(), " WHERE f < TRUE AND n = 1"), nil
	case 5:
		if g.IntN(2) == 0 {
			return "SELECT " + g.truth() + ", " + g.truth(), nil
		}
		return g.odd()
	case 6:
		if g.quiet(p) && len(g.haunted) == 0 {
			p.highest, p.mayRest = everything, false
			return g.scan()
		}
	}
	k := g.key(p)
	query, args := g.about(k)
	if g.IntN(3) == 0 {
		query, args = g.insert(k)
	}
	if k == "" || g.haunted[k] || g.contested(k, query) {
		return "SELECT * FROM " + g.table + " WHERE name = ?", []Value{Text(g.pick(scriptKeys...))}
	}
	p.highest = k
	return query, args
}

func (g *scripts) insert(k string) (string, []Value) {
	if g.IntN(8) == 0 {
		return fmt.Sprintf("INSERT INTO %s (owner, name) VALUES (?, ?)", g.table), []Value{Text("x"), Text(k)}
	}
	insert, conflict := "INSERT", ""
	switch {
	case g.IntN(2) == 0:
	case g.d.real.is == MySQL:
		conflict = g.pick("", " ON DUPLICATE KEY UPDATE n = n + VALUES(n)", " ON DUPLICATE KEY UPDATE owner = IF(n > 2, VALUES(owner), owner)")
		if conflict == "" {
			insert = "INSERT IGNORE"
		}
	default:
		conflict = g.pick(" ON CONFLICT DO NOTHING", " ON CONFLICT (name) DO NOTHING RETURNING n", " ON CONFLICT (name) DO UPDATE SET n = THIS.n + EXCLUDED.n",
			" ON CONFLICT (name) DO UPDATE SET owner = EXCLUDED.owner WHERE THIS.n > 2 RETURNING owner")
	}
	return fmt.Sprintf("%s INTO %s (n, owner, name) VALUES (? + 1, 'o', ?)", insert, g.table) + strings.ReplaceAll(conflict, "THIS", g.table), []Value{g.num(), Text(k)}
}

func (g *scripts) num() Value { return Num(g.Int64N(4)) }

// about is a statement that locks the row of one key.
func (g *scripts) about(k string) (string, []Value) {
	key := Text(k)
	switch g.IntN(9) {
	case 8:
		return fmt.Sprintf("SELECT n FROM %s WHERE name = ? FOR UPDATE ", g.table) + g.pick("SKIP LOCKED", "NOWAIT"), []Value{key}
	case 7:
		return fmt.Sprintf("UPDATE %s SET f = %s WHERE name = ?", g.table, g.truth()), []Value{key}
	case 0:
		return fmt.Sprintf("DELETE FROM %s WHERE name = ?", g.table), []Value{key}
	case 1:
		return fmt.Sprintf("DELETE FROM %s WHERE n < ? AND name = ?", g.table), []Value{g.num(), key}
	case 2:
		return fmt.Sprintf("SELECT n, n * 2 - 1, owner FROM %s WHERE name = ? FOR UPDATE", g.table), []Value{key}
	case 3:
		return fmt.Sprintf("SELECT * FROM %s WHERE n = ? AND name = ? FOR UPDATE", g.table), []Value{g.num(), key}
	case 4:
		return fmt.Sprintf("UPDATE %s SET n = n + 1, owner = ? WHERE name = ?", g.table), []Value{Text(g.pick("p", "q")), key}
	case 5:
		return fmt.Sprintf("UPDATE %s SET n = ? WHERE owner = 'o' AND name = ?", g.table), []Value{g.num(), key}
	}
	return fmt.Sprintf("UPDATE %s SET n = n + 1, owner = n WHERE n < ? AND name = ?", g.table), []Value{g.num(), key}
}

// truth is a boolean, or an expression that PostgreSQL may refuse as one.
func (g *scripts) truth() string {
	if g.d.real.is == MySQL {
		return g.pick("TRUE", "FALSE", "TRUE + 1", "-TRUE", "1", "0", "NULL")
	}
	return g.pick("TRUE", "FALSE", "true", "NULL", "'t'::boolean", "CAST('yes' AS BOOLEAN)", "' On '::bool", "'of'::bool", "TRUE::boolean", "NULL::boolean",
		"1::boolean", "(2 - 2)::boolean", "5::bool", "'FALSE'::boolean", // from here on mostly wrong
		"'o'::boolean", "''::boolean", "'maybe'::boolean", "7::bigint::boolean", "TRUE::bigint", "TRUE + 1", "1 - FALSE", "-TRUE", "TRUE + NULL", "1.5::boolean", "'no'", "'x'", "1")
}

// scan is a statement without a key, which scans the whole table.
func (g *scripts) scan() (string, []Value) {
	switch g.IntN(3) {
	case 0:
		return fmt.Sprintf("UPDATE %s SET n = n + ? WHERE n > 0", g.table), []Value{g.num()}
	case 1:
		return fmt.Sprintf("DELETE FROM %s WHERE owner = 'q'", g.table), nil
	}
	return fmt.Sprintf("SELECT name FROM %s WHERE n >= ? FOR UPDATE", g.table), []Value{g.num()}
}

// odd is a statement that is wrong or needs no row.
func (g *scripts) odd() (string, []Value) {
	return g.pick(
		"SELEC 1", "SELECT x FROM "+g.table, "SELECT n FROM "+g.table+" WHERE y = 1", "SELECT n FROM nowhere",
		"DELETE FROM nowhere WHERE n = 1", "INSERT INTO nowhere (n) VALUES (1)", "UPDATE nowhere SET n = 1",
		"INSERT INTO "+g.table+" (z) VALUES (1)", "UPDATE "+g.table+" SET z = 1", "SELECT 1 + 2 * 3, (1 + 2) * 3, 7 - 9, 'it''s'",
		"SELECT name FROM "+g.table+" WHERE name = 'A~'", "SELECT name FROM "+g.table+" WHERE name < 'b' AND n <= 0",
		"INSERT INTO "+g.table+" (n, name, n) VALUES (1, 'a', 2)", "UPDATE "+g.table+" SET n = 'x' WHERE name = '!'",
		"INSERT INTO "+g.table+" (n, name) VALUES (1, '"+strings.Repeat("x", 65)+"')", "SELECT 2147483647 + 1, 2147483648 - 1",
		"INSERT INTO "+g.table+" (n, name) VALUES ('9223372036854775808', 'x')", "INSERT INTO "+g.table+" (n, owner) VALUES (1, '"+strings.Repeat(" ", 70)+"')",
		"INSERT INTO "+g.table+" (n, name) VALUES (1)", "INSERT INTO "+g.table+" (n, name) VALUES (1, NULL)",
	), nil
}

// namedLocks lets a session take and release named locks. Sessions wait for names in ascending
// order only.
func (g *scripts) namedLocks(p *pair) {
	k := g.pick("u", "v", "w", "U", "u ", "W")
	highest, has := "", false
	for _, name := range g.d.model.NamesOf(p.Conn) { // including those that it waited for
		highest, has = max(highest, name), has || name == k
	}
	wait := g.IntN(2) == 0 && (k > highest || has)
	free := g.IntN(3) == 0
	var query string
	switch {
	case g.d.real.is == MySQL && free:
		query = "SELECT RELEASE_LOCK(?)"
	case g.d.real.is == MySQL && g.IntN(6) == 0:
		query = "SELECT IS_USED_LOCK(?)"
	case g.d.real.is == MySQL && wait:
		query = "SELECT GET_LOCK(?, 30)"
	case g.d.real.is == MySQL:
		query = "SELECT GET_LOCK(?, 0)"
	case free:
		query = "SELECT pg_advisory_unlock(hashtext(?))"
	case wait:
		query = "SELECT pg_advisory_lock(hashtext(?))"
	default:
		query = "SELECT pg_try_advisory_lock(hashtext(?))"
	}
	g.d.do(p, query, Text(k))
}
