package real

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"lockstep/internal/history"
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
	if len(all) > 1 {
		c.h.background.Go(c.follow)
	}
	return nil
}

// lookAgain is the interval at which servers are asked whether they lead.
const lookAgain = 20 * time.Millisecond

func (c *quorum) awaitLeader(ctx context.Context, all []*servers.Server) (int, error) {
	for {
		for i, s := range all {
			select {
			case <-s.Done():
				return 0, fmt.Errorf("%s ended while the servers elected a leader (%s): %s: free memory and disk space", s.Name, s.Ended(), s.LastLog())
			default:
			}
			if c.q.Leads(ctx, s) {
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

// follow tracks the leader until the run ends. An old leader that is cut off still calls
// itself the leader for a while, so the latest one counts.
func (c *quorum) follow() {
	said := map[*member]bool{c.leader: true}
	for {
		select {
		case <-c.h.stop:
			return
		case <-time.After(lookAgain):
		}
		says := c.ask()
		c.h.mu.Lock()
		for _, m := range c.members {
			if says[m] && !said[m] && m != c.leader && !c.h.stopped {
				c.h.record(history.Event{Kind: history.Promoted, Node: m.node, Peer: c.leader.node}, "")
				c.leader = m
			}
		}
		c.h.mu.Unlock()
		said = says
	}
}

// ask asks all running servers whether they lead. A server that has just been frozen
// does not answer.
func (c *quorum) ask() map[*member]bool {
	ctx, cancel := context.WithTimeout(context.Background(), 10*lookAgain)
	defer cancel()
	c.h.mu.Lock()
	up := slices.DeleteFunc(slices.Clone(c.members), func(m *member) bool { return !m.up() })
	c.h.mu.Unlock()
	var mu sync.Mutex
	var all sync.WaitGroup
	says := map[*member]bool{}
	for _, m := range up {
		all.Go(func() {
			yes := c.q.Leads(ctx, process(m))
			mu.Lock()
			defer mu.Unlock()
			says[m] = yes
		})
	}
	all.Wait()
	return says
}

// process returns the process of a server that is not a database.
func process(m *member) *servers.Server { return m.Running.(*servers.Server) }

// restart implements store: a cluster loses no entries.
func (c *quorum) restart(ctx context.Context, m *member) (empty bool, err error) {
	return false, process(m).Relaunch(ctx)
}
