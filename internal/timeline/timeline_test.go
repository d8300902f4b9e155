package timeline_test

import (
	"context"
	"io/fs"
	"slices"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/history/historytest"
	"lockstep/internal/must"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
	"lockstep/internal/timeline"
	"lockstep/scenarios"
)

// Checkers read the events by themselves. In every story of the lessons the account agrees with
// them about who was inside, who was refused, and whose entries others removed.
func TestItAgreesWithTheCheckers(t *testing.T) {
	files := must.Get(fs.Glob(scenarios.Files, "lessons/*.yaml"))(t)
	broken := 0
	for _, file := range files {
		data := must.Get(scenarios.Files.ReadFile(file))(t)
		p := scenariotest.Parse(t, file, string(data))
		for _, lock := range p.Locks {
			out := run.One(context.Background(), sim.New(), p, lock, 1)
			if out.Judgement.History == nil {
				t.Fatalf("%s: %s was not played: %v", file, lock, out.Err)
			}
			broken += agree(t, file+": "+lock, &out.Judgement)
		}
	}
	if broken == 0 {
		t.Error("no story lets two clients in: nothing was compared")
	}
}

// agree compares an account with a judgement, and returns how many times two were inside at once.
func agree(t *testing.T, name string, j *checker.Judgement) int {
	t.Helper()
	account := timeline.Of(j.History)
	exclusion := j.Finding(checker.MutualExclusionID)
	if inside := account.MostInside(); (inside > 1) != (exclusion.Verdict == checker.Broken) {
		t.Errorf("%s: %d inside at once, and mutual exclusion is %s", name, inside, exclusion.Verdict)
	}
	if got := account.Count(history.Acquired); got != j.Acquired {
		t.Errorf("%s: %d acquisitions, and the checkers count %d", name, got, j.Acquired)
	}
	for _, v := range j.Finding(checker.OwnerOnlyReleaseID).Violations {
		at := v.Events[len(v.Events)-1]
		owner := account.At(at).Owner
		// The table of this lock has several rows under one name; the account takes the last one
		// for the entry.
		several := j.History.Header.Lock == "lit-mysql-ddl"
		if !slices.ContainsFunc(account.Entries, func(e timeline.Entry) bool {
			return e.Ended == at && e.How == history.Removed && e.By != e.Owner || several && e.Owner == owner && e.How == history.Granted
		}) {
			t.Errorf("%s: no entry was removed by another client at event %d", name, at)
		}
	}
	return exclusion.Count
}

// Events of several kinds come in the order of the history, both ways, and a loop may end early.
func TestEachGoesThroughKindsInOrder(t *testing.T) {
	account := timeline.Of(historytest.Read("0 A waits; 0 A sent; 0 A acquired; 0 A waits; 0 A releasing; 0 A acquired"))
	var there, back []int32
	for i := range account.Each(history.Acquired, history.Waits) {
		there = append(there, i)
	}
	for i := range account.Backward(history.Acquired, history.Waits) {
		if back = append(back, i); i == 2 {
			break
		}
	}
	if !slices.Equal(there, []int32{0, 2, 3, 5}) || !slices.Equal(back, []int32{5, 3, 2}) {
		t.Errorf("there %d, back %d", there, back)
	}
	for i := range account.Each(history.Promoted) {
		t.Errorf("event %d is a promotion", i)
	}
}

// A freeze that ends with the death of its process has no length that a sentence may give.
func TestAFreezeThatEndsWithADeathIsNotOver(t *testing.T) {
	account := timeline.Of(historytest.Read("0 A froze; 1ns A crashed; 2ns A restarted; 3ns A froze; 4ns A thawed"))
	if len(account.Freezes) != 2 || account.Freezes[0].Over || !account.Freezes[1].Over || account.Frozen(1, 1) != nil || account.Frozen(1, 4) == nil {
		t.Errorf("freezes %+v", account.Freezes)
	}
	if len(account.Deaths) != 1 || account.Deaths[0].From != 1 || account.Deaths[0].To != 2 {
		t.Errorf("deaths %+v", account.Deaths)
	}
}

// A log from elsewhere may say twice that a server died. It is down once.
func TestADeathEndsTheOneBefore(t *testing.T) {
	d := timeline.Of(historytest.Read("0 S crashed; 1ns S crashed; 2ns S healed")).Deaths
	if len(d) != 2 || d[0].To != 1 || d[0].Ended != 1 || d[1].To != 2 || d[1].Ended != history.NoCause {
		t.Errorf("deaths %+v", d)
	}
}

// played is the account of a story, played with its first lock.
func played(t *testing.T, yaml string) *timeline.Timeline {
	t.Helper()
	p := scenariotest.Parse(t, "played.yaml", "scenario: Played\nexpect: anything\n"+yaml)
	return timeline.Of(run.One(context.Background(), sim.New(), p, p.Locks[0], 1).Judgement.History)
}

// B has released at 5.0 s, which the replica, 2 s behind, has not heard when it takes over: it has
// B's entry until its lease ends, and lets no client in.
func TestAPromotedReplicaHasWhatWasRemoved(t *testing.T) {
	h := played(t, `
locks: [set-nx-lua]
clients: [B, C]
workload: {work: 5s}
network: {latency: 1ms}
servers: {redis: {replicas: 1, lag: 2s}}
faults: [{when: C enters, fail-over: operator}]
`)
	var promoted history.Instant
	var owners []history.NodeID
	s := h.Begin()
	for i, e := range h.All() {
		s.Before(e)
		s.Apply(i, e)
		if e.Kind == history.Promoted {
			promoted = e.At
			owners, _ = s.Owners()
		}
	}
	has := func(l timeline.Entry) bool {
		return h.Name(l.Node) == "redis-2" && h.Name(l.Owner) == "B" && l.From == promoted && l.How == history.Expired
	}
	if len(owners) != 1 || h.Name(owners[0]) != "B" || !slices.ContainsFunc(h.Entries, has) {
		t.Errorf("redis-2 has the entries of %v when it is promoted: %+v", owners, h.Entries)
	}
}

// redis-2 is the primary from 13 s on, without an entry, and again from 69 s on, with that of C,
// who came at 65 s.
func TestAPrimaryHasNothingOfItsNextReign(t *testing.T) {
	h := played(t, `
locks: [set-nx-lua]
clients: [B, C]
workload: {work: 5s, stagger: 65s}
network: {latency: 1ms}
servers: {redis: {replicas: 1, failover: {by: sentinel, down-after: 2s}}}
faults:
  - {at: 10s, restart: redis-1, down: 9s}
  - {at: 40s, restart: redis-2, down: 9s}
  - {when: C enters, after: 1s, restart: redis-1, down: 9s}
`)
	for _, l := range h.Entries {
		if h.Name(l.Owner) == "C" && l.From < history.Instant(65*time.Second) {
			t.Errorf("%s has an entry of C at %v", h.Name(l.Node), l.From)
		}
	}
	promoted := 0
	for range h.Each(history.Promoted) {
		promoted++
	}
	must.Equalf(t, promoted, 3, "promotions")
}
