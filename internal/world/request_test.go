package world

import (
	"strings"
	"testing"
	"time"
)

// What a reader sees of each request, and a trigger waits for. Reading the text gives the name
// again.
func TestTextsOfRequests(t *testing.T) {
	const lease = 0x1f
	put := EtcdOp{Kind: EtcdPut, Key: "lock", Value: "A", Lease: lease}
	for _, tt := range []struct {
		give Request
		want string
	}{
		{EtcdGrant{TTL: 10 * time.Second}, "GRANT 10"},
		{EtcdKeepAlive{Lease: lease}, "KEEPALIVE 1f"},
		{EtcdRevoke{Lease: lease}, "REVOKE 1f"},
		{EtcdWatchOf{Key: "lock/a"}, "WATCH lock/a"},
		{EtcdWatchOf{Key: "lock/", From: 7, Prefix: true}, "WATCH lock/ PREFIX FROM 7"},
		{EtcdOp{Key: "lock"}, "GET lock"},
		{EtcdOp{Key: "lock/", Prefix: true}, "GET lock/ PREFIX"},
		{EtcdOp{Key: "lock/", Prefix: true, FirstCreated: true}, "GET lock/ PREFIX FIRST CREATED"},
		{EtcdOp{Key: "lock/", Prefix: true, MaxCreateRevision: 6}, "GET lock/ PREFIX LAST CREATED UP TO 6"},
		{put, "PUT lock A LEASE 1f"},
		{EtcdOp{Kind: EtcdPut, Key: "lock"}, "PUT lock"},
		{EtcdOp{Kind: EtcdDelete, Key: "lock/", Prefix: true, FirstCreated: true}, "DELETE lock/ PREFIX"},
		{EtcdTxn{}, "TXN"},
		{EtcdTxn{If: []EtcdCompare{{Key: "lock"}, {Key: "b", Mod: true, Revision: 9}}, Then: []EtcdOp{put, {Key: "b"}}, Else: []EtcdOp{{Key: "lock"}}},
			"TXN IF create(lock) = 0 AND mod(b) = 9 THEN PUT lock A LEASE 1f, GET b ELSE GET lock"},
		{ZKConnect{Timeout: 10 * time.Second}, "CONNECT 10000"},
		{ZKConnect{Timeout: time.Second, Session: 31}, "CONNECT 1000 SESSION 0x1f"},
		{ZKPing{}, "PING"},
		{ZKCreate{Path: "/lock", Data: "A"}, "CREATE /lock"},
		{ZKCreate{Path: "/lock", Mode: ZKEphemeral}, "CREATE /lock EPHEMERAL"},
		{ZKCreate{Path: "/lock/a", Mode: ZKEphemeralSequential}, "CREATE /lock/a EPHEMERAL SEQUENTIAL"},
		{ZKDelete{Path: "/lock", Version: -1}, "DELETE /lock -1"},
		{ZKExists{Path: "/lock"}, "EXISTS /lock"},
		{ZKExists{Path: "/lock", Watch: true}, "EXISTS /lock WATCH"},
		{ZKChildren{Path: "/lock"}, "CHILDREN /lock"},
		{ZKSetWatches{Since: 7, Data: []string{"/a"}, Exist: []string{"/b"}}, "SETWATCHES SINCE 7 /a /b"},
		{ZKClose{}, "CLOSE"},
		{ConsulCreateSession{TTL: 10 * time.Second, LockDelay: 1500 * time.Millisecond}, "SESSION TTL 10s LOCK-DELAY 1.5s BEHAVIOR release"},
		{ConsulCreateSession{TTL: 10 * time.Second, DeleteKeys: true}, "SESSION TTL 10s LOCK-DELAY 0s BEHAVIOR delete"},
		{ConsulRenewSession{Session: "s"}, "RENEW s"},
		{ConsulDestroySession{Session: "s"}, "DESTROY s"},
		{ConsulAcquire{Key: "lock", Value: "A", Session: "s"}, "ACQUIRE lock SESSION s"},
		{ConsulRelease{Key: "lock", Session: "s"}, "RELEASE lock SESSION s"},
		{ConsulGet{Key: "lock"}, "GET lock"},
		{ConsulGet{Key: "lock", After: 7, Wait: 15 * time.Second}, "GET lock INDEX 7 WAIT 15s"},
		{Stmt{Query: "SELECT GET_LOCK(?, ? / 1000)", Args: []SQLValue{SQLText("it's"), SQLNum(7)}}, "SELECT GET_LOCK('it''s', 7 / 1000)"},
		{Stmt{Query: "SELECT COUNT(*) FROM locks WHERE name = '?' AND id = ?", Args: []SQLValue{SQLNum(-1)}}, "SELECT COUNT(*) FROM locks WHERE name = '?' AND id = -1"},
		{Stmt{Query: "SELECT `a?` FROM b WHERE c = ? AND d = ?", Args: []SQLValue{SQLText("")}}, "SELECT `a?` FROM b WHERE c = '' AND d = ?"},
		{Stmt{Query: "SELECT pg_advisory_lock(hashtext(?))", Args: []SQLValue{SQLText("it's")}}, "SELECT pg_advisory_lock(hashtext('it''s'))"},
		{Stmt{Query: "SELECT f(a) FROM t"}, "SELECT f(a) FROM t"},
		{Stmt{Query: "SELECT 1"}, "SELECT 1"},
		{Stmt{Query: "BEGIN"}, "BEGIN"},
	} {
		got := RequestText(tt.give)
		if got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		if read := ReadRequest(got).Name; read != tt.give.Name() {
			t.Errorf("%s is read as %q, and is called %q", got, read, tt.give.Name())
		}
	}
}

