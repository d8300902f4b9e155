package real

import (
	"context"
	"fmt"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/proto"
)

// store is what the servers of one kind do in a way of their own: how they are
// started, who of them leads, what goes on between them, what their entries are.
// What every server has (a process, links, a place in the partitions) is a group,
// which a store embeds; the methods that a kind does not have are those of group.
//
// A new kind is one file with a type that embeds *group and a call of register.
// Once the run has begun, all methods but restart and settle are called with h.mu held.
type store interface {
	// start starts the servers with these names, which package plan has chosen, adds
	// each to the group (group.add), and returns when all of them serve clients.
	start(ctx context.Context, names []string) error
	// protocol is what the links to clients carry.
	protocol() link.Protocol
	// endpoint is what a client is told in order to reach a server at that address,
	// the one of its link.
	endpoint(m *member, addr string) string
	// brief adds to what a client is told what only clients of this kind have to know.
	brief(start *proto.Start)
	// replicas is how many the primary has, for clients that want to know.
	replicas() int
	// primary returns the server that leads, or has led last.
	primary() *member
	// reachabilityChanged is told of partitions, deaths and returns: it switches the
	// links between servers, and tells clients whom to ask.
	reachabilityChanged()
	// died is told that a server was killed.
	died(m *member)
	// restart restarts a dead server on its address, and reports whether it has
	// forgotten everything. It is slow, and the only method called without h.mu.
	restart(ctx context.Context, m *member) (empty bool, err error)
	// failOver kills the primary, for another server to take its place.
	failOver(fault int)
	// promote makes a replica the primary while the old one goes on.
	promote(fault int) error
	// evict removes the lock's entry on one server, or for nil on those that clients
	// write to, past all links. What it does it adds to group.evictions.
	evict(one *member) error
	// between are the links between servers.
	between() []way
	// slower makes replication later, by this on top of what the plan says.
	slower(by time.Duration)
	// settle is called without h.mu, after all clients have ended and before the servers
	// stop: the last chance to query them.
	settle()
	// derive returns what the servers' entries are known to have been, from a sorted
	// list of events: Granted, Removed and Forgotten, only what is certain.
	derive(entries []entry) []entry
	// close frees what belongs to the servers together; each of them is stopped by
	// the group.
	close() error
}

// kind is a kind of store that this world has.
type kind struct {
	// refuse says what of a plan the kind cannot set up; nil when it can all.
	refuse func(p *plan.Plan, v *locks.Variant) error
	// contained says what of a plan such servers cannot do in containers; nil when they can all.
	contained func(p *plan.Plan, servers []string) error
	// find looks for the programs that it needs as child processes.
	find func(o *Options) error
	// built is the one of them that no package has, "" for most: where it is
	// not built, the rest is played without it.
	built string
	// stagger is the least time between the starts of two clients: their first
	// requests take longer than that with a store that writes to a disk, or that has
	// to begin a session first, and they are to come in order.
	stagger time.Duration
	// noClock is why the clocks of its servers cannot be set; nil where libfaketime does that.
	noClock error
	// make makes the store of a run; nothing is started yet.
	make func(g *group) store
}

var kinds = map[locks.Store]kind{}

// register adds a kind; called from the init of its file.
func register(s locks.Store, k kind) {
	if _, twice := kinds[s]; twice {
		panic(fmt.Sprintf("real: the store %q is registered twice", s))
	}
	kinds[s] = k
}
