package real

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
	stores "lockstep/internal/store"
)

// group is the servers of a run, of any kind: their processes and partitions. Once they
// run, h.mu guards all fields.
type group struct {
	h         *harness
	members   []*member // in the order of the plan; clients have a link to each
	leader    *member   // the current or latest leader; at first, the first member
	meshes    []*mesh   // between the servers
	blocks    []block
	evictions []*command
	lag       time.Duration // of replication, as the plan says; 0 until the first sync is done
	extraLag  time.Duration // by a fault
}

// member is one server of a group.
type member struct {
	servers.Running
	status
	g       *group
	name    string
	addr    string // past all links
	node    history.NodeID
	lives   int  // number of restarts
	freezes int  // number of freezes
	leads   bool // it has last said so, or was made to, see followRole
	// starts: it is being restarted or promoted; requests wait until it is ready and its
	// monitor listens.
	starts bool
	life   sync.Mutex // held while the process is restarted, or stopped for good
}

// open starts the servers of the run's kind. Even with an error it sets h.group, which must
// be closed.
func (h *harness) open(ctx context.Context) error {
	h.group = &group{h: h}
	k, _ := kindOf(h.variant.Store)
	h.store = k.make(h.group)
	if err := h.store.start(ctx, h.plan.Servers(plan.StoreOf(&h.variant))); err != nil {
		return h.orDied(err)
	}
	h.store.reachabilityChanged()
	return nil
}

// add adds a server that has been started. The first one leads.
func (g *group) add(name, addr string, s servers.Running) *member {
	m := &member{Running: s, g: g, name: name, addr: addr, node: g.h.nodes[name]}
	g.members = append(g.members, m)
	if g.leader == nil {
		g.leader = m
	}
	g.watch(m)
	return m
}

// watch ends the run when a server dies without a fault.
func (g *group) watch(m *member) {
	done, life := m.Done(), m.lives
	g.h.background.Go(func() {
		<-done
		g.h.mu.Lock()
		expected := m.dead || m.lives > life || g.h.stopped // it may be running again already
		g.h.mu.Unlock()
		if !expected {
			g.h.fail(fmt.Errorf("%s ended by itself (%s): %s: the run says nothing about the lock; play it again", m.name, m.Ended(), m.LastLog()))
		}
	})
}

// named returns the server with that name, or nil.
func (g *group) named(name string) *member {
	return stores.First(g.members, func(m *member) bool { return m.name == name })
}

// indexOf returns the index of a server among the links of each client.
func (g *group) indexOf(m *member) int { return slices.Index(g.members, m) }

// freeze implements victim.
func (m *member) freeze() error {
	m.freezes++
	return m.Freeze()
}

// thaw implements victim.
func (m *member) thaw() error { return m.Thaw() }

// kill implements victim.
func (m *member) kill() error {
	m.g.h.store.died(m)
	m.g.h.store.reachabilityChanged()
	return m.Kill()
}

// revive implements victim. It is called without h.mu.
func (m *member) revive(fault int) error {
	g := m.g
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
	at := g.h.now()
	needed := !g.h.stopped && m.dead
	if needed {
		m.starts = true
		g.apply()
	}
	g.h.mu.Unlock()
	if !needed {
		return nil
	}
	empty, err := g.h.store.restart(ctx, m)
	if err != nil {
		if ctx.Err() != nil {
			return nil // the run is over, and the server is not needed
		}
		return err
	}
	g.h.mu.Lock()
	defer g.h.mu.Unlock()
	m.starts = false
	g.returns(m)
	g.h.recordAt(at, entry{
		Event: history.Event{Kind: history.Restarted, Node: m.node, Value: int64(fault)},
		empty: empty,
	})
	if !g.h.quiet { // in the quiet period a fault has no effect
		g.h.engine.Acted(fault)
	}
	g.apply()
	return nil
}

// returns notes that a dead server has been restarted; h.mu is held.
func (g *group) returns(m *member) {
	m.dead = false
	m.lives++
	g.watch(m)
}

// operatorFailsOver kills the primary; an operator promotes a replica after that time,
// unless one has been promoted by then.
func (g *group) operatorFailsOver(fault int, after time.Duration) {
	h, old := g.h, g.leader
	g.failOver(fault)
	h.later(after, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.stopped && g.leader == old {
			injector{h}.Promote(fault)
		}
	})
}

// promoted records that a replica has become the primary.
func (g *group) promoted(successor *member, fault int) {
	old := g.leader
	g.leader, successor.leads = successor, true
	g.h.record(history.Event{Kind: history.Promoted, Node: successor.node, Peer: old.node, Value: int64(fault)}, "")
}

// interference returns what affects entries and is not visible in the commands of clients.
func (g *group) interference() interference {
	out := interference{evictions: g.evictions, wrongClocks: map[history.NodeID]bool{}}
	for _, m := range g.members {
		out.wrongClocks[m.node] = touchesClock(g.h.plan, m.name)
	}
	return out
}

// stop stops all servers, passes on their logs, and closes the links between them.
func (g *group) stop() error {
	var errs []error
	for _, m := range g.members {
		m.life.Lock()
		errs = append(errs, m.Stop())
		if g.h.o.Log != nil {
			g.h.o.Log(m.name, m.Log())
		}
		m.life.Unlock()
	}
	for _, mesh := range g.meshes {
		errs = append(errs, mesh.close())
	}
	return errors.Join(errs...)
}

// operatorTime bounds an operator's command, which takes some milliseconds.
const operatorTime = 5 * time.Second

// The default methods of a store.

func (g *group) endpoint(_ *member, addr string) string { return addr }
func (g *group) brief(*proto.Start)                     {}
func (g *group) replicas() int                          { return 0 }
func (g *group) primary() *member                       { return g.leader }
func (g *group) reachabilityChanged()                   {}
func (g *group) promote(int) error                      { return nil }
func (g *group) settle()                                {}

// died implements store. Changes that the replicas have not received are lost.
func (g *group) died(m *member) {
	for _, mesh := range g.meshes {
		mesh.died(m.name)
	}
}

// slower implements store. Bytes on their way keep their order.
func (g *group) slower(by time.Duration) {
	g.extraLag = by
	g.h.store.reachabilityChanged()
}

// failOver kills the primary; the servers elect another.
func (g *group) failOver(fault int) { injector{g.h}.Crash(fault, g.leader.name) }
