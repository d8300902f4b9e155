package world

import (
	"fmt"
	"time"
)

// The requests to Consul and what is answered, in texts.
type (
	// ConsulCreateSession makes a session; answered by its id, a string.
	ConsulCreateSession struct {
		TTL, LockDelay time.Duration
		DeleteKeys     bool
	}
	// ConsulRenewSession starts a session's time to live anew; answered by it.
	ConsulRenewSession struct{ Session string }
	// ConsulDestroySession invalidates a session; answered by nothing.
	ConsulDestroySession struct{ Session string }
	// ConsulAcquire locks a key for a session; answered by a bool.
	ConsulAcquire struct{ Key, Value, Session string }
	// ConsulRelease unlocks a key; answered by a bool.
	ConsulRelease struct{ Key, Value, Session string }
	// ConsulGet reads a key; answered by a ConsulKV. With After it is a blocking query: it
	// waits until the key's index is above that, for Wait at most.
	ConsulGet struct {
		Key   string
		After int64
		Wait  time.Duration
	}
)

const (
	longestWait    = 10 * time.Minute // of a blocking query
	unlimitedQuery = 5 * time.Minute  // of one that does not say
)

// Patience is how long the query may take on purpose.
func (g ConsulGet) Patience() time.Duration {
	switch {
	case g.After == 0:
		return 0
	case g.Wait <= 0:
		return unlimitedQuery
	}
	return min(g.Wait, longestWait)
}

// Name implements Request.
func (ConsulCreateSession) Name() string { return "SESSION" }

// Name implements Request.
func (ConsulRenewSession) Name() string { return "RENEW" }

// Name implements Request.
func (ConsulDestroySession) Name() string { return "DESTROY" }

// Name implements Request.
func (ConsulAcquire) Name() string { return "ACQUIRE" }

// Name implements Request.
func (ConsulRelease) Name() string { return "RELEASE" }

// Name implements Request.
func (ConsulGet) Name() string { return "GET" }

// Behavior is what becomes of the session's keys, in Consul's words.
func (c ConsulCreateSession) Behavior() string {
	if c.DeleteKeys {
		return "delete"
	}
	return "release"
}

// AppendText implements Request: SESSION TTL 10s LOCK-DELAY 15s BEHAVIOR release.
func (c ConsulCreateSession) AppendText(buf []byte) []byte {
	return fmt.Appendf(buf, "SESSION TTL %v LOCK-DELAY %v BEHAVIOR %s", c.TTL, c.LockDelay, c.Behavior())
}

// AppendText implements Request: RENEW session.
func (r ConsulRenewSession) AppendText(buf []byte) []byte {
	return append(append(buf, "RENEW "...), r.Session...)
}

// AppendText implements Request: DESTROY session.
func (d ConsulDestroySession) AppendText(buf []byte) []byte {
	return append(append(buf, "DESTROY "...), d.Session...)
}

// AppendText implements Request: ACQUIRE lock SESSION session.
func (a ConsulAcquire) AppendText(buf []byte) []byte {
	return fmt.Appendf(buf, "ACQUIRE %s SESSION %s", a.Key, a.Session)
}

// AppendText implements Request: RELEASE lock SESSION session.
func (r ConsulRelease) AppendText(buf []byte) []byte {
	return fmt.Appendf(buf, "RELEASE %s SESSION %s", r.Key, r.Session)
}

// AppendText implements Request: GET lock INDEX 7 WAIT 15s.
func (g ConsulGet) AppendText(buf []byte) []byte {
	buf = append(append(buf, "GET "...), g.Key...)
	if g.After > 0 {
		buf = fmt.Appendf(buf, " INDEX %d WAIT %v", g.After, g.Patience())
	}
	return buf
}

// Text is what a key holds, as an answer.
func (kv ConsulKV) Text() string {
	switch {
	case !kv.Exists:
		return fmt.Sprintf("no key, index %d", kv.Index)
	case kv.Session == "":
		return fmt.Sprintf("not locked, lock index %d, modify index %d", kv.LockIndex, kv.ModifyIndex)
	}
	return fmt.Sprintf("locked by %s, lock index %d, modify index %d", kv.Session, kv.LockIndex, kv.ModifyIndex)
}
