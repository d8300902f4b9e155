package chinese_test

import (
	"maps"
	"testing"
	"time"

	"lockstep/internal/chinese"
	"lockstep/internal/explain"
	"lockstep/internal/run"
)

// rare is what the code says where no story of the simulator gets, by template.
var rare = map[string]string{
	// Package explain.
	"A primary that becomes a replica keeps what it has confirmed.":                      "",
	"entry created at {t}, {node} follows {node2} since {t2}":                            "entry created at 1.000 s, redis-1 follows redis-2 since 2.000 s",
	"There is one primary at a time.":                                                    "",
	"{node} granted the entry at {t}, {node2} has been the primary since {t2}":           "redis-1 granted the entry at 1.000 s, redis-2 has been the primary since 0.500 s",
	"nobody can tell whether {who} was the newest holder when it wrote at {t}":           "no-stale-write is unknown: nobody can tell whether A was the newest holder when it wrote at 1.250 s",
	"nobody can tell whose entry {x} of {who}'s, sent at {t}, has removed":               "owner-only-release is unknown: nobody can tell whose entry \"DEL lock\" of A's, sent at 1.250 s, has removed",
	"nobody can tell whose entry {x} of {who}'s, sent at {t}, has removed, nor {k} more": "owner-only-release is unknown: nobody can tell whose entry \"DEL lock\" of A's, sent at 1.250 s, has removed, nor 1 more",
	"mutex: session is expired":                                                          "A's attempt fails: mutex: session is expired.",
	"All faults are over.":                                                               "",
	"its outcome is unknown":                                                             "A's attempt fails: its outcome is unknown.",
	"context deadline exceeded":                                                          "A's attempt fails: context deadline exceeded.",
	"lost update":                                                                        "",
	"stale write":                                                                        "",
	"{x} is broken":                                                                      "mutual-exclusion is broken",
	"was not judged":                                                                     "setnx was not judged.",
	"the fence refused {k} writes":                                                       "setnx let two clients in at once for 1.000 s; the fence refused 2 writes.",
	"{k} clients believe: mine":                                                          "12 clients believe: mine",
	"{who} removes the entry of {who2}.":                                                 "Store redis-2 removes the entry of A.",
	"{who} runs again.":                                                                  "Store redis-2 runs again.",
	"{who} waits for the lock.":                                                          "A waits for the lock.",
	"{who}'s wall clock jumps back by {d}.":                                              "A's wall clock jumps back by 3 s.",
	"{who} becomes a replica of {node} and forgets what only it knew.":                   "Store redis-1 becomes a replica of redis-2 and forgets what only it knew.",
	"{who} does not get the lock once more: its own entry is in the way.":                "A does not get the lock once more: its own entry is in the way.",
	"{who} does not get the lock once more: {reason}.":                                   "A does not get the lock once more: connection lost.",
	"{who}'s inner release fails: {reason}.":                                             "A's inner release fails: connection lost.",
	"{who}'s {cmd} extends {who2}'s entry: it has no end now.":                           "A's SET extends B's entry: it has no end now.",
	"{who} is told that it holds the lock[ and enters]; the store has no entry of it any more.": "A is told that it holds the lock; the store has no entry of it any more.",
	"kept every property over 1 acquisition":                                                    "setnx kept every property over 1 acquisition.",

	// Moments of faults.
	"{who} has {sent} executed": "Fault 1 begins: pause A for 3s when A has SET executed.",
	"{who} loses its lease":     "Fault 1 begins: pause A for 3s when A loses its lease.",
	"{who} wakes":               "Fault 1 begins: pause A for 3s when A wakes.",
	"{who} writes":              "Fault 1 begins: pause A for 3s when A writes.",

	// Packages run and checker.
	"no client ever had to wait for another":                                     "progress is unknown: no client ever had to wait for another",
	"fault {k} had no effect: {fault}":                                           "progress is unknown: fault 1 had no effect: pause A for 3s at 1s",
	"fault {k} was followed by no contention: {fault}":                           "progress is unknown: fault 1 was followed by no contention: pause A for 3s at 1s",
	"fault {k} has changed nothing":                                              "fault 1 has changed nothing",
	"without effect at {any}":                                                    "without effect at 1.000 s",
	"none of the faults that were drawn had an effect":                           "progress is unknown: none of the faults that were drawn had an effect",
	"none of the faults that were drawn was followed by contention":              "progress is unknown: none of the faults that were drawn was followed by contention",
	"the end of the history is missing: it stops after {k} events":               "progress is unknown: the end of the history is missing: it stops after 12 events",
	"the run was cut short: more than {k} events: lower clients, repeat or wait": "progress is unknown: the run was cut short: more than 5000000 events: lower clients, repeat or wait",
	"the run was cut short: {k} events are left of the {k2} that all locks of a run may have: play fewer locks at once": "progress is unknown: the run was cut short: 12 events are left of the 5000000 that all locks of a run may have: play fewer locks at once",
	"the run was cut short: texts of more than {k} MiB: lower clients, repeat or wait":                                  "progress is unknown: the run was cut short: texts of more than 400 MiB: lower clients, repeat or wait",
	"the run was cut short: more than {k} steps of the simulator: lower clients, repeat or wait":                        "progress is unknown: the run was cut short: more than 20000000 steps of the simulator: lower clients, repeat or wait",
	"the run was cut short: interrupted, and these are the first {k} of {k2} events":                                    "progress is unknown: the run was cut short: interrupted, and these are the first 12 of 500 events",
	"the run was cut short": "progress is unknown: the run was cut short",
	"the history does not say which read a write was computed from": "progress is unknown: the history does not say which read a write was computed from",
	"the history has no quiet period":                               "progress is unknown: the history has no quiet period",
	"no probe tried the lock in the quiet period":                   "progress is unknown: no probe tried the lock in the quiet period",
	"the history does not say how long the lease was":               "progress is unknown: the history does not say how long the lease was",
	"the probe had less than ten leases to acquire the lock":        "progress is unknown: the probe had less than ten leases to acquire the lock",

	// Package report.
	"Copy the command {x}": "Copy the command simulate run x",
	"{k} more":             "12 more", "inconclusive:": "", "nothing was expected:": "",
	"the scenario says nothing of this lock, so it is expected to keep every property": "mutual-exclusion was broken, expected kept; the scenario says nothing of this lock, so it is expected to keep every property",

	"faults": "", "Nothing relevant happened.": "", "not judged": "",
	"Nothing to show: nobody got the lock.": "", "Nothing to show: nobody wrote to the resource.": "",
	"Not drawn for {any}: all clocks showed true time.":                                     "Not drawn for setnx: all clocks showed true time.",
	"Not drawn for {any}: nobody got the lock.":                                             "Not drawn for setnx: nobody got the lock.",
	"Not drawn for {any}: nobody held the lock.":                                            "Not drawn for setnx: nobody held the lock.",
	"Not drawn for {any}: nobody wrote to the resource.":                                    "Not drawn for setnx: nobody wrote to the resource.",
	"Not drawn for {any}: the lock hands out no token.":                                     "Not drawn for setnx, set-nx-lua: the lock hands out no token.",
	"{d}, {d2}; gave up once":                                                               "1.000 s, 2.000 s; gave up once",
	"{who} overwrites what {who2} wrote, without having seen it.":                           "B overwrites what A wrote, without having seen it.",
	"The measurements are left out to keep this page small; they are in plots/, beside it.": "",
	"One axis of time for all. The flag is the first step that differs from the first lock's story. Shown are the first {k} of {k2} locks.": "One axis of time for all. The flag is the first step that differs from the first lock's story. Shown are the first 12 of 20 locks.",
}

