package etcd

import (
	"errors"
	"time"
)

// The requests, besides Op and Txn. Each says what the value of its answer is.
type (
	// Grant makes a lease; answered by a Lease.
	Grant struct{ TTL time.Duration }
	// KeepAlive renews a lease; answered by its time to live, a time.Duration. For a lease
	// whose time is up, the answer comes only when the lease has been revoked.
	KeepAlive struct{ Lease int64 }
	// Revoke ends a lease and deletes its keys; answered by nothing.
	Revoke struct{ Lease int64 }
	// Watch makes the connection deliver the changes of a key, or of all keys that begin
	// with it, from a revision on (0: the next one), each as an Event; answered by the store's
	// revision, an int64.
	Watch struct {
		Key    string
		From   int64
		Prefix bool
	}
)

// Lease is a granted lease.
type Lease struct {
	ID  int64
	TTL time.Duration // granted: whole seconds
}

// ErrLeaseNotFound is etcd's answer about a lease that has run out or was revoked.
var ErrLeaseNotFound = errors.New("etcdserver: requested lease not found")

// OpKind is what an operation does.
type OpKind uint8

// The operations.
const (
	Get OpKind = iota
	Put
	Delete
)

// Op is one operation; by itself it is a request that is answered by a Result.
type Op struct {
	Kind  OpKind
	Key   string
	Value string // of a put
	Lease int64  // of a put: the lease that the key lives as long as; 0 for none
	// Prefix: all keys that begin with Key; for gets and deletes.
	Prefix bool
	// FirstCreated: of a get with Prefix, only the key with the lowest create
	// revision (sorted by create revision, limit 1).
	FirstCreated bool
	// MaxCreateRevision, if positive: of a get with Prefix, only keys with a
	// create revision up to it, and of these the one with the highest.
	MaxCreateRevision int64
}

// Compare is one condition of a transaction: the create revision of a key (0
// for a key that does not exist) or, with Mod, its modification revision, equals
// Revision; or, with ByValue, the key exists and its value equals Value.
type Compare struct {
	Key      string
	Mod      bool
	Revision int64
	ByValue  bool
	Value    string
}

// Txn runs Then if all comparisons hold, else Else, at one revision; answered by a Result.
type Txn struct {
	If         []Compare
	Then, Else []Op
}

// Result is the answer to an operation or a transaction.
type Result struct {
	Succeeded bool  // of a transaction: Then was run
	Revision  int64 // of the store after it
	Responses []Response
}

// Response is the answer to one operation.
type Response struct {
	KVs     []KV  // of a get
	Count   int64 // of a get: all keys in its range, also those that its limit has left out
	More    bool  // of a get: its limit has left some out
	Deleted int64 // of a delete
}

// KV is a key with its value and history.
type KV struct {
	Key, Value                  string
	CreateRevision, ModRevision int64
	Version                     int64
	Lease                       int64
}

// Event is one change of a key, as a watch reports it.
type Event struct {
	Deleted  bool // else it was put
	Key      string
	Revision int64
	Put      KV // the key as it was then; empty for one that was deleted
}
