package real

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/link"
	"lockstep/internal/real/servers"
)

// group is the servers: a primary and its replicas.
type group struct {
	h       *harness
	members []*member

	mu       sync.Mutex
	primary  int
	reigns   []reign
	stopping bool
}

// member is one server with the link through which it follows the primary.
type member struct {
	*servers.Server
	node   history.NodeID
	feed   *link.Link // nil for the first primary
	dead   bool       // killed by a fault; guarded by group.mu, written with h.mu held as well
	frozen bool       // guarded by h.mu
}

// reign says since when which server is the primary for the clients.
type reign struct {
	since history.Instant
	node  history.NodeID
}

// startGroup starts the servers and returns when the replicas are in step. The
// group is returned beside an error, to be closed.
func startGroup(ctx context.Context, h *harness) (*group, error) {
	g := &group{h: h}
	for i := range 1 + h.plan.Redis.Replicas {
		m := &member{node: h.nodes[plan.ServerName(i)]}
		g.members = append(g.members, m)
		o := servers.RedisOptions{Name: plan.ServerName(i), Program: h.o.RedisServer, Scratch: h.scratch}
		if i > 0 {
			if err := g.openFeed(m, o.Name, g.members[0].Addr); err != nil {
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
	if len(g.members) > 1 {
		if err := g.members[0].WaitReplicas(ctx, g.replicas()); err != nil {
			return g, err
		}
	}
	for _, m := range g.members[1:] { // only now: the first sync need not be slow
		m.feed.Delay(link.Down, h.plan.Redis.Lag)
	}
	return g, nil
}

func (g *group) openFeed(m *member, name, primary string) error {
	feed, err := link.Open(link.Options{Name: name + " from its primary", Upstream: primary, Raw: true})
	if err != nil {
		return err
	}
	m.feed = feed
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
	g.h.background.Go(func() {
		<-m.Done()
		g.mu.Lock()
		expected := m.dead || g.stopping
		g.mu.Unlock()
		if !expected {
			g.h.fail(fmt.Errorf("%s ended by itself (%s): %s: the run says nothing about the lock; play it again", m.Name, m.Ended(), m.LastLog()))
		}
	})
}

// begin says that true time begins.
func (g *group) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reigns = []reign{{0, g.members[0].node}}
}

// at returns the index of the server that clients are sent to.
func (g *group) at() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.primary
}

// named returns the server with that name, nil when it is none.
func (g *group) named(name string) *member {
	for _, m := range g.members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// kill kills a server; false when it was dead already. What the replicas have
// not received by then is lost with it: lag stands for data that the primary has
// not sent yet, the proxy only holds it because the server cannot be told to.
func (g *group) kill(m *member) (bool, error) {
	g.mu.Lock()
	dead := m.dead
	m.dead = true
	primary := g.members[g.primary]
	g.mu.Unlock()
	if dead {
		return false, nil
	}
	if m == primary {
		for _, r := range g.members {
			if r != m && r.feed != nil {
				r.feed.Switch(link.Down, link.Drop)
			}
		}
	}
	return true, m.Kill()
}

// promoteTime bounds a promotion; it takes a millisecond.
const promoteTime = 5 * time.Second

// promote makes the first living replica the primary, leads the clients and the
// other replicas to it, and returns it; nil when there is none.
func (g *group) promote() (*member, error) {
	ctx, cancel := context.WithTimeout(context.Background(), promoteTime)
	defer cancel()
	heir := -1
	g.mu.Lock()
	for i, m := range g.members {
		if i != g.primary && !m.dead && heir < 0 {
			heir = i
		}
	}
	g.mu.Unlock()
	if heir < 0 {
		return nil, nil
	}
	m := g.members[heir]
	if _, err := m.Command(ctx, "REPLICAOF", "NO", "ONE"); err != nil {
		return nil, err
	}
	g.mu.Lock()
	g.primary = heir
	g.reigns = append(g.reigns, reign{g.h.now(), m.node})
	g.mu.Unlock()
	return m, g.follow(ctx, m)
}

// follow makes the other replicas follow a new primary, as late as before.
func (g *group) follow(ctx context.Context, primary *member) error {
	var errs []error
	for _, m := range g.members {
		g.mu.Lock()
		skip := m == primary || m.dead
		g.mu.Unlock()
		if skip {
			continue
		}
		old := m.feed
		if err := g.openFeed(m, m.Name, primary.Addr); err != nil {
			return err
		}
		m.feed.Delay(link.Down, g.h.plan.Redis.Lag)
		host, port, _ := net.SplitHostPort(m.feed.Addr())
		_, err := m.Command(ctx, "REPLICAOF", host, port)
		errs = append(errs, err, old.Close())
	}
	return errors.Join(errs...)
}

// primaryAt returns the server that a command sent at that instant went to.
func primaryAt(reigns []reign, at history.Instant) history.NodeID {
	node := history.NodeID(0)
	for _, r := range reigns {
		if r.since <= at {
			node = r.node
		}
	}
	return node
}

// close stops all servers and their links.
func (g *group) close() error {
	g.mu.Lock()
	g.stopping = true
	g.mu.Unlock()
	var errs []error
	for _, m := range g.members {
		if m.Server != nil {
			errs = append(errs, m.Stop())
		}
	}
	for _, m := range g.members {
		if m.feed != nil {
			errs = append(errs, m.feed.Close())
		}
	}
	return errors.Join(errs...)
}
