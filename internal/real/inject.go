package real

import (
	"fmt"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/real/proto"
	stores "lockstep/internal/store"
	"lockstep/internal/workload"
)

// injector applies faults to real processes and links. The engine calls its methods with
// h.mu held.
type injector struct{ *harness }

var _ faults.World = injector{}

// FaultBegan implements faults.World.
func (in injector) FaultBegan(fault int, node string) {
	in.note(history.FaultBegan, fault, node)
	in.advance((*workload.StartOrder).FaultBegins)
}

// FaultEnded implements faults.World.
func (in injector) FaultEnded(fault int, node string) { in.note(history.FaultEnded, fault, node) }

func (in injector) note(kind history.Kind, fault int, node string) {
	in.record(history.Event{Kind: kind, Node: in.nodes[in.Resolve(node)], Value: int64(fault)}, in.plan.Fault(fault).Text)
}

// Resolve implements faults.World.
func (in injector) Resolve(node string) string {
	if node == faults.ThePrimary {
		return in.store.primary().name
	}
	return node
}

// victim is what a fault can act on: a client or a server. Its methods are called with h.mu held,
// but revive.
type victim interface {
	is() *status
	freeze() error // returns when it has stopped
	thaw() error
	kill() error
	// setClock puts a new clock in force, which steps by that much.
	setClock(step time.Duration, now proto.Clock) error
	// revive starts it again when a fault has killed it.
	revive(fault int) error
}

// status is whether a process runs; h.mu guards it.
type status struct{ frozen, dead bool }

func (s *status) is() *status { return s }
func (s *status) up() bool    { return !s.dead && !s.frozen }

// victim returns the client or server with that name. Without one it ends the run, and returns nil.
func (in injector) victim(fault int, node string) (name string, v victim) {
	name = in.Resolve(node)
	if c := in.client(name); c != nil {
		return name, c
	}
	if m := in.group.named(name); m != nil {
		return name, m
	}
	in.unknown(fault, node)
	return name, nil
}

// actedOn notifies the engine that a fault has affected a running process: a server, or a client that
// has not finished.
func (in injector) actedOn(fault int, v victim) {
	if affects(v) {
		in.engine.Acted(fault)
	}
}

func affects(v victim) bool {
	if c, ok := v.(*client); ok {
		select {
		case <-c.over:
			return false
		default:
		}
	}
	return true
}

// acted notifies the engine that a fault has changed something; it takes h.mu.
func (h *harness) acted(fault int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.engine.Acted(fault)
}

// client returns the client with that name, or nil.
func (in injector) client(name string) *client {
	return stores.First(in.clients, func(c *client) bool { return c.name == name })
}

func (in injector) did(kind history.Kind, name string, fault int) {
	in.record(history.Event{Kind: kind, Node: in.nodes[name], Value: int64(fault)}, "")
}

// clientOf returns the client with that name. Without one it ends the run, and returns nil.
func (in injector) clientOf(fault int, name string) *client {
	c := in.client(name)
	if c == nil {
		in.unknown(fault, name)
	}
	return c
}

func (in injector) unknown(fault int, node string) {
	in.fail(fmt.Errorf("fault %d names %q, which is neither a client nor a server", fault, node))
}

// struck records what a fault has done to a process, unless that failed.
func (in injector) struck(fault int, name string, v victim, kind history.Kind, err error) {
	if !in.failed(fault, name, err) {
		in.did(kind, name, fault)
		in.actedOn(fault, v)
	}
}

// Freeze implements faults.World: SIGSTOP. It waits until the process has stopped.
func (in injector) Freeze(fault int, node string) {
	name, v := in.victim(fault, node)
	switch {
	case v == nil || v.is().dead:
		return
	case v.is().frozen:
		in.actedOn(fault, v)
		return
	}
	v.is().frozen = true
	in.struck(fault, name, v, history.Froze, v.freeze())
}

