package real

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/workload"
)

// injector applies faults to real processes and links. The engine calls its methods with
// h.mu held.
type injector harness

var _ faults.World = (*injector)(nil)

// FaultBegan implements faults.World.
func (in *injector) FaultBegan(fault int, node string) {
	in.note(history.FaultBegan, fault, node)
	(*harness)(in).advance((*workload.StartOrder).FaultBegins)
}

// FaultEnded implements faults.World.
func (in *injector) FaultEnded(fault int, node string) { in.note(history.FaultEnded, fault, node) }

func (in *injector) note(kind history.Kind, fault int, node string) {
	h := (*harness)(in)
	h.record(history.Event{Kind: kind, Node: h.nodes[in.Resolve(node)], Value: int64(fault)}, in.plan.Fault(fault).Text)
}

// Resolve implements faults.World.
func (in *injector) Resolve(node string) string {
	if node == faults.ThePrimary {
		return in.store.primary().name
	}
	return node
}

// actedOn tells the engine that a fault has affected a running process: a server, or the
// client c unless it has finished.
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

// acted tells the engine that a fault has changed something; it takes h.mu.
func (h *harness) acted(fault int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.engine.Acted(fault)
}

// client returns the client with that name, or nil.
func (in *injector) client(name string) *client {
	if i := slices.IndexFunc(in.clients, func(c *client) bool { return c.name == name }); i >= 0 {
		return in.clients[i]
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

// strike acts on the process of a client or a server, by one of two functions that report whether
// they changed anything. It returns the client, nil for a server, and whether it was changed.
func (in *injector) strike(fault int, node string, kind history.Kind, client func(*client) (bool, error), server func(*member) (bool, error)) (*client, bool) {
	name := in.Resolve(node)
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
	if !done || in.failed(fault, name, err) {
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

// Thaw implements faults.World. Faults that wait for the client to wake act
// before the process runs again.
func (in *injector) Thaw(fault int, node string) {
	name := in.Resolve(node)
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
			in.failed(fault, name, c.thaw())
		}
	case m != nil:
		if m.dead || !m.frozen {
			return
		}
		m.frozen = false
		in.did(history.Thawed, name, fault)
		in.failed(fault, name, m.Thaw())
	default:
		in.unknown(fault, node)
	}
}

// failed ends the run if a fault could not act on a process, and reports whether it did.
func (in *injector) failed(fault int, name string, err error) bool {
	if err != nil {
		(*harness)(in).fail(fmt.Errorf("fault %d: %s: %w", fault, name, err))
	}
	return err != nil
}

// Crash implements faults.World: SIGKILL. Requests that a client has sent still
// arrive; unsent replication of a primary is lost, see group.kill.
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
// dead process's connections, and the links must not pass that on.
func (in *injector) LoseHost(fault int, node string) {
	c := in.client(in.Resolve(node))
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
	c := in.client(call.Client)
	if c == nil {
		in.unknown(fault, call.Client)
		return
	}
	for _, l := range c.links {
		if l.Postpone(call.ID, half, d) {
			in.engine.Acted(fault)
			return
		}
	}
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
	for _, l := range c.links {
		if l.Lose(call.ID, half) {
			return
		}
	}
}

// SlowWork implements faults.World: the client asks for the extra time at the end of its work.
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
	h, name := (*harness)(in), in.Resolve(node)
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
		if one = in.group.named(in.Resolve(server)); one == nil {
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
