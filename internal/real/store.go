package real

import (
	"cmp"
	"context"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/proto"
	stores "lockstep/internal/store"
	_ "lockstep/internal/store/live" // which are asked by livestore.Of
)

// store is the part of a group of servers that depends on their kind: how they are
// started, which one leads, the links between them, and their entries. A store embeds
// *group, which has the processes, the links to clients, the partitions, and default
// methods.
//
// Once the run has begun, all methods but restart and settle are called with h.mu held.
type store interface {
	// start starts the servers with these names, adds each to the group (group.add),
	// and returns when all of them serve clients.
	start(ctx context.Context, names []string) error
	// protocol is the protocol of the links to clients.
	protocol() link.Protocol
	// endpoint returns what a client needs to reach a server through its link at addr.
	endpoint(m *member, addr string) string
	// brief adds to a client's start message what clients of this kind need.
	brief(start *proto.Start)
	// replicas is the number of replicas of the primary.
	replicas() int
	// primary returns the current or latest leader.
	primary() *member
	// reachabilityChanged is called after partitions, deaths and returns: it switches the
	// links between servers, and tells clients the primary.
	reachabilityChanged()
	// died is called when a server is killed.
	died(m *member)
	// restart restarts a dead server on its address, and reports whether it has lost
	// all entries. It is slow, and called without h.mu.
	restart(ctx context.Context, m *member) (empty bool, err error)
	// failOver kills the primary, and another server takes its place.
	failOver(fault int)
	// promote makes a replica the primary while the old one continues.
	promote(fault int) error
	// evict removes the lock's entry on one server, or for nil on those that clients
	// write to, past all links, and adds the removals to group.evictions.
	evict(one *member) error
	// slower delays replication by this much more than the plan says.
	slower(by time.Duration)
	// settle is called without h.mu, after all clients have ended and before the servers
	// stop: the last chance to query them.
	settle()
	// derive returns the certain events of the servers' entries, from a sorted list of
	// events: Granted, Removed and Forgotten.
	derive(entries []entry) []entry
}

// kind is a kind of store that this world has.
type kind struct {
	// refuse returns an error for a plan that the kind cannot set up.
	refuse func(p *plan.Plan, v *locks.Variant) error
	// contained returns an error for a plan that such servers cannot play in containers; may be
	// nil.
	contained func(p *plan.Plan, servers []string) error
	// stagger is the least time between the starts of two clients, so that their first
	// requests come in order even if a store has to write to a disk or to open a session.
	stagger time.Duration
	// noClock is why the clocks of its servers cannot be set; nil where libfaketime does that.
	noClock error
	// make makes the store of a run; nothing is started yet.
	make func(g *group) store
}

// kindOf is the kind of a store; false for one that this world cannot start.
func kindOf(id locks.Store) (kind, bool) {
	if id == locks.StoreRedis || id == locks.StoreRedisNodes {
		return kind{refuse: checkRedis, stagger: 15 * time.Millisecond, make: newRedis}, true
	}
	d := livestore.Of(id)
	if d == nil {
		return kind{}, false
	}
	k := kind{stagger: d.Stagger, noClock: d.NoClock}
	k.refuse = func(p *plan.Plan, _ *locks.Variant) error {
		err := refuseFaults(p, d)
		if err == nil && d.Refuse != nil {
			err = d.Refuse(p)
		}
		return err
	}
	if stores.Of(id).Topology == stores.Quorum {
		k.noClock = cmp.Or(d.NoClock, errMonotonic)
		k.make = func(g *group) store { return &quorum{group: g, q: d} }
	} else {
		k.contained = func(p *plan.Plan, servers []string) error { return refuseContained(p, d, servers) }
		k.make = func(g *group) store { return &replicated{group: g, d: d, set: *g.h.plan.Database(id)} }
	}
	return k, true
}

// findPrograms returns an error if a program is missing that the servers of a variant need as child
// processes.
func findPrograms(v *locks.Variant) error {
	for _, p := range stores.Of(v.Store).Programs {
		if _, err := programs.Find(p.Name); err != nil {
			return err
		}
	}
	return nil
}

// builtProgram returns the program of a store that has to be built on this machine, "" for none.
func builtProgram(id locks.Store) string {
	if s := stores.Of(id); s != nil {
		for _, p := range s.Programs {
			if p.Built {
				return p.Name
			}
		}
	}
	return ""
}
