package explain_test

import (
	"context"
	"strings"
	"testing"

	_ "lockstep/internal/locks"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
	"lockstep/internal/timeline"
)

const longWork = `
lease: 10s
clients: [A, B]
workload: {work: 60s, wait: up to 3m}
expect: anything
`

// What shipped locks assume shows by the run, not by their names: the same work without the fault is
// kept, and a pause instead of the cut has another name.
func TestAssumptionsOfLocks(t *testing.T) {
	const renewing = "locks: [zk-ephemeral, watchdog-blind, etcd-mutex, redisson]"
	tests := []struct {
		name, yaml string
		assumed    string // "" when nothing breaks
		decides    history.Kind
	}{
		{"long work, and no fault", renewing + longWork, "", 0},
		{"long work, and the holder is cut off", renewing + longWork + `
faults:
  - when: A is in its critical section
    partition: [A, store]
    for: 20s`, "A's renewals reach the store before its lease ends.", history.FaultBegan},
		{"long work without renewals", "locks: [set-nx-lua]" + longWork, "A finishes its work before its lease ends.", history.Expired},
		{"work that takes twice as long on a slow clock", `
locks: [set-nx-lua]
lease: 10s
clients: [A, B]
clocks: {A: {drift: -500000ppm}}
workload: {work: 8s}
expect: anything
`, "A's own clock runs as fast as the store's.", history.Expired},
		{"work that is too long on a slow clock, too", `
locks: [set-nx-lua]
lease: 10s
clients: [A, B]
clocks: {A: {drift: -100000ppm}}
workload: {work: 15s}
expect: anything
`, "A finishes its work before its lease ends.", history.Expired},
		{"an entry that says when it ends, and work that takes longer", "locks: [setnx-timestamp-getset]" + longWork, "A finishes its work before its lease ends.", history.Removed},
		{"a late WAIT uses up the lease", `
locks: [set-wait, set-wait-1of2]
lease: 10s
clients: [A, B, C]
workload:
  wait: up to 60s
  work: 8s
  stagger: 1s
  repeat: once
network: {latency: 1ms..2ms, timeout: 3s}
servers: {redis: {replicas: 2, lag: 0ms, failover: {by: sentinel, down-after: 1s, election: 500ms}}}
faults:
  - when: A enters
    after: 1s
    partition: [[A, redis-1, redis-2], [B, C, redis-3, sentinels]]
    for: 25s
expect: anything
`, "B learns of its grant early enough to finish its work.", history.Expired},
		{"a pause between the check and the write", `
locks: [self-fence]
lease: 10s
clients: [A, B]
workload: {work: 4s, stagger: 1s}
faults:
  - {when: A is about to write, pause: A, for: 12s}
expect: anything
`, "A's check of its lease and its write are one step.", history.Froze},
	}
	for _, tt := range tests {
		p := scenariotest.Parse(t, "case.yaml", "scenario: A case\n"+strings.TrimSpace(tt.yaml))
		w := sim.New()
		defer w.Close()
		for _, lock := range p.Locks {
			j := run.One(context.Background(), w, p, lock, 1).Judgement
			if got := explain.Assumption(timeline.Of(j.History), j.Findings, 0).Assumed.English(); got != tt.assumed {
				t.Errorf("%s, %s: assumed %q, want %q", tt.name, lock, got, tt.assumed)
			}
			if tt.assumed == "" {
				continue
			}
			story, _, _ := explain.Story(explain.Steps(timeline.Of(j.History), j.Findings), 12)
			told := false
			for _, s := range story {
				told = told || s.Decides && j.History.Events[s.Event].Kind == tt.decides
			}
			if !told {
				t.Errorf("%s, %s: no step of the story is %s and decides", tt.name, lock, tt.decides)
			}
		}
	}
}
