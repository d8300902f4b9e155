package servers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
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
	must.Equalf(t, must.Get(primaryOf(g.sentinels[0]))(t), g.fronts[0].Addr(),
		"the primary by one sentinel of three")
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

// startCluster starts a cluster of three shards with a replica each, whose nodes reach
// each other by fronts.
func startCluster(t *testing.T, timeout time.Duration) []*servers.Server {
	t.Helper()
	var nodes []*servers.Server
	var data, bus []*link.Front
	for i := range 6 {
		data, bus = append(data, linktest.OpenFront(t)), append(bus, linktest.OpenFront(t))
		name := fmt.Sprintf("redis-%d", i+1)
		nodes = append(nodes, livetest.Redis(t, servers.RedisOptions{
			Name: name, Source: fmt.Sprintf("127.0.0.%d", 41+i), Announce: data[i].Addr(),
			Cluster: &servers.ClusterOptions{Host: name, AnnounceBus: bus[i].Addr(), NodeTimeout: timeout},
		}))
	}
	for i, s := range nodes {
		for k := range nodes {
			if k == i {
				continue
			}
			from := fmt.Sprintf("127.0.0.%d", 41+k)
			data[i].Admit(from, linktest.Open(t, link.Options{Name: from, Upstream: s.Addr, Raw: true}))
			bus[i].Admit(from, linktest.Open(t, link.Options{Name: from, Upstream: s.Bus, Raw: true}))
		}
	}
	must.Do(t, servers.FormCluster(t.Context(), nodes, 3))
	return nodes
}

// ask sends a command and returns the answer of the node, which may be an error.
func ask(t *testing.T, s *servers.Server, args ...string) string {
	t.Helper()
	reply, err := s.Command(context.Background(), args...)
	if err != nil && reply.Err == nil {
		t.Fatal(err)
	}
	return reply.String()
}

// until waits for an answer with a prefix.
func until(t *testing.T, s *servers.Server, prefix string, args ...string) {
	t.Helper()
	got := ""
	if !realtest.Soon(20*time.Second, func() bool {
		got = ask(t, s, args...)
		return strings.HasPrefix(got, prefix)
	}) {
		t.Fatalf("%s never answered %q, but %q", s.Name, prefix, got)
	}
}

// A real cluster redirects and fails over as the simulated one does.
func TestAClusterRedirectsByNameAndReplacesItsPrimary(t *testing.T) {
	nodes := startCluster(t, 500*time.Millisecond)
	shard, err := servers.ShardOf(context.Background(), nodes[0], "lock", 3)
	if err != nil || shard != 1 {
		t.Fatal(shard, err)
	}
	if got := ask(t, nodes[1], "SET", "lock", "A", "NX"); got != "OK" {
		t.Fatal(got)
	}
	for _, i := range []int{0, 2, 3, 4, 5} { // also its own replica
		if got := ask(t, nodes[i], "GET", "lock"); !strings.HasPrefix(got, "(error) MOVED 8718 redis-2:") {
			t.Errorf("%s answers %q", nodes[i].Name, got)
		}
	}
	if got := ask(t, nodes[0], "MGET", "lock", "foo"); got != "(error) CROSSSLOT Keys in request don't hash to the same slot" {
		t.Error(got)
	}
	must.Do(t, nodes[1].Kill())
	until(t, nodes[0], "(error) CLUSTERDOWN The cluster is down", "GET", "foo")
	until(t, nodes[4], `"A"`, "GET", "lock")
	must.Do(t, nodes[1].Restart(context.Background(), ""))
	until(t, nodes[1], "(error) MOVED 8718 redis-5:", "GET", "lock")
}

// A primary that restarts before its failure is detected is still the primary, and has no data.
func TestANodeComesBackEmptyWithItsIdentity(t *testing.T) {
	nodes := startCluster(t, 10*time.Second)
	if got := ask(t, nodes[1], "SET", "lock", "A"); got != "OK" {
		t.Fatal(got)
	}
	if got := ask(t, nodes[1], "SAVE"); got != "OK" { // as a replica's full sync would
		t.Fatal(got)
	}
	id := ask(t, nodes[1], "CLUSTER", "MYID")
	must.Do(t, errors.Join(nodes[1].Kill(), nodes[1].Restart(t.Context(), "")))
	must.Equalf(t, ask(t, nodes[1], "CLUSTER", "MYID"), id, "it was %s and", id)
	until(t, nodes[1], "(nil)", "GET", "lock") // two seconds later: until then it serves no client
}
