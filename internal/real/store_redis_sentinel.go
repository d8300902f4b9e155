package real

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockstep/internal/history"
	"lockstep/internal/real/servers"
)

// sentinels are the real ones that watch over a group. They do everything by
// themselves; what they do is heard here only so that the history can tell it.
type sentinels struct {
	g        *redisGroup
	members  []*member
	replicas map[*member]bool // servers that follow another one, as far as was heard
	// since is what the primary had gone through when it became one, and parted whether enough
	// of them have been cut off from it since then to find it down.
	since  ordeals
	parted bool
}

// ordeals count what makes a server silent.
type ordeals struct{ freezes, lives int }

func (m *member) ordeals() ordeals { return ordeals{m.freezes, m.lives} }

// reachabilityChanged takes note of a cut that makes the primary look dead.
func (s *sentinels) reachabilityChanged() {
	g, apart := s.g, 0
	for _, m := range s.members {
		if g.blocked(m.node, g.leader.node) || g.blocked(g.leader.node, m.node) {
			apart++
		}
	}
	s.parted = s.parted || apart > len(s.members)/2
}

// doubt is an error when nothing has happened to the primary for which sentinels would put
// this server in its place: then the run says nothing about a lock.
func (s *sentinels) doubt(heir *member) error {
	p := s.g.leader
	if s.parted || !p.up() || p.ordeals() != s.since || s.g.h.clocks.anyWrong() {
		return nil
	}
	return fmt.Errorf("sentinels have put %s in the place of %s, to which nothing had happened: the machine is too busy for a down-after of %v: play it again, or choose a greater --scale",
		heir.name, p.name, s.g.h.plan.Redis.Failover.DownAfter)
}

// leads takes note of a new primary.
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
			Name: name, Program: g.h.o.RedisServer, Launcher: g.h.launcher, Source: place.source, Announce: place.front.Addr(),
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

// speed is how many times as fast a sentinel has to live to keep up with a run whose
// durations are a part of what the scenario says.
func speed(h *harness) int { return int(max(1_000_000/scaleOf(h.plan, &h.o), 1)) }

// has reports whether a member is a sentinel; false without sentinels.
func (s *sentinels) has(m *member) bool {
	if s == nil {
		return false
	}
	for _, one := range s.members {
		if one == m {
			return true
		}
	}
	return false
}

// restart restarts a sentinel, which has kept its state.
func (s *sentinels) restart(ctx context.Context, m *member) error {
	s.g.h.mu.Lock()
	s.g.mesh.returns(m.name)
	s.g.reachabilityChanged()
	s.g.h.mu.Unlock()
	err := redisServer(m).Restart(ctx, "")
	if err == nil {
		s.g.mesh.serves(m.name)
	}
	return err
}

// What sentinels tell.
const (
	// hasPromoted: a replica has been told to be a primary. Clients are told only when
	// the sentinel has seen it be one, up to a second later.
	hasPromoted = "+failover-state-wait-promotion"
	// hasDemoted: a primary that was replaced is back and has been made a replica.
	hasDemoted = "+convert-to-slave"
)

// listen follows what the sentinels tell, past all links; it returns when it hears
// all of them.
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

// heard takes note of what a sentinel has told: "slave NAME IP PORT @ ...".
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
		// another sentinel has told it already
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

// became waits until a server has done what it was told; false when it does not.
func (s *sentinels) became(m *member, primary bool) bool {
	want := map[bool]string{true: "master", false: "slave"}[primary]
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	for ctx.Err() == nil {
		info, err := redisServer(m).Info(ctx, "replication")
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
