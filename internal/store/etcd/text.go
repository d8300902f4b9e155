package etcd

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

var opNames = [...]string{Get: "GET", Put: "PUT", Delete: "DELETE"}

// Op implements Request.
func (Grant) Op() history.Op { return history.Op{Name: "GRANT", Does: history.Opens} }

// Op implements Request.
func (KeepAlive) Op() history.Op { return history.Op{Name: "KEEPALIVE", Does: history.KeepsAlive} }

// Op implements Request.
func (Revoke) Op() history.Op { return history.Op{Name: "REVOKE", Does: history.RevokesLease} }

// Op implements Request.
func (w Watch) Op() history.Op {
	return history.Op{Name: "WATCH", Key: w.Key, Does: history.NoEntry, Watches: true}
}

// Op implements Request. A key below another one is its client's place in a queue.
func (op Op) Op() history.Op {
	own := strings.Contains(op.Key, "/") && !op.Prefix
	does := history.Asks
	switch {
	case op.Kind == Put && own:
		does = history.Queues
	case op.Kind == Put:
		does = history.TakesOver
	case op.Kind == Delete && own:
		does = history.RemovesOwn
	case op.Kind == Delete:
		does = history.Removes
	}
	return history.Op{Name: opNames[op.Kind], Key: op.Key, Does: does}
}

// Op implements Request. A put of a key that the transaction has compared to be absent replaces
// nothing; a transaction that both puts and deletes may do anything.
func (t Txn) Op() history.Op {
	out := history.Op{Name: "TXN", Does: history.Asks, Checks: len(t.If) > 0}
	for _, ops := range [][]Op{t.Then, t.Else} {
		for _, op := range ops {
			one := op.Op()
			switch {
			case one.Does == history.Asks:
				continue
			case one.Does == history.TakesOver && t.absent(op.Key):
				one.Does = history.MakesNew
			case one.Does == history.TakesOver:
				one.Does = history.Makes
			}
			switch {
			case out.Key == "":
				out.Key, out.Does = one.Key, one.Does
			case out.Key != one.Key || out.Does != one.Does:
				out.Key, out.Does = out.Key+" "+one.Key, history.Anything
			}
		}
	}
	return out
}

// absent reports whether a key has to be absent for the transaction to succeed.
func (t Txn) absent(key string) bool {
	return slices.Contains(t.If, Compare{Key: key})
}

// Answer names the granted lease.
func (l Lease) Answer() history.Answer {
	return history.Answer{Session: strconv.FormatInt(l.ID, 16)}
}

// Answer has the revision of the store.
func (r Result) Answer() history.Answer { return history.Answer{Revision: r.Revision} }

// AppendText implements Request: GRANT 10, in seconds as on the wire.
func (g Grant) AppendText(buf []byte) []byte {
	return strconv.AppendInt(append(buf, "GRANT "...), int64(g.TTL/time.Second), 10)
}

// AppendText implements Request: KEEPALIVE lease.
func (k KeepAlive) AppendText(buf []byte) []byte {
	return strconv.AppendInt(append(buf, "KEEPALIVE "...), k.Lease, 16)
}

// AppendText implements Request: REVOKE lease.
func (r Revoke) AppendText(buf []byte) []byte {
	return strconv.AppendInt(append(buf, "REVOKE "...), r.Lease, 16)
}

// AppendText implements Request: WATCH lock/694d FROM 7, WATCH lock/ PREFIX FROM 7.
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

// AppendText implements Request: TXN IF create(lock) = 0 THEN PUT lock ELSE GET lock.
func (t Txn) AppendText(buf []byte) []byte {
	buf = append(buf, "TXN"...)
	before := " IF "
	for _, c := range t.If {
		what := "create("
		switch {
		case c.ByValue:
			what = "value("
		case c.Mod:
			what = "mod("
		}
		buf = append(append(append(append(buf, before...), what...), c.Key...), ") = "...)
		if c.ByValue {
			buf = append(buf, c.Value...)
		} else {
			buf = strconv.AppendInt(buf, c.Revision, 10)
		}
		before = " AND "
	}
	return appendBranch(appendBranch(buf, " THEN ", t.Then), " ELSE ", t.Else)
}

func appendBranch(buf []byte, before string, ops []Op) []byte {
	for i := range ops {
		buf = ops[i].AppendText(append(buf, before...))
		before = ", "
	}
	return buf
}

// AppendText implements Request: GET lock/ PREFIX FIRST CREATED.
func (op Op) AppendText(buf []byte) []byte {
	buf = append(append(append(buf, opNames[op.Kind]...), ' '), op.Key...)
	if op.Kind == Put {
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
	case op.Kind != Get:
	case op.MaxCreateRevision > 0:
		buf = strconv.AppendInt(append(buf, " LAST CREATED UP TO "...), op.MaxCreateRevision, 10)
	case op.FirstCreated:
		buf = append(buf, " FIRST CREATED"...)
	}
	return buf
}

// Text is the lease as an answer.
func (l Lease) Text() string {
	return "lease " + strconv.FormatInt(l.ID, 16) + ", " + ttlText(l.TTL)
}

// ttlText is a time to live as an answer, in seconds.
func ttlText(ttl time.Duration) string { return "TTL " + strconv.FormatInt(int64(ttl/time.Second), 10) }

// TxnText is the answer to a transaction.
func (r Result) TxnText() string {
	if r.Succeeded {
		return "succeeded, " + r.Text()
	}
	return "failed, " + r.Text()
}

// Text is the answer to an operation.
func (r Result) Text() string {
	buf := strconv.AppendInt(append(make([]byte, 0, 64), "revision "...), r.Revision, 10)
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

// AnswerText implements store.AnswerFormatter.
func (KeepAlive) AnswerText(ttl any) string { return ttlText(ttl.(time.Duration)) }

// AnswerText implements store.AnswerFormatter.
func (Txn) AnswerText(result any) string { return result.(Result).TxnText() }

// AnswerText implements store.AnswerFormatter. The revision is not shown.
func (Watch) AnswerText(any) string { return ports.OKText }

var (
	_ store.AnswerFormatter = KeepAlive{}
	_ store.AnswerFormatter = Txn{}
	_ store.AnswerFormatter = Watch{}
)
