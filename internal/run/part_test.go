package run

import (
	"context"
	"fmt"
	"testing"

	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// A run with a fault that the lock could not notice was no test of it.
func TestAFaultHasToHaveAPart(t *testing.T) {
	const (
		held     = "when: A is in its critical section, "
		replica  = "servers.redis.replicas=1"
		cluster  = "servers.redis.cluster.shards=3"
		sentinel = "servers.redis.failover.by=sentinel"
	)
	w := sim.New()
	defer w.Close()
	for _, tt := range []struct {
		lock string
		more []string
		want string // the faults without a part
	}{
		{"set-nx-lua", []string{held + "pause: redis-1, for: 300ms"}, "[]"},
		{"set-nx-lua", []string{"workload.retry=800ms", held + "after: 200ms, pause: redis-1, for: 20ms"}, "[1]"},
		{"set-nx-lua", []string{replica, held + "pause: redis-2, for: 1s"}, "[1]"},
		{"set-nx-lua", []string{replica, held + "jump-clock: redis-2, by: +1h"}, "[1]"},
		{"set-nx-lua", []string{replica, held + "lag: 3s, for: 5s"}, "[1]"},
		{"set-nx-lua", []string{replica, held + "partition: [the primary, replicas], for: 5s"}, "[1]"},
		{"set-nx-lua", []string{replica, held + "partition: [[A, redis-1], redis-2], for: 1s"}, "[]"},
		{"set-nx-lua", []string{replica, held + "pause: redis-2, for: 1s", held + "fail-over: operator"}, "[]"},
		{"set-nx-lua", []string{replica, held + "pause: redis-2, for: 1s", held + "pause: redis-1, for: 200ms"}, "[]"},
		{"set-nx-lua", []string{replica, held + "pause: redis-2, for: 1s", held + "pause: A, for: 200ms"}, "[1]"},
		{"set-nx-lua", []string{replica, "servers.redis.min-replicas=1", "servers.redis.min-replicas-max-lag=1s", "at: 0s, pause: redis-2, for: 10s"}, "[]"},
		{"set-wait", []string{held + "pause: redis-2, for: 1s"}, "[]"},
		{"set-nx-lua", []string{replica, sentinel, held + "pause: sentinel-1, for: 1s"}, "[1]"},
		{"set-nx-lua", []string{replica, sentinel, held + "partition: [redis-1, sentinels], for: 700ms"}, "[1]"},
		{"set-nx-lua", []string{cluster, held + "restart: redis-3"}, "[1]"},
		{"set-nx-lua", []string{cluster, held + "restart: redis-2"}, "[]"},
		{"set-nx-lua", []string{cluster, held + "pause: redis-4, for: 1s", held + "pause: redis-2, for: 200ms", held + "after: 300ms, pause: redis-5, for: 1s", held + "after: 300ms, pause: redis-3, for: 1s"}, "[1 4]"},
		{"set-nx-lua", []string{cluster, "servers.redis.cluster.node-timeout=500ms", "at: 0s, crash: redis-3"}, "[]"}, // the cluster refuses requests
		{"set-nx-lua", []string{cluster, held + "crash: redis-2", held + "after: 100ms, crash: redis-1"}, "[]"},       // nothing can be elected
		{"mysql-get-lock", []string{"servers.mysql.replicas=1", held + "crash: mysql-2"}, "[1]"},
		{"etcd-txn", []string{held + "pause: etcd-3, for: 1s"}, "[]"},
		{"redlock", []string{held + "crash: redis-5"}, "[]"},
		// A's clock is right again while A works.
		{"set-nx-lua", []string{held + "jump-clock: A, by: +1m", held + "after: 5ms, jump-clock: A, by: -1m"}, "[1 2]"},
		{"set-nx-lua", []string{held + "jump-clock: A, by: +1m", "when: A writes, after: 500ms, jump-clock: A, by: -1m"}, "[]"},
		{"set-nx-lua", []string{held + "jump-clock: A, by: +1m", held + "after: 5ms, jump-clock: A, by: -30s"}, "[]"},
		{"set-nx-lua", []string{"workload.stagger=4s", "at: 1s, pause: B, for: 2s"}, "[1]"},
		{"set-nx-lua", []string{"workload.stagger=4s", "at: 1s, pause: B, for: 5s"}, "[]"},
		{"set-nx-lua", []string{"workload.stagger=4s", "at: 1s, pause: B, for: 2s", "at: 5s, pause: B, for: 1s"}, "[1]"},
		{"set-nx-lua", []string{"workload.repeat=3 times", "workload.rest=3s", "when: A releases, after: 500ms, pause: A, for: 1s"}, "[1]"},
		{"set-nx-lua", []string{"workload.repeat=3 times", "workload.rest=3s", "when: A releases, after: 500ms, pause: A, for: 3s"}, "[]"},
		{"set-nx-lua", []string{"workload.repeat=3 times", "workload.rest=3s", "every: 1700ms, pause: A, for: 200ms"}, "[]"},
		{"etcd-mutex", []string{"workload.repeat=3 times", "workload.rest=9s", "when: A releases, after: 500ms, pause: A, for: 7s"}, "[]"}, // its heartbeats
	} {
		out := One(context.Background(), w, scenariotest.Story(t, tt.lock, tt.more...), tt.lock, 1)
		got := []int{}
		for _, f := range out.Judgement.Faults {
			if !f.Partless.Empty() {
				got = append(got, f.Number)
			}
		}
		if out.Err != nil || fmt.Sprint(got) != tt.want {
			t.Errorf("%s, %v: without a part %v, want %s (%v)", tt.lock, tt.more, got, tt.want, out.Err)
		}
	}
}
