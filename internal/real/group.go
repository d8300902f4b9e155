package real

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
)

// group is the servers of a run, of any kind: their processes and partitions. Once they
// run, all of it is guarded by h.mu.
type group struct {
	h         *harness
	members   []*member // in the order of the plan; clients have a link to each
	leader    *member   // the current or latest leader; at first, the first member
	blocks    []block
	evictions []*command
}

// member is one server of a group.
type member struct {
	servers.Running
	name    string
	addr    string // past all links
	node    history.NodeID
	lives   int // how often it was restarted
	dead    bool
	frozen  bool
	freezes int // how often it was frozen
	// starts: it is being restarted or promoted; requests wait until it is ready and its
	// witness listens.
	starts bool
	life   sync.Mutex // held while the process is restarted, or stopped for good
}

// up reports whether the server runs.
func (m *member) up() bool { return !m.dead && !m.frozen }

// open starts the servers of the run's kind. It returns the group also with an error, so
// that it can be closed.
func (h *harness) open(ctx context.Context) error {
	h.group = &group{h: h}
	k, _ := kindOf(h.variant.Store)
	h.store = k.make(h.group)
	if err := h.store.start(ctx, h.plan.Servers(plan.StoreOf(&h.variant))); err != nil {
		return err
	}
	h.store.reachabilityChanged()
	return nil
}

// add adds a server that has been started. The first one leads.
func (g *group) add(name, addr string, s servers.Running) *member {
	m := &member{Running: s, name: name, addr: addr, node: g.h.nodes[name]}
	g.members = append(g.members, m)
	if g.leader == nil {
		g.leader = m
	}
	g.watch(m)
	return m
}

// watch ends the run when a server dies that no fault has killed.
func (g *group) watch(m *member) {
	done, life := m.Done(), m.lives
	g.h.background.Go(func() {
		<-done
		g.h.mu.Lock()
		expected := m.dead || m.lives > life || g.h.stopped // it may have come back by now
		g.h.mu.Unlock()
		if !expected {
			g.h.fail(fmt.Errorf("%s ended by itself (%s): %s: the run says nothing about the lock; play it again", m.name, m.Ended(), m.LastLog()))
		}
	})
}

// named returns the server with that name, or nil.
func (g *group) named(name string) *member {
	for _, m := range g.members {
		if m.name == name {
			return m
		}
	}
	return nil
}

// indexOf is the number of a server among the links of each client.
func (g *group) indexOf(m *member) int {
	for i := range g.members {
		if g.members[i] == m {
			return i
		}
	}
	panic("real: a server that is not of the group")
}

// freeze stops a server where it is; false when it did not run.
func (g *group) freeze(m *member) (bool, error) {
	if !m.up() {
		return false, nil
	}
	m.frozen = true
	m.freezes++
	return true, m.Freeze()
}

// kill kills a server; false when it was dead already.
func (g *group) kill(m *member) (bool, error) {
	if m.dead {
		return false, nil
	}
	m.dead, m.frozen = true, false
	g.h.store.died(m)
	g.h.store.reachabilityChanged()
	return true, m.Kill()
}

// revive restarts a dead server. It is called without h.mu.
func (g *group) revive(m *member, fault int) error {
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
	if !g.h.quiet { // else it changes nothing any more
		g.h.engine.Acted(fault)
	}
	g.apply()
	return nil
}

// returns records that a dead server has been restarted; h.mu is held.
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
			(*injector)(h).Promote(fault)
		}
	})
}

// heir is the first of these servers that runs and does not lead; nil for none.
func (g *group) heir(among []*member) *member {
	for _, m := range among {
		if m != g.leader && m.up() {
			return m
		}
	}
	return nil
}

// promoted says that a replica has become the primary.
func (g *group) promoted(heir *member, fault int) {
	old := g.leader
	g.leader = heir
	g.h.record(history.Event{Kind: history.Promoted, Node: heir.node, Peer: old.node, Value: int64(fault)}, "")
}

// outside is what happened to the servers besides the commands of clients.
func (g *group) outside() outside {
	out := outside{evictions: g.evictions, wrongClocks: map[history.NodeID]bool{}}
	for _, m := range g.members {
		out.wrongClocks[m.node] = touchesClock(g.h.plan, m.name)
	}
	return out
}

// stop stops all servers, and hands on what they have said.
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
	return errors.Join(errs...)
}

// operatorTime bounds what an operator does on a server by hand: some milliseconds.
const operatorTime = 5 * time.Second

// The defaults of a kind.

func (g *group) endpoint(_ *member, addr string) string { return addr }
func (g *group) brief(*proto.Start)                     {}
func (g *group) replicas() int                          { return 0 }
func (g *group) primary() *member                       { return g.leader }
func (g *group) reachabilityChanged()                   {}
func (g *group) died(*member)                           {}
func (g *group) promote(int) error                      { return nil }
func (g *group) slower(time.Duration)                   {}
func (g *group) between() []way                         { return nil }
func (g *group) settle()                                {}
func (g *group) close() error                           { return nil }

// failOver kills the primary; servers that elect do the rest.
func (g *group) failOver(fault int) { (*injector)(g.h).Crash(fault, g.leader.name) }
