package servers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/real/link"
	"lockstep/internal/real/link/linktest"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
)

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