func TestReadRequest(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"SET lock A PX 10000 NX":             "SET",
		"EVALSHA unlock lock A":              "unlock script",
		"EVAL unlock":                        "unlock script",
		"EVAL":                               "EVAL",
		"SELECT pg_advisory_lock(1)":         "PG_ADVISORY_LOCK",
		"SELECT":                             "SELECT",
		"SELECT f(1) FROM t":                 "SELECT",
		"\x00 odd":                           "\x00",
		"  leading":                          "leading",
		strings.Repeat("n", 100) + " and on": strings.Repeat("n", 100),
	} {
		got := ReadRequest(text)
		name := got.Name
		if got.Script {
			name += " script"
		}
		if name != want {
			t.Errorf("%q is read as %q, want %q", text, name, want)
		}
	}
	if !ReadRequest("GET lock INDEX 7 WAIT 15s").Blocks() || ReadRequest("GET lock").Blocks() {
		t.Error("a blocking query is taken for another one")
	}
}

func TestTextsOfAnswers(t *testing.T) {
	stat := &ZKStat{Czxid: 7, Version: 1, EphemeralOwner: 31}
	found := &EtcdResult{Revision: 7, Succeeded: true, Responses: []EtcdResponse{{Deleted: 2}, {KVs: []EtcdKV{{Key: "lock", CreateRevision: 3}}}}}
	rows := &SQLResult{Rows: [][]SQLValue{{SQLNum(1), SQLText("it's")}, {{Null: true}}}}
	for got, want := range map[string]string{
		EtcdLease{ID: 31, TTL: 10 * time.Second}.Text(): "lease 1f, TTL 10",
		found.Text():                         "revision 7, deleted 2, lock created 3",
		found.TxnText():                      "succeeded, revision 7, deleted 2, lock created 3",
		(&EtcdResult{Revision: 1}).TxnText(): "failed, revision 1",
		(*ZKStat)(nil).Text():                "no node",
		stat.Text():                          "czxid 7, version 1, session 0x1f",
		ZKSessionText(31, time.Second):       "session 0x1f, timeout 1000",
		ZKNamesText([]string{"a", "b"}):      "[a b]",
		ConsulKV{Index: 3}.Text():            "no key, index 3",
		ConsulKV{Exists: true, LockIndex: 1, ModifyIndex: 4}.Text(): "not locked, lock index 1, modify index 4",
		ConsulKV{Exists: true, Session: "s", ModifyIndex: 4}.Text(): "locked by s, lock index 0, modify index 4",
		rows.RowsText():                                                "(1, 'it''s') (NULL)",
		(&SQLResult{}).RowsText():                                      "no row",
		(&SQLResult{Affected: 1}).AffectedText():                       "1 row",
		(&SQLResult{Affected: 2, LastID: 9}).AffectedText():            "2 rows, id 9",
		(&SQLError{Number: 1062, State: "23000", Message: "x"}).Text(): "ERROR 1062 (23000): x",
		(&SQLError{State: "23505", Message: "x"}).Text():               "ERROR 23505: x",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if !Answer("(error) MOVED 1 redis-2").SentAway() || Answer("OK").SentAway() {
		t.Error("an answer of a node that sent its client away is taken for another one")
	}
}
