package etcd

import (
	"strconv"
	"time"

	"lockstep/internal/world"
)

// The requests. Each says what the value of its answer is.

// Grant makes a lease; answered by a world.EtcdLease.
type Grant struct{ TTL time.Duration }

// KeepAlive renews a lease; answered by its time to live, a time.Duration. For a
// lease whose time is up and that is not revoked yet, the answer comes when it is.
type KeepAlive struct{ Lease int64 }

// Revoke ends a lease and deletes its keys; answered by nothing.
type Revoke struct{ Lease int64 }

// Do runs one operation by itself; answered by a world.EtcdResult.
type Do struct{ world.EtcdOp }

// Txn runs a transaction; answered by a world.EtcdResult.
type Txn struct{ world.EtcdTxn }

// Watch makes the connection deliver the changes of a key, or of all keys that begin with
// it, from a revision on (0: the next one), each as a world.EtcdEvent; answered by nothing.
type Watch struct {
	Key    string
	From   int64
	Prefix bool
}

// Name implements store.Op.
func (Grant) Name() string { return "GRANT" }

// Name implements store.Op.
func (KeepAlive) Name() string { return "KEEPALIVE" }

// Name implements store.Op.
func (Revoke) Name() string { return "REVOKE" }

// Name implements store.Op.
func (d Do) Name() string { return opNames[d.Kind] }

// Name implements store.Op.
func (Txn) Name() string { return "TXN" }

// Name implements store.Op.
func (Watch) Name() string { return "WATCH" }

var opNames = [...]string{world.EtcdGet: "GET", world.EtcdPut: "PUT", world.EtcdDelete: "DELETE"}

// AppendText implements store.Op: GRANT 10, in seconds as on the wire.
func (g Grant) AppendText(buf []byte) []byte {
	return strconv.AppendInt(append(buf, "GRANT "...), int64(g.TTL/time.Second), 10)
}

// AppendText implements store.Op: KEEPALIVE lease.
func (k KeepAlive) AppendText(buf []byte) []byte {
	return strconv.AppendInt(append(buf, "KEEPALIVE "...), k.Lease, 16)
}

// AppendText implements store.Op: REVOKE lease.
func (r Revoke) AppendText(buf []byte) []byte {
	return strconv.AppendInt(append(buf, "REVOKE "...), r.Lease, 16)
}

// AppendText implements store.Op: GET lock/ PREFIX FIRST CREATED.
func (d Do) AppendText(buf []byte) []byte { return appendOp(buf, &d.EtcdOp) }

// AppendText implements store.Op: TXN IF create(lock) = 0 THEN PUT lock ELSE GET lock.
func (t Txn) AppendText(buf []byte) []byte {
	buf = append(buf, "TXN"...)
	for i, c := range t.If {
		buf = append(buf, separator(i, " IF ", " AND ")...)
		buf = appendCompare(buf, c)
	}
	buf = appendBranch(buf, " THEN ", t.Then)
	return appendBranch(buf, " ELSE ", t.Else)
}

// AppendText implements store.Op: WATCH lock/694d FROM 7, WATCH lock/ PREFIX FROM 7.
func (w Watch) AppendText(buf []byte) []byte {
	buf = append(append(buf, "WATCH "...), w.Key...)
	if w.Prefix {
		buf = append(buf, " PREFIX"...)
	}
	if w.From > 0 {
		buf = strconv.AppendInt(append(buf, " FROM "...), w.From, 10)
	}
	return buf
}

func separator(i int, first, later string) string {
	if i == 0 {
		return first
	}
	return later
}

func appendCompare(buf []byte, c world.EtcdCompare) []byte {
	what := "create("
	if c.Mod {
		what = "mod("
	}
	buf = append(append(append(buf, what...), c.Key...), ") = "...)
	return strconv.AppendInt(buf, c.Revision, 10)
}

func appendBranch(buf []byte, word string, ops []world.EtcdOp) []byte {
	for i := range ops {
		buf = append(buf, separator(i, word, ", ")...)
		buf = appendOp(buf, &ops[i])
	}
	return buf
}

func appendOp(buf []byte, op *world.EtcdOp) []byte {
	buf = append(append(append(buf, opNames[op.Kind]...), ' '), op.Key...)
	if op.Kind == world.EtcdPut {
		if op.Value != "" {
			buf = append(append(buf, ' '), op.Value...)
		}
		if op.Lease != 0 {
			buf = strconv.AppendInt(append(buf, " LEASE "...), op.Lease, 16)
		}
		return buf
	}
	if !op.Prefix {
		return buf
	}
	buf = append(buf, " PREFIX"...)
	switch {
	case op.Kind != world.EtcdGet:
	case op.MaxCreateRevision > 0:
		buf = strconv.AppendInt(append(buf, " LAST CREATED UP TO "...), op.MaxCreateRevision, 10)
	case op.FirstCreated:
		buf = append(buf, " FIRST CREATED"...)
	}
	return buf
}

// The texts of answers and of pushed messages.

func leaseText(l world.EtcdLease) string {
	return "lease " + strconv.FormatInt(l.ID, 16) + ", TTL " + strconv.FormatInt(int64(l.TTL/time.Second), 10)
}

func ttlText(ttl time.Duration) string { return "TTL " + strconv.FormatInt(int64(ttl/time.Second), 10) }

// resultText tells what a transaction or an operation found. txn says which.
func resultText(r *world.EtcdResult, txn bool) string {
	buf := make([]byte, 0, 64)
	if txn {
		buf = append(buf, "failed, "...)
		if r.Succeeded {
			buf = append(buf[:0], "succeeded, "...)
		}
	}
	buf = strconv.AppendInt(append(buf, "revision "...), r.Revision, 10)
	for _, part := range r.Responses {
		if part.Deleted > 0 {
			buf = strconv.AppendInt(append(buf, ", deleted "...), part.Deleted, 10)
		}
		for _, kv := range part.KVs {
			buf = append(append(append(buf, ", "...), kv.Key...), " created "...)
			buf = strconv.AppendInt(buf, kv.CreateRevision, 10)
		}
	}
	return string(buf)
}

func eventText(e world.EtcdEvent) string {
	verb := "PUT "
	if e.Deleted {
		verb = "DELETE "
	}
	return verb + e.Key + ", revision " + strconv.FormatInt(e.Revision, 10)
}
