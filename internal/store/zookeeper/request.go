package zookeeper

import (
	"strconv"
	"time"

	"lockstep/internal/history"
)

// The requests. Each says what the value of its answer is.
type (
	// Connect opens a session on a connection (Session 0), or moves a session to this connection;
	// answered by a ConnectReply, or ErrSessionExpired. Timeout is what the client asks for. A real
	// server wants a password as well.
	Connect struct {
		Timeout time.Duration
		Session int64
	}
	// Ping is a heartbeat; answered by nothing.
	Ping struct{}
	// Create makes a node; answered by a Created, or ErrNodeExists, ErrNoNode (of the parent),
	// ErrEphemeralParent.
	Create struct {
		Path, Data string
		Mode       Mode
	}
	// Delete removes a node; answered by nothing, or ErrNoNode, ErrBadVersion, ErrNotEmpty.
	// Version -1 matches any.
	Delete struct {
		Path    string
		Version int32
	}
	// Exists asks for a node's state and may leave a watch behind; answered by a Found.
	Exists struct {
		Path  string
		Watch bool
	}
	// Children asks for the names of a node's children; answered by a []string in the order
	// of their making (a real server has none), or ErrNoNode.
	Children struct{ Path string }
	// SetWatches sets again, on a new connection, the watches that a client had before;
	// answered by nothing. Events that a watch has missed meanwhile are pushed at once. Since is
	// the latest transaction that the client has seen.
	SetWatches struct {
		Since int64
		Data  []string // watches of nodes that were there
		Exist []string // watches of nodes that were not
	}
	// Close ends the session; answered by nothing.
	Close struct{}
)

// Mode is the kind of a node.
type Mode uint8

// The kinds of nodes.
const (
	Persistent Mode = iota
	Ephemeral
	EphemeralSequential
)

// State is the state of a session as its client knows it.
type State uint8

// The states.
const (
	Connected    State = iota
	Disconnected       // no server; the session may be alive or not
	Expired            // a server has said that the session is over
)

// Stat is the state of a node.
type Stat struct {
	Czxid          int64 // the transaction that created it
	Version        int32
	EphemeralOwner int64 // the session, 0 for a persistent node
}

// ConnectReply is a session as it was granted.
type ConnectReply struct {
	ID      int64
	Timeout time.Duration // within 2 to 20 ticks
}

// Answer names the session.
func (g ConnectReply) Answer() history.Answer { return sessionAnswer(g.ID) }

// Text is the session as an answer.
func (g ConnectReply) Text() string {
	timeout := strconv.FormatInt(int64(g.Timeout/time.Millisecond), 10)
	return "session 0x" + strconv.FormatInt(g.ID, 16) + ", timeout " + timeout
}

// Created is a node as it was made.
type Created struct {
	Path string // ends in ten digits when the node is sequential
	Zxid int64
}

// Text is the path as an answer.
func (c Created) Text() string { return c.Path }

// Found is the answer to Exists.
type Found struct {
	Stat *Stat // nil when there is no such node
	Zxid int64 // the latest transaction that the server has applied
}

// Answer names the session that owns the node.
func (f Found) Answer() history.Answer { return f.Stat.Answer() }

// Text is the state of the node as an answer.
func (f Found) Text() string { return f.Stat.Text() }

// EventType is the kind of a change that a watch reports.
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

// problem is a refusal of a server.
type problem string

// Error implements error.
func (p problem) Error() string { return string(p) }

// Text is the refusal as an answer.
func (p problem) Text() string { return "(error) " + string(p) }

// Errors of ZooKeeper. No lock expects the last three: it would have to use the tree in another
// way.
const (
	ErrNodeExists      = problem("zk: node already exists")
	ErrNoNode          = problem("zk: node does not exist")
	ErrBadVersion      = problem("zk: version conflict")
	ErrSessionExpired  = problem("zk: session has been expired by the server")
	ErrEphemeralParent = problem("zk: ephemeral nodes may not have children")
	ErrNotEmpty        = problem("zk: node has children")
	ErrBadArguments    = problem("zk: invalid path")
)
