package real

import (
	"fmt"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/real/link"
)

// injector applies faults to real processes and links. The engine calls its methods with
// h.mu held.
type injector harness

var _ faults.World = (*injector)(nil)

// FaultBegan implements faults.World.
func (in *injector) FaultBegan(fault int, node string) {
	in.note(history.FaultBegan, fault, node)
	h := (*harness)(in)
	h.door.Lock()
	next := h.startOrder.FaultBegins()
	h.door.Unlock()
	if next {
		h.admit()
	}
}

// FaultEnded implements faults.World.
func (in *injector) FaultEnded(fault int, node string) { in.note(history.FaultEnded, fault, node) }

func (in *injector) note(kind history.Kind, fault int, node string) {
	h := (*harness)(in)
	h.record(history.Event{Kind: kind, Node: h.nodes[in.nodeName(node)], Value: int64(fault)}, in.plan.Fault(fault).Text)
}

// Resolve implements faults.World.
func (in *injector) Resolve(node string) string { return in.nodeName(node) }

// nodeName resolves "the primary", which only the world knows.
func (in *injector) nodeName(node string) string {
	if node == faults.ThePrimary {
		return in.store.primary().name
	}
	return node
}

// actedOn tells the engine that a fault has changed something for a process that runs: a
// server, or the client c. One that has played all its rounds does nothing any more.
func (in *injector) actedOn(fault int, c *client) {
	if c != nil {
		select {
		case <-c.over:
			return
		default:
		}
	}
	in.engine.Acted(fault)
}

// acted tells the engine that a fault has changed something; h.mu is free.
func (h *harness) acted(fault int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.engine.Acted(fault)
}

