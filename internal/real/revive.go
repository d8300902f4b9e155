package real

import (
	"errors"
	"time"

	"lockstep/internal/history"
)

// reviveClient restarts a dead client, with its workload from the beginning and no memory
// of its earlier life. It is called without h.mu.
func (h *harness) reviveClient(name string, fault int) error {
	h.mu.Lock()
	old := (*injector)(h).client(name)
	needed := old.dead && !h.stopped && !h.quiet
	h.mu.Unlock()
	if !needed {
		return nil
	}
	c, err := h.newClient(name, h.plan.WorkloadOf(name), old.life+1)
	if err == nil && h.replace(old, c) {
		return h.resume(c, fault)
	}
	h.mu.Lock()
	c.dead = true // not by itself
	h.mu.Unlock()
	return errors.Join(err, c.kill(), c.close())
}

// replace puts a client into the place of a dead one; false when the run is over.
func (h *harness) replace(old, c *client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped || h.quiet {
		return false
	}
	for i := range h.clients {
		if h.clients[i] == old {
			h.clients[i] = c
		}
	}
	h.replaced = append(h.replaced, old)
	h.group.apply()
	return true
}

// resume lets a new client play as soon as it can.
func (h *harness) resume(c *client, fault int) error {
	select {
	case <-c.ready:
	case <-c.over: // its reader has reported why
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
		if !h.quiet { // else it changes nothing any more
			h.engine.Acted(fault)
		}
		c.begin(h.now().Duration())
	}
	return nil
}
