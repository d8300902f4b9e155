package real

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/servers"
)

// group is the servers: a primary and its replicas, or primaries that know
// nothing of each other. Once they run, all of it is guarded by h.mu.
type group struct {
	h         *harness
	apart     bool // primaries that know nothing of each other
	members   []*member
	primary   int // that clients are led to; the first one stands for primaries apart
	lag       time.Duration
	blocks    []block
	evictions []*command
}

// member is one server with the link through which it follows its primary.
type member struct {
	*servers.Server
	node    history.NodeID
	feed    *link.Link // nil for those that begin as a primary
	follows *member    // whom the feed leads to
	severed bool       // the primary has died: what it owed this replica is lost
	dead    bool
	frozen  bool
	life    sync.Mutex // held while the process is started anew, or stopped for good
}

// startGroup starts the servers and returns when the replicas are in step. The
// group is returned beside an error, to be closed.
func startGroup(ctx context.Context, h *harness) (*group, error) {
	g := &group{h: h, apart: h.variant.Store == locks.StoreRedisNodes}
	for i, name := range h.plan.Servers(storeOf(&h.variant)) {
		m := &member{node: h.nodes[name]}
		g.members = append(g.members, m)
		o := g.options(name)
		if i > 0 && !g.apart {
			if err := g.openFeed(m, name, g.members[0]); err != nil {
				return g, err
			}
			o.ReplicaOf = m.feed.Addr()
		}
		server, err := servers.StartRedis(ctx, o)
		if err != nil {
			return g, err
		}
		m.Server = server
		g.watch(m)
	}
	if len(g.members) > 1 && !g.apart {
		if err := g.members[0].WaitReplicas(ctx, g.replicas()); err != nil {
			return g, err
		}
	}
	g.lag = h.plan.Redis.Lag // only now: the first sync need not be slow
	g.apply()
	return g, nil
}

// storeOf says what a variant keeps its entries in, in the words of package plan.
func storeOf(v *locks.Variant) plan.Store {
	return plan.Store{Name: string(v.Store), Nodes: v.Servers.Nodes, Replicas: v.Servers.Replicas}
}

// options says how a server is started. What the lock's design demands counts more
// than what the plan says.
func (g *group) options(name string) servers.RedisOptions {
	p, demands := g.h.plan, &g.h.variant.Servers
	o := servers.RedisOptions{Name: name, Program: g.h.o.RedisServer, Scratch: g.h.scratch, Fsync: g.fsync()}
	switch {
	case g.apart:
	case demands.MinReplicas > 0:
		o.MinReplicas, o.MinReplicasMaxLag = demands.MinReplicas, demands.MinReplicasMaxLag
	default:
		o.MinReplicas, o.MinReplicasMaxLag = p.Redis.MinReplicas, p.Redis.MinReplicasMaxLag
	}
	return o
}

// fsync is when the servers' files reach the disk; "" when they have none.
func (g *group) fsync() string {
	persistence := g.h.plan.Redis.Persistence
	if g.apart {
		persistence = g.h.plan.Redlock.Persistence
	}
	switch {
	case g.h.variant.Servers.FsyncAlways:
		return plan.PersistAlways
	case persistence == plan.PersistNone:
		return ""
	}
	return persistence
}

func (g *group) openFeed(m *member, name string, primary *member) error {
	feed, err := link.Open(link.Options{Name: name + " from its primary", Upstream: primary.Addr, Raw: true})
	if err != nil {
		return err
	}
	m.feed, m.follows, m.severed = feed, primary, false
	return nil
}

func (g *group) replicas() []*servers.Server {
	var out []*servers.Server
	for _, m := range g.members[1:] {
		out = append(out, m.Server)
	}
	return out
}

// watch ends the run when a server dies that no fault has killed.
func (g *group) watch(m *member) {
	done := m.Done()
	g.h.background.Go(func() {
		<-done
		g.h.mu.Lock()
		expected := m.dead || g.h.stopped
		g.h.mu.Unlock()
		if !expected {
			g.h.fail(fmt.Errorf("%s ended by itself (%s): %s: the run says nothing about the lock; play it again", m.Name, m.Ended(), m.LastLog()))
		}
	})
}

// leader returns the server that clients are led to.
func (g *group) leader() *member { return g.members[g.primary] }

