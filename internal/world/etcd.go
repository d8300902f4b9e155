package world

import (
	"context"
	"errors"
	"time"
)

// Etcd is an etcd cluster as one client sees it: the part of its API that locks
// use. Every method is one request, unless it says otherwise.
type Etcd interface {
	// Grant makes a lease. The cluster may grant a longer one than was asked for.
	Grant(ctx context.Context, ttl time.Duration) (EtcdLease, error)
	// KeepAlive renews a lease once and returns its time to live;
	// ErrLeaseNotFound when the lease is gone.
	KeepAlive(ctx context.Context, lease int64) (time.Duration, error)
	// Revoke ends a lease and deletes its keys; ErrLeaseNotFound when it is gone.
	Revoke(ctx context.Context, lease int64) error
	// Do runs one operation by itself.
	Do(ctx context.Context, op EtcdOp) (EtcdResult, error)
	// Txn runs Then if all comparisons hold, else Else, at one revision.
	Txn(ctx context.Context, txn EtcdTxn) (EtcdResult, error)
	// Watch delivers the changes of one key from a revision on, in their order.
	Watch(ctx context.Context, key string, fromRevision int64) (EtcdWatch, error)
	// WatchPrefix is Watch of all keys that begin with prefix.
	WatchPrefix(ctx context.Context, prefix string, fromRevision int64) (EtcdWatch, error)
}

// EtcdWatch is a stream of changes.
type EtcdWatch interface {
	// Next waits for the next change. It returns ErrConnection when the stream broke.
	Next(ctx context.Context) (EtcdEvent, error)
	Close()
}

// EtcdLease is a granted lease.
type EtcdLease struct {
	ID  int64
	TTL time.Duration // granted: whole seconds
}

// ErrLeaseNotFound is etcd's answer about a lease that has run out or was revoked.
var ErrLeaseNotFound = errors.New("etcdserver: requested lease not found")

// EtcdOpKind is what an operation does.
type EtcdOpKind uint8

// The operations.
const (
	EtcdGet EtcdOpKind = iota
	EtcdPut
	EtcdDelete
)

// EtcdOp is one operation.
type EtcdOp struct {
	Kind  EtcdOpKind
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

// EtcdCompare is one condition of a transaction: the create revision of a key (0
// for a key that does not exist) or, with Mod, its modification revision, equals
// Revision.
type EtcdCompare struct {
	Key      string
	Mod      bool
	Revision int64
}

// EtcdTxn is a transaction.
type EtcdTxn struct {
	If         []EtcdCompare
	Then, Else []EtcdOp
}

// EtcdResult is the answer to an operation or a transaction.
type EtcdResult struct {
	Succeeded bool  // of a transaction: Then was run
	Revision  int64 // of the store after it
	Responses []EtcdResponse
}

// EtcdResponse is the answer to one operation.
type EtcdResponse struct {
	KVs     []EtcdKV // of a get
	Count   int64    // of a get: the keys that it is about, those that were not asked for among them
	More    bool     // of a get: its limit has left some out
	Deleted int64    // of a delete
}

// EtcdKV is a key with its value and history.
type EtcdKV struct {
	Key, Value                  string
	CreateRevision, ModRevision int64
	Version                     int64
	Lease                       int64
}

// EtcdEvent is one change of a watched key.
type EtcdEvent struct {
	Deleted  bool // else it was put
	Key      string
	Revision int64
}
