// Package locks holds the lock variants, one file each, straight from the
// documents that describe them. A variant sees only ports (package ports and its store's),
// so the same source runs in the simulator and against real servers.
//
// Each file opens with five headings: Idea, Protocol, Guarantees, Breaks when, Source. They
// are read at run time (see Variant.Doc), so the text next to the code is the text that
// people see in lists and reports. Its Chinese is in zh.
package locks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store"
	"lockstep/internal/store/consul"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/redis"
	"lockstep/internal/store/sql"
	"lockstep/internal/store/zookeeper"
)

// Lock is one client's handle of one named lock.
type Lock interface {
	// Acquire waits for the lock until ctx ends, with the waiting strategy of
	// its design. An error other than ctx's means that an attempt failed with
	// an unknown outcome: the store may hold an entry for this client.
	Acquire(ctx context.Context) (Lease, error)
}

// Lease is a lock that its client believes it holds.
type Lease interface {
	// Release gives the lock back. nil: the store confirmed that it removed an entry. ErrNotHeld:
	// the store had no entry of this client's. Any other error: the outcome is unknown.
	Release(ctx context.Context) error
	// Lost returns a context that ends when the design tells its client that
	// the lock is lost; nil for a design that never tells.
	Lost() context.Context
	// Token is the fencing token; 0 for a design without tokens.
	Token() int64
}

// ErrNotHeld is returned by Release when the store had nothing to remove.
var ErrNotHeld = errors.New("the lock is not held")

// ErrTaken is returned by Acquire of a spinning lock when its client tries once (Deps.Once) and
// another client holds the lock.
var ErrTaken = errors.New("another client holds the lock")

// Deps is what a variant is given for one client.
type Deps struct {
	Env   ports.Env
	Name  string        // of the lock: the key
	Owner string        // name of the client
	Lease time.Duration // a multiple of the variant's LeaseUnit
	Retry time.Duration // between two tries of a spinning variant
	Wait  time.Duration // for how long the client tries at most, for a variant that limits its tries
	Once  bool          // the client tries once
	Renew time.Duration // how often a watchdog renews, for a design that has one; 0: the design's own rate

	// The configuration of a client library, for designs that use it.

	Timeout  time.Duration  // the response timeout, which the ports keep
	Replicas int            // of the Redis primary
	Settings store.Settings // of the store

	Port store.Port // to the store of the variant

	// The same as ports of their own; those of other stores are nil.

	Redis redis.Port
	Nodes []redis.Port // independent primaries, for StoreRedisNodes
}

// Store names what a variant keeps its entries in.
type Store = store.ID

// The stores.
const (
	StoreRedis      = redis.ID      // one primary, with replicas or without
	StoreRedisNodes = redis.NodesID // several primaries that know nothing of each other
	StoreEtcd       = etcd.ID       // a cluster
	StoreZooKeeper  = zookeeper.ID  // an ensemble
	StoreMySQL      = sql.MySQLID   // one primary, with an asynchronous replica or without
	StorePostgres   = sql.PostgresID
	StoreConsul     = consul.ID
)

// Servers is what a design demands of its servers; zero values leave it to the scenario.
type Servers struct {
	Nodes    int // independent primaries; StoreRedisNodes has 5 unless this says otherwise
	Replicas int // at least so many replicas
	// FsyncAlways: every write is on disk before its reply (appendfsync always).
	FsyncAlways bool
	// RestartAfterLease: a crashed server stays down for longer than a lease.
	RestartAfterLease bool
	// MinReplicas: a primary refuses writes while it has not heard from so many
	// replicas for MinReplicasMaxLag.
	MinReplicas       int
	MinReplicasMaxLag time.Duration
	// Shards: the servers are a Redis Cluster of so many shards at least.
	Shards int
	// NoCluster says why the design cannot be played on a Redis Cluster, "" when it can:
	// it does with one key, and one command at a time, all that it does.
	NoCluster string
	// TairString: Redis with the module of that name, which brings CAS and CAD.
	TairString bool
	// Redis84: Redis 8.4 or later, which brings DELEX and SET with IFEQ or IFNE.
	Redis84 bool
}

// Variant is a lock design.
type Variant struct {
	ID      string
	File    string // the Go file that holds it, for its documentation; see Register
	Library string // the import path of the library whose lock it is, as it is; "" for a design that is written here
	// Program is the command of a lock that is a user's own program, with its arguments;
	// nil for all others. See NewProgram.
	Program   []string
	Store     Store
	Servers   Servers       // what the design demands of its servers
	Entry     store.Entry   // of a lock that is a row: which columns have its name, and the time at which it is free
	LeaseUnit time.Duration // the lease must be a whole multiple; 0: the design has no lease
	Watchdog  bool          // its lease is renewed as often as a story says: see Deps.Renew
	// KeptFor is for how long its store keeps others out, at most, after the last message of a
	// holder; nil: for a lease.
	KeptFor  func(lease time.Duration) time.Duration
	Resource string          // whose lock it is, in a story with several resources; "" in any other
	Bug      *Bug            // the published bug that it is about; nil for a design and for a library
	New      func(Deps) Lock // nil for a library and for a program
}

