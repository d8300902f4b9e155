package servers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/real/link"
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

func source(i int) string {
	return []string{"127.0.0.21", "127.0.0.22", "127.0.0.23", "127.0.0.24", "127.0.0.25"}[i]
}

func openLink(t *testing.T, to *servers.Server) *link.Link {
	t.Helper()
	l, err := link.Open(link.Options{Name: "to " + to.Name, Upstream: to.Addr, Raw: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func openFront(t *testing.T) *link.Front {
	t.Helper()
	f, err := link.OpenFront("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func startWatched(t *testing.T, speed int) *watchedGroup {
	t.Helper()
	realtest.Need(t, "redis-server")
	t.Setenv("TMPDIR", t.TempDir())
	ctx, g := context.Background(), &watchedGroup{}
	for i, name := range []string{"redis-1", "redis-2"} {
		front := openFront(t)
		o := servers.RedisOptions{Name: name, Source: source(i), Announce: front.Addr()}
		if i > 0 {
			o.ReplicaOf = g.fronts[0].Addr()
			g.fronts[0].Admit(source(i), openLink(t, g.servers[0]))
		}
		s, err := servers.StartRedis(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Stop() })
		g.servers, g.fronts = append(g.servers, s), append(g.fronts, front)
	}
	g.fronts[1].Admit(source(0), openLink(t, g.servers[1]))
	if err := g.servers[0].WaitReplicas(ctx, g.servers[1:]); err != nil {
		t.Fatal(err)
	}
	var fronts []*link.Front
	for i := range 3 {
		front := openFront(t)
		s, err := servers.StartSentinel(ctx, servers.SentinelOptions{
			Name: "sentinel", Primary: g.fronts[0].Addr(), Source: source(2 + i), Announce: front.Addr(),
			Quorum: 2, DownAfter: 500 * time.Millisecond * time.Duration(min(speed, 3)), Speed: speed,
		})
		if err != nil {
			t.Fatal(err)
		}
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
	began := time.Now()
	if err := servers.WaitSentinels(ctx, g.sentinels, 1); err != nil {
		t.Fatal(err)
	}
	t.Logf("the sentinels knew each other after %v", time.Since(began))
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
func (g *watchedGroup) failedOver(t *testing.T, within time.Duration) time.Duration {
	t.Helper()
	began := time.Now()
	for _, s := range g.sentinels {
		for {
			addr, err := primaryOf(s)
			if err != nil {
				t.Fatal(err)
			}
			if addr == g.fronts[1].Addr() {
				break
			}
			if time.Since(began) > within {
				t.Fatalf("the primary is still %s after %v, want %s: %s", addr, within, g.fronts[1].Addr(), s.LastLog())
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return time.Since(began)
}

func role(t *testing.T, s *servers.Server) string {
	t.Helper()
	info, err := s.Info(context.Background(), "replication")
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		return "told its callers to call again" // a sentinel has just given it another role
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
		if err := g.servers[0].Kill(); err != nil {
			t.Fatal(err)
		}
		took[speed] = g.failedOver(t, 15*time.Second)
		t.Logf("at %d times the speed: a new primary after %v", speed, took[speed])
		for end := time.Now().Add(time.Second); role(t, g.servers[1]) != "master"; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("redis-2 is not a primary")
			}
		}
	}
	// No sentinel promotes sooner than this by its own clock. One that lives faster does, also
	// when the first vote was split.
	if took[1] < servers.PromotionTime || took[10] >= servers.PromotionTime {
		t.Errorf("it took %v, and %v at ten times the speed", took[1], took[10])
	}
}

// The links, and nothing past them, decide who finds the primary down: one sentinel
// is not enough, two are, though the third one goes on to see it. When the links let
// pass again, the old primary is made a replica.
func TestSentinelsReachServersByTheirLinksOnly(t *testing.T) {
	g := startWatched(t, 1)
	switchBoth(g.toPrimary[0], link.Hold)
	time.Sleep(1500 * time.Millisecond) // three times what makes it down
	if addr, err := primaryOf(g.sentinels[0]); err != nil || addr != g.fronts[0].Addr() {
		t.Errorf("one sentinel of three made %s the primary: %v", addr, err)
	}
	switchBoth(g.toPrimary[1], link.Hold)
	t.Logf("a new primary after %v", g.failedOver(t, 15*time.Second))
	for _, l := range g.toPrimary {
		switchBoth(l, link.Pass)
	}
	for end := time.Now().Add(15 * time.Second); role(t, g.servers[0]) != "slave"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			for _, x := range g.sentinels {
				b, _ := os.ReadFile(x.Dir + "/log")
				t.Log(string(b))
				m, _ := x.Command(context.Background(), "SENTINEL", "REPLICAS", servers.Watched)
				t.Log(m)
			}
			t.Fatal("the old primary was not made a replica")
		}
	}
}

// A restarted sentinel goes on with what it has learnt.
func TestASentinelRemembers(t *testing.T) {
	g := startWatched(t, 1)
	s := g.sentinels[0]
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	if err := servers.WaitSentinels(context.Background(), g.sentinels, 1); err != nil {
		t.Fatal(err)
	}
}

// switchBoth sets the mode of both directions.
func switchBoth(l *link.Link, m link.Mode) {
	l.Switch(link.Up, m)
	l.Switch(link.Down, m)
}
