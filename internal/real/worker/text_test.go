package worker

import (
	"testing"
	"time"

	"lockstep/internal/sim/consul"
	"lockstep/internal/sim/etcd"
	simsql "lockstep/internal/sim/sql"
	"lockstep/internal/sim/store"
	"lockstep/internal/sim/zookeeper"
	"lockstep/internal/world"
)

// A scenario waits for a request by its name, and a report of a real run reads
// like one of a simulated run.
func TestRequestsReadAsInTheSimulator(t *testing.T) {
	const lease = 0x1f
	ops := []world.EtcdOp{
		{Key: "lock"},
		{Key: "lock/", Prefix: true},
		{Key: "lock/", Prefix: true, FirstCreated: true},
		{Key: "lock/", Prefix: true, MaxCreateRevision: 6},
		{Kind: world.EtcdPut, Key: "lock"},
		{Kind: world.EtcdPut, Key: "lock", Value: "A", Lease: lease},
		{Kind: world.EtcdDelete, Key: "lock"},
		{Kind: world.EtcdDelete, Key: "lock/", Prefix: true, FirstCreated: true},
	}
	type line struct {
		name, text string
		want       store.Op
	}
	lines := []line{
		{"GRANT", grantText(10), etcd.Grant{TTL: 10 * time.Second}},
		{"KEEPALIVE", leaseRequestText("KEEPALIVE", lease), etcd.KeepAlive{Lease: lease}},
		{"REVOKE", leaseRequestText("REVOKE", lease), etcd.Revoke{Lease: lease}},
		{"WATCH", watchText("lock/a", false, 0), etcd.Watch{Key: "lock/a"}},
		{"WATCH", watchText("lock/a", false, 7), etcd.Watch{Key: "lock/a", From: 7}},
		{"WATCH", watchText("lock/", true, 7), etcd.Watch{Key: "lock/", From: 7, Prefix: true}},
		{"CONNECT", zkConnectText(10*time.Second, 0), zookeeper.Connect{Timeout: 10 * time.Second}},
		{"CONNECT", zkConnectText(time.Second, 31), zookeeper.Connect{Timeout: time.Second, Session: 31}},
		{"PING", "PING", zookeeper.Ping{}},
		{"CREATE", zkCreateText("/lock", world.ZKPersistent), zookeeper.Create{Path: "/lock", Data: "A"}},
		{"CREATE", zkCreateText("/lock", world.ZKEphemeral), zookeeper.Create{Path: "/lock", Mode: world.ZKEphemeral}},
		{"CREATE", zkCreateText("/lock/a", world.ZKEphemeralSequential), zookeeper.Create{Path: "/lock/a", Mode: world.ZKEphemeralSequential}},
		{"DELETE", zkDeleteText("/lock", -1), zookeeper.Delete{Path: "/lock", Version: -1}},
		{"EXISTS", zkExistsText("/lock", false), zookeeper.Exists{Path: "/lock"}},
		{"EXISTS", zkExistsText("/lock", true), zookeeper.Exists{Path: "/lock", Watch: true}},
		{"CHILDREN", zkChildrenText("/lock"), zookeeper.Children{Path: "/lock"}},
		{"SETWATCHES", zkSetWatchesText(7, []string{"/a", "/b"}), zookeeper.SetWatches{Since: 7, Data: []string{"/a"}, Exist: []string{"/b"}}},
		{"CLOSE", "CLOSE", zookeeper.Close{}},
		{"SESSION", consulSessionText(10*time.Second, 1500*time.Millisecond, "release"), consul.CreateSession{TTL: 10 * time.Second, LockDelay: 1500 * time.Millisecond}},
		{"RENEW", "RENEW s", consul.RenewSession{Session: "s"}},
		{"DESTROY", "DESTROY s", consul.DestroySession{Session: "s"}},
		{"ACQUIRE", consulKeyText("ACQUIRE", "lock", "s"), consul.Acquire{Key: "lock", Value: "A", Session: "s"}},
		{"RELEASE", consulKeyText("RELEASE", "lock", "s"), consul.Release{Key: "lock", Session: "s"}},
		{"GET", consulGetText("lock", 0, 0), consul.Get{Key: "lock"}},
		{"GET", consulGetText("lock", 7, 15*time.Second), consul.Get{Key: "lock", After: 7, Wait: 15 * time.Second}},
	}
	for _, op := range ops {
		lines = append(lines, line{etcdOpNames[op.Kind], opText(&op), etcd.Do{EtcdOp: op}})
	}
	for _, txn := range []world.EtcdTxn{
		{},
		{If: []world.EtcdCompare{{Key: "lock"}}, Then: ops[5:6], Else: ops[:1]},
		{If: []world.EtcdCompare{{Key: "lock"}, {Key: "b", Mod: true, Revision: 9}}, Then: ops, Else: ops[1:3]},
	} {
		lines = append(lines, line{"TXN", txnText(&txn), etcd.Txn{EtcdTxn: txn}})
	}
	for _, stmt := range []world.Stmt{
		sqlStmt("SELECT GET_LOCK(?, ? / 1000)", world.SQLText("it's"), world.SQLNum(7)),
		sqlStmt(" select  pg_advisory_lock(hashtext(?))", world.SQLText("lock")),
		sqlStmt("SELECT COUNT(*) FROM locks WHERE name = '?' AND id = ?", world.SQLNum(-1)),
		sqlStmt("SELECT 1"), sqlStmt("BEGIN"), sqlStmt("insert into locks (name) values (?)", world.SQLText("?")),
		sqlStmt("SET lock_timeout = 1000"), sqlStmt("SELECT `a?` FROM b WHERE c = ?", world.SQLText("")),
	} {
		lines = append(lines, line{sqlName(stmt.Query), stmtText(stmt), &simsql.Op{Stmt: stmt}})
	}
	for _, l := range lines {
		if want := l.want.Name(); l.name != want {
			t.Errorf("%T is called %q, want %q", l.want, l.name, want)
		}
		if want := string(l.want.AppendText(nil)); l.text != want {
			t.Errorf("%T reads %q, want %q", l.want, l.text, want)
		}
	}
}

