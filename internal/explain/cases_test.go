package explain_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	_ "lockstep/internal/locks"
	"lockstep/internal/must"
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

// What shipped locks assume shows by the run, not by their names: the same work without the fault
// is kept, and a pause instead of the cut has another name.
func TestAssumptionsOfLocks(t *testing.T) {
	const renewing = "locks: [zk-ephemeral, watchdog-blind, etcd-mutex, redisson]"
	for _, tt := range []struct {
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
	} {
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
			decides := false
			for _, s := range story {
				decides = decides || s.Decides && j.History.Events[s.Event].Kind == tt.decides
			}
			if !decides {
				t.Errorf("%s, %s: no step of the story is %s and decides", tt.name, lock, tt.decides)
			}
		}
	}
}

// told plays a scenario. Its text has each step, and then the reason why the assumption is false,
// between two ends of lines.
func told(t *testing.T, yaml string) string {
	t.Helper()
	p := scenariotest.Parse(t, "told.yaml", "scenario: Told\nexpect: anything\n"+yaml)
	w := sim.New()
	defer w.Close()
	j := run.One(context.Background(), w, p, p.Locks[0], 1).Judgement
	h := timeline.Of(j.History)
	var text strings.Builder
	for _, s := range explain.Steps(h, j.Findings) {
		text.WriteString("\n" + s.Sentence.English())
	}
	return text.String() + "\nbecause " + explain.Assumption(h, j.Findings, 0).Formula.English() + "\n"
}

// What the servers did is told as it was.
func TestStoriesOfServers(t *testing.T) {
	for _, tt := range []struct {
		name, yaml string
		says       []string
		not        []string
	}{
		{"a WAIT in vain: the server keeps it for its timeout of 3 s, as no replica is left", `
locks: [set-wait]
servers: {redis: {replicas: 1}}
faults: [{when: A enters, fail-over: operator}]
`, []string{"unlock script removes its own entry"}, []string{"WAIT reaches"}},
		{"replicas never have the locks of sessions, so the age of one is no reason", `
locks: [pg-advisory]
servers: {postgres: {replicas: 1}}
workload: {work: 5s}
faults: [{when: A enters, fail-over: operator}]
`, []string{"\nbecause the primary keeps it only in memory; no replica ever receives it\n"}, nil},
		{"no reply can be in time, so each attempt gives its entries back", `
locks: [redlock]
network: {latency: 100ms}
workload: {wait: up to 5s}
`, []string{"\nbecause the probe gives up on a reply after 50 ms at most, and most requests alone take 100 ms or more to arrive: "}, nil},
		{"too few replies can be", `
locks: [redlock]
network: {latency: 24ms..30ms}
workload: {wait: up to 5s}
`, []string{"\nbecause the probe gives up on a reply after 50 ms at most, and most requests alone take 2"}, nil},
		{"nor is the lag", `
locks: [pg-advisory]
servers: {postgres: {replicas: 1}}
workload: {work: 5s}
faults: [{when: A enters, after: 2s, fail-over: operator}]
`, []string{"\nbecause the primary keeps it only in memory; no replica ever receives it\n"}, nil},
		{"three of five servers have forgotten A's entry and one is frozen, so its release frees the fifth", `
locks: [redlock]
faults:
  - {when: A enters, pause: redis-1, for: 30s}
  - {when: A enters, restart: redis-2, down: 100ms}
  - {when: A enters, restart: redis-3, down: 100ms}
  - {when: A enters, restart: redis-4, down: 100ms}
`, []string{"\nA's release removes its entry from 1 of 5 servers only.\n"}, nil},
		{"a release on five servers is one", "locks: [redlock]\n", []string{"\nA releases the lock.\nB is granted"}, nil},
		{"A is cut off from three of five, and its entry on the fourth is gone: it renews the fifth", `
locks: [redlock-extend]
workload: {work: 15s}
faults:
  - {when: A enters, partition: [A, [redis-1, redis-2, redis-3]], for: 13s}
  - {when: A enters, after: 2s, evict: lock, from: redis-4}
`, []string{"\nA renews its lease on 1 of 5 servers, until "}, []string{"\nA renews its lease until "}},
		{"the replicas are late, and the dead primary is not why", `
locks: [set-wait]
servers: {redis: {replicas: 2, lag: 500ms}}
faults: [{when: A enters, after: 1s, fail-over: operator}]
`, []string{"becomes the primary."}, []string{"is answered after 0.5"}},
		{"a second primary is no second vote: B renews at each third of 10 s, in 15 s of work", `
locks: [watchdog-lua]
servers: {redis: {replicas: 1}}
clients: [A, B]
workload: {work: 15s, wait: up to 60s}
faults: [{when: A enters, after: 1s, promote: replica}]
`, []string{"B has renewed its lease 4 times, the last time until 38.4"}, []string{"of 2 servers"}},
		{"cut off, B has sent a SET to the old primary, which executes it at 5.0 s: over before its newest", `
locks: [set-nx-lua]
servers: {redis: {replicas: 1}}
clients: [A, B]
faults:
  - {when: A enters, partition: [[A, redis-1], [redis-2, B]], for: 5s}
  - {when: A enters, after: 1s, promote: replica}
`, []string{"Store redis-1 grants B the lock until 15.", "B is granted the lock until 20."}, nil},
		{"without a majority the cluster serves no client, and A's lease, of 10 s, cannot end", `
locks: [etcd-mutex]
faults:
  - {when: A enters, crash: etcd-1}
  - {when: A enters, after: 1s, crash: etcd-2}
  - {when: A enters, after: 2s, crash: etcd-3}
network: {latency: 1ms}
`, []string{"\nbecause store etcd-2 is down since 1.0"}, nil},
		{"a script makes the entry and sets its end at once: no other command sees it without one", `
locks: [redisson]
network: {latency: 1ms, timeout: 2s}
faults: [{when: A is about to send its acquire, delay: reply, by: 1s}]
`, []string{"\nThe store grants A the lock until 10.001 s. A does not know yet.\n"},
			[]string{"without expiry", "A sets the lease"}},
		{"what is sent to a frozen server reaches its socket: only a fault holds it back on its way", `
locks: [set-nx-lua]
network: {timeout: 15s}
faults: [{when: A enters, pause: the primary, for: 8s}]
`, []string{"A's unlock script is executed only now, "}, []string{"reaches the store only now"}},
		{"B's turn comes, by its place in the queue, when its host is gone", `
locks: [zk-sequential]
faults: [{when: B starts waiting, after: 1s, lose-host: B}]
`, []string{"\nStore zk-1 has a new entry of B.\n"}, []string{"B does not know yet"}},
		{"ZooKeeper ends sessions with a tick of 2 s, so an entry outlives its time", lateLease("zk-sequential"),
			[]string{"\nThe lease ends, 1.985 s after its time. A is not told.\n"}, nil},
		{"etcd ends leases twice a second", lateLease("etcd-txn"), []string{"\nThe lease ends, 0.493 s after its time. A is not told.\n"}, nil},
		{"a row whose time is up is there until it is taken over", lateLease("mysql-unique-ttl"),
			[]string{"\nThe lease has been over for 0.036 s. A is not told.\n"}, nil},
		{"Redis is exact", lateLease("set-nx-lua"), []string{"\nThe lease ends. A is not told.\n"}, nil},
	} {
		story := told(t, tt.yaml)
		for _, text := range tt.says {
			if !strings.Contains(story, text) {
				t.Errorf("%s: it does not say %q:%s", tt.name, text, story)
			}
		}
		for _, text := range tt.not {
			if strings.Contains(story, text) {
				t.Errorf("%s: it says %q:%s", tt.name, text, story)
			}
		}
	}
}

