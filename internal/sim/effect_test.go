package sim

import (
	"cmp"
	"fmt"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
)

// ineffective plays a plan and returns the numbers of the faults that had no effect, according to the
// history.
func ineffective(t *testing.T, p *plan.Plan) string {
	t.Helper()
	var out []int64
	for _, e := range play(t, p).Events {
		if e.Kind == history.WithoutEffect {
			out = append(out, e.Value)
		}
	}
	return fmt.Sprint(out)
}

// Package conformance has the counterpart: faults that have an effect.
func TestAFaultThatChangesNothingIsNamed(t *testing.T) {
	const (
		inSection = "when: A is in its critical section, "
		crash     = inSection + "crash: A"
		lost      = "when: A is about to send SET, drop: request"
		late      = "at: 1500ms, " // A has played, B works
	)
	for _, tt := range []struct {
		name, lock string // set-nx-lua when empty
		faults     []string
		want       string
	}{
		{"a pause of 1 ns", "", []string{inSection + "pause: A, for: 1ns"}, "[1]"},
		{"a pause of a dead client", "", []string{crash, inSection + "pause: A, for: 1s"}, "[2]"},
		{"a pause of a client that has finished", "", []string{"when: A releases, after: 500ms, pause: A, for: 1s"}, "[1]"},
		{"a second crash", "", []string{crash, crash}, "[2]"},
		{"a restart of a dead client", "", []string{crash, inSection + "restart: A"}, "[]"},
		{"the loss of a dead client's host", "", []string{crash, inSection + "lose-host: A"}, "[2]"},
		{"the loss of a host of a client that has finished", "", []string{late + "lose-host: A"}, "[1]"},
		{"a restart on a lost host", "", []string{inSection + "lose-host: A", inSection + "restart: A"}, "[2]"},
		{"a server that is back when no client plays any more", "redlock", []string{
			inSection + "crash: redis-1", late + "restart: redis-1, down: 1m", inSection + "crash: redis-2", inSection + "crash: redis-3"}, "[2]"},
		{"a server that is back while a client plays", "redlock", []string{inSection + "crash: redis-1", late + "restart: redis-1, down: 1ms"}, "[]"},
		{"a pause of the holder, and no client has held", "", []string{"at: 0s, pause: the holder, for: 1s"}, "[1]"},
		{"a cut of the holder, and no client has held", "", []string{"at: 0s, partition: [the holder, store], for: 1s"}, "[1]"},
		{"a cut between clients, which never talk", "", []string{inSection + "partition: [A, B], for: 1s"}, "[1]"},
		{"a cut when no client plays", "", []string{late + "partition: [A, store], for: 1s"}, "[1]"},
		{"a cut that ends while A works", "", []string{inSection + "partition: [A, store], for: 900ms"}, "[1]"},
		{"a cut that is never healed", "", []string{inSection + "partition: [A, store], forever: true"}, "[]"},
		{"a cut between nodes that know nothing of each other", "redlock", []string{inSection + "partition: [redis-1, redis-2], for: 1s"}, "[1]"},
		{"a cut between members of a cluster", "etcd-txn", []string{inSection + "partition: [etcd-1, etcd-2], for: 1s"}, "[]"},
		{"a lost reply to a lost request", "", []string{lost, "when: A is about to send SET, drop: reply"}, "[2]"},
		{"a late reply to a lost request", "", []string{lost, "when: A is about to send SET, delay: reply, by: 1s"}, "[2]"},
		{"longer work after the work", "", []string{"when: A writes, slow: A, by: 1s"}, "[1]"},
		{"longer work of a waiting client", "", []string{inSection + "slow: B, by: 1s"}, "[]"},
		{"longer work of a resting client", "", []string{"when: A writes, after: 100ms, slow: A, by: 1s"}, "[1]"},
		{"a task that hangs after its work", "", []string{"when: A writes, hang: A"}, "[1]"},
		{"an eviction of nothing", "", []string{"at: 0s, evict: lock"}, "[1]"},
		{"a pause within another one", "", []string{inSection + "pause: A, for: 1s", inSection + "pause: A, for: 500ms"}, "[2]"},
		{"a pause that outlasts another one", "", []string{inSection + "pause: A, for: 1s", inSection + "pause: A, for: 2s"}, "[]"},
		{"a pause that outlasts its client", "", []string{inSection + "pause: A, for: 1s", inSection + "pause: A, for: 2s", crash}, "[2]"},
		{"a clock that is set ahead and back at once", "", []string{inSection + "jump-clock: A, by: +1s", inSection + "jump-clock: A, by: -1s"}, "[1 2]"},
		{"a server's clock, ahead and back at once", "", []string{inSection + "jump-clock: redis-1, by: +1m", inSection + "jump-clock: redis-1, by: -1m"}, "[2]"},
		{"a clock of a client that has finished", "", []string{late + "jump-clock: A, by: +1s"}, "[1]"},
	} {
		must.Equalf(t, ineffective(t, story(t, cmp.Or(tt.lock, "set-nx-lua"), tt.faults...)), tt.want,
			"%s: without effect", tt.name)
	}
	for _, verb := range []string{"lag: 1s, for: 1s", "promote: replica"} {
		p := story(t, "set-nx-lua", "servers.redis.replicas=1", inSection+verb)
		p.Redis.Replicas = 0 // which no file may say
		must.Equalf(t, ineffective(t, p), "[1]", "%s without a replica: without effect", verb)
	}
}
