package sql

import (
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/store"
	"lockstep/internal/store/storetest"
)

func TestRequests(t *testing.T) {
	request := storetest.Requests(t)
	asks, anything := history.Op{Does: history.Asks}, history.Op{Does: history.Anything}
	makes, own := history.Op{Does: history.Makes}, history.Op{Does: history.RemovesOwn}
	function := func(name string, does history.Effect, bound bool) history.Op {
		return history.Op{Name: name, Does: does, Bound: bound}
	}
	query := func(query string, args ...Value) Stmt { return Stmt{Query: query, Args: args} }
	request(query("BEGIN"), "BEGIN", history.Op{Does: history.NoEntry})
	request(query("ROLLBACK"), "ROLLBACK", anything)
	request(query("SELECT 1"), "SELECT 1", asks)
	request(query("SELECT COUNT(*) FROM locks WHERE name = '?' AND id = ?", Num(-1)), "SELECT COUNT(*) FROM locks WHERE name = '?' AND id = -1",
		asks)
	request(query("SELECT `a?` FROM b WHERE c = ? AND d = ?", Text("")), "SELECT `a?` FROM b WHERE c = '' AND d = ?", asks)
	request(query("SELECT 1 FROM t FOR UPDATE"), "SELECT 1 FROM t FOR UPDATE", history.Op{Does: history.Makes, Bound: true})
	request(query("SELECT GET_LOCK(?, ? / 1000)", Text("it's"), Num(7)), "SELECT GET_LOCK('it''s', 7 / 1000)", function("GET_LOCK",
		history.Makes, true))
	request(query("SELECT pg_advisory_lock(hashtext(?))", Text("it's")), "SELECT pg_advisory_lock(hashtext('it''s'))", function("PG_ADVISORY_LOCK",
		history.Makes, true))
	request(query("SELECT RELEASE_LOCK('lock')"), "SELECT RELEASE_LOCK('lock')", function("RELEASE_LOCK",
		history.RemovesOwn, false))
	request(query("SELECT f(a) FROM t"), "SELECT f(a) FROM t", asks)
	request(query("INSERT INTO locks (name) VALUES ('lock')"), "INSERT INTO locks (name) VALUES ('lock')", makes)
	upsert := "INSERT INTO locks (name) VALUES ('lock') ON CONFLICT (name) DO UPDATE SET n = 1 RETURNING n"
	request(query(upsert), upsert, makes)
	request(Stmt{Query: "UPDATE locks SET expires_at = 0", Does: history.RemovesOwn}, "UPDATE locks SET expires_at = 0", own)
	request(query("UPDATE locks SET expires_at = ? WHERE id = 1", Num(7)), "UPDATE locks SET expires_at = 7 WHERE id = 1",
		makes)
	request(query("DELETE FROM locks WHERE id = 1"), "DELETE FROM locks WHERE id = 1", history.Op{Does: history.Removes})
	request(query("DELETE FROM locks WHERE id = 1 AND owner = 'A'"), "DELETE FROM locks WHERE id = 1 AND owner = 'A'", anything)
}

func TestAnswers(t *testing.T) {
	answer := storetest.Answers(t)
	insert, query := Stmt{Query: "INSERT INTO t VALUES (1)"}, Stmt{Query: "SELECT 1"}
	answer(insert, Result{}, nil, "0 rows", history.Number(0))
	answer(insert, Result{Affected: 1}, nil, "1 row", history.Number(1))
	answer(insert, Result{Affected: 2, LastID: 9}, nil, "2 rows, id 9", history.Number(2))
	answer(insert, Result{Affected: 1, Rows: [][]Value{{Time(1_000_000), Num(2)}}}, nil, "1 row: ('1970-01-01 00:00:01', 2)", history.Number(1))
	answer(insert, nil, &Error{Number: 1062, State: "23000", Message: "x"}, "ERROR 1062 (23000): x",
		history.Answer{Refused: "x"})
	answer(insert, Result{Affected: 1, Rows: [][]Value{{Time(1_000_000), Num(2)}}}, nil, "1 row: ('1970-01-01 00:00:01', 2)", history.Number(1))
	answer(insert, nil, &Error{State: "23505", Message: "x"}, "ERROR 23505: x", history.Answer{Refused: "x"})
	answer(insert, true, nil, "0 rows", history.Answer{})
	answer(query, Result{}, nil, "no row", history.Answer{})
	answer(query, Result{Rows: [][]Value{{Num(1), Text("it's")}, {{Null: true}}}}, nil, "(1, 'it''s') (NULL)", history.Answer{})
}

// A replica would refuse any client's write; a statement that is wrong is refused for its own sake.
func TestAReplicaRefusesAnyClient(t *testing.T) {
	insert := Stmt{Query: "INSERT INTO locks (name) VALUES ('lock')"}
	for f := range flavourCount {
		for _, replica := range []bool{false, true} {
			db := New(Config{Flavour: f})
			db.SetReplica(replica)
			got, _ := db.Exec(store.Clock{}, 1, store.Conn{ID: 1, Client: 1}, insert)
			a := ports.AnswerTo(insert, got.Value, got.Err)
			must.Equalf(t, a.Unable, replica, "%v: unable, by %q", f, a.Refused)
		}
	}
}
