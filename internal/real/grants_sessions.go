package real

import (
	"cmp"
	"context"

	"lockstep/internal/history"
)

// Entries that belong to a lease or a session.

// sessionOwners returns the owners of leases and sessions by their names.
func sessionOwners(commands []*command) map[string]history.NodeID {
	owners := map[string]history.NodeID{}
	for _, c := range commands {
		if c.op.Does == history.Opens && c.answer.Session != "" {
			owners[c.answer.Session] = c.client
		}
	}
	return owners
}

// shows returns the owner of the entry that an answer shows to exist, 0 if it does not say.
func (d *deriver) shows(c *command) history.NodeID {
	if c.op.Does != history.Asks {
		return 0
	}
	return d.owners[c.answer.Session]
}

// removal removes the lock's entry on a server. It reports whether there was one, and the name of
// its lease or session, "" for none.
type removal func(ctx context.Context) (session string, found bool, err error)

// eviction records an operator's removal of the lock's entry on a server, unless that is down, by a
// command, or as "evict" for the zero value.
func (g *group) eviction(m *member, by command, remove removal) error {
	if !m.up() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	by.server, by.sent, by.answered, by.releasing, by.answer = m.node, g.h.now(), true, true, history.Number(0)
	by.op.Name = cmp.Or(by.op.Name, "evict")
	session, found, err := remove(ctx)
	if err != nil {
		return err
	}
	by.done, by.refused = g.h.now(), !found
	if found {
		by.answer, by.session = history.Number(1), session
	}
	g.evictions = append(g.evictions, &by)
	return nil
}
