package real

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockstep/internal/history"
	"lockstep/internal/real/servers"
)

// sentinels are the real ones that watch over a group. They fail over without the harness,
// which subscribes to their events past all links and records them.
type sentinels struct {
	g        *redisGroup
	members  []*member
	replicas map[*member]bool // servers known to follow another one
	// since has the ordeals of the primary when it became one; parted: since then, a majority
	// of the sentinels has been cut off from it.
	since  ordeals
	parted bool
}

// ordeals count the faults that make a server silent.
type ordeals struct{ freezes, lives int }

func (m *member) ordeals() ordeals { return ordeals{m.freezes, m.lives} }

// reachabilityChanged notes a partition that makes the primary look dead.
func (s *sentinels) reachabilityChanged() {
	g, apart := s.g, 0
	for _, m := range s.members {
		if g.blocked(m.node, g.leader.node) || g.blocked(g.leader.node, m.node) {
			apart++
		}
	}
	s.parted = s.parted || apart > len(s.members)/2
}

// doubt returns an error if sentinels replaced the primary without a fault: such a run says
// nothing about a lock.
func (s *sentinels) doubt(heir *member) error {
	p := s.g.leader
	if s.parted || !p.up() || p.ordeals() != s.since || s.g.h.clocks.anyWrong() {
		return nil
	}
	return fmt.Errorf("sentinels have put %s in the place of %s, to which nothing had happened: the machine is too busy for a down-after of %v: play it again, or choose a greater --scale",
		heir.name, p.name, s.g.h.plan.Redis.Failover.DownAfter)
}

// leads notes a new primary.
func (s *sentinels) leads(m *member) {
	s.since, s.parted = m.ordeals(), false
	s.reachabilityChanged()
}

// startSentinels starts the sentinels and returns when they know each other.
func startSentinels(ctx context.Context, g *redisGroup, names []string) (*sentinels, error) {
	s := &sentinels{g: g, replicas: map[*member]bool{}}
	for _, m := range g.servers[1:] {
		s.replicas[m] = true
	}
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
	return s, s.listen(ctx)
}

// speed returns the factor by which a sentinel's clock must run faster in a scaled run.
func speed(h *harness) int { return int(max(1_000_000/scaleOf(h.plan, &h.o), 1)) }

// has reports whether a member is a sentinel; false without sentinels.
func (s *sentinels) has(m *member) bool {
	return s != nil && slices.Contains(s.members, m)
}

// The events of sentinels that are recorded.
const (
	// hasPromoted: a replica has been told to be a primary. Clients are told only when
	// the sentinel has seen the new role, up to a second later.
	hasPromoted = "+failover-state-wait-promotion"
	// hasDemoted: a primary that was replaced is back and has been made a replica.
	hasDemoted = "+convert-to-slave"
)

// listen subscribes to the events of the sentinels, past all links; it returns when all
// subscriptions are active.
func (s *sentinels) listen(ctx context.Context) error {
	for _, m := range s.members {
		client := goredis.NewSentinelClient(&goredis.Options{Addr: m.addr, Protocol: 2, MaxRetries: -1})
		events := client.Subscribe(ctx, hasPromoted, hasDemoted)
		if _, err := events.Receive(ctx); err != nil {
			_ = client.Close()
			return fmt.Errorf("%s does not tell what it does: %w", m.name, err)
		}
		s.g.h.background.Go(func() {
			defer client.Close()
			defer events.Close()
			for {
				select {
				case <-s.g.h.stop:
					return
				case e, ok := <-events.Channel():
					if !ok {
						return
					}
					s.heard(e.Channel, e.Payload)
				}
			}
		})
	}
	return nil
}

// heard handles an event of a sentinel: "slave NAME IP PORT @ ...".
func (s *sentinels) heard(what, about string) {
	words := strings.Fields(about)
	if len(words) < 4 {
		return
	}
	m := s.g.named(s.g.mesh.at(net.JoinHostPort(words[2], words[3])))
	if m == nil || !s.became(m, what == hasPromoted) {
		return
	}
	h := s.g.h
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.stopped || s.replicas[m] == (what == hasDemoted):
		// another sentinel has already reported it
	case what == hasPromoted:
		if err := s.doubt(m); err != nil {
			h.fail(err)
		}
		delete(s.replicas, m)
		s.g.promoted(m, 0)
		s.leads(m)
	default:
		s.replicas[m] = true
		h.record(history.Event{Kind: history.Demoted, Node: m.node, Peer: s.g.leader.node}, "")
	}
}

// became waits until a server has its new role; false when it never has.
func (s *sentinels) became(m *member, primary bool) bool {
	want := map[bool]string{true: "master", false: "slave"}[primary]
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	for ctx.Err() == nil {
		info, err := process(m).Info(ctx, "replication")
		if err == nil && info["role"] == want {
			return true
		}
		select {
		case <-s.g.h.stop:
			return false
		case <-time.After(time.Millisecond):
		}
	}
	return false
}
