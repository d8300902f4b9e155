package world

import (
	"context"
	"errors"
	"time"
)

// ZooKeeper is an ensemble as one client sees it.
type ZooKeeper interface {
	// Connect opens a session and waits until a server has granted it. The client
	// library keeps it alive: it sends a heartbeat after a third of the session's
	// timeout without other traffic, changes the server after two thirds without
	// an answer, and learns that the session has expired only when a server says so.
	Connect(ctx context.Context, timeout time.Duration) (ZKSession, error)
}

// ZKSession is a session. Requests return ErrConnection while there is no server
// and ErrSessionExpired once the session is over; a session never comes back.
type ZKSession interface {
	ID() int64
	// Timeout is what the server has granted: within 2 to 20 of its ticks.
	Timeout() time.Duration
	// Create makes a node and returns its path, which ends in a number when the
	// node is sequential. ErrNodeExists, ErrNoNode (of the parent).
	Create(ctx context.Context, path, data string, mode ZKMode) (string, error)
	// Delete removes a node if its version matches; -1 matches any. ErrNoNode,
	// ErrBadVersion.
	Delete(ctx context.Context, path string, version int32) error
	// Exists returns the node's state, nil when there is none.
	Exists(ctx context.Context, path string) (*ZKStat, error)
	// ExistsWatch is Exists that leaves a watch behind, whether the node exists or not.
	ExistsWatch(ctx context.Context, path string) (*ZKStat, ZKWatch, error)
	// Children returns the names of the node's children in the order of the alphabet.
	Children(ctx context.Context, path string) ([]string, error)
	// NextState waits for the next change of the session's state.
	NextState(ctx context.Context) (ZKState, error)
	// State is the session's state as the client knows it.
	State() ZKState
	// Close ends the session; its ephemeral nodes go at once.
	Close(ctx context.Context) error
}

// ZKWatch fires once.
type ZKWatch interface {
	// Wait blocks until the watch fires. A watch survives a change of the server;
	// ErrSessionExpired when the session ends first.
	Wait(ctx context.Context) error
}

// ZKMode is the kind of a node.
type ZKMode uint8

// The kinds of nodes.
const (
	ZKPersistent ZKMode = iota
	ZKEphemeral
	ZKEphemeralSequential
)

// ZKState is the state of a session as its client knows it.
type ZKState uint8

// The states.
const (
	ZKConnected    ZKState = iota
	ZKDisconnected         // no server; the session may be alive or not
	ZKExpired              // a server has said that the session is over
)

// ZKStat is the state of a node.
type ZKStat struct {
	Czxid          int64 // the transaction that created it
	Version        int32
	EphemeralOwner int64 // the session, 0 for a persistent node
}

// Errors of ZooKeeper.
var (
	ErrNodeExists     = errors.New("zk: node already exists")
	ErrNoNode         = errors.New("zk: node does not exist")
	ErrBadVersion     = errors.New("zk: version conflict")
	ErrSessionExpired = errors.New("zk: session has been expired by the server")
)
