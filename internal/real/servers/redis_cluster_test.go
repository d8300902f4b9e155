package servers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/real/link"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

// startCluster starts a cluster of three shards with a replica each, whose nodes reach
// each other by fronts.
func startCluster(t *testing.T, timeout time.Duration) []*servers.Server {
	t.Helper()
	realtest.Need(t, "redis-server")
	t.Setenv("TMPDIR", t.TempDir())
	ctx := context.Background()
	var nodes []*servers.Server
	var data, bus []*link.Front
	for i := range 6 {
		data, bus = append(data, openFront(t)), append(bus, openFront(t))
		s, err := servers.StartRedis(ctx, servers.RedisOptions{
			Name: fmt.Sprintf("redis-%d", i+1), Source: fmt.Sprintf("127.0.0.%d", 41+i), Announce: data[i].Addr(),
			Cluster: &servers.ClusterOptions{Host: fmt.Sprintf("redis-%d", i+1), AnnounceBus: bus[i].Addr(), NodeTimeout: timeout},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
		})
		nodes = append(nodes, s)
	}
	for i, s := range nodes {
		for k := range nodes {
			if k == i {
				continue
			}
			from := fmt.Sprintf("127.0.0.%d", 41+k)
			for _, way := range []struct {
				front *link.Front
				to    string
			}{{data[i], s.Addr}, {bus[i], s.Bus}} {
				l, err := link.Open(link.Options{Name: from, Upstream: way.to, Raw: true})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { l.Close() })
				way.front.Admit(from, l)
			}
		}
	}
	if err := servers.FormCluster(ctx, nodes, 3); err != nil {
		t.Fatal(err)
	}
	return nodes
}

// ask sends a command and returns what the node answers, be it an error.
func ask(t *testing.T, s *servers.Server, args ...string) string {
	t.Helper()
	reply, err := s.Command(context.Background(), args...)
	if err != nil && reply.Err == nil {
		t.Fatal(err)
	}
	return reply.String()
}

// until waits until a node answers so.
func until(t *testing.T, s *servers.Server, prefix string, args ...string) {
	t.Helper()
	end := time.Now().Add(20 * time.Second)
	got := ""
	for time.Now().Before(end) {
		if got = ask(t, s, args...); strings.HasPrefix(got, prefix) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s never answered %q, but %q", s.Name, prefix, got)
}

// What the simulated cluster answers, and who takes over, as Redis has it.
func TestAClusterRedirectsByNameAndReplacesItsPrimary(t *testing.T) {
	nodes := startCluster(t, 500*time.Millisecond)
	shard, err := servers.ShardOf(context.Background(), nodes[0], "lock", 3)
	if err != nil || shard != 1 {
		t.Fatal(shard, err)
	}
	if got := ask(t, nodes[1], "SET", "lock", "A", "NX"); got != "OK" {
		t.Fatal(got)
	}
	for _, i := range []int{0, 2, 3, 4, 5} { // its own replica, too
		if got := ask(t, nodes[i], "GET", "lock"); !strings.HasPrefix(got, "(error) MOVED 8718 redis-2:") {
			t.Errorf("%s answers %q", nodes[i].Name, got)
		}
	}
	if got := ask(t, nodes[0], "MGET", "lock", "foo"); got != "(error) CROSSSLOT Keys in request don't hash to the same slot" {
		t.Error(got)
	}
	if err := nodes[1].Kill(); err != nil {
		t.Fatal(err)
	}
	until(t, nodes[0], "(error) CLUSTERDOWN The cluster is down", "GET", "foo")
	until(t, nodes[4], `"A"`, "GET", "lock")
	if err := nodes[1].Restart(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	until(t, nodes[1], "(error) MOVED 8718 redis-5:", "GET", "lock")
}

// A primary that comes back before its failure is detected is still one, and has no data.
func TestANodeComesBackEmptyAsWhoItWas(t *testing.T) {
	nodes := startCluster(t, 10*time.Second)
	if got := ask(t, nodes[1], "SET", "lock", "A"); got != "OK" {
		t.Fatal(got)
	}
	if got := ask(t, nodes[1], "SAVE"); got != "OK" { // as a replica's full sync would
		t.Fatal(got)
	}
	id := ask(t, nodes[1], "CLUSTER", "MYID")
	if err := nodes[1].Kill(); err != nil {
		t.Fatal(err)
	}
	if err := nodes[1].Restart(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, nodes[1], "CLUSTER", "MYID"); got != id {
		t.Errorf("it was %s and is %s", id, got)
	}
	until(t, nodes[1], "(nil)", "GET", "lock") // two seconds later: until then it serves no client
}
