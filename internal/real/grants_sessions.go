package real

import (
	"cmp"
	"context"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/world"
)

// Entries that belong to a lease or a session.

// sessionOwners are the clients whose leases or sessions servers have made, by what they are called.
// opens is the request that asks for one; Consul answers it with nothing but the name.
func sessionOwners(entries []entry, opens string) map[string]history.NodeID {
	asked, owners := map[wire]bool{}, map[string]history.NodeID{}
	for i := range entries {
		switch e := &entries[i]; {
		case e.Kind == history.Sent && e.command == opens:
			asked[wire{e.Node, e.call}] = true
		case e.Kind == history.Replied && asked[wire{e.Node, e.call}]:
			owners[cmp.Or(world.Answer(e.text).Session(), e.text)] = e.Node
		}
	}
	return owners
}

// ownerShown tells whose entry the answer to a question with that name shows.
func ownerShown(owners map[string]history.NodeID, question string) func(*command) history.NodeID {
	return func(c *command) history.NodeID {
		if c.name != question {
			return 0
		}
		return owners[world.Answer(c.reply).Session()]
	}
}

// evictSession has an operator end the lease or session of the lock's key, which destroy does. All
// servers have the same entries, so it does not matter which of them is meant.
func (c *cluster) evictSession(destroy func(ctx context.Context, key string) (session string, found bool, err error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	e := &command{server: c.leader.node, name: "evict", sent: c.h.now(), answered: true, releasing: true, reply: nothing}
	session, found, err := destroy(ctx, locks.Key)
	if err != nil {
		return err
	}
	e.done, e.refused = c.h.now(), !found
	if found {
		e.reply, e.session = one, session
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
