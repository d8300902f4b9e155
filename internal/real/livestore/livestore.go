// Package livestore is what the live world asks of a store: how its real servers are started, who of them
// leads, where in its protocol a request begins, and how a request is executed by a real client. A store
// says so in the package live of its own folder, which registers a driver; all else is common to them.
//
// A worker is the program of the harness, started again as a child. So both find the same drivers: the
// harness starts servers, a worker asks for a client.
package livestore

import (
	"context"
	"fmt"
	"io"
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
	// Refuse says what of a plan its servers cannot do; nil: they can all.
	Refuse func(p *plan.Plan) error
	// Stagger is the least time between the starts of two clients: their first requests take longer than
	// that where servers write to a disk, or a session has to begin, and they are to come in order.
	Stagger time.Duration
	// NoClock is why the clocks of its servers cannot be set. Where it is nil, libfaketime sets those of a
	// Replicated store; the leases of a Quorum rest on the monotonic clock, which nothing here reaches.
	NoClock error
	// Protocol is what the links between clients and servers carry.
	Protocol link.Protocol
	// Connect makes a client, in a worker or of an operator. No connection needs to be there when it returns.
	Connect func(c Client) (Executor, error)
	// Probe is the question whose answer shows that a server serves clients; nil: that it listens is enough.
	Probe ports.Request

	// Of a Replicated store.

	// Launch starts a server and returns when it answers.
	Launch func(ctx context.Context, s Single) (Database, error)
	// Copies: a replica begins as a copy of its primary's files, which a container keeps to itself.
	Copies bool

	// Of a Quorum.

	// Cluster says how the servers are started; how many, where and what they are called is known.
	Cluster func(w Wish) servers.Cluster
	// Leads reports whether a server says that it leads. One that is cut off may say so for a while.
	Leads func(ctx context.Context, s *servers.Server) bool
	// LeastElection is how long its servers have no leader after losing one, at least, whatever a scenario says.
	LeastElection time.Duration
	// OnlyOwnRemoved reports whether what the servers keep shows that no client has removed another one's entry
	// below a key, "" for any; it is called after all clients have ended. Nil if they keep no such record.
	OnlyOwnRemoved func(all []*servers.Server, key string) bool
	// Longest is the longest session that the servers grant; nil: they grant what a lock asks for.
	Longest func(s store.Settings) time.Duration
	// Elsewhere: the life of an entry is that of a session or a lease, which began with another request than
	// the one that made the entry. It is false where each request of a session makes it live longer.
	Elsewhere bool
}

// Single is what a run asks of one server of a Replicated store.
type Single struct {
	Name     string // in messages, and of its directory
	Launcher servers.Launcher
	Clock    bool          // SetClock will be called
	Idle     time.Duration // how long a session may say nothing; 0: for ever
	// Replication is what it shares with others; nil for a server that is alone.
	Replication *Replication
}

// Replication makes a server one of several that have the same entries: a primary, and replicas that ask it for
// its log of changes and apply them a little later.
type Replication struct {
	Number   int    // of the server, from 1, different for each
	Pristine string // a directory for what all of them begin with: the first one that starts may leave it there
	Upstream string // host:port at which it reaches its primary; "" for the primary
}

// Database is a running server of a Replicated store. A way is the address at which it reaches its primary.
type Database interface {
	servers.Running
	Listens() string // host:port on the loopback interface
	// Endpoint is what a client is told to reach it at that address, its own or that of a link.
	Endpoint(addr string) string
	// Relaunch starts it again when it has been killed, on its address, with all that it had; Rejoin does the
	// same for a replica that has nothing but what its primary sends it.
	Relaunch(ctx context.Context) error
	Rejoin(ctx context.Context, way string) error
	// Follow makes it follow another primary than before.
	Follow(ctx context.Context, way string) error
	// Promote makes it a primary. What it has received it applies before; what it has not is lost.
	Promote(ctx context.Context) error
	// InStep returns when it has everything that its primary has, which listens there.
	InStep(ctx context.Context, primary string) error
	// Evict ends the session that has the lock, or else removes its entry, past all links, as an operator
	// does; false when there was neither.
	Evict(ctx context.Context, e store.Entry) (bool, error)
}

// Wish is what a run asks of servers.
type Wish struct {
	Members  int // 1 when 0
	Launcher servers.Launcher
	Settings store.Settings
	Election time.Duration // how long a leader may be silent
	Calm     bool          // nothing befalls the servers in this run, so they need no election soon
	// Ways of servers to each other, which partitions hold; nil: they call each other directly. Most stores
	// need one of them. Both are called before any server runs, and again when a try to start has failed.

	// Route returns the address by which one server reaches another that listens there.
	Route servers.Route
	// Fronts opens for each server the one address by which all others know it, on the host that front
	// says. Who calls there calls from its own host, and is led to the same port of the called one's host.
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
	Idle      time.Duration // after which servers end a session that says nothing; 0: never
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Executor executes requests by a real client. What is common to all stores is done before: the history is
// told of the request and its answer, other tasks have their turn meanwhile, and ctx ends with the response
// timeout (and the request's store.Patient) or as soon as no task waits for the answer. One that keeps
// connections is an io.Closer.
type Executor interface {
	// Do sends a request to a server and returns its answer, of the type that the request's documentation
	// names. A request that a link has to recognise carries MarkOf(ctx). The error is world.ErrConnection
	// when it is not known what became of the request, else what the store says.
	Do(ctx context.Context, server int, r ports.Request) (any, error)
}

// Start starts the servers and returns when all of them serve clients. Stop has to be called on each of them.
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
		_ = conn.Close() // it was only a question
	}
	return err
}

// operatorTime bounds each request of an operator; behind is how long one that finds nothing looks again, where a server
// answers reads by itself and may be behind.
const (
	operatorTime = 2 * time.Second
	behind       = 100 * time.Millisecond
)

// Evict is store.Store.Evict on a server, past all links.
func (d *Driver) Evict(ctx context.Context, s *servers.Server, key string) (session string, found bool, err error) {
	var dialer net.Dialer
	e, err := d.Connect(Client{Endpoints: []string{s.Addr}, Timeout: operatorTime, Dial: dialer.DialContext})
	if err != nil {
		return "", false, err
	}
	if c, ok := e.(io.Closer); ok {
		defer c.Close()
	}
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

// Opener is an Executor whose store has connections that a caller keeps (store.Port.Dial), for a session or a
// watch. Without it Dial gives the way of all other requests.
type Opener interface {
	Open(ctx context.Context, server int, in Incoming) (Line, error)
}

// Line is one connection to one server.
type Line interface {
	Do(ctx context.Context, r ports.Request) (any, error)
	Close()
}

// Incoming takes what a server sends by itself. Its functions do not wait.
type Incoming struct {
	Push  func(message any)
	Broke func() // the connection is broken
}

// Marker is an Executor whose store has no room for a mark of ours in a request: its link recognises a
// request by what is in it.
type Marker interface{ Mark(r ports.Request) string }

type markKey struct{}

// WithMark is a context of a request that a link has to recognise by a mark.
func WithMark(ctx context.Context, mark string) context.Context {
	return context.WithValue(ctx, markKey{}, mark)
}

// MarkOf returns the mark of the request that a context belongs to; "" when no link waits for it.
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

// All returns the drivers of the stores with a topology, in the order of lists.
func All(t store.Topology) (all []*Driver) {
	for _, s := range store.With(t) {
		if d := registry[s.ID]; d != nil {
			all = append(all, d)
		}
	}
	return all
}

// check says what is missing of a driver; nil when nothing is.
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