// named returns the server with that name, nil when it is none.
func (g *group) named(name string) *member {
	for _, m := range g.members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// kill kills a server; false when it was dead already. What its replicas have
// not received by then is lost with it: lag stands for data that the primary has
// not sent yet, the proxy only holds it because the server cannot be told to.
func (g *group) kill(m *member) (bool, error) {
	if m.dead {
		return false, nil
	}
	m.dead, m.frozen = true, false
	for _, r := range g.members {
		if r.feed != nil && r.follows == m {
			r.severed = true
		}
	}
	g.apply()
	return true, m.Kill()
}

// restart starts a dead server anew: as the primary when it is still the one that
// clients know, and else as a replica of that one. Replicas find their primary
// again by themselves. It is called without h.mu.
func (g *group) restart(m *member, fault int) error {
	m.life.Lock()
	defer m.life.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	g.h.background.Go(func() {
		select {
		case <-g.h.stop:
			cancel()
		case <-ctx.Done():
		}
	})
	g.h.mu.Lock()
	upstream, err := g.rejoin(m)
	at := g.h.now()
	stop := g.h.stopped || !m.dead
	g.h.mu.Unlock()
	if err != nil || stop {
		return err
	}
	if err := m.Restart(ctx, upstream); err != nil {
		if ctx.Err() != nil {
			return nil // the run is over, and nobody needs the server
		}
		return err
	}
	g.h.mu.Lock()
	defer g.h.mu.Unlock()
	m.dead = false
	g.watch(m)
	g.h.recordAt(at, entry{
		Event: history.Event{Kind: history.Restarted, Node: m.node, Value: int64(fault)},
		empty: upstream == "" && g.fsync() == "",
	})
	return nil
}

// rejoin returns the address that a server which starts anew follows, "" for a
// primary. h.mu is held.
func (g *group) rejoin(m *member) (string, error) {
	if g.apart || g.leader() == m {
		for _, r := range g.members {
			if r.follows == m {
				r.severed = false
			}
		}
		g.apply()
		return "", nil
	}
	if err := g.lead(m, g.leader()); err != nil {
		return "", err
	}
	return m.feed.Addr(), nil
}

// lead gives a replica a new feed, as late as the old one.
func (g *group) lead(m, primary *member) error {
	old := m.feed
	if err := g.openFeed(m, m.Name, primary); err != nil {
		return err
	}
	g.apply()
	if old != nil {
		return old.Close()
	}
	return nil
}

// promoteTime bounds a promotion; it takes a millisecond.
const promoteTime = 5 * time.Second

// promote makes the first running replica the primary, leads to it the other
// replicas and the clients that hear of it, and returns it; nil when there is
// none. An old primary that runs goes on, for those who do not hear.
func (g *group) promote() (*member, error) {
	ctx, cancel := context.WithTimeout(context.Background(), promoteTime)
	defer cancel()
	old, heir := g.leader(), -1
	for i, m := range g.members {
		if i != g.primary && !g.apart && !m.dead && !m.frozen && heir < 0 {
			heir = i
		}
	}
	if heir < 0 {
		return nil, nil
	}
	m := g.members[heir]
	if _, err := m.Command(ctx, "REPLICAOF", "NO", "ONE"); err != nil {
		return nil, err
	}
	g.primary = heir
	g.spread()
	return m, g.follow(ctx, m, old)
}

// follow makes the replicas of the old primary follow a new one.
func (g *group) follow(ctx context.Context, primary, old *member) error {
	var errs []error
	for _, m := range g.members {
		if m == primary || m == old || m.dead || m.frozen {
			continue
		}
		if err := g.lead(m, primary); err != nil {
			return err
		}
		host, port, _ := net.SplitHostPort(m.feed.Addr())
		_, err := m.Command(ctx, "REPLICAOF", host, port)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// evict removes the lock's entry on one server, or for nil on those that clients
// write to: by a connection of its own, past all links.
func (g *group) evict(one *member) error {
	for _, m := range g.members {
		if m.dead || m.frozen || one != nil && m != one || one == nil && !g.apart && m != g.leader() {
			continue
		}
		c := &command{server: m.node, name: "DEL", sent: g.h.now(), answered: true, releasing: true}
		reply, err := m.Command(context.Background(), "DEL", locks.Key)
		if err != nil {
			return err
		}
		c.done, c.reply = g.h.now(), reply.String()
		c.refused = c.reply == nothing
		g.evictions = append(g.evictions, c)
	}
	return nil
}

// close stops all servers and their links.
func (g *group) close() error {
	var errs []error
	for _, m := range g.members {
		m.life.Lock()
		if m.Server != nil {
			errs = append(errs, m.Stop())
		}
		m.life.Unlock()
	}
	for _, m := range g.members {
		if m.feed != nil {
			errs = append(errs, m.feed.Close())
		}
	}
	return errors.Join(errs...)
}
