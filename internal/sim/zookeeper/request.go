package zookeeper

import (
	"time"

	"lockstep/internal/world"
)

// The requests. Each says what the value of its answer is.
type (
	Connect    = world.ZKConnect // answered by a Session, or world.ErrSessionExpired
	Ping       = world.ZKPing
	Create     = world.ZKCreate // answered by a Created, or world.ErrNodeExists, ErrNoNode (of the parent), ErrEphemeralParent
	Delete     = world.ZKDelete
	Exists     = world.ZKExists // answered by a Found
	Children   = world.ZKChildren
	SetWatches = world.ZKSetWatches
	Close      = world.ZKClose
)

// Session is a session as it was granted.
type Session struct {
	ID      int64
	Timeout time.Duration // within 2 to 20 ticks
}

// Created is a node as it was made.
type Created struct {
	Path string // ends in ten digits when the node is sequential
	Zxid int64
}

// Found is what Exists has found.
type Found struct {
	Stat *world.ZKStat // nil when there is no such node
	Zxid int64         // the latest transaction that the server has applied
}

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

var eventTexts = [...]string{NodeCreated: "CREATED ", NodeDeleted: "DELETED ", NodeChanged: "CHANGED "}

func (e Event) text() string { return eventTexts[e.Type] + e.Path }
