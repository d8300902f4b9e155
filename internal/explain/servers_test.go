package explain_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/internal/timeline"
)

// told plays a scenario, and returns its steps and the reason why the assumption is false.
func told(t *testing.T, yaml string) (steps []string, formula string) {
	p, err := scenario.Parse("told.yaml", []byte("scenario: Told\nexpect: anything\n"+yaml))
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New()
	defer w.Close()
	j := run.One(context.Background(), w, p, p.Locks[0], 1).Judgement
	h := timeline.Of(j.History)
	for _, s := range explain.Steps(h, j.Findings) {
		steps = append(steps, s.Sentence.English())
	}
	return steps, explain.Assumption(h, j.Findings, 0).Formula.English()
}

// A server keeps a WAIT until replicas confirm, for the 3 s of its timeout here, as none is left.
func TestAServerKeepsAWaitOnPurpose(t *testing.T) {
	steps, _ := told(t, `
locks: [set-wait]
servers: {redis: {replicas: 1}}
faults: [{when: A enters, fail-over: operator}]
`)
	story := strings.Join(steps, "\n")
	if !strings.Contains(story, "unlock script removes its own entry") || strings.Contains(story, "WAIT reaches") {
		t.Errorf("the story of a WAIT in vain:\n%s", story)
	}
}

// Replicas never have the locks of sessions, so the age of one, or the lag, is no reason.
func TestAFailoverLosesEachLockOfASession(t *testing.T) {
	const want = "the primary keeps it only in memory; no replica ever hears of it"
	for _, after := range []string{"0s", "2s"} {
		_, formula := told(t, `
locks: [pg-advisory]
servers: {postgres: {replicas: 1}}
workload: {work: 5s}
faults: [{when: A enters, after: `+after+`, fail-over: operator}]
`)
		if formula != want {
			t.Errorf("%s after the grant: %q", after, formula)
		}
	}
}

// Three of five servers have forgotten A's entry and one is frozen, so A's release frees the fifth.
func TestAReleaseThatFreesSomeServers(t *testing.T) {
	steps, _ := told(t, `
locks: [redlock]
faults:
  - {when: A enters, pause: redis-1, for: 30s}
  - {when: A enters, restart: redis-2, down: 100ms}
  - {when: A enters, restart: redis-3, down: 100ms}
  - {when: A enters, restart: redis-4, down: 100ms}
`)
	const want = "A's release removes its entry from 1 of 5 servers only."
	if !slices.Contains(steps, want) {
		t.Errorf("no step says %q:\n%s", want, strings.Join(steps, "\n"))
	}
}

// A is cut off from three of five servers, and its entry on the fourth is gone: it renews the fifth.
func TestRenewalsOnAMinority(t *testing.T) {
	steps, _ := told(t, `
locks: [redlock-extend]
workload: {work: 15s}
faults:
  - {when: A enters, partition: [A, [redis-1, redis-2, redis-3]], for: 13s}
  - {when: A enters, after: 2s, evict: lock, from: redis-4}
`)
	minority := func(s string) bool { return strings.HasPrefix(s, "A renews its lease on 1 of 5 servers, until ") }
	whole := func(s string) bool { return strings.HasPrefix(s, "A renews its lease until ") }
	if !slices.ContainsFunc(steps, minority) || slices.ContainsFunc(steps, whole) {
		t.Errorf("of renewals on a minority:\n%s", strings.Join(steps, "\n"))
	}
}

// A second primary is no second vote: B renews at each third of its lease, of 10 s, in 15 s of work.
func TestRenewalsBesideAnOldPrimary(t *testing.T) {
	steps, _ := told(t, `
locks: [watchdog-lua]
servers: {redis: {replicas: 1}}
clients: [A, B]
workload: {work: 15s, wait: up to 60s}
faults: [{when: A enters, after: 1s, promote: replica}]
`)
	story := strings.Join(steps, "\n")
	if !strings.Contains(story, "B has renewed its lease 4 times, the last time until 38.4") || strings.Contains(story, "of 2 servers") {
		t.Errorf("of renewals on one of two primaries:\n%s", story)
	}
}

// While cut off, B has sent a SET to the old primary, which executes it at 5.0 s. That entry is over
// before the one that B gets from the new primary, which is what it holds.
func TestOfTwoPrimariesTheNewestGrantCounts(t *testing.T) {
	steps, _ := told(t, `
locks: [set-nx-lua]
servers: {redis: {replicas: 1}}
clients: [A, B]
faults:
  - {when: A enters, partition: [[A, redis-1], [redis-2, B]], for: 5s}
  - {when: A enters, after: 1s, promote: replica}
`)
	story := strings.Join(steps, "\n")
	if !strings.Contains(story, "Store redis-1 grants B the lock until 15.") || !strings.Contains(story, "B is granted the lock until 20.") {
		t.Errorf("B's two grants:\n%s", story)
	}
}

// Without a majority the cluster serves no client, and A's lease, of 10 s, cannot end.
func TestAClusterWithoutAMajorityIsDown(t *testing.T) {
	_, formula := told(t, `
locks: [etcd-mutex]
faults:
  - {when: A enters, crash: etcd-1}
  - {when: A enters, after: 1s, crash: etcd-2}
  - {when: A enters, after: 2s, crash: etcd-3}
network: {latency: 1ms}
`)
	if !strings.HasPrefix(formula, "store etcd-2 is down since 1.0") {
		t.Errorf("%q", formula)
	}
}

// Redisson's script makes the entry and sets its end at once; no other command sees it without one.
func TestAScriptThatGrantsAndSetsTheEnd(t *testing.T) {
	steps, _ := told(t, `
locks: [redisson]
network: {latency: 1ms, timeout: 2s}
faults: [{when: A is about to send its acquire, delay: reply, by: 1s}]
`)
	const want = "The store grants A the lock until 10.001 s. A does not know yet."
	sets := func(s string) bool {
		return strings.Contains(s, "without expiry") || strings.Contains(s, "A sets the lease")
	}
	if !slices.Contains(steps, want) || slices.ContainsFunc(steps, sets) {
		t.Errorf("no step says %q, or one denies it:\n%s", want, strings.Join(steps, "\n"))
	}
}

// What is sent to a server that stands still reaches its socket; only what a fault holds back on its
// way arrives late.
func TestWhatAFrozenServerHasNotRead(t *testing.T) {
	steps, _ := told(t, `
locks: [set-nx-lua]
network: {timeout: 15s}
faults: [{when: A enters, pause: the primary, for: 8s}]
`)
	story := strings.Join(steps, "\n")
	if !strings.Contains(story, "A's unlock script is executed only now, ") || strings.Contains(story, "reaches the store only now") {
		t.Errorf("the story of a frozen server:\n%s", story)
	}
}

// B's turn comes, by its place in the queue, when its host is gone.
func TestAGrantToTheDead(t *testing.T) {
	steps, _ := told(t, `
locks: [zk-sequential]
faults: [{when: B starts waiting, after: 1s, lose-host: B}]
`)
	if !slices.Contains(steps, "Store zk-1 has a new entry of B.") || strings.Contains(strings.Join(steps, "\n"), "B does not know yet") {
		t.Errorf("B is dead:\n%s", strings.Join(steps, "\n"))
	}
}
