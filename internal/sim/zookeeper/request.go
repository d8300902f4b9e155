package zookeeper

import (
	"strconv"
	"strings"
	"time"

	"lockstep/internal/world"
)

// The requests. Each says what the value of its answer is.

// Connect opens a session on a connection (Session 0), or moves a session to this
// connection; answered by a Session, or world.ErrSessionExpired. Timeout is what
// the client asks for. A real server wants a password as well.
type Connect struct {
	Timeout time.Duration
	Session int64
}

// Session is a session as it was granted.
type Session struct {
	ID      int64
	Timeout time.Duration // within 2 to 20 ticks
}

// Ping is a heartbeat; answered by nothing.
type Ping struct{}

// Create makes a node; answered by a Created, or world.ErrNodeExists, ErrNoNode
// (of the parent), ErrEphemeralParent.
type Create struct {
	Path, Data string
	Mode       world.ZKMode
}

// Created is a node as it was made.
type Created struct {
	Path string // ends in ten digits when the node is sequential
	Zxid int64
}

// Delete removes a node; answered by nothing, or world.ErrNoNode, ErrBadVersion,
// ErrNotEmpty. Version -1 matches any.
type Delete struct {
	Path    string
	Version int32
}

// Exists asks for a node's state and may leave a watch behind; answered by a Found.
type Exists struct {
	Path  string
	Watch bool
}

// Found is what Exists has found.
type Found struct {
	Stat *world.ZKStat // nil when there is no such node
	Zxid int64         // the latest transaction that the server has applied
}

// Children asks for the names of a node's children; answered by a []string in the
// order of their making (a real server has none), or world.ErrNoNode.
type Children struct{ Path string }

// SetWatches lays down anew, on a new connection, the watches that a client had
// before; answered by nothing. What a watch would have told meanwhile is pushed at
// once. Since is the latest transaction that the client has seen.
type SetWatches struct {
	Since int64
	Data  []string // watches of nodes that were there
	Exist []string // watches of nodes that were not
}

// Close ends the session; answered by nothing.
type Close struct{}

// EventType is what a watch tells.
type EventType uint8

// The types of events, with the numbers of the wire.
const (
	NodeCreated EventType = 1
	NodeDeleted EventType = 2
	NodeChanged EventType = 3
)

// Event is the message of a watch.
type Event struct {
	Type EventType
	Path string
}

// Name implements store.Op.
func (Connect) Name() string { return "CONNECT" }

// Name implements store.Op.
func (Ping) Name() string { return "PING" }

// Name implements store.Op.
func (Create) Name() string { return "CREATE" }

// Name implements store.Op.
func (Delete) Name() string { return "DELETE" }

// Name implements store.Op.
func (Exists) Name() string { return "EXISTS" }

// Name implements store.Op.
func (Children) Name() string { return "CHILDREN" }

// Name implements store.Op.
func (SetWatches) Name() string { return "SETWATCHES" }

// Name implements store.Op.
func (Close) Name() string { return "CLOSE" }

// AppendText implements store.Op: CONNECT 10000 SESSION 0x1, in milliseconds.
func (c Connect) AppendText(buf []byte) []byte {
	buf = strconv.AppendInt(append(buf, "CONNECT "...), int64(c.Timeout/time.Millisecond), 10)
	if c.Session != 0 {
		buf = strconv.AppendInt(append(buf, " SESSION 0x"...), c.Session, 16)
	}
	return buf
}

// AppendText implements store.Op.
func (Ping) AppendText(buf []byte) []byte { return append(buf, "PING"...) }

var modeTexts = [...]string{
	world.ZKPersistent: "", world.ZKEphemeral: " EPHEMERAL", world.ZKEphemeralSequential: " EPHEMERAL SEQUENTIAL",
}

// AppendText implements store.Op: CREATE /lock EPHEMERAL.
func (c Create) AppendText(buf []byte) []byte {
	return append(append(append(buf, "CREATE "...), c.Path...), modeTexts[c.Mode]...)
}

// AppendText implements store.Op: DELETE /lock -1.
func (d Delete) AppendText(buf []byte) []byte {
	buf = append(append(append(buf, "DELETE "...), d.Path...), ' ')
	return strconv.AppendInt(buf, int64(d.Version), 10)
}

// AppendText implements store.Op: EXISTS /lock WATCH.
func (e Exists) AppendText(buf []byte) []byte {
	buf = append(append(buf, "EXISTS "...), e.Path...)
	if e.Watch {
		buf = append(buf, " WATCH"...)
	}
	return buf
}

// AppendText implements store.Op.
func (c Children) AppendText(buf []byte) []byte {
	return append(append(buf, "CHILDREN "...), c.Path...)
}

// AppendText implements store.Op: SETWATCHES SINCE 7 /lock.
func (s SetWatches) AppendText(buf []byte) []byte {
	buf = strconv.AppendInt(append(buf, "SETWATCHES SINCE "...), s.Since, 10)
	for _, paths := range [...][]string{s.Data, s.Exist} {
		for _, p := range paths {
			buf = append(append(buf, ' '), p...)
		}
	}
	return buf
}

// AppendText implements store.Op.
func (Close) AppendText(buf []byte) []byte { return append(buf, "CLOSE"...) }

// The texts of answers and of pushed messages.

const okText = "OK"

func (s Session) text() string {
	return "session 0x" + strconv.FormatInt(s.ID, 16) + ", timeout " +
		strconv.FormatInt(int64(s.Timeout/time.Millisecond), 10)
}

func statText(s *world.ZKStat) string {
	if s == nil {
		return "no node"
	}
	text := "czxid " + strconv.FormatInt(s.Czxid, 10) + ", version " + strconv.FormatInt(int64(s.Version), 10)
	if s.EphemeralOwner != 0 {
		text += ", session 0x" + strconv.FormatInt(s.EphemeralOwner, 16)
	}
	return text
}

func namesText(names []string) string { return "[" + strings.Join(names, " ") + "]" }

var eventTexts = [...]string{NodeCreated: "CREATED ", NodeDeleted: "DELETED ", NodeChanged: "CHANGED "}

func (e Event) text() string { return eventTexts[e.Type] + e.Path }
