package world

import (
	"strconv"
	"strings"
	"time"
)

// The requests to ZooKeeper and what is answered, in texts.
type (
	// ZKConnect opens a session on a connection (Session 0), or moves a session to this
	// connection. Timeout is what the client asks for. A real server wants a password as well.
	ZKConnect struct {
		Timeout time.Duration
		Session int64
	}
	// ZKPing is a heartbeat; answered by nothing.
	ZKPing struct{}
	// ZKCreate makes a node.
	ZKCreate struct {
		Path, Data string
		Mode       ZKMode
	}
	// ZKDelete removes a node; answered by nothing, or ErrNoNode, ErrBadVersion, ErrNotEmpty.
	// Version -1 matches any.
	ZKDelete struct {
		Path    string
		Version int32
	}
	// ZKExists asks for a node's state and may leave a watch behind.
	ZKExists struct {
		Path  string
		Watch bool
	}
	// ZKChildren asks for the names of a node's children; answered by a []string in the order
	// of their making (a real server has none), or ErrNoNode.
	ZKChildren struct{ Path string }
	// ZKSetWatches lays down anew, on a new connection, the watches that a client had before;
	// answered by nothing. What a watch would have told meanwhile is pushed at once. Since is
	// the latest transaction that the client has seen.
	ZKSetWatches struct {
		Since int64
		Data  []string // watches of nodes that were there
		Exist []string // watches of nodes that were not
	}
	// ZKClose ends the session; answered by nothing.
	ZKClose struct{}
)

// Name implements Request.
func (ZKConnect) Name() string { return "CONNECT" }

// Name implements Request.
func (ZKPing) Name() string { return "PING" }

// Name implements Request.
func (ZKCreate) Name() string { return "CREATE" }

// Name implements Request.
func (ZKDelete) Name() string { return "DELETE" }

// Name implements Request.
func (ZKExists) Name() string { return "EXISTS" }

// Name implements Request.
func (ZKChildren) Name() string { return "CHILDREN" }

// Name implements Request.
func (ZKSetWatches) Name() string { return "SETWATCHES" }

// Name implements Request.
func (ZKClose) Name() string { return "CLOSE" }

// AppendText implements Request: CONNECT 10000 SESSION 0x1, in milliseconds.
func (c ZKConnect) AppendText(buf []byte) []byte {
	buf = strconv.AppendInt(append(buf, "CONNECT "...), int64(c.Timeout/time.Millisecond), 10)
	if c.Session != 0 {
		buf = strconv.AppendInt(append(buf, " SESSION 0x"...), c.Session, 16)
	}
	return buf
}

// AppendText implements Request.
func (ZKPing) AppendText(buf []byte) []byte { return append(buf, "PING"...) }

var zkModeTexts = [...]string{ZKPersistent: "", ZKEphemeral: " EPHEMERAL", ZKEphemeralSequential: " EPHEMERAL SEQUENTIAL"}

// AppendText implements Request: CREATE /lock EPHEMERAL.
func (c ZKCreate) AppendText(buf []byte) []byte {
	return append(append(append(buf, "CREATE "...), c.Path...), zkModeTexts[c.Mode]...)
}

// AppendText implements Request: DELETE /lock -1.
func (d ZKDelete) AppendText(buf []byte) []byte {
	buf = append(append(append(buf, "DELETE "...), d.Path...), ' ')
	return strconv.AppendInt(buf, int64(d.Version), 10)
}

// AppendText implements Request: EXISTS /lock WATCH.
func (e ZKExists) AppendText(buf []byte) []byte {
	buf = append(append(buf, "EXISTS "...), e.Path...)
	if e.Watch {
		buf = append(buf, " WATCH"...)
	}
	return buf
}

// AppendText implements Request.
func (c ZKChildren) AppendText(buf []byte) []byte {
	return append(append(buf, "CHILDREN "...), c.Path...)
}

// AppendText implements Request: SETWATCHES SINCE 7 /lock.
func (s ZKSetWatches) AppendText(buf []byte) []byte {
	buf = strconv.AppendInt(append(buf, "SETWATCHES SINCE "...), s.Since, 10)
	for _, paths := range [...][]string{s.Data, s.Exist} {
		for _, p := range paths {
			buf = append(append(buf, ' '), p...)
		}
	}
	return buf
}

// AppendText implements Request.
func (ZKClose) AppendText(buf []byte) []byte { return append(buf, "CLOSE"...) }

// ZKSessionText is a session as an answer.
func ZKSessionText(id int64, timeout time.Duration) string {
	return "session 0x" + strconv.FormatInt(id, 16) + ", timeout " + strconv.FormatInt(int64(timeout/time.Millisecond), 10)
}

// Text is the state of a node as an answer; s is nil for one that does not exist.
func (s *ZKStat) Text() string {
	if s == nil {
		return "no node"
	}
	text := "czxid " + strconv.FormatInt(s.Czxid, 10) + ", version " + strconv.FormatInt(int64(s.Version), 10)
	if s.EphemeralOwner != 0 {
		text += ", session 0x" + strconv.FormatInt(s.EphemeralOwner, 16)
	}
	return text
}

// ZKNamesText are the names of children as an answer.
func ZKNamesText(names []string) string { return "[" + strings.Join(names, " ") + "]" }
