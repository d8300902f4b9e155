package world

import (
	"testing"
	"time"
)

// What is asked of requests and answers is asked of the texts that this package writes.
func TestWhatRequestsSay(t *testing.T) {
	set := Set("lock", "a b").NX().PX(10 * time.Second)
	txn := EtcdTxn{If: []EtcdCompare{{Key: "lock"}}, Then: []EtcdOp{{Kind: EtcdPut, Key: "lock", Lease: 7}}}
	update := Stmt{Query: "UPDATE locks SET expires_at = 0 WHERE name = ? AND owner = ?", Args: []SQLValue{SQLText("lock"), SQLText("A")}}
	script := Eval(&Script{Name: "A"}, "lock").Text("x  y")
	text := func(c Cmd) string { return string(c.AppendText(nil)) }
	for _, tt := range []struct {
		text string
		says []string
		want bool
	}{
		{text(set), []string{"NX"}, true},
		{text(set), []string{"lock"}, true},
		{text(set), []string{"SET"}, false},
		{text(set), []string{"XX"}, false},
		{RequestText(txn), []string{"PUT", "lock"}, true},
		{RequestText(txn), []string{"create(lock)", "=", "0"}, true},
		{RequestText(txn), []string{"create(lock)", "=", "1"}, false},
		{RequestText(update), []string{"SET", "expires_at", "=", "0"}, true},
		{RequestText(update), []string{"AND"}, true},
		{RequestText(Stmt{Query: "SELECT 1 FROM t FOR UPDATE"}), []string{"FOR", "UPDATE"}, true},
		{RequestText(Stmt{Query: "SELECT 1 FROM t FOR"}), []string{"FOR", "UPDATE"}, false},
		{"", []string{"x"}, false},
	} {
		if got := ReadRequest(tt.text).Says(tt.says...); got != tt.want {
			t.Errorf("%q says %q: %t", tt.text, tt.says, got)
		}
	}
	if got := ReadRequest(text(set)).Lease(); got != 10*time.Second {
		t.Errorf("a lease of %v", got)
	}
	if got := ReadRequest(text(script)); got.Name != "A" || got.Rest != "lock x  y" && got.Rest != `lock "x  y"` {
		t.Errorf("%+v", got)
	}
	queued, own := ReadRequest(RequestText(ZKDelete{Path: "/lock/a-1", Version: -1})), ReadRequest(RequestText(ZKDelete{Path: "/lock", Version: -1}))
	if !queued.Mentions("lock/") || own.Mentions("lock/") || !own.Says("-1") {
		t.Error("a place in the queue is taken for the lock, or the lock for one")
	}
}

func TestReadAnswers(t *testing.T) {
	locked := ConsulKV{Exists: true, Session: "s-1", ModifyIndex: 4}
	for text, want := range map[string]string{
		EtcdLease{ID: 31, TTL: 10 * time.Second}.Text(): "1f",
		ZKSessionText(31, time.Second):                  "0x1f",
		(&ZKStat{Czxid: 4, EphemeralOwner: 31}).Text():  "0x1f",
		(&ZKStat{Czxid: 4}).Text():                      "",
		locked.Text():                                   "s-1",
		ConsulKV{Exists: true}.Text():                   "",
		"true":                                          "",
	} {
		if got := Answer(text).Session(); got != want {
			t.Errorf("%q is about the session %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]int{
		(&SQLResult{}).AffectedText(): 0, (&SQLResult{Affected: 1}).AffectedText(): 1, (&SQLResult{Affected: 2, LastID: 9}).AffectedText(): 2,
		Int(3).String(): -1, (&SQLResult{}).RowsText(): -1, "": -1,
	} {
		rows, ok := Answer(text).Rows()
		if !ok {
			rows = -1
		}
		if rows != want {
			t.Errorf("%q is about %d rows, want %d", text, rows, want)
		}
	}
	if n, ok := Answer(Int(-7).String()).Number(); n != -7 || !ok {
		t.Errorf("the number is %d, %t", n, ok)
	}
	if _, ok := Answer(Bulk("7").String()).Number(); ok {
		t.Error("a text is taken for a number")
	}
	if n, ok := Answer((&EtcdResult{Revision: 7, Succeeded: true}).TxnText()).Revision(); n != 7 || !ok {
		t.Errorf("the revision is %d, %t", n, ok)
	}
	if _, ok := Answer("TTL 10").Revision(); ok || !Answer(TTLText(time.Second)).Renewed() {
		t.Error("a time to live is taken for something else")
	}
	if got := Answer(Failed(ServerError("ERR no")).String()).Refusal(); got != "ERR no" || Answer("OK").Refusal() != "" {
		t.Errorf("the refusal is %q", got)
	}
	if !Answer((&SQLError{Number: 1062, State: "23000"}).Text()).Failed() || Answer("1 row").Failed() {
		t.Error("an error of a database is taken for something else")
	}
}
