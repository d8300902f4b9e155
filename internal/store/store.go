// Package store describes stores (Store), how a client reaches one (Port), and the interface of
// their models. (The model of Redis has its own: most runs use it, and it replicates differently.)
//
// A model is a pure state machine without clock, goroutine or randomness. The world
// around it supplies requests and the time, and delivers its output.
package store

import (
	"errors"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
)

// Clock is the reading of the clocks of the server that executes something.
type Clock struct {
	Wall time.Duration // since the epoch of the run; it may jump
	Mono time.Duration // never goes back
}

// Conn is one connection of a client. A session of a database lives as long as
// its connection; other stores have separate sessions.
type Conn struct {
	ID     uint64
	Client history.NodeID
}

// Op is one request to a store.
type Op = ports.Request

// Answer is the reply to a request.
type Answer struct {
	Value any   // its type is in the documentation of the request; nil for none
	Err   error // of the store
}

// Model is one store, as all of its servers together appear to their clients.
type Model interface {
	// Exec executes a request. If done is false the request waits inside the
	// store, and its answer is later in Output.Answers, under the same id.
	Exec(now Clock, id uint64, c Conn, op Op) (a Answer, done bool)
	// Closed reports that a connection is gone, with all requests that wait on it.
	Closed(now Clock, c Conn)
	// Due returns when, on the monotonic clock, Tick has to be called next; false
	// when nothing is due.
	Due() (mono time.Duration, ok bool)
	// Tick does what is due: it ends leases, sessions and waits.
	Tick(now Clock)
	// Lead reports that another of its servers leads from now on.
	Lead(now Clock)
	// Kept are the entries that a client has created, taken or last written.
	Kept(client history.NodeID) []Entry
	// Output returns and clears the output since the last call. The lists are valid
	// until the next call of any method.
	Output() Output
}

// Consent says which servers have to agree before a request is answered.
type Consent int

const (
	OfMajority Consent = iota // the leader and a majority of the servers
	OfLeader                  // the leader alone, as long as it believes it leads
	OfServer                  // the server that was asked; for reads
)

// Rememberer is a Model whose leader keeps something in memory only, and rebuilds it when it
// restarts.
type Rememberer interface {
	// LeaderRuns reports when the process of the new leader started, on its monotonic clock; 0: at
	// the beginning.
	LeaderRuns(since time.Duration)
}

// ErrNoLeader is the answer of a Lossy store's server to a request that it cannot pass on.
var ErrNoLeader = errors.New("no server leads")

// Output is the output of a store besides the answers of Exec.
type Output struct {
	Changes []Change     // of entries, for the history
	Answers []LateAnswer // to requests that have waited
	Pushes  []Push       // unsolicited messages: watches
	Drops   []Conn       // connections that the store has closed
	Effects []any        // for replicas (Follower.Apply)
}

// Change is one event in the life of a lock's entry.
type Change struct {
	Kind  history.Kind   // Granted, Extended, Removed, Expired or Forgotten
	Key   string         // the name of the entry: the lock's, a number may follow
	Owner history.NodeID // whose entry it is or was
	By    history.NodeID // whose request it was; 0: the store itself
	TTL   time.Duration  // of Granted and Extended: time to live; 0: none
}

// LateAnswer answers a request that has waited.
type LateAnswer struct {
	ID uint64
	Answer
}

// Push is a message to the client at the other end of a connection.
type Push struct {
	Conn  Conn
	Value any
}

// Follower is the model of one server of a primary and its replicas.
type Follower interface {
	Model
	Evicter
	// SetReplica makes the server a replica, or a primary.
	SetReplica(is bool)
	// Apply applies an effect of the primary (Output.Effects).
	Apply(now Clock, effect any)
	// CopyTo makes another server of the same store a fresh copy of this one.
	CopyTo(to Follower, now Clock)
	// Restart restarts the server: it keeps what was committed, but no sessions.
	Restart(now Clock)
}

// Patient is a request that the store may hold on purpose: the client's response
// timeout begins after that time.
type Patient interface{ Patience() time.Duration }

// Entry is the place of a lock's entry, which makes a client its holder.
type Entry struct {
	// Key is the key, or the folder of the queue; in a database the name of a named lock, or the
	// value of a row's column Name.
	Key         string
	Table, Name string // of a row: its table, and the column with the key; empty for other entries
	Expires     string // the column with the time at which the row is free, in milliseconds since 1970; may be empty
	Seconds     bool   // that column is in seconds instead
	Held        bool   // the row is an entry while a transaction has it locked, and not what is in it
	// Lease, of what a model has Kept, is how long the store keeps it if its client does no more;
	// 0: no limit is known.
	Lease time.Duration
}
