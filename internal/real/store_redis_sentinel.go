package real

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/real/servers"
)

// sentinels are the real ones that watch over a group. They fail over without the harness,
// which asks the servers for their roles past all links and records the changes.
type sentinels struct {
	g       *redisGroup
	members []*member
	// since has the outages of the primary when it became one; cutOff: since then, a majority
	// of the sentinels has been cut off from it.
	since  outages
	cutOff bool
}

// outages count the faults that make a server silent.
type outages struct{ freezes, lives int }

func (m *member) outages() outages { return outages{m.freezes, m.lives} }

// reachabilityChanged notes a partition that makes the primary look dead.
func (s *sentinels) reachabilityChanged() {
	g, apart := s.g, 0
	for _, m := range s.members {
		if g.blocked(m.node, g.leader.node) || g.blocked(g.leader.node, m.node) {
			apart++
		}
	}
	s.cutOff = s.cutOff || apart > len(s.members)/2
}

// doubt returns an error if sentinels replaced the primary without a fault: such a run says
// nothing about a lock.
func (s *sentinels) doubt(successor *member) error {
	p := s.g.leader
	if s.cutOff || !p.up() || p.outages() != s.since || s.g.h.clocks.anyWrong() {
		return nil
	}
	return fmt.Errorf("sentinels have replaced %s with %s although no fault had affected it: the machine is too busy for a down-after of %v: play it again, or choose a greater --scale",
		p.name, successor.name, s.g.h.plan.Redis.Failover.DownAfter)
}

// leads notes a new primary.
func (s *sentinels) leads(m *member) {
	s.since, s.cutOff = m.outages(), false
	s.reachabilityChanged()
}

// startSentinels starts the sentinels and returns when they know each other.
func startSentinels(ctx context.Context, g *redisGroup, names []string) (*sentinels, error) {
	s := &sentinels{g: g}
	speed := time.Duration(speed(g.h))
	demoteAfter, timeout := g.h.plan.SentinelTimes()
	for _, name := range names {
		place := g.mesh.of(name)
		started, err := servers.StartSentinel(ctx, servers.SentinelOptions{
			Name: name, Launcher: g.h.launcher, Source: place.source, Announce: place.front.Addr(),
			Primary: g.mesh.of(g.leader.name).front.Addr(), Quorum: len(names)/2 + 1,
			DownAfter: g.h.plan.Redis.Failover.DownAfter * speed, DemoteAfter: demoteAfter * speed, Timeout: timeout * speed, Speed: int(speed),
		})
		if err != nil {
			return nil, err
		}
		m := g.add(name, started.Addr, started)
		s.members = append(s.members, m)
		if err := g.mesh.join(name, m.addr); err != nil {
			return nil, err
		}
	}
	if err := servers.WaitSentinels(ctx, processes(s.members), len(g.servers)-1); err != nil {
		return nil, err
	}
	if err := g.setClocks(s.members); err != nil {
		return nil, err
	}
	g.followRoles(g.servers, s.became)
	return s, nil
}

// speed returns the factor by which a sentinel's clock must run faster in a scaled run.
func speed(h *harness) int { return int(max(1_000_000/scaleOf(h.plan, &h.o), 1)) }

// has reports whether a member is a sentinel; false without sentinels.
func (s *sentinels) has(m *member) bool {
	return s != nil && slices.Contains(s.members, m)
}

// became records that a server has become the primary or, after it was replaced, a replica.
func (s *sentinels) became(m *member, primary bool) {
	h := s.g.h
	if !primary {
		h.record(history.Event{Kind: history.Demoted, Node: m.node, Peer: s.g.leader.node}, "")
		return
	}
	if err := s.doubt(m); err != nil {
		h.fail(err)
	}
	s.g.promoted(m, 0)
	s.leads(m)
}
