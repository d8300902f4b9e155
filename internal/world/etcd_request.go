package world

import (
	"strconv"
	"time"
)

// The requests to etcd and what is answered, in texts.
type (
	// EtcdGrant makes a lease; answered by an EtcdLease.
	EtcdGrant struct{ TTL time.Duration }
	// EtcdKeepAlive renews a lease; answered by its time to live, a time.Duration. For a lease
	// whose time is up and that is not revoked yet, the answer comes when it is.
	EtcdKeepAlive struct{ Lease int64 }
	// EtcdRevoke ends a lease and deletes its keys; answered by nothing.
	EtcdRevoke struct{ Lease int64 }
	// EtcdWatchOf makes the connection deliver the changes of a key, or of all keys that begin
	// with it, from a revision on (0: the next one), each as an event of its model; answered by the store's
	// revision, an int64.
	EtcdWatchOf struct {
		Key    string
		From   int64
		Prefix bool
	}
)

// Name implements Request.
func (EtcdGrant) Name() string { return "GRANT" }

// Name implements Request.
func (EtcdKeepAlive) Name() string { return "KEEPALIVE" }

// Name implements Request.
func (EtcdRevoke) Name() string { return "REVOKE" }

// Name implements Request.
func (EtcdWatchOf) Name() string { return "WATCH" }

// Name implements Request.
func (EtcdTxn) Name() string { return "TXN" }

// Name implements Request.
func (op EtcdOp) Name() string { return etcdOpNames[op.Kind] }

var etcdOpNames = [...]string{EtcdGet: "GET", EtcdPut: "PUT", EtcdDelete: "DELETE"}

// AppendText implements Request: GRANT 10, in seconds as on the wire.
func (g EtcdGrant) AppendText(buf []byte) []byte {
	return strconv.AppendInt(append(buf, "GRANT "...), int64(g.TTL/time.Second), 10)
}

// AppendText implements Request: KEEPALIVE lease.
func (k EtcdKeepAlive) AppendText(buf []byte) []byte {
	return strconv.AppendInt(append(buf, "KEEPALIVE "...), k.Lease, 16)
}

// AppendText implements Request: REVOKE lease.
func (r EtcdRevoke) AppendText(buf []byte) []byte {
	return strconv.AppendInt(append(buf, "REVOKE "...), r.Lease, 16)
}

// AppendText implements Request: WATCH lock/694d FROM 7, WATCH lock/ PREFIX FROM 7.
func (w EtcdWatchOf) AppendText(buf []byte) []byte {
	buf = append(append(buf, "WATCH "...), w.Key...)
	if w.Prefix {
		buf = append(buf, " PREFIX"...)
	}
	if w.From > 0 {
		buf = strconv.AppendInt(append(buf, " FROM "...), w.From, 10)
	}
	return buf
}

// AppendText implements Request: TXN IF create(lock) = 0 THEN PUT lock ELSE GET lock.
func (t EtcdTxn) AppendText(buf []byte) []byte {
	buf = append(buf, "TXN"...)
	for i, c := range t.If {
		what := "create("
		if c.Mod {
			what = "mod("
		}
		buf = append(buf, separator(i, " IF ", " AND ")...)
		buf = append(append(append(buf, what...), c.Key...), ") = "...)
		buf = strconv.AppendInt(buf, c.Revision, 10)
	}
	return appendBranch(appendBranch(buf, " THEN ", t.Then), " ELSE ", t.Else)
}

func separator(i int, first, later string) string {
	if i == 0 {
		return first
	}
	return later
}

func appendBranch(buf []byte, word string, ops []EtcdOp) []byte {
	for i := range ops {
		buf = ops[i].AppendText(append(buf, separator(i, word, ", ")...))
	}
	return buf
}

// AppendText implements Request: GET lock/ PREFIX FIRST CREATED.
func (op EtcdOp) AppendText(buf []byte) []byte {
	buf = append(append(append(buf, etcdOpNames[op.Kind]...), ' '), op.Key...)
	if op.Kind == EtcdPut {
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
	case op.Kind != EtcdGet:
	case op.MaxCreateRevision > 0:
		buf = strconv.AppendInt(append(buf, " LAST CREATED UP TO "...), op.MaxCreateRevision, 10)
	case op.FirstCreated:
		buf = append(buf, " FIRST CREATED"...)
	}
	return buf
}

// Text is the lease as an answer.
func (l EtcdLease) Text() string {
	return "lease " + strconv.FormatInt(l.ID, 16) + ", " + TTLText(l.TTL)
}

// TTLText is a time to live as an answer, in seconds.
func TTLText(ttl time.Duration) string { return "TTL " + strconv.FormatInt(int64(ttl/time.Second), 10) }

// Text tells what an operation found.
func (r *EtcdResult) Text() string { return string(r.appendText(make([]byte, 0, 64))) }

// TxnText tells what a transaction found.
func (r *EtcdResult) TxnText() string {
	buf := make([]byte, 0, 64)
	if r.Succeeded {
		return string(r.appendText(append(buf, "succeeded, "...)))
	}
	return string(r.appendText(append(buf, "failed, "...)))
}

func (r *EtcdResult) appendText(buf []byte) []byte {
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
	return buf
}
