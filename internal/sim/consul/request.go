package consul

import (
	"fmt"
	"strconv"
	"time"

	"lockstep/internal/sim/store"
	"lockstep/internal/world"
)

// The requests. Each says what the value of its answer is.

// CreateSession makes a session; answered by its id, a string.
type CreateSession struct {
	TTL, LockDelay time.Duration
	DeleteKeys     bool
}

// RenewSession starts a session's time to live anew; answered by it.
type RenewSession struct{ Session string }

// DestroySession invalidates a session; answered by nothing.
type DestroySession struct{ Session string }

// Acquire locks a key for a session; answered by a bool.
type Acquire struct{ Key, Value, Session string }

// Release unlocks a key; answered by a bool.
type Release struct{ Key, Value, Session string }

// Get reads a key; answered by a world.ConsulKV. With After it is a blocking query:
// it waits until the key's index is above that, for Wait at most.
type Get struct {
	Key   string
	After int64
	Wait  time.Duration
}

var _ store.Patient = Get{}

// wait is how long a blocking query may take.
func (g Get) wait() time.Duration {
	if g.Wait <= 0 {
		return unlimitedQuery
	}
	return min(g.Wait, longestWait)
}

// Patience implements store.Patient.
func (g Get) Patience() time.Duration {
	if g.After == 0 {
		return 0
	}
	return g.wait()
}

// Name implements store.Op.
func (CreateSession) Name() string { return "SESSION" }

// Name implements store.Op.
func (RenewSession) Name() string { return "RENEW" }

// Name implements store.Op.
func (DestroySession) Name() string { return "DESTROY" }

// Name implements store.Op.
func (Acquire) Name() string { return "ACQUIRE" }

// Name implements store.Op.
func (Release) Name() string { return "RELEASE" }

// Name implements store.Op.
func (Get) Name() string { return "GET" }

// AppendText implements store.Op: SESSION TTL 10s LOCK-DELAY 15s BEHAVIOR release.
func (c CreateSession) AppendText(buf []byte) []byte {
	behavior := "release"
	if c.DeleteKeys {
		behavior = "delete"
	}
	return fmt.Appendf(buf, "SESSION TTL %v LOCK-DELAY %v BEHAVIOR %s", c.TTL, c.LockDelay, behavior)
}

// AppendText implements store.Op: RENEW session.
func (r RenewSession) AppendText(buf []byte) []byte {
	return append(append(buf, "RENEW "...), r.Session...)
}

// AppendText implements store.Op: DESTROY session.
func (d DestroySession) AppendText(buf []byte) []byte {
	return append(append(buf, "DESTROY "...), d.Session...)
}

// AppendText implements store.Op: ACQUIRE lock SESSION session.
func (a Acquire) AppendText(buf []byte) []byte {
	return fmt.Appendf(buf, "ACQUIRE %s SESSION %s", a.Key, a.Session)
}

// AppendText implements store.Op: RELEASE lock SESSION session.
func (r Release) AppendText(buf []byte) []byte {
	return fmt.Appendf(buf, "RELEASE %s SESSION %s", r.Key, r.Session)
}

// AppendText implements store.Op: GET lock INDEX 7 WAIT 15s.
func (g Get) AppendText(buf []byte) []byte {
	buf = append(append(buf, "GET "...), g.Key...)
	if g.After > 0 {
		buf = fmt.Appendf(buf, " INDEX %d WAIT %v", g.After, g.wait())
	}
	return buf
}

func yesOrNo(yes bool) store.Answer {
	return store.Answer{Value: yes, Text: strconv.FormatBool(yes)}
}

func failed(err error) store.Answer { return store.Answer{Err: err, Text: err.Error()} }

func kvText(kv world.ConsulKV) string {
	switch {
	case !kv.Exists:
		return fmt.Sprintf("no key, index %d", kv.Index)
	case kv.Session == "":
		return fmt.Sprintf("not locked, lock index %d, modify index %d", kv.LockIndex, kv.ModifyIndex)
	}
	return fmt.Sprintf("locked by %s, lock index %d, modify index %d", kv.Session, kv.LockIndex, kv.ModifyIndex)
}
