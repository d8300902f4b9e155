package servers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

// watchedGroup is a primary, a replica and three sentinels, each behind a front.
type watchedGroup struct {
	servers, sentinels []*servers.Server
	fronts             []*link.Front // of the servers
	toPrimary          []*link.Link  // from the sentinels
}

func source(i int) string { return fmt.Sprintf("127.0.0.%d", 21+i) }

func openLink(t *testing.T, to *servers.Server) *link.Link {
	t.Helper()
	return linktest.Open(t, link.Options{Name: "to " + to.Name, Upstream: to.Addr, Raw: true})
}

func startWatched(t *testing.T, speed int) *watchedGroup {
	t.Helper()
	ctx, g := context.Background(), &watchedGroup{}
	for i, name := range []string{"redis-1", "redis-2"} {
		front := linktest.OpenFront(t)
		o := servers.RedisOptions{Name: name, Source: source(i), Announce: front.Addr()}
		if i > 0 {
			o.ReplicaOf = g.fronts[0].Addr()
			g.fronts[0].Admit(source(i), openLink(t, g.servers[0]))
		}
		g.servers, g.fronts = append(g.servers, livetest.Redis(t, o)), append(g.fronts, front)
	}
	g.fronts[1].Admit(source(0), openLink(t, g.servers[1]))
	must.Do(t, g.servers[0].WaitReplicas(ctx, g.servers[1:]))
	var fronts []*link.Front
	for i := range 3 {
		front := linktest.OpenFront(t)
		s := must.Get(servers.StartSentinel(ctx, servers.SentinelOptions{
			Name: "sentinel", Primary: g.fronts[0].Addr(), Source: source(2 + i), Announce: front.Addr(),
			Quorum: 2, DownAfter: 500 * time.Millisecond * time.Duration(min(speed, 3)), Speed: speed,
		}))(t)
		t.Cleanup(func() { s.Stop() })
		g.toPrimary = append(g.toPrimary, openLink(t, g.servers[0]))
		g.fronts[0].Admit(source(2+i), g.toPrimary[i])
		g.fronts[1].Admit(source(2+i), openLink(t, g.servers[1]))
		g.sentinels, fronts = append(g.sentinels, s), append(fronts, front)
	}
	for to := range fronts {
		for from := range fronts {
			if from != to {
				fronts[to].Admit(source(2+from), openLink(t, g.sentinels[to]))
			}
		}
	}
	must.Do(t, servers.WaitSentinels(ctx, g.sentinels, 1))
	return g
}

// primaryOf returns the host:port that a sentinel takes for the primary's.
func primaryOf(sentinel *servers.Server) (string, error) {
	reply, err := sentinel.Command(context.Background(), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", servers.Watched)
	if err != nil {
		return "", err
	}
	if len(reply.Elements()) != 2 {
		return "", fmt.Errorf("%s does not know the primary: %s", sentinel.Name, reply)
	}
	return net.JoinHostPort(reply.Elements()[0].Str, reply.Elements()[1].Str), nil
}

// failedOver waits until all sentinels take the replica for the primary.
func (g *watchedGroup) failedOver(t *testing.T) time.Duration {
	t.Helper()
	const within = 15 * time.Second
	began := time.Now()
	for _, s := range g.sentinels {
		addr, want := "", g.fronts[1].Addr()
		if !realtest.Soon(within-time.Since(began), func() bool {
			addr = must.Get(primaryOf(s))(t)
			return addr == want
		}) {
			t.Fatalf("the primary is still %s after %v, want %s: %s", addr, within, want, s.LastLog())
		}
	}
	return time.Since(began)
}

// becomes waits until a server has a role.
func becomes(t *testing.T, s *servers.Server, want string, within time.Duration) {
	t.Helper()
	if !realtest.Soon(within, func() bool { return role(t, s) == want }) {
		t.Fatalf("%s did not become a %s", s.Name, want)
	}
}

func role(t *testing.T, s *servers.Server) string {
	t.Helper()
	info, err := s.Info(context.Background(), "replication")
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		return "changing" // a server closes all connections when a sentinel changes its role
	}
	if err != nil {
		t.Fatal(err)
	}
	return info["role"]
}

func TestSentinelsReplaceADeadPrimary(t *testing.T) {
	took := map[int]time.Duration{}
	for _, speed := range []int{1, 10} {
		if speed > 1 {
			realtest.Need(t, programs.Faketime)
		}
		g := startWatched(t, speed)
		must.Do(t, g.servers[0].Kill())
		took[speed] = g.failedOver(t)
		t.Logf("at %d times the speed: a new primary after %v", speed, took[speed])
		becomes(t, g.servers[1], "master", time.Second)
	}
	// No sentinel promotes sooner than this by its own clock. One with a faster clock does, even
	// when the first vote was split.
	if took[1] < servers.PromotionTime || took[10] >= servers.PromotionTime {
		t.Errorf("it took %v, and %v at ten times the speed", took[1], took[10])
	}
}

// Only the links decide which sentinels find the primary down: one is not enough, two are, although
// the third still reaches it. When the links pass again, the old primary is made a replica.
func TestSentinelsReachServersByTheirLinksOnly(t *testing.T) {
	g := startWatched(t, 1)
	linktest.Switch(g.toPrimary[0], link.Hold)
	time.Sleep(1500 * time.Millisecond) // three times DownAfter
	if addr, err := primaryOf(g.sentinels[0]); err != nil || addr != g.fronts[0].Addr() {
		t.Errorf("one sentinel of three made %s the primary: %v", addr, err)
	}
	linktest.Switch(g.toPrimary[1], link.Hold)
	t.Logf("a new primary after %v", g.failedOver(t))
	for _, l := range g.toPrimary {
		linktest.Switch(l, link.Pass)
	}
	becomes(t, g.servers[0], "slave", 15*time.Second)
}

// A restarted sentinel still knows the servers and the other sentinels.
func TestASentinelRemembers(t *testing.T) {
	g := startWatched(t, 1)
	s := g.sentinels[0]
	must.Do(t, errors.Join(s.Kill(), s.Restart(t.Context(), "")))
	must.Do(t, servers.WaitSentinels(context.Background(), g.sentinels, 1))
}
