// Package livestore is what the live world needs from a store: how its real servers are started,
// which of them leads, where a request begins in its protocol, and how a real client executes one.
// The package live in the folder of a store registers a driver; the rest is common to all stores.
//
// A worker is the program of the harness, started again as a child, so both have the same drivers:
// the harness starts servers, a worker makes a client.
package livestore

import (
	"context"
	"fmt"
	"net"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
	"lockstep/internal/real/images"
	"lockstep/internal/real/link"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
)

// Driver drives the real servers of a store.
type Driver struct {
	Store store.ID
	// Refuse returns an error for a plan that its servers cannot play; nil: they can play all.
	Refuse func(p *plan.Plan) error
	// Stagger is the least time between the starts of two clients, whose first requests should
	// arrive in order. They take longer where servers write to a disk or a session has to begin.
	Stagger time.Duration
	// NoClock is why the clocks of its servers cannot be set. If it is nil, libfaketime sets those
	// of a Replicated store; the leases of a Quorum rest on the monotonic clock, which cannot be
	// set.
	NoClock error
	// Protocol is the one of clients and servers.
	Protocol link.Protocol
	// Connect makes a client of a worker or an operator. It need not open a connection.
	Connect func(c Client) (Executor, error)
	// Probe is a request that only a server that serves clients answers; nil: one that listens
	// serves.
	Probe ports.Request

	// Of a Replicated store.

	// Launch starts a server and returns when it answers.
	Launch func(ctx context.Context, s Single) (Database, error)
	// Copies: a replica begins as a copy of its primary's files, which is impossible in a
	// container.
	Copies bool

	// Of a Quorum.

	// Cluster says how to start the servers. Start sets their number, launcher and names.
	Cluster func(w Wish) servers.Cluster
	// Leads asks a server whether it leads. One that is cut off may say so for a while. The error is
	// that of a server that does not answer.
	Leads func(ctx context.Context, s *servers.Server) (bool, error)
	// LeastElection is the least time without a leader after the loss of one, whatever a scenario
	// says.
	LeastElection time.Duration
	// Removals returns the entries below a key, "" for any, that clients have removed and others
	// had made; false where the servers' records and the clients' requests do not show all. It is
	// called after all clients have ended. Nil without such records.
	Removals func(all []*servers.Server, key string, requests []Request) ([]Removal, bool)
	// Longest is the longest session that the servers grant; nil: they grant any.
	Longest func(s store.Settings) time.Duration
	// LifetimeElsewhere: an entry lives as long as a session or a lease, which began with another
	// request than the entry. It is false if each request of a session prolongs it.
	LifetimeElsewhere bool
}

// Request is a request of a client that may have changed an entry.
type Request struct {
	By history.NodeID
	link.Change
}

// Removal is an entry that a client has removed and another one had made.
type Removal struct {
	By       history.NodeID
	Owner    history.NodeID // 0: it may have been another's, or may not have been removed by this client
	From, At time.Time      // it happened between the two, if Owner is not 0
}

// Single describes one server of a Replicated store for a run.
type Single struct {
	Name     string // in messages, and of its directory
	Launcher servers.Launcher
	Clock    bool          // SetClock will be called
	Idle     time.Duration // how long a session may be idle; 0: for ever
	// Replication is nil for a server without a replica.
	Replication *Replication
}

// Replication makes a server one of several with the same entries: a primary, and replicas that ask
// it for its log of changes and apply them a little later.
type Replication struct {
	Number   int    // of the server, from 1, different for each
	Upstream string // host:port at which it reaches its primary; "" for the primary
}

// Database is a running server of a Replicated store. A way is the address at which it reaches its
// primary.
type Database interface {
	servers.Running
	Listens() string // host:port on the loopback interface
	// Endpoint is the address for a client, by an address of the server or of a link.
	Endpoint(addr string) string
	// Relaunch starts a killed server again, on its address, with its data; Rejoin starts a replica
	// again without data, which its primary sends.
	Relaunch(ctx context.Context) error
	Rejoin(ctx context.Context, way string) error
	// Follow makes it follow another primary than before.
	Follow(ctx context.Context, way string) error
	// Promote makes it a primary. It first applies the changes that it has received; others are
	// lost.
	Promote(ctx context.Context) error
	// InStep returns when it has all data of its primary, which listens there.
	InStep(ctx context.Context, primary string) error
	// Evict ends the session that has the lock, or removes its entry, as an operator does,
	// bypassing all links; false when there was neither.
	Evict(ctx context.Context, e store.Entry) (bool, error)
}

// Wish describes the servers of a Quorum for a run.
type Wish struct {
	Members  int // 1 when 0
	Launcher servers.Launcher
	Settings store.Settings
	Election time.Duration // how long a leader may be silent
	Calm     bool          // the run has no faults of servers, so elections need not be fast
	// Links between servers, which partitions hold; nil: they connect to each other directly. Most
	// stores need one of the two. Both are called before any server runs, and again when a start
	// has failed.

	// Route returns the address by which one server reaches another that listens there.
	Route servers.Route
	// Fronts opens for each server the one address by which all others know it, on the host that
	// front returns. A caller connects from its own host, and is led to the same port of the
	// other's host.
	Fronts func(front, host func(i int) string) (known []string, err error)
}

// Ways returns the addresses by which a server reaches all others, which listen at their Bus.
func (w *Wish) Ways(from int, members []*servers.Server) (ways []string, err error) {
	for to, s := range members {
		if to == from {
			continue
		}
		addr := s.Bus
		if w.Route != nil {
			if addr, err = w.Route(from, to, addr); err != nil {
				return nil, err
			}
		}
		ways = append(ways, addr)
	}
	return ways, nil
}

