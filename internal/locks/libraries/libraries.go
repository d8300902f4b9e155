// Package libraries plays the locks of Go libraries as they are: each with the
// options that its own documentation shows, with the retries and time limits that it
// has by itself, and with the connections that it makes. A lock in package locks
// shows what a document says; here is what people run.
//
// A library is given addresses and a way to connect to them, so that faults can get at what it
// sends. Everything else it does as in any program: it starts goroutines, reads the clock of its
// host and draws random numbers. Only the live world can play that. What goes over the wire is
// observed on the connection itself, since some of these libraries repeat commands silently.
//
// There is one file for each library. The comment at its top is the lock's text for
// lists and reports, which package locks reads.
package libraries

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"slices"

	"lockstep/internal/locks"
)

// Deps are the settings of one client for a library.
type Deps struct {
	locks.Deps // the ports in it are nil
	// Addrs are what the library connects to: a name for the current primary, or
	// one address for each server of a cluster and for each independent primary.
	Addrs []string
	// Sentinels are the addresses of the servers that know the primary, which they call
	// Primary; nil where there are none. Addrs is nil where there are some.
	Sentinels []string
	Primary   string
	// Dial opens a connection to one of Addrs or Sentinels, or to an address that a
	// sentinel has told.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Cleanup has f called when the run is over, and a client connects when it first needs to; nil
	// where the whole process ends then, and clients are connected before the run begins.
	Cleanup func(f func())
}

// closes calls end at the end of the run.
func (d *Deps) closes(end func()) {
	if d.Cleanup != nil {
		d.Cleanup(end)
	}
}

// Library makes the locks of one library.
type Library struct {
	ID string // of the variant
	// Scripts are the names by which reports call the library's Lua scripts, by the
	// SHA-1 of their text, which is what EVALSHA sends.
	Scripts map[string]string
	// Texts are the scripts. They are loaded into the servers before a run, as in servers in
	// use: else the first EVALSHA would do nothing, and a fault that
	// waits for the first command of a release would not hit a release.
	Texts []string
	// Owners are the arguments that scripts compare, by the names of the scripts; see
	// redis.Script.Owner.
	Owners map[string]int
	// Renews is the script with which the library renews its lease by itself;
	// "" when it never does.
	Renews string
	// OwnKeys: its entries have other keys than the name of the lock, or a lease that
	// does not follow from the commands: nothing is concluded about them, and an
	// operator does not find them.
	OwnKeys bool
	// Untapped: it does not speak the protocol of Redis, so its requests are not read. Its
	// history has what the client does and believes, and no request.
	Untapped bool
	// New makes a lock for one client. It returns when the servers have answered.
	New func(Deps) (locks.Lock, error)
}

var registry = map[string]Library{}

// register adds a library; called from the init of its file.
func register(l Library) {
	if _, dup := registry[l.ID]; dup {
		panic(fmt.Sprintf("libraries: %q registered twice", l.ID))
	}
	registry[l.ID] = l
}

// Lookup returns the library behind a variant.
func Lookup(id string) (Library, bool) {
	l, ok := registry[id]
	return l, ok
}

// All returns all libraries, sorted by id.
func All() []Library {
	return slices.SortedFunc(maps.Values(registry), func(a, b Library) int {
		return cmp.Compare(a.ID, b.ID)
	})
}

// failure is the error of an acquisition: that of ctx when it has ended.
func failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
