package real

import (
	"errors"
	"slices"
	"time"

	"lockstep/internal/history"
)

// revive implements victim: a new client has the workload from the beginning and no state of the
// earlier life. It is called without h.mu.
func (c *client) revive(fault int) error {
	h, name := c.h, c.name
	h.mu.Lock()
	old := injector{h}.client(name) // another fault may have restarted it before
	needed := old.dead && !h.stopped && !h.quiet
	h.mu.Unlock()
	if !needed {
		return nil
	}
	successor, err := h.newClient(name, h.plan.WorkloadOf(name), old.life+1)
	if err == nil && h.replace(old, successor) {
		return h.resume(successor, fault)
	}
	h.mu.Lock()
	successor.dead = true // so that its death is expected
	h.mu.Unlock()
	return errors.Join(err, successor.kill(), successor.close())
}

// replace puts a client into the place of a dead one; false when the run is over.
func (h *harness) replace(old, c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped || h.quiet {
		return false
	}
	h.clients[slices.Index(h.clients, old)] = c
	h.replaced = append(h.replaced, old)
	h.group.apply()
	return true
}

// resume starts a new client as soon as it is ready.
func (h *harness) resume(c *client, fault int) error {
	select {
	case <-c.ready:
	case <-c.over: // listen has reported the error
		return nil
	case <-h.stop:
		return nil
	case <-time.After(setUpTime):
		return errors.New("it was not ready after " + setUpTime.String() + ": is the machine overloaded?")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.stopped && !c.dead {
		h.record(history.Event{Kind: history.Restarted, Node: c.node, Value: int64(fault)}, "")
		if !h.quiet { // in the quiet period a fault has no effect
			h.engine.Acted(fault)
		}
		c.begin(h.now().Duration())
	}
	return nil
}
