// Package store says what a store is (Store), how a client reaches one (Port), and what the models of
// the stores have in common. (The model of Redis, which most runs use and which replicates in a way of
// its own, has an interface of its own.)
//
// A model is a pure state machine without clock, goroutine or randomness. The world
// around it brings requests and the time, and delivers its output.
package store

import (
	"errors"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
)

// Clock is what the clocks of the server show that executes something.
type Clock struct {
	Wall time.Duration // since the epoch of the run; it may jump
	Mono time.Duration // only ever goes forward
}

// Conn is one connection of a client. A session of a database lives as long as
// its connection; other stores keep sessions of their own.
type Conn struct {
	ID     uint64
	Client history.NodeID
}

// Op is one request to a store.
type Op = ports.Request

// Answer is the reply to a request.
type Answer struct {
	Value any    // of the type that the request's documentation names; nil for none
	Err   error  // of the store
	Text  string // for reports, on one line
}

// Model is one store, as all of its servers together appear to their clients.
type Model interface {
	// Exec executes a request. When done is false the request waits inside the
	// store, and its answer comes later, in Output.Answers, under the same id.
	Exec(now Clock, id uint64, c Conn, op Op) (a Answer, done bool)
	// Closed tells the store that a connection is gone, with all requests that
	// wait on it.
	Closed(now Clock, c Conn)
	// Due returns when, on the monotonic clock, the store next wants to be called
	// with Tick; false when nothing is due.
	Due() (mono time.Duration, ok bool)
	// Tick does what is due: leases and sessions that have run out, waits that
	// have lasted long enough.
	Tick(now Clock)
	// Lead tells the store that another of its servers leads from now on.
	Lead(now Clock)
	// Kept is what it keeps of a client: what that has created, taken or written last.
	Kept(client history.NodeID) []Entry
	// Output returns what has come out since the last call, and forgets it. The
	// lists are valid until the next call of any method.
	Output() Output
}

// Consent is who has to agree before a request is answered.
type Consent int

const (
	OfMajority Consent = iota // the leader and a majority of the servers
	OfLeader                  // the leader alone, for as long as it takes itself for one
	OfServer                  // whichever server was asked; it reads and changes nothing
)

// Rememberer is a Model whose leader keeps something in memory only, and rebuilds it when it restarts.
type Rememberer interface {
	// LeaderRuns tells since when the process of the server that leads from now on runs, on its monotonic
	// clock; 0: since the beginning.
	LeaderRuns(since time.Duration)
}

// ErrNoLeader is the answer of a server that is Lossy to what it cannot pass on.
var ErrNoLeader = errors.New("no server leads")

// Output is what comes out of a store besides the answers of Exec.
type Output struct {
	Changes []Change     // of entries, for the history
	Answers []LateAnswer // of requests that had to wait
	Pushes  []Push       // unsolicited messages: watches
	Drops   []Conn       // connections that the store has closed
	Effects []any        // for a replica that applies them (Follower.Apply)
}

// Change is one thing that happened to an entry of a lock.
type Change struct {
	Kind  history.Kind   // Granted, Extended, Removed, Expired or Forgotten
	Key   string         // the entry's own name, which may have a number behind the lock's
	Owner history.NodeID // whose entry it is or was
	By    history.NodeID // whose request it was; 0: the store itself
	TTL   time.Duration  // of Granted and Extended: time to live; 0: none
}

// LateAnswer answers a request that had to wait.
type LateAnswer struct {
	ID uint64
	Answer
}

// Push is a message to the client at the other end of a connection.
type Push struct {
	Conn  Conn
	Value any
	Text  string // for reports
}

// Follower is the model of one server of a primary and its replicas.
type Follower interface {
	Model
	Evicter
	// SetReplica says whether the server follows another one.
	SetReplica(is bool)
	// Apply does what the primary has done, by its effect (Output.Effects).
	Apply(now Clock, effect any)
	// CopyTo makes another server of the same store a fresh copy of this one.
	CopyTo(to Follower, now Clock)
	// Restart starts the server again: what was committed is there, sessions are not.
	Restart(now Clock)
}

// Patient is a request that the store may keep waiting on purpose: the client's
// response timeout begins after that time.
type Patient interface{ Patience() time.Duration }

// Entry is where a lock keeps what makes a client its holder.
type Entry struct {
	// Key is the key, or the folder of the queue; of a database the name of the named lock, or what the
	// row has in its column Name.
	Key         string
	Table, Name string // of a row: its table, and the column with the key; empty: the entry is no row
	Expires     string // the column with the time at which the row is free, in milliseconds since 1970; empty: it has none
	Seconds     bool   // that column has seconds instead
}
