package real

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/proto"
)

// clocks has the current offset and drift of the nodes' clocks. A client distorts its own
// readings; a server of Redis or MariaDB is started with a clock that can be set.
type clocks struct {
	mu    sync.Mutex
	wrong map[string]proto.Clock // by node; other nodes have the right time
}

// set sets the clocks of a plan.
func (c *clocks) set(all []plan.Clock) {
	c.wrong = map[string]proto.Clock{}
	for _, one := range all {
		c.wrong[one.Node] = proto.Clock{Offset: one.Offset, DriftPPM: one.DriftPPM}
	}
}

// of returns a node's clock.
func (c *clocks) of(node string) proto.Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wrong[node]
}

// anyWrong reports whether a node has another time than the host.
func (c *clocks) anyWrong() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.wrong {
		if one != (proto.Clock{}) {
			return true
		}
	}
	return false
}

// change changes a node's clock, and returns the new one.
func (c *clocks) change(node string, how func(proto.Clock) proto.Clock) proto.Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong[node] = how(c.wrong[node])
	return c.wrong[node]
}

// driftOf returns the drift that the plan gives a node.
func (h *harness) driftOf(node string) (ppm int64) {
	if i := slices.IndexFunc(h.plan.Clocks, func(c plan.Clock) bool { return c.Node == node }); i >= 0 {
		ppm = h.plan.Clocks[i].DriftPPM
	}
	return ppm
}

// setsClock reports whether a plan sets the clock of the node with one of these names,
// at the beginning or by a fault.
func setsClock(p *plan.Plan, names ...string) bool {
	return slices.ContainsFunc(p.Clocks, func(c plan.Clock) bool { return slices.Contains(names, c.Node) }) ||
		slices.ContainsFunc(p.Faults, func(f faults.Fault) bool { return changesClock(&f) && slices.Contains(names, f.Target) })
}

func changesClock(f *faults.Fault) bool {
	return f.Verb.Name() == "jump-clock" || f.Verb.Name() == "drift-clock"
}

// touchesClock is setsClock for a server, which may become the primary.
func touchesClock(p *plan.Plan, server string) bool {
	return setsClock(p, server, faults.ThePrimary)
}

// errMonotonic is the reason that the clocks of some servers cannot be set: libfaketime changes
// only the wall clock, so a wrong clock would have no effect on a run.
var errMonotonic = errors.New("its leases rest on the monotonic clock, which no step of the wall clock reaches and nothing here makes drift: play this in the simulator")

func cannotSetClock(server string, why error) error {
	return fmt.Errorf("the clock of %s: %w", server, why)
}

// setClocks sets the clocks of running servers to the plan's initial values.
func (g *group) setClocks(members []*member) error {
	var errs []error
	for _, m := range members {
		if !setsClock(g.h.plan, m.name) {
			continue
		}
		clock := g.h.clocks.of(m.name)
		errs = append(errs, m.SetClock(clock.Offset, clock.DriftPPM))
	}
	return errors.Join(errs...)
}

// setClock implements victim.
func (m *member) setClock(step time.Duration, now proto.Clock) error {
	return m.SetClock(step, now.DriftPPM)
}

// setClock implements victim. A client that a fault holds at a moment gets the message before it
// continues; a frozen one, when it next reads.
func (c *client) setClock(_ time.Duration, now proto.Clock) error {
	c.send(proto.Down{Clock: &now})
	return nil
}

// JumpClock implements faults.World.
func (in injector) JumpClock(fault int, node string, by time.Duration) {
	in.changeClock(fault, node, faults.ClockChange{By: by}, func(c proto.Clock) proto.Clock {
		c.Offset += by
		return c
	})
}

// DriftClock implements faults.World.
func (in injector) DriftClock(fault int, node string, ppm int64) {
	at := in.now().Duration()
	in.changeClock(fault, node, faults.ClockChange{PPM: ppm}, func(c proto.Clock) proto.Clock {
		return c.Drifting(at, ppm+in.driftOf(in.Resolve(node)))
	})
}

// changeClock changes a clock, and tells the engine.
func (in injector) changeClock(fault int, node string, change faults.ClockChange, how func(proto.Clock) proto.Clock) {
	name, v := in.victim(fault, node)
	if v == nil {
		return
	}
	in.failed(fault, name, v.setClock(change.By, in.clocks.change(name, how)))
	if change.Node, change.At = name, in.now().Duration(); affects(v) {
		change.Fault = fault
	}
	in.engine.ClockChanged(change)
	if change.By != 0 {
		in.record(history.Event{Kind: history.ClockChanged, Node: in.nodes[name], Value: int64(change.By)}, "")
	}
}
