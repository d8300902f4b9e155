package real

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
)

func init() {
	register(locks.StoreConsul, kind{
		refuse: cannotHurryConsul, find: findPrograms("consul"), built: "consul",
		stagger: 50 * time.Millisecond,
		noClock: errMonotonic,
		make: func(g *group) store {
			return &consul{cluster: cluster{group: g, leads: func(ctx context.Context, s *servers.Server) bool { return s.LeadsConsul(ctx) }}}
		},
	})
}

// leastConsulSecond is the shortest second: sessions of ten of them, which is one, have
// been seen to end within a tenth of their time.
const leastConsulSecond = 100 * time.Millisecond

func cannotHurryConsul(p *plan.Plan, _ *locks.Variant) error {
	if p.Consul.Second >= leastConsulSecond {
		return nil
	}
	return fmt.Errorf("sessions of Consul would last %v, and real ones last a second at least: choose a --scale of 0.1 or more, or servers.consul.second: %v",
		leastSession*p.Consul.Second, leastConsulSecond)
}

// leastSession is Consul's shortest, in its seconds (session_ttl_min).
const leastSession = 10

// consul is a cluster of Consul.
type consul struct {
	cluster
	mesh *mesh
}

// start implements store. Servers tell each other by gossip where to find third ones, so
// each has one address behind which the others are led to their links. Those carry what
// a cluster agrees by, and the requests that go on to the leader. The gossip itself goes
// past them: it only tells who is there, and no session here rests on that.
func (c *consul) start(ctx context.Context, names []string) error {
	all, err := servers.StartConsul(ctx, servers.ConsulOptions{
		Members: len(names), Launcher: c.h.launcher, LeastTTL: leastSession * c.h.plan.Consul.Second,
		Fronts: func() ([]string, error) { return c.fronts(names) },
	})
	if err != nil {
		return err
	}
	return c.started(ctx, names, all)
}

// fronts makes the addresses of the servers, and the links behind them.
func (c *consul) fronts(names []string) ([]string, error) {
	if err := c.close(); err != nil { // of a try that has failed
		return nil, err
	}
	var err error
	if c.mesh, err = openMesh(c.group, names, servers.ConsulFront); err != nil {
		return nil, err
	}
	var known []string
	for i, p := range c.mesh.peers {
		_, port, err := net.SplitHostPort(p.front.Addr())
		listens := net.JoinHostPort(servers.ConsulHost(i), port)
		if err := errors.Join(err, c.mesh.join(p.name, listens), c.mesh.callsItself(p.name, listens)); err != nil {
			return nil, err
		}
		known = append(known, p.front.Addr())
	}
	return known, nil
}

// started is that of the cluster; who leads changes names in the mesh, too.
func (c *consul) started(ctx context.Context, names []string, all []*servers.Server) error {
	if err := c.cluster.started(ctx, names, all); err != nil {
		return err
	}
	for i, s := range all {
		for _, m := range c.members {
			if process(m) == s {
				c.mesh.peers[i].name, c.mesh.peers[i].node = m.name, m.node
			}
		}
	}
	return nil
}

// protocol implements store.
func (c *consul) protocol() link.Protocol { return link.Consul }

// brief implements store.
func (c *consul) brief(start *proto.Start) { start.Second = c.h.plan.Consul.Second }

// reachabilityChanged implements store.
func (c *consul) reachabilityChanged() { c.mesh.apply(0) }

// between implements store.
func (c *consul) between() []way { return c.mesh.ways() }

// close implements store.
func (c *consul) close() error {
	if c.mesh == nil {
		return nil
	}
	return c.mesh.close()
}

// evict implements store: an operator destroys the session that has locked the key.
func (c *consul) evict(*member) error {
	if !c.leader.up() {
		return nil
	}
	return c.evictSession(process(c.leader).Destroy)
}

// derive implements store.
func (c *consul) derive(entries []entry) []entry {
	owners := sessionOwners(entries, "SESSION")
	w := consulWords
	w.shows = ownerShown(owners, "GET")
	return deriveGrants(entries, w, c.h.lease(), c.evicted(owners))
}
