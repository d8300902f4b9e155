package plan

import (
	"io"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
)

func TestServersOfEachStore(t *testing.T) {
	p := Default()
	p.Redis.Replicas, p.MySQL.Replicas = 1, 1
	p.Etcd.Nodes = 5
	tests := []struct {
		store Store
		want  string
	}{
		{Store{Name: "redis"}, "redis-1 redis-2"},
		{Store{Name: "redis", Replicas: 2}, "redis-1 redis-2 redis-3"},
		{Store{Name: "redis-nodes"}, "redis-1 redis-2 redis-3 redis-4 redis-5"},
		{Store{Name: "redis-nodes", Nodes: 3}, "redis-1 redis-2 redis-3"},
		{Store{Name: "etcd"}, "etcd-1 etcd-2 etcd-3 etcd-4 etcd-5"},
		{Store{Name: "zookeeper"}, "zk-1 zk-2 zk-3"},
		{Store{Name: "consul"}, "consul-1 consul-2 consul-3"},
		{Store{Name: "mysql"}, "mysql-1 mysql-2"},
		{Store{Name: "postgres"}, "postgres-1"},
	}
	for _, tt := range tests {
		if got := strings.Join(p.Servers(tt.store), " "); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.store, got, tt.want)
		}
	}
}

// Sentinels watch over Redis servers only, and only where the plan says so.
func TestHeaderListsTheNodesOfTheStore(t *testing.T) {
	p := Default()
	p.Clients = []string{"A"}
	p.Redis.Replicas = 1
	p.Redis.Failover.By = BySentinel
	tests := map[string]string{
		"redis":    "A client, probe probe, redis-1 store, redis-2 store, sentinel-1 sentinel, sentinel-2 sentinel, sentinel-3 sentinel, resource resource",
		"postgres": "A client, probe probe, postgres-1 store, resource resource",
	}
	for store, want := range tests {
		h := p.HeaderOf("x", Store{Name: store}, 1, "sim", 1_000_000)
		var got []string
		for _, n := range h.Nodes {
			got = append(got, n.Name+" "+string(n.Role))
		}
		if g := strings.Join(got, ", "); g != want {
			t.Errorf("%s: %s, want %s", store, g, want)
		}
		if err := history.WriteJSONL(io.Discard, history.New(h)); err != nil {
			t.Errorf("%s: %v", store, err)
		}
	}
}

func TestTickFollowsAShortLease(t *testing.T) {
	for lease, want := range map[time.Duration]time.Duration{
		10 * time.Second: 2 * time.Second, 30 * time.Second: 2 * time.Second,
		time.Second: 200 * time.Millisecond, 7 * time.Millisecond: time.Millisecond, 1: time.Millisecond,
	} {
		p := Default()
		p.Lease = lease
		if got := p.ZooKeeperTick(); got != want {
			t.Errorf("lease %v: tick %v, want %v", lease, got, want)
		}
	}
	p := Default()
	p.ZooKeeper.Tick = time.Minute
	if got := p.ZooKeeperTick(); got != time.Minute {
		t.Errorf("the plan's own tick became %v", got)
	}
}