// The texts of answers, from what the simulator's documents show.
func TestAnswersReadAsInTheSimulator(t *testing.T) {
	kv := world.EtcdKV{Key: "lock", CreateRevision: 7}
	found := world.EtcdResult{Revision: 9, Responses: []world.EtcdResponse{{KVs: []world.EtcdKV{kv}}, {Deleted: 2}}}
	won := world.EtcdResult{Succeeded: true, Revision: 9}
	rows := world.SQLResult{Rows: [][]world.SQLValue{{world.SQLNum(1), {Null: true}}, {world.SQLText("it's")}}}
	for _, tt := range []struct{ got, want string }{
		{leaseText(world.EtcdLease{ID: 31, TTL: 10 * time.Second}), "lease 1f, TTL 10"},
		{resultText(&found, false), "revision 9, lock created 7, deleted 2"},
		{resultText(&found, true), "failed, revision 9, lock created 7, deleted 2"},
		{resultText(&won, true), "succeeded, revision 9"},
		{errorText(world.ErrLeaseNotFound), "etcdserver: requested lease not found"},
		{zkSessionText(31, 2*time.Second), "session 0x1f, timeout 2000"},
		{zkStatText(nil), "no node"},
		{zkStatText(&world.ZKStat{Czxid: 5, EphemeralOwner: 31}), "czxid 5, version 0, session 0x1f"},
		{zkNamesText([]string{"a", "b"}), "[a b]"},
		{consulKVText(world.ConsulKV{Index: 7}), "no key, index 7"},
		{consulKVText(world.ConsulKV{Exists: true, LockIndex: 2, ModifyIndex: 8, Index: 8}), "not locked, lock index 2, modify index 8"},
		{consulKVText(world.ConsulKV{Exists: true, Session: "s", LockIndex: 1, ModifyIndex: 3, Index: 3}), "locked by s, lock index 1, modify index 3"},
		{errorText(world.ErrNoNode), "(error) zk: node does not exist"},
		{sqlResultText("SELECT 1", &world.SQLResult{}), "no row"},
		{sqlResultText("SELECT 1", &rows), "(1, NULL) ('it''s')"},
		{sqlResultText("INSERT INTO a", &world.SQLResult{Affected: 1, LastID: 7}), "1 row, id 7"},
		{sqlResultText("DELETE FROM a", &world.SQLResult{}), "0 rows"},
		{sqlResultText("BEGIN", &world.SQLResult{}), "OK"},
		{errorText(&world.SQLError{Number: 1062, State: "23000", Message: "m"}), "ERROR 1062 (23000): m"},
		{errorText(&world.SQLError{State: "23505", Message: "m"}), "ERROR 23505: m"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