func lateLease(lock string) string {
	return "locks: [" + lock + "]\nnetwork: {latency: 1ms}\nfaults: [{when: A enters, pause: A, for: 25s}]\n"
}

// A WAIT that a fault delays is told with its fault: that of the links between servers, or of a
// server, and without one where it can be either.
func TestAWaitIsToldWithItsFault(t *testing.T) {
	const cut = "{at: 0s, partition: [redis-1, redis-2], for: 12s}"
	for faults, want := range map[string]string{
		cut:                                 "A's WAIT 1 3000 is answered after 3 s; replicas that have confirmed: 0 (fault 1).",
		"{at: 0s, pause: redis-2, for: 2s}": "A's WAIT 1 3000 is answered after 2 s; replicas that have confirmed: 1 (fault 1).",
		cut + ", {at: 1s, pause: redis-2, for: 20s}":               "A's WAIT 1 3000 is answered after 3 s; replicas that have confirmed: 0.",
		cut + ", {at: 1s, pause: C, for: 20s}":                     "A's WAIT 1 3000 is answered after 3 s; replicas that have confirmed: 0 (fault 1).",
		cut + ", {at: 1s, jump-clock: redis-1, by: -1s}":           "A's WAIT 1 3000 is answered after 3 s; replicas that have confirmed: 0.",
		cut + ", {when: A has WAIT executed, fail-over: operator}": "A's WAIT 1 3000 is answered after 3 s; replicas that have confirmed: 0 (fault 1).",
		"{at: 30s, pause: redis-2, for: 2s}":                       "",
	} {
		story := told(t, "locks: [set-wait-unchecked]\nnetwork: {latency: 0s}\nservers: {redis: {replicas: 1, lag: 300ms}}\nfaults: ["+faults+"]\n")
		must.Equalf(t, regexp.MustCompile(".*WAIT.*").FindString(story), want, "%s", faults)
	}
}