// Kind is what is known of the store.
func (v *Variant) Kind() *store.Store { return store.Of(v.Store) }

// Key is the name of the lock in every world.
const Key = "lock"

var registry = map[string]Variant{}

// Register adds a variant; called from the init of the variant's file, which is called like the
// variant, with underscores, unless v.File says otherwise.
func Register(v Variant) {
	v.File = cmp.Or(v.File, fileOf(v.ID))
	if _, dup := registry[v.ID]; dup {
		panic(fmt.Sprintf("locks: variant %q registered twice", v.ID))
	}
	registry[v.ID] = v
}

func fileOf(id string) string { return strings.ReplaceAll(id, "-", "_") + ".go" }

// Lookup returns the variant with that id. Behind an @ it may name a resource: set-nx-lua@orders.
func Lookup(id string) (Variant, bool) {
	design, resource := SplitResource(id)
	v, ok := registry[design]
	return v.At(resource), ok
}

// SplitResource returns the design and the resource that the id of a variant names; the resource is
// "" when it names none.
func SplitResource(id string) (design, resource string) {
	design, resource, _ = strings.Cut(id, "@")
	return design, resource
}

// At is the variant as the lock of one of several resources; "": of the only one.
func (v Variant) At(resource string) Variant {
	if resource != "" {
		v.ID, v.Resource = v.ID+"@"+resource, resource
	}
	return v
}

// Misprint reports whether the lock of that id is a misprint: what a text prints with a mistake in
// it, copied as it is. Misprints are to learn from and not to choose from, so they and the claims
// of the texts form a course of their own (docs/course.md): every list has the designs first, and
// misprints in a group behind them. That a lock is one is declared by its id, and nowhere else.
func Misprint(id string) bool { return strings.HasPrefix(id, "lit-") }

// All returns the designs, the libraries and the misprints, in the order of lists: what is
// compared, measured and described. Not every world can play all of them, see Simulated. See Bugs
// for the others.
func All() []Variant { return registered(func(v Variant) bool { return v.Bug == nil }) }

// Known returns every variant that a scenario may name, in the order of lists.
func Known() []Variant { return registered(func(Variant) bool { return true }) }

// registered returns the variants that fulfil a condition in the order of lists: by id, misprints
// last.
func registered(is func(Variant) bool) []Variant {
	out := make([]Variant, 0, len(registry))
	for _, v := range registry { // order: sorted below
		if is(v) {
			out = append(out, v)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i].ID, out[j].ID
		if Misprint(a) != Misprint(b) {
			return Misprint(b)
		}
		return a < b
	})
	return out
}

// Outlasts is the time after which a holder that cannot reach its store has certainly lost the
// lock.
func (v Variant) Outlasts(lease time.Duration) time.Duration {
	if v.KeptFor != nil {
		lease = max(lease, v.KeptFor(lease))
	}
	return max(lease, v.Servers.MinReplicasMaxLag)
}

// Why a design cannot be played on a Redis Cluster.
const (
	keysApart     = "its script takes keys of different hash slots, and a Redis Cluster refuses that (CROSSSLOT)"
	bindsToServer = "it stays on one connection, for WAIT or a channel, and cannot be redirected to another shard"
)

// CheckCluster says why a variant that keeps its entries in Redis cannot be played on
// a Redis Cluster, or nil.
func (v Variant) CheckCluster() error {
	reason := v.Servers.NoCluster
	if v.Program != nil {
		reason = "a program is told the address of one server, and would have to follow redirections past its faults"
	}
	if v.Library != "" {
		reason = "a library dials the servers that it is told of, and this one is not told of a cluster"
	}
	if reason == "" {
		return nil
	}
	return fmt.Errorf("%s cannot be played on a Redis Cluster: %s; set-nx-lua can, or set replicas instead of cluster", v.ID, reason)
}

// CheckLease says why a variant cannot work with a lease, or nil.
func (v Variant) CheckLease(lease time.Duration) error {
	if v.LeaseUnit == 0 || (lease > 0 && lease%v.LeaseUnit == 0) {
		return nil
	}
	unit := "1 ms"
	if v.LeaseUnit == time.Second {
		unit = "1 s"
	}
	return fmt.Errorf("%s sends its lease in whole multiples of %s and cannot ask for %v: choose another lease or --scale", v.ID, unit, lease)
}

// CheckRenew says why a variant does not renew as often as a story says, or nil.
func (v Variant) CheckRenew() error {
	if v.Watchdog {
		return nil
	}
	var can []string
	for _, other := range registered(func(v Variant) bool { return v.Watchdog }) {
		can = append(can, other.ID)
	}
	return fmt.Errorf("renew says how often a watchdog renews, and %s has none that can be told: leave renew out, or play %s", v.ID, strings.Join(can, ", "))
}
