package real

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/livestore"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
	stores "lockstep/internal/store"
	_ "lockstep/internal/store/live" // which are asked by livestore.Of
)

// kindOf is the kind of a store; false for one that this world cannot start.
func kindOf(id locks.Store) (kind, bool) {
	d := livestore.Of(id)
	if d == nil {
		k, known := kinds[id]
		return k, known
	}
	s := stores.Of(id)
	k := kind{stagger: d.Stagger, noClock: d.NoClock}
	k.refuse = func(p *plan.Plan, _ *locks.Variant) error {
		err := refuseFaults(p, d)
		if err == nil && d.Refuse != nil {
			err = d.Refuse(p)
		}
		return err
	}
	if s.Topology == stores.Quorum {
		k.noClock = cmp.Or(d.NoClock, errMonotonic)
		k.make = func(g *group) store { return &quorum{cluster: cluster{group: g, leads: d.Leads}, q: d} }
	} else {
		k.contained = func(p *plan.Plan, servers []string) error { return refuseContained(p, d, servers) }
		k.make = func(g *group) store { return &replicated{group: g, d: d, set: *g.h.plan.Database(id)} }
	}
	var needs []string
	for _, p := range s.Programs {
		needs = append(needs, p.Name)
		if p.Built {
			k.built = p.Name
		}
	}
	k.find = findPrograms(needs...)
	return k, true
}

// refuseFaults says what of a plan's faults no real server of a quorum can be made to do; nil when they all can.
func refuseFaults(p *plan.Plan, d *livestore.Driver) error {
	s := stores.Of(d.Store)
	if s.Topology != stores.Quorum {
		return nil
	}
	if i := slices.IndexFunc(p.Faults, func(f faults.Fault) bool { return f.Spec().Name == "evict" }); i >= 0 && s.Evict == nil {
		return fmt.Errorf("fault %d (%s): nobody but its client can end a session of a real %s; play it in the simulator", p.Faults[i].Number, p.Faults[i].Text, s.Title)
	}
	if p.Cluster(d.Store).Election < d.LeastElection && befalls(p.Faults, p.Servers(plan.Store{Store: s})) {
		return fmt.Errorf("no setting lets %s elect a leader in %v: real ones take %v or more; choose a larger --scale, or play it in the simulator",
			s.Title, p.Cluster(d.Store).Election, d.LeastElection)
	}
	return nil
}

// refuseContained says what of a plan a replicated store's servers cannot do in containers; nil when they can all.
// libfaketime is copied into containers of Redis only; others are untested.
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

// quorum is the servers of a store that has a live half in its own folder.
type quorum struct {
	cluster
	q     *livestore.Driver
	doors []*link.Front // see fronts
	own   []*link.Link  // of servers that call themselves by the address that others know

	onlyOwn bool // no client has removed another client's entry
}

// start implements store.
func (c *quorum) start(ctx context.Context, names []string) error {
	all, err := c.q.Start(ctx, livestore.Wish{
		Members: len(names), Launcher: c.h.launcher, Settings: c.settings(), Election: c.h.plan.Cluster(c.q.Store).Election,
		Calm: !befalls(c.h.plan.Faults, names), Route: c.route, Fronts: c.fronts(len(names)),
	})
	if err != nil {
		return err
	}
	return c.started(ctx, names, all)
}

func (c *quorum) settings() stores.Settings { return c.h.plan.SettingsOf(stores.Of(c.q.Store)) }

// fronts makes the addresses of servers of which each has one that all others know, and the links behind them.
func (c *quorum) fronts(members int) func(front, host func(i int) string) ([]string, error) {
	return func(front, host func(i int) string) (known []string, err error) {
		if err := c.close(); err != nil { // of a try that has failed
			return nil, err
		}
		c.peers, c.doors, c.own = nil, nil, nil
		for to := range members {
			door, err := link.OpenFront(front(to))
			if err != nil {
				return nil, err
			}
			c.doors, known = append(c.doors, door), append(known, door.Addr())
			_, port, _ := net.SplitHostPort(door.Addr()) // ours
			for from := range members {
				l, err := link.Open(link.Options{Name: "between servers", Upstream: net.JoinHostPort(host(to), port), Raw: true})
				if err != nil {
					return nil, err
				}
				if door.Admit(host(from), l); from == to {
					c.own = append(c.own, l)
				} else {
					c.peers = append(c.peers, peerLink{from, to, l})
				}
			}
		}
		return known, nil
	}
}

// close implements store.
func (c *quorum) close() error {
	errs := []error{c.cluster.close()}
	for _, door := range c.doors {
		errs = append(errs, door.Close())
	}
	for _, l := range c.own {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

// protocol implements store.
func (c *quorum) protocol() link.Protocol { return c.q.Protocol }

// brief implements store.
func (c *quorum) brief(start *proto.Start) { start.Settings = c.settings() }

// evict implements store.
func (c *quorum) evict(*member) error {
	if !c.leader.up() {
		return nil
	}
	return c.evictSession(func(ctx context.Context, key string) (session string, found bool, err error) {
		return c.q.Evict(ctx, process(c.leader), key)
	})
}

// derive implements store.
func (c *quorum) derive(entries []entry) []entry {
	lease := c.h.lease()
	if c.q.Longest != nil {
		lease = min(lease, c.q.Longest(c.settings()))
	}
	out := deriveGrants(entries, traits{elsewhere: c.q.Elsewhere, shared: true, agreed: true}, lease, c.evicted(sessionOwners(entries)))
	if c.onlyOwn {
		out = slices.DeleteFunc(out, func(e entry) bool { return e.Kind == history.MayHaveRemoved })
	}
	return out
}

// settle implements store.
func (c *quorum) settle() {
	if c.q.OnlyOwnRemoved == nil {
		return
	}
	var all []*servers.Server
	for _, m := range c.members {
		all = append(all, process(m))
	}
	below := locks.Key
	if c.h.variant.Program != nil {
		below = "" // wherever it has put its nodes
	}
	c.onlyOwn = c.q.OnlyOwnRemoved(all, below)
}

// findPrograms looks for programs on PATH and where packages put them.
func findPrograms(names ...string) func(*Options) error {
	return func(*Options) error {
		for _, name := range names {
			if _, err := servers.Find(name); err != nil {
				return err
			}
		}
		return nil
	}
}

// befalls reports whether a fault touches a server, or a link to one.
func befalls(all []faults.Fault, servers []string) bool {
	groups := []string{faults.ThePrimary, faults.TheStore, faults.TheReplicas}
	return slices.ContainsFunc(all, func(f faults.Fault) bool {
		spec := f.Spec()
		return spec.Replica || spec.Promoter || slices.ContainsFunc(f.Names(), func(name string) bool {
			return slices.Contains(servers, name) || slices.Contains(groups, name)
		})
	})
}