// Each template is of use: for a page of some story, or for what is listed above. One
// that is not has been left behind by a change of the English words.
func TestEachTemplateIsUsed(t *testing.T) {
	seen := maps.Clone(translateAll(t).used)
	chinese.Watch(func(english string) { seen[english] = true })
	defer chinese.Watch(nil)
	for _, template := range chinese.Templates() {
		if example, known := rare[template]; !seen[template] && !known {
			t.Errorf("nothing is like %q any more", template)
		} else if known {
			checkExample(t, seen, template, example)
		}
	}
}

// checkExample looks whether the example has a translation, and by that template.
func checkExample(t *testing.T, seen map[string]bool, template, example string) {
	t.Helper()
	if example == "" {
		example = template
	}
	delete(seen, template)
	if got, ok := chinese.Text(example); !ok || !seen[template] {
		t.Errorf("%q is not translated by %q, but: %s", example, template, got)
	}
}

// sayAll translates what package explain says of a run.
func sayAll(out run.Outcome, lag time.Duration) {
	j := &out.Judgement
	for _, s := range explain.Steps(j.History, j.Findings) {
		chinese.Sentence(s.Sentence)
		chinese.Belief(s.Belief)
		chinese.Belief(s.Store)
		chinese.Note(s.Note)
	}
	chinese.Verdict(explain.Verdict(*j))
	f := explain.Assumption(j.History, j.Findings, lag)
	chinese.Assumption(f.Assumed)
	chinese.Assumption(f.Formula)
}