// Thaw implements faults.World. Faults that wait for the client to wake act
// before the process runs again.
func (in injector) Thaw(fault int, node string) {
	name, v := in.victim(fault, node)
	if v == nil || v.is().dead || !v.is().frozen {
		return
	}
	v.is().frozen = false
	in.did(history.Thawed, name, fault)
	if _, ok := v.(*client); ok {
		in.engine.Observe(faults.Moment{Kind: faults.Wakes, Subject: name})
	}
	if v.is().up() {
		in.failed(fault, name, v.thaw())
	}
}

// failed ends the run if a fault could not act on a process, and reports whether it did.
func (in injector) failed(fault int, name string, err error) bool {
	if err != nil {
		in.fail(fmt.Errorf("fault %d: %s: %w", fault, name, err))
	}
	return err != nil
}

// Crash implements faults.World: SIGKILL. Requests that a client has sent still
// arrive; unsent replication of a primary is lost, see member.kill.
func (in injector) Crash(fault int, node string) {
	name, v := in.victim(fault, node)
	if v == nil || v.is().dead {
		return
	}
	*v.is() = status{dead: true}
	in.struck(fault, name, v, history.Crashed, v.kill())
	if c, ok := v.(*client); ok {
		c.end.Do(func() { close(c.over) })
	}
}

// LoseHost implements faults.World: first the links, then SIGKILL. The kernel closes the
// dead process's connections, and the links must not pass that on.
func (in injector) LoseHost(fault int, node string) {
	c := in.clientOf(fault, in.Resolve(node))
	if c == nil || c.dead {
		return
	}
	c.hostLost = true
	for _, l := range c.links {
		l.LoseHost()
	}
	in.Crash(fault, c.name)
}

// DelayCall implements faults.World.
func (in injector) DelayCall(fault int, call faults.Call, half faults.Half, d time.Duration) {
	c := in.clientOf(fault, call.Client)
	if c == nil {
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
func (in injector) DropCall(fault int, call faults.Call, half faults.Half) {
	c := in.clientOf(fault, call.Client)
	if c == nil {
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
func (in injector) SlowWork(fault int, name string, d time.Duration) {
	c := in.clientOf(fault, name)
	if c == nil {
		return
	}
	c.mu.Lock()
	c.extendedWork.Add(fault, d)
	c.mu.Unlock()
}

// FailOver implements faults.World.
func (in injector) FailOver(fault int) { in.store.failOver(fault) }

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
func (in injector) Promote(fault int) {
	before := in.store.primary()
	if err := in.store.promote(fault); err != nil {
		in.fail(fmt.Errorf("fault %d: no replica could be promoted: %w", fault, err))
	}
	if in.store.primary() != before {
		in.engine.Acted(fault)
	}
}

// Restart implements faults.World.
func (in injector) Restart(fault int, node string, down time.Duration) {
	name, v := in.victim(fault, node)
	c, isClient := v.(*client)
	if v == nil || isClient && c.hostLost {
		return
	}
	back := make(chan struct{})
	if isClient {
		in.away = append(in.away, back) // the run is not over while all clients are away
	}
	in.Crash(fault, name)
	if in.variant.Servers.RestartAfterLease {
		down = max(down, in.plan.Lease+in.plan.Lease/10)
	}
	in.later(down, func() {
		defer close(back)
		if err := v.revive(fault); err != nil {
			in.fail(fmt.Errorf("fault %d: %s could not be started again: %w", fault, name, err))
		}
	})
}

// Evict implements faults.World.
func (in injector) Evict(fault int, server string) {
	var one *member
	if server != "" {
		if one = in.group.named(in.Resolve(server)); one == nil {
			in.unknown(fault, server)
			return
		}
	}
	before := len(in.group.evictions)
	if err := in.store.evict(one); err != nil {
		in.fail(fmt.Errorf("fault %d: %w", fault, err))
	}
	for _, c := range in.group.evictions[before:] {
		if !c.refused { // there was an entry
			in.engine.Acted(fault)
		}
	}
}