// Client is what an executor is made from.
type Client struct {
	Endpoints []string // of the servers: addresses of links
	Timeout   time.Duration
	Idle      time.Duration // after which servers end an idle session; 0: never
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Executor executes requests by a real client. Its caller does what is common to all stores: it
// records the request and its answer, lets other tasks run meanwhile, and ends ctx after the
// response timeout (and the request's store.Patient) or when no task waits for the answer.
type Executor interface {
	// Do sends a request to a server and returns its answer, of the type that the request's
	// documentation names. A request that a link has to recognise carries MarkOf(ctx). The error is
	// ports.ErrConnection when the outcome of the request is unknown, otherwise the store's.
	Do(ctx context.Context, server int, r ports.Request) (any, error)
	// Close closes its connections.
	Close() error
}

// Operator makes a client that bypasses all links.
func (d *Driver) Operator(endpoints ...string) (Executor, error) {
	var dialer net.Dialer
	return d.Connect(Client{Endpoints: endpoints, Timeout: operatorTime, Dial: dialer.DialContext})
}

// Start starts the servers and returns when all of them serve clients. Stop has to be called on
// each of them.
func (d *Driver) Start(ctx context.Context, w Wish) ([]*servers.Server, error) {
	c := d.Cluster(w)
	c.Name, c.Product, c.Members, c.Launcher = store.Of(d.Store).Node, images.For(d.Store), w.Members, w.Launcher
	return servers.StartCluster(ctx, c)
}

// Ready returns nil when a server answers the client.
func (d *Driver) Ready(ctx context.Context, c *Client, e Executor, server int) error {
	if d.Probe != nil {
		_, err := e.Do(ctx, server, d.Probe)
		return err
	}
	conn, err := c.Dial(ctx, "tcp", c.Endpoints[server])
	if err == nil {
		_ = conn.Close()
	}
	return err
}

// operatorTime bounds each connection and each request of an operator. For the time behind, an
// operator that finds nothing looks again: a server that answers reads by itself may be behind.
const (
	operatorTime = 5 * time.Second
	behind       = 100 * time.Millisecond
)

// Evict is store.Store.Evict on a server, bypassing all links.
func (d *Driver) Evict(ctx context.Context, s *servers.Server, key string) (session string, found bool, err error) {
	e, err := d.Operator(s.Addr)
	if err != nil {
		return "", false, err
	}
	defer e.Close()
	of, began := store.Of(d.Store), time.Now()
	for again := true; again && !found && err == nil; {
		again = of.Consent[history.Asks] == store.OfServer && time.Since(began) < behind
		session, found, err = of.Evict(func(r ports.Request) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, operatorTime)
			defer cancel()
			return e.Do(ctx, 0, r)
		}, key)
	}
	return session, found, err
}

// Opener is an Executor with connections that a caller keeps (store.Port.Dial), for a session or a
// watch. Without it, Dial returns the connection of all other requests.
type Opener interface {
	Open(ctx context.Context, server int, in Incoming) (Line, error)
}

// Line is one connection to one server.
type Line interface {
	Do(ctx context.Context, r ports.Request) (any, error)
	Close()
}

// Incoming receives the messages that a server sends by itself. Its functions do not block.
type Incoming struct {
	Push  func(message any)
	Broke func() // called when the connection breaks or is closed
}

// Marker is an Executor whose requests have no room for a mark: the link recognises a request by
// its content.
type Marker interface{ Mark(r ports.Request) string }

type markKey struct{}

// WithMark returns the context of a request that a link recognises by a mark.
func WithMark(ctx context.Context, mark string) context.Context {
	return context.WithValue(ctx, markKey{}, mark)
}

// MarkOf returns the mark of the context's request; "" when no link waits for it.
func MarkOf(ctx context.Context) string {
	mark, _ := ctx.Value(markKey{}).(string)
	return mark
}

var registry = map[store.ID]*Driver{}

// Register adds a driver; called from the init of a store's package live.
func Register(d Driver) {
	if err := d.check(); err != nil {
		panic("livestore: " + err.Error())
	}
	registry[d.Store] = &d
}

// Of returns the driver of a store; nil when there is none.
func Of(id store.ID) *Driver { return registry[id] }

// All returns the drivers of the stores with a topology, in the order of store.With.
func All(t store.Topology) (all []*Driver) {
	for _, s := range store.With(t) {
		if d := registry[s.ID]; d != nil {
			all = append(all, d)
		}
	}
	return all
}

// check returns an error for an incomplete driver.
func (d *Driver) check() error {
	missing := func(what string) error {
		return fmt.Errorf("the live half of the store %q does not say %s", d.Store, what)
	}
	switch s := store.Of(d.Store); {
	case s == nil:
		return fmt.Errorf("there is a live half of %q, and no such store", d.Store)
	case registry[d.Store] != nil:
		return fmt.Errorf("the live half of %q is registered twice", d.Store)
	case s.Topology == store.Quorum && (d.Cluster == nil || d.Leads == nil):
		return missing("how its servers are started, and who leads (Cluster, Leads)")
	case s.Topology != store.Quorum && d.Launch == nil:
		return missing("how one of its servers is started (Launch)")
	case d.Protocol == nil:
		return missing("where its requests begin (Protocol)")
	case d.Connect == nil:
		return missing("how its requests are executed (Connect)")
	}
	return nil
}
