package plan

import (
	"io"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

func TestServersOfEachStore(t *testing.T) {
	p := Default()
	p.Redis.Replicas, p.Database("mysql").Replicas = 1, 1
	p.Cluster("etcd").Nodes = 5
	tests := []struct {
		store Store
		want  string
	}{
		{Store{Store: store.Of("redis")}, "redis-1 redis-2"},
		{Store{Store: store.Of("redis"), Replicas: 2}, "redis-1 redis-2 redis-3"},
		{Store{Store: store.Of("redis-nodes")}, "redis-1 redis-2 redis-3 redis-4 redis-5"},
		{Store{Store: store.Of("redis-nodes"), Nodes: 3}, "redis-1 redis-2 redis-3"},
		{Store{Store: store.Of("etcd")}, "etcd-1 etcd-2 etcd-3 etcd-4 etcd-5"},
		{Store{Store: store.Of("zookeeper")}, "zk-1 zk-2 zk-3"},
		{Store{Store: store.Of("consul")}, "consul-1 consul-2 consul-3"},
		{Store{Store: store.Of("mysql")}, "mysql-1 mysql-2"},
		{Store{Store: store.Of("postgres")}, "postgres-1"},
	}
	for _, tt := range tests {
		if got := strings.Join(p.Servers(tt.store), " "); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.store, got, tt.want)
		}
	}
}

// Only Redis has sentinels, and only if the plan says so.
func TestHeaderListsTheNodesOfTheStore(t *testing.T) {
	p := Default()
	p.Clients = []string{"A"}
	p.Redis.Replicas = 1
	p.Redis.Failover.By = BySentinel
	tests := map[string]string{
		"redis":    "A client, probe probe, redis-1 store, redis-2 store, sentinel-1 sentinel, sentinel-2 sentinel, sentinel-3 sentinel, resource resource",
		"postgres": "A client, probe probe, postgres-1 store, resource resource",
	}
	for id, want := range tests {
		h := p.HeaderOf("x", Store{Store: store.Of(store.ID(id))}, 1, "sim", 1_000_000)
		var got []string
		for _, n := range h.Nodes {
			got = append(got, n.Name+" "+string(n.Role))
		}
		if g := strings.Join(got, ", "); g != want {
			t.Errorf("%s: %s, want %s", id, g, want)
		}
		if err := history.WriteJSONL(io.Discard, history.New(h)); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A setting that a scenario leaves open follows later changes of the lease; explicit settings do
// not.
func TestOpenSettingsFollowTheLease(t *testing.T) {
	p := Default()
	of := func(p *Plan, id store.ID) time.Duration { return p.SettingsOf(store.Of(id))[0] }
	p.Lease = 30 * time.Second
	if got := of(&p, "nats"); got != 30*time.Second {
		t.Errorf("with a lease of 30s a key lives for %v", got)
	}
	short := p.Scaled(100_000)
	if ttl, tick := of(&short, "nats"), of(&short, "zookeeper"); ttl != 3*time.Second || tick != 200*time.Millisecond {
		t.Errorf("at a tenth a key lives for %v, and a tick is %v", ttl, tick)
	}
	p.Vary = []Axis{{Key: "lease"}}
	if point := p.Point(int64(2 * time.Second)); of(point, "nats") != 2*time.Second {
		t.Errorf("in a sweep a key lives for %v with a lease of 2s", of(point, "nats"))
	}
	*p.Cluster("nats") = Cluster{Nodes: 3, Settings: store.Settings{time.Minute}}
	if got := of(&p, "nats"); got != time.Minute {
		t.Errorf("the plan's own minute became %v", got)
	}
}
