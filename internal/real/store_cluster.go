package real

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/internal/real/servers"
)

// started adds the servers. The leader gets the first name: a plan expects the first
// server to begin as the leader, and which server wins the election is random.
func (c *quorum) started(ctx context.Context, names []string, all []*servers.Server) error {
	leader, err := c.awaitLeader(ctx, all)
	if err != nil { // the group does not know them yet
		for _, s := range all {
			err = errors.Join(err, s.Stop())
		}
		return err
	}
	first, leads := c.mesh.peers[0], c.mesh.peers[leader]
	first.name, first.node, leads.name, leads.node = leads.name, leads.node, first.name, first.node
	all[0], all[leader] = all[leader], all[0]
	for i, s := range all {
		c.add(names[i], s.Addr, s)
	}
	if err := c.setClocks(c.members); err != nil {
		return err
	}
	if c.leader.leads = true; len(all) == 1 {
		return nil
	}
	for _, m := range c.members {
		c.h.background.Go(func() {
			leads := func(ctx context.Context) (bool, error) { return c.q.Leads(ctx, process(m)) }
			c.followRole(m, lookAgain, leads, c.became)
		})
	}
	return nil
}

// became records that a server leads. An old leader that is cut off still calls itself the leader
// for a while, so the latest one counts.
func (c *quorum) became(m *member, leads bool) {
	if leads && m != c.leader {
		c.promoted(m, 0)
	}
}

func (c *quorum) awaitLeader(ctx context.Context, all []*servers.Server) (int, error) {
	for {
		for i, s := range all {
			select {
			case <-s.Done():
				return 0, fmt.Errorf("%s ended while the servers elected a leader (%s): %s: free memory and disk space", s.Name, s.Ended(), s.LastLog())
			default:
			}
			if leads, err := c.q.Leads(ctx, s); leads && err == nil {
				return i, nil
			}
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-time.After(lookAgain):
		}
	}
}

// process returns the process of a server that is not a database.
func process(m *member) *servers.Server { return m.Running.(*servers.Server) }

// restart implements store: a cluster loses no entries.
func (c *quorum) restart(ctx context.Context, m *member) (empty bool, err error) {
	return false, process(m).Relaunch(ctx)
}
