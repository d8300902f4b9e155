package real

import (
	"context"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// Entries that belong to a lease or a session.

// sessionOwners are the clients whose leases or sessions servers have made, by what they are called.
func sessionOwners(entries []entry) map[string]history.NodeID {
	asked, owners := map[wire]bool{}, map[string]history.NodeID{}
	for i := range entries {
		switch e := &entries[i]; {
		case e.Kind == history.Sent && e.op.Does == history.Opens:
			asked[wire{e.Node, e.call}] = true
		case e.Kind == history.Replied && e.answer.Session != "" && asked[wire{e.Node, e.call}]:
			owners[e.answer.Session] = e.Node
		}
	}
	return owners
}

// shows returns whose entry the answer to a question shows to be there, 0 when it does not say.
func (d *deriver) shows(c *command) history.NodeID {
	if c.op.Does != history.Asks {
		return 0
	}
	return d.owners[c.answer.Session]
}

// evictSession has an operator end the lease or session of the lock's key, which destroy does. All
// servers have the same entries, so it does not matter which of them is meant.
func (c *cluster) evictSession(destroy func(ctx context.Context, key string) (session string, found bool, err error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	e := &command{server: c.leader.node, op: history.Op{Name: "evict"}, sent: c.h.now(), answered: true, releasing: true, answer: history.Number(0)}
	session, found, err := destroy(ctx, locks.Key)
	if err != nil {
		return err
	}
	e.done, e.refused = c.h.now(), !found
	if found {
		e.answer, e.session = history.Number(1), session
	}
	c.evictions = append(c.evictions, e)
	return nil
}

// evicted returns whom operators have evicted, now that it is known whose session is whose.
func (c *cluster) evicted(owners map[string]history.NodeID) outside {
	for _, e := range c.evictions {
		e.victim = owners[e.session]
	}
	return c.outside()
}
