package scenario

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

// The resolved file has all settings of the stores in use, and of no others.
func TestResolvedSpellsOutTheServersInUse(t *testing.T) {
	tests := []struct {
		name, text, want string
	}{
		{
			"sentinels, because a fault says so", `locks: [set-nx-lua]
servers: {redis: {replicas: 2}}
faults: [{when: A enters, fail-over: sentinel}]`,
			`servers:
  redis:
    replicas: 2
    lag: 0s
    failover: {by: sentinel, down-after: 2s, election: 1s}
    persistence: none
    min-replicas: 0
    min-replicas-max-lag: 10s
`,
		},
		{
			"independent nodes", "locks: [redlock]", `servers:
  redlock: {nodes: 5, persistence: none}
`,
		},
		{
			"clusters", "locks: [etcd-mutex, zk-sequential, consul-session]\nservers: {etcd: {nodes: 1}, consul: {election: 3s}}",
			`servers:
  etcd: {nodes: 1, election: 1s}
  zookeeper: {nodes: 3, election: 1s, tick: 2s}
  consul: {nodes: 3, election: 3s, second: 1s}
`,
		},
		{
			"a tick that a short lease makes short", "locks: [zk-sequential]\nlease: 1s", `servers:
  zookeeper: {nodes: 3, election: 1s, tick: 200ms}
`,
		},
		{
			"databases", "locks: [mysql-for-update, pg-advisory]\nservers: {mysql: {replicas: 1, lag: 1s, failover: {by: operator, after: 3s}}}",
			`servers:
  mysql:
    replicas: 1
    lag: 1s
    failover: {by: operator, after: 3s}
    idle-timeout: 8h
  postgres:
    replicas: 0
    lag: 0s
    failover: {by: operator, after: 500ms}
    idle-timeout: never
`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := must.Get(Parse("x.yaml", []byte("scenario: x\n"+tt.text)))(t)
			_, after, _ := strings.Cut(Resolved(p), "\nservers:\n")
			got, _, _ := strings.Cut(after, "\n\n")
			if got := "servers:\n" + strings.TrimRight(got, "\n") + "\n"; got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestServersReachThePlan(t *testing.T) {
	p := must.Get(Load("testdata/good/stores.yaml"))(t)
	wantRedis := plan.Redis{
		Replicas: 1, Persistence: plan.PersistEverySecond, MinReplicas: 1, MinReplicasMaxLag: 5 * time.Second,
		Failover: plan.RedisFailover{Failover: plan.Failover{By: plan.BySentinel, After: 500 * time.Millisecond}, DownAfter: 3 * time.Second, Election: time.Second},
	}
	if p.Redis != wantRedis {
		t.Errorf("redis: %+v", p.Redis)
	}
	if want := (plan.Cluster{Nodes: 5, Election: 2 * time.Second}); *p.Cluster("etcd") != want {
		t.Errorf("etcd: %+v", p.Cluster("etcd"))
	}
	if p.Cluster("zookeeper").Settings[0] != 500*time.Millisecond || p.Cluster("consul").Nodes != 1 || p.Database("mysql").Replicas != 2 ||
		p.Database("mysql").Lag != time.Second || p.Database("mysql").Failover.After != 3*time.Second || p.Database("postgres").Replicas != 1 || p.Workload.Nested != 2 {
		t.Errorf("%+v", p)
	}
	text := map[int]string{
		0:  "partition A from store for 3s when A sends any command",
		1:  "partition A and the primary from B, null, replicas and sentinels for 3s when A has any command executed",
		2:  "cut what the holder sends to the primary when A has the reply of any command the 3rd time until any client is about to send any command",
		5:  "restart the primary down 500ms when A enters",
		7:  "jump-clock the primary by -12s when A enters",
		8:  "drift-clock the holder rate +200ppm for 3s when A enters",
		9:  "drift-clock B rate -5% forever when A enters",
		12: "lag 2s for 3s when A enters",
	}
	for i, want := range text {
		if got := p.Faults[i].Text; got != want {
			t.Errorf("fault %d: %q, want %q", i+1, got, want)
		}
	}
}

// A plan that was built by code survives being printed and read back.
func TestAPlanBuiltByCodeCanBeReadBack(t *testing.T) {
	for _, v := range locks.Simulated() {
		p := plan.Default()
		p.Name, p.Locks = "built by code", []string{v.ID}
		for _, ppm := range []int64{1_000_000, 100_000, 700_000} {
			scaled := p.Scaled(ppm)
			text := Resolved(&scaled)
			again, err := Parse(scaled.File, []byte(text))
			if err != nil {
				t.Errorf("%s: %v\n%s", v.ID, err, text)
				continue
			}
			if twice := Resolved(again); twice != text {
				t.Errorf("%s: read back it is another plan:\n%s\n%s", v.ID, text, twice)
			}
			if of := store.Of(v.Store); scaled.SettingsOf(of) != again.SettingsOf(of) {
				t.Errorf("%s: settings of %v are read back as %v", v.ID, scaled.SettingsOf(of), again.SettingsOf(of))
			}
		}
	}
}

// Settings that a file leaves open follow the lease when it changes later, on a page or in a sweep.
func TestALeaseThatChangesLater(t *testing.T) {
	p := must.Get(Parse("x.yaml", []byte("scenario: x\nlocks: [nats-kv]\nlease: 10s\n")))(t)
	p.Lease = 4 * time.Second
	if got := p.SettingsOf(store.Of("nats"))[0]; got != p.Lease {
		t.Errorf("keys live for %v with a lease of %v", got, p.Lease)
	}
}
