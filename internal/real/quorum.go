package real

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/proto"
	stores "lockstep/internal/store"
)

// refuseFaults returns an error for a fault that real servers of a quorum cannot have.
func refuseFaults(p *plan.Plan, d *livestore.Driver) error {
	s := stores.Of(d.Store)
	if s.Topology != stores.Quorum {
		return nil
	}
	if i := slices.IndexFunc(p.Faults, func(f faults.Fault) bool { return f.Spec().Name == "evict" }); i >= 0 && s.Evict == nil {
		return fmt.Errorf("fault %d (%s): only its client can end a session of a real %s; play it in the simulator", p.Faults[i].Number, p.Faults[i].Text, s.Title)
	}
	if p.Cluster(d.Store).Election < d.LeastElection && touchesAny(p.Faults, p.Servers(plan.Store{Store: s})) {
		return fmt.Errorf("no setting lets %s elect a leader in %v: real ones take %v or more; choose a larger --scale, or play it in the simulator",
			s.Title, p.Cluster(d.Store).Election, d.LeastElection)
	}
	return nil
}

// refuseContained returns an error if a replicated store's servers cannot play a plan in
// containers. libfaketime is copied into containers of Redis only; others are untested.
func refuseContained(p *plan.Plan, d *livestore.Driver, servers []string) error {
	if d.Copies && len(servers) > 1 {
		return fmt.Errorf("a replica of %s begins as a copy of its primary's files, which a container keeps to itself", stores.Of(d.Store).Title)
	}
	for _, name := range servers {
		if touchesClock(p, name) {
			return fmt.Errorf("the clock of %s cannot be set in a container, only those of Redis servers can", name)
		}
	}
	return nil
}

// quorum is servers that agree on everything and elect their leader, such as etcd, ZooKeeper and
// Consul. Each pair of them has two links, one for the connections that either opens, which
// partitions hold.
type quorum struct {
	*group
	q    *livestore.Driver
	mesh *mesh // in the order of package servers while they start

	removals []livestore.Removal // by clients, of other clients' entries
	known    bool                // there are no others
}

// start implements store.
func (c *quorum) start(ctx context.Context, names []string) error {
	c.mesh = newMesh(c.group, names)
	all, err := c.q.Start(ctx, livestore.Wish{
		Members: len(names), Launcher: c.h.launcher, Settings: c.settings(), Election: c.h.plan.Cluster(c.q.Store).Election,
		Calm: !touchesAny(c.h.plan.Faults, names), Route: c.route, Fronts: c.fronts,
	})
	if err != nil {
		return err
	}
	return c.started(ctx, names, all)
}

func (c *quorum) settings() stores.Settings { return c.h.plan.SettingsOf(stores.Of(c.q.Store)) }

// route implements servers.Route.
func (c *quorum) route(from, to int, addr string) (string, error) {
	l, err := c.mesh.open(c.mesh.peers[from], c.mesh.peers[to], addr)
	if err != nil {
		return "", err
	}
	return l.Addr(), nil
}

// fronts makes a front for each server, the one address that all others and it know, and the links
// behind it.
func (c *quorum) fronts(front, host func(i int) string) (known []string, err error) {
	// Those of a failed attempt are closed first.
	if err := errors.Join(c.mesh.close(), c.mesh.openFronts(front, host)); err != nil {
		return nil, err
	}
	for i, p := range c.mesh.peers {
		known = append(known, p.front.Addr())
		_, port, _ := net.SplitHostPort(p.front.Addr()) // Addr is well-formed
		if err := c.mesh.join(p.name, net.JoinHostPort(host(i), port)); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// died implements store: whatever the servers have agreed on is not lost. If the server leads when
// it is back, it has been elected again.
func (c *quorum) died(m *member) { m.leads = false }

// reachabilityChanged implements store.
func (c *quorum) reachabilityChanged() { c.mesh.apply(0) }

// protocol implements store.
func (c *quorum) protocol() link.Protocol { return c.q.Protocol }

// brief implements store.
func (c *quorum) brief(start *proto.Start) { start.Settings = c.settings() }

// evict implements store.
func (c *quorum) evict(*member) error {
	return c.eviction(c.leader, command{}, func(ctx context.Context) (session string, found bool, err error) {
		return c.q.Evict(ctx, process(c.leader), locks.Key)
	})
}

// derive implements store.
func (c *quorum) derive(entries []entry) []entry {
	lease := c.h.lease()
	if c.q.Longest != nil {
		lease = min(lease, c.q.Longest(c.settings()))
	}
	owners := sessionOwners(commandsOf(entries))
	for _, e := range c.evictions {
		e.victim = owners[e.session]
	}
	out := deriveGrants(entries, traits{elsewhere: c.q.LifetimeElsewhere, shared: true, agreed: true}, lease, c.interference())
	if c.known && len(c.removals) == 0 {
		out = slices.DeleteFunc(out, func(e entry) bool { return e.Kind == history.MayHaveRemoved })
	}
	return out
}

// settle implements store.
func (c *quorum) settle() {
	if c.q.Removals == nil {
		return
	}
	var requests []livestore.Request
	c.h.mu.Lock()
	clients := c.h.allClients()
	c.h.mu.Unlock()
	for _, client := range clients {
		for _, l := range client.links {
			for _, change := range l.Changed() {
				requests = append(requests, livestore.Request{By: client.node, Change: change})
			}
		}
	}
	below := locks.Key
	if c.h.variant.Program != nil {
		below = "" // a program may put its nodes anywhere
	}
	c.removals, c.known = c.q.Removals(processes(c.members), below, requests)
}

// foreignRemovals returns the events of removals by clients other than the owner. One is in doubt, too, if
// its owner may have given the entry up before.
func (c *quorum) foreignRemovals(entries []entry) (out []entry) {
	if len(entries) == 0 { // a program changed entries in its init, and no client has played
		return nil
	}
	instant := func(t time.Time) history.Instant { return max(history.Instant(t.Sub(c.h.epoch)), 0) }
	for _, r := range c.removals {
		e := mayHaveRemoved(instant(r.At), c.leader.node, r.By)
		givesUp := func(e entry) bool {
			return e.Node == r.Owner && e.At >= instant(r.From) && e.At <= instant(r.At) && slices.Contains(givingUp, e.Kind)
		}
		if r.Owner != 0 && !slices.ContainsFunc(entries, givesUp) {
			e.Kind, e.Owner = history.Removed, r.Owner
		}
		if e.At <= entries[len(entries)-1].At {
			out = append(out, e)
		}
	}
	return out
}

// givingUp are the events after which a removal takes nothing away from a client.
var givingUp = []history.Kind{history.GaveUp, history.Finished, history.Releasing, history.LostLease, history.Crashed}

// touchesAny reports whether a fault touches one of the servers, or a link to one.
func touchesAny(all []faults.Fault, servers []string) bool {
	groups := []string{faults.ThePrimary, faults.TheStore, faults.TheReplicas}
	return slices.ContainsFunc(all, func(f faults.Fault) bool {
		spec := f.Spec()
		return spec.Replica || spec.Promoter || slices.ContainsFunc(f.Names(), func(name string) bool {
			return slices.Contains(servers, name) || slices.Contains(groups, name)
		})
	})
}
