package real_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real"
)

// refusal is a plan for a lock, and a part of the error before anything is started; "" for none.
type refusal struct {
	lock    string
	plan    *plan.Plan
	backend string
	want    string
}

func TestWhatIsRefused(t *testing.T) {
	for _, tt := range append(refusals(t), splitSeconds(t)...) {
		o := real.Options{Backend: tt.backend}
		err := real.Refuse(tt.plan, tt.lock, o)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.lock, err, tt.want)
		}
		if err == nil {
			continue
		}
		if _, played := real.Run(t.Context(), tt.plan, tt.lock, 1, o); played == nil || played.Error() != err.Error() {
			t.Errorf("%s: a run ends with %v, want %v", tt.lock, played, err)
		}
	}
}

func refusals(t *testing.T) []refusal {
	set := func(p *plan.Plan, change func(p *plan.Plan)) *plan.Plan {
		change(p)
		return p
	}
	wrong := func(p *plan.Plan, node string) *plan.Plan {
		return set(p, func(p *plan.Plan) { p.Clocks = []plan.Clock{{Node: node, Offset: time.Second}} })
	}
	holding := func(fault string) *plan.Plan {
		return quick(t, "set-nx-lua", inSection+fault)
	}
	onWire := func() *plan.Plan {
		return quick(t, "set-nx-lua", "when: A has the reply of its release, pause: A, for: 1s")
	}
	second := func(d time.Duration) *plan.Plan {
		return set(quick(t, "set-nx-lua"), func(p *plan.Plan) { p.Cluster("consul").Settings[0] = d })
	}
	failOver := set(quick(t, "set-nx-lua", "servers.redis.replicas=1", "at: 0s, fail-over: operator"), func(p *plan.Plan) { p.Redis.Replicas = 0 })
	program := func(p *plan.Plan) *plan.Plan { return programmed(t, p, "mylock") }
	return []refusal{
		{"nonsense", quick(t, "set-nx-lua"), "", `unknown lock "nonsense"`},
		{"set-nx-ex-del", set(quick(t, "set-nx-lua"), func(p *plan.Plan) { p.Lease = 1500 * time.Millisecond }), "",
			"whole multiples of 1 s"},
		{"cas-cad", quick(t, "set-nx-lua"), "", "it needs Redis with the module TairString"},
		{"set-nx-lua", quick(t, "set-nx-lua", "clients=101"), "", "play it in the simulator"},
		{"set-nx-lua", failOver, "",
			"fault 1 (fail-over operator at 0s) needs a replica: set servers.redis.replicas to 1"},
		{"mysql-unique-ttl", failOver, "",
			"fault 1 (fail-over operator at 0s) needs a replica: set servers.mysql.replicas to 1"},
		// A real cluster.
		{"redisson", sharded(t), "", "cannot be played on a Redis Cluster"},
		{"set-nx-lua", set(sharded(t), func(p *plan.Plan) { p.Redis.Cluster.NodeTimeout = 100 * time.Millisecond }), "",
			"is too short for real nodes"},
		{"set-nx-lua", sharded(t), real.ComposeBackend,
			"docker-compose.yml has no Redis Cluster: use --backend docker"},
		// Sessions of Consul that would be shorter than a second.
		{"consul-session", second(99 * time.Millisecond), "", "--scale of 0.1 or more"},
		{"consul-session", second(100 * time.Millisecond), "", ""},
		{"consul-session", second(100 * time.Millisecond), real.DockerBackend, "make consul"},
		// A library uses no ports, so faults on ports have no effect on it.
		{"bsm-redislock", wrong(quick(t, "set-nx-lua"), "A"), "", "reads the clock of its host"},
		{"bsm-redislock", holding("jump-clock: A, by: +1s"), "", "reads the clock of its host"},
		{"bsm-redislock", wrong(quick(t, "set-nx-lua"), "redis-1"), "", ""},
		{"rueidislock", holding("jump-clock: the primary, by: +1s"), "", ""},
		{"rueidislock", holding("evict: lock"), "", "keys of its own"},
		{"bsm-redislock", holding("evict: lock"), "", ""},
		{"etcd-concurrency", onWire(), "", "is not read along"},
		{"rueidislock", onWire(), "", ""},
		// A program.
		{locks.ProgramName, wrong(program(quick(t, "set-nx-lua")), "A"), "", "the clock of A"},
		{locks.ProgramName, program(watched(t, "set-nx-lua", 1)), "", "failover: {by: operator}"},
		{locks.ProgramName, program(set(quick(t, "set-nx-lua"), func(p *plan.Plan) { p.Workload.Nested = 1 })), "", "remove nested"},
		{locks.ProgramName, program(onWire()), "", ""},
	}
}

// splitSeconds are idle timeouts. MariaDB counts them in whole seconds, with a tolerance.
func splitSeconds(t *testing.T) (all []refusal) {
	for idle, want := range map[time.Duration]string{
		0: "", time.Second: "", 1500 * time.Millisecond: "whole seconds", 400 * time.Millisecond: "whole seconds",
		30 * time.Second: "", 8 * time.Hour / 30: "", 8*time.Hour/7 + 1: "",
	} {
		p := quick(t, "set-nx-lua")
		p.Database("mysql").IdleTimeout, p.Database("postgres").IdleTimeout = idle, idle
		all = append(all, refusal{"mysql-get-lock", p, "", want}, refusal{"pg-advisory", p, "", ""})
	}
	return all
}