// client returns the client with that name, or nil.
func (in *injector) client(name string) *client {
	for _, c := range in.clients {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (in *injector) did(kind history.Kind, name string, fault int) {
	h := (*harness)(in)
	h.record(history.Event{Kind: kind, Node: h.nodes[name], Value: int64(fault)}, "")
}

func (in *injector) unknown(fault int, node string) {
	(*harness)(in).fail(fmt.Errorf("fault %d names %q, which is neither a client nor a server", fault, node))
}

// strike does something to the process of a client or a server. What does it reports whether there
// was anything to do; so does strike, and which client it was, nil for a server.
func (in *injector) strike(fault int, node string, kind history.Kind, client func(*client) (bool, error), server func(*member) (bool, error)) (*client, bool) {
	name := in.nodeName(node)
	c, m := in.client(name), in.group.named(name)
	var done bool
	var err error
	switch {
	case c != nil:
		done, err = client(c)
	case m != nil:
		done, err = server(m)
	default:
		in.unknown(fault, node)
	}
	switch {
	case !done:
		return c, false
	case err != nil:
		(*harness)(in).fail(fmt.Errorf("fault %d: %s: %w", fault, name, err))
		return c, false
	}
	in.did(kind, name, fault)
	in.actedOn(fault, c)
	return c, true
}

// Freeze implements faults.World: SIGSTOP. It waits until the process has stopped.
func (in *injector) Freeze(fault int, node string) {
	in.strike(fault, node, history.Froze, func(c *client) (bool, error) {
		if c.dead || c.frozen {
			return false, nil
		}
		c.frozen = true
		return true, c.freeze()
	}, in.group.freeze)
}

// Thaw implements faults.World. What faults wait for (the client wakes) is told
// before the process runs again, so that they can act on it right there.
func (in *injector) Thaw(fault int, node string) {
	name := in.nodeName(node)
	c, m := in.client(name), in.group.named(name)
	switch {
	case c != nil:
		if c.dead || !c.frozen {
			return
		}
		c.frozen = false
		in.did(history.Thawed, name, fault)
		in.engine.Observe(faults.Moment{Kind: faults.Wakes, Subject: name})
		if !c.frozen && !c.dead {
			in.thaw(fault, name, c.thaw)
		}
	case m != nil:
		if m.dead || !m.frozen {
			return
		}
		m.frozen = false
		in.did(history.Thawed, name, fault)
		in.thaw(fault, name, m.Thaw)
	default:
		in.unknown(fault, node)
	}
}

func (in *injector) thaw(fault int, name string, thaw func() error) {
	if err := thaw(); err != nil {
		(*harness)(in).fail(fmt.Errorf("fault %d: %s: %w", fault, name, err))
	}
}

// Crash implements faults.World: SIGKILL. What a client sent before is on its
// way and arrives; what a primary owes its replicas is lost, see group.kill.
func (in *injector) Crash(fault int, node string) {
	c, done := in.strike(fault, node, history.Crashed, func(c *client) (bool, error) {
		if c.dead {
			return false, nil
		}
		c.dead = true
		return true, c.kill()
	}, in.group.kill)
	if done && c != nil {
		c.end.Do(func() { close(c.over) })
	}
}

// LoseHost implements faults.World: first the links, then SIGKILL. The kernel closes the
// dead process's connections, which the links do not pass on.
func (in *injector) LoseHost(fault int, node string) {
	c := in.client(in.nodeName(node))
	if c == nil {
		in.unknown(fault, node)
		return
	}
	if c.dead {
		return
	}
	c.hostLost = true
	for _, l := range c.links {
		l.LoseHost()
	}
	in.Crash(fault, c.name)
}

// DelayCall implements faults.World.
func (in *injector) DelayCall(fault int, call faults.Call, half faults.Half, d time.Duration) {
	if c := in.client(call.Client); c != nil {
		c.tamper(func(l *link.Link) bool {
			found := l.Postpone(call.ID, half, d)
			if found {
				in.engine.Acted(fault)
			}
			return found
		})
		return
	}
	in.unknown(fault, call.Client)
}

// DropCall implements faults.World.
func (in *injector) DropCall(fault int, call faults.Call, half faults.Half) {
	c := in.client(call.Client)
	if c == nil {
		in.unknown(fault, call.Client)
		return
	}
	c.mu.Lock()
	c.tampered[call.ID] = fault
	c.mu.Unlock()
	c.tamper(func(l *link.Link) bool { return l.Lose(call.ID, half) })
}

// SlowWork implements faults.World: the client asks for it when it has done its
// work.
func (in *injector) SlowWork(fault int, name string, d time.Duration) {
	c := in.client(name)
	if c == nil {
		in.unknown(fault, name)
		return
	}
	c.mu.Lock()
	c.extendedWork.Add(fault, d)
	c.mu.Unlock()
}

// FailOver implements faults.World.
func (in *injector) FailOver(fault int) { in.store.failOver(fault) }

// later runs a function after a time, unless the run ends before.
func (h *harness) later(after time.Duration, do func()) {
	h.background.Go(func() {
		select {
		case <-time.After(after):
			do()
		case <-h.stop:
		}
	})
}

// Promote implements faults.World.
func (in *injector) Promote(fault int) {
	before := in.store.primary()
	if err := in.store.promote(fault); err != nil {
		(*harness)(in).fail(fmt.Errorf("fault %d: no replica could be promoted: %w", fault, err))
	}
	if in.store.primary() != before {
		in.engine.Acted(fault)
	}
}

// Restart implements faults.World.
func (in *injector) Restart(fault int, node string, down time.Duration) {
	h, name := (*harness)(in), in.nodeName(node)
	c, m := in.client(name), in.group.named(name)
	if c == nil && m == nil {
		in.unknown(fault, node)
		return
	}
	if c != nil && c.hostLost {
		return
	}
	back := make(chan struct{})
	if c != nil {
		h.away = append(h.away, back) // the run is not over while all clients are away
	}
	in.Crash(fault, name)
	if in.variant.Servers.RestartAfterLease {
		down = max(down, in.plan.Lease+in.plan.Lease/10)
	}
	h.later(down, func() {
		defer close(back)
		var err error
		if m != nil {
			err = in.group.revive(m, fault)
		} else {
			err = h.reviveClient(name, fault)
		}
		if err != nil {
			h.fail(fmt.Errorf("fault %d: %s could not be started again: %w", fault, name, err))
		}
	})
}

// Evict implements faults.World.
func (in *injector) Evict(fault int, server string) {
	var one *member
	if server != "" {
		if one = in.group.named(in.nodeName(server)); one == nil {
			in.unknown(fault, server)
			return
		}
	}
	before := len(in.group.evictions)
	if err := in.store.evict(one); err != nil {
		(*harness)(in).fail(fmt.Errorf("fault %d: %w", fault, err))
	}
	for _, c := range in.group.evictions[before:] {
		if !c.refused { // there was an entry
			in.engine.Acted(fault)
		}
	}
}
