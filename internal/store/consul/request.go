package consul

import (
	"errors"
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// The requests.
type (
	// CreateSession makes a session; answered by its id, a string.
	CreateSession struct {
		TTL, LockDelay time.Duration
		DeleteKeys     bool
	}
	// RenewSession restarts a session's time to live; answered by it, a time.Duration.
	RenewSession struct{ Session string }
	// DestroySession invalidates a session; answered by true.
	DestroySession struct{ Session string }
	// Acquire locks a key for a session; answered by a bool.
	Acquire struct{ Key, Value, Session string }
	// Release unlocks a key; answered by a bool.
	Release struct{ Key, Value, Session string }
	// Get reads a key; answered by a KV. With After it is a blocking query: it
	// waits until the key's index is greater, at most for Wait.
	Get struct {
		Key   string
		After int64
		Wait  time.Duration
	}
)

const (
	longestWait = 10 * time.Minute // of a blocking query
	defaultWait = 5 * time.Minute
)

// Patience is how long the query may wait on purpose.
func (g Get) Patience() time.Duration {
	switch {
	case g.After == 0:
		return 0
	case g.Wait <= 0:
		return defaultWait
	}
	return min(g.Wait, longestWait)
}

// Op implements ports.Request.
func (CreateSession) Op() history.Op { return history.Op{Name: "SESSION", Does: history.Opens} }

// AnswerOf is the new session in a history.
func (CreateSession) AnswerOf(id any) history.Answer { return history.Answer{Session: fmt.Sprint(id)} }

// Op implements ports.Request.
func (RenewSession) Op() history.Op { return history.Op{Name: "RENEW", Does: history.KeepsAlive} }

// Op implements ports.Request.
func (DestroySession) Op() history.Op { return history.Op{Name: "DESTROY", Does: history.EndsSession} }

// Op implements ports.Request.
func (a Acquire) Op() history.Op {
	return history.Op{Name: "ACQUIRE", Key: a.Key, Does: history.MakesNew}
}

// Op implements ports.Request. The key of another session is left alone.
func (r Release) Op() history.Op {
	return history.Op{Name: "RELEASE", Key: r.Key, Does: history.RemovesOwn}
}

// Op implements ports.Request.
func (g Get) Op() history.Op {
	return history.Op{Name: "GET", Key: g.Key, Does: history.Asks, Blocks: g.After > 0}
}

// Behavior is what happens to the session's keys at its end, in Consul's words.
func (c CreateSession) Behavior() string {
	if c.DeleteKeys {
		return "delete"
	}
	return "release"
}

// AppendText implements ports.Request: SESSION TTL 10s LOCK-DELAY 15s BEHAVIOR release.
func (c CreateSession) AppendText(buf []byte) []byte {
	return fmt.Appendf(buf, "SESSION TTL %v LOCK-DELAY %v BEHAVIOR %s", c.TTL, c.LockDelay, c.Behavior())
}

// AppendText implements ports.Request: RENEW session.
func (r RenewSession) AppendText(buf []byte) []byte {
	return append(append(buf, "RENEW "...), r.Session...)
}

// AppendText implements ports.Request: DESTROY session.
func (d DestroySession) AppendText(buf []byte) []byte {
	return append(append(buf, "DESTROY "...), d.Session...)
}

// AppendText implements ports.Request: ACQUIRE lock SESSION session.
func (a Acquire) AppendText(buf []byte) []byte {
	return fmt.Appendf(buf, "ACQUIRE %s SESSION %s", a.Key, a.Session)
}

// AppendText implements ports.Request: RELEASE lock SESSION session.
func (r Release) AppendText(buf []byte) []byte {
	return fmt.Appendf(buf, "RELEASE %s SESSION %s", r.Key, r.Session)
}

// AppendText implements ports.Request: GET lock INDEX 7 WAIT 15s.
func (g Get) AppendText(buf []byte) []byte {
	buf = append(append(buf, "GET "...), g.Key...)
	if g.After > 0 {
		buf = fmt.Appendf(buf, " INDEX %d WAIT %v", g.After, g.Patience())
	}
	return buf
}

// AnswerText implements store.AnswerFormatter.
func (RenewSession) AnswerText(ttl any) string { return fmt.Sprintf("TTL %v", ttl) }

// Text is a key's state as an answer.
func (kv KV) Text() string {
	switch {
	case !kv.Exists:
		return fmt.Sprintf("no key, index %d", kv.Index)
	case kv.Session == "":
		return fmt.Sprintf("not locked, lock index %d, modify index %d", kv.LockIndex, kv.ModifyIndex)
	}
	return fmt.Sprintf("locked by %s, lock index %d, modify index %d", kv.Session, kv.LockIndex, kv.ModifyIndex)
}

// Answer is the session that has locked the key, in a history.
func (kv KV) Answer() history.Answer { return history.Answer{Session: kv.Session} }

// KV is a key's state.
type KV struct {
	Exists      bool
	Value       string
	Session     string // that has locked it, "" for none
	LockIndex   int64  // how often it was locked
	ModifyIndex int64
	Index       int64 // to wait for the next change
}

// ErrNoSession is Consul's answer about a session that does not exist.
var ErrNoSession = errors.New("consul: invalid session")

var (
	_ store.Patient         = Get{}
	_ store.AnswerFormatter = RenewSession{}
)
