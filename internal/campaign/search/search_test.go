package search_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/campaign/search"
	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

func worlds() run.World { return sim.New() }

func parse(t *testing.T, text string) *plan.Plan {
	t.Helper()
	return scenariotest.Parse(t, "storm.yaml", text)
}

// smallest shrinks the first run of a story, which breaks mutual exclusion.
func smallest(t *testing.T, text string) *search.Found {
	t.Helper()
	return must.Get(search.Smallest(t.Context(), worlds, parse(t, text), "set-nx-lua", checker.MutualExclusionID, 1))(t)
}

// storm is a small chaos, so that many runs of it are quick.
const storm = `scenario: A small storm
locks: [watchdog-lua, set-nx-ex-del, set-nx-lua]
lease: 2s
clients: [A, B, C]
workload: {repeat: 4 times, work: 500ms..1500ms, rest: 10ms..50ms, retry: 50ms}
network: {latency: 1ms..5ms, timeout: 500ms}
servers: {redis: {replicas: 1, lag: 20ms}}
chaos:
  pick from: [pause, restart, partition, delay, drop, fail-over, jump-clock, slow]
  every: 500ms..3s
  for: 100ms..4s
  heal: 1s before the end
`

// A storm by hand, of which one fault matters: its smallest version is known.
const handMade = `scenario: A storm by hand
locks: [set-nx-lua]
lease: 10s
clients: [A, B, C, D]
workload: {repeat: 5 times, work: 1s..3s, rest: 0s..200ms, stagger: 20ms, retry: 70ms}
network: {latency: 1ms..20ms, loss: 0%}
servers: {redis: {replicas: 2, lag: 300ms, persistence: everysec}}
clocks: {B: {offset: +3s, drift: 100ppm}}
faults:
  - {at: 1s, slow: the holder, by: 2s}
  - {when: any client is about to send SET the 9th time, delay: request, by: 200ms}
  - {at: 5s, partition: [D, store], for: 1s}
  - {when: any client is in its critical section the 6th time, pause: the holder, for: 17312ms}
  - {at: 40s, jump-clock: C, by: +1s}
  - {at: 41s, restart: D}
`

func TestTheLeastOfAStormIsKnown(t *testing.T) {
	f := smallest(t, handMade)
	_, body, _ := strings.Cut(f.YAML, "\nseed: ")
	const want = `1

locks: [set-nx-lua]
clients: [A, B]

workload:
  work: 1ms

network:
  latency: 1ms

faults:
  - when: A is in its critical section
    pause: A
    for: 11s

expect:
  set-nx-lua:
    mutual-exclusion: broken

zh:
  scenario: "set-nx-lua 破坏「互斥」，最小反例，取自：A storm by hand"
  story: >
    set-nx-lua 让两个客户端同时在里面，持续 0.005 秒，接受了 1 次过期写，丢失了 1 次更新：数据受损。
    不成立的假设：A 的停顿从不超过租约剩下的时间。停顿 11.000 秒 > 租约 10.000 秒 - 已用 0.003 秒。
  origin: >
    由 simulate search 在 storm.yaml 里用种子 1 找到，再缩小：从 6 个故障、4 个客户端、5 轮、4850 个
    事件，变为 1 个故障、2 个客户端、1 轮、347 个事件。
`
	if body != want {
		t.Errorf("got:\n%s\nwant:\n%s", body, want)
	}
	if want := (search.Size{Faults: 1, Clients: 2, Rounds: 1, Events: f.After.Events}); f.After != want || f.Before.Faults != 6 || f.Before.Clients != 4 || f.Before.Rounds != 5 {
		t.Errorf("from %s to %s", f.Before.Words().English(), f.After.Words().English())
	}
}

// The smallest version of each find is a file that plays to the same kind of violation, and is in
// nothing larger than the original.
func TestTheSmallestStillBreaks(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 5
	}
	p := parse(t, storm)
	for _, lock := range p.Locks {
		found := 0
		for seed := uint64(1); seed <= seeds; seed++ {
			f, err := search.Smallest(context.Background(), worlds, p, lock, checker.MutualExclusionID, seed)
			if errors.Is(err, search.ErrKept) {
				continue
			}
			if err != nil {
				t.Errorf("%s, seed %d: %v", lock, seed, err)
				continue
			}
			found++
			where := fmt.Sprintf("%s, seed %d", lock, seed)
			if f.After.Faults > f.Before.Faults || f.After.Clients > f.Before.Clients || f.After.Rounds > f.Before.Rounds || f.After.Events > f.Before.Events {
				t.Errorf("%s: %s became %s", where, f.Before.Words().English(), f.After.Words().English())
			}
			again, err := scenario.Parse(p.File, []byte(f.YAML))
			if err != nil {
				t.Fatalf("%s: the file is no scenario: %v\n%s", where, err, f.YAML)
			}
			w := worlds()
			out := run.One(context.Background(), w, again, lock, again.Seed)
			if out.Status() != run.Met || len(out.Expected) != 1 {
				t.Errorf("%s: the file does not play to what it expects: %v, %s\n%s", where, out.Err, out.Untested().English(), f.YAML)
			}
			if got, want := out.Judgement.History.Hash(), f.Judgement.History.Hash(); got != want {
				t.Errorf("%s: the file plays another history", where)
			}
			w.Close()
		}
		if found == 0 {
			t.Errorf("nothing broke %s", lock)
		}
	}
}

// A run in which nothing breaks has no smaller version.
func TestNothingToShrink(t *testing.T) {
	p := parse(t, "scenario: Calm\nlocks: [set-nx-lua]\n")
	if f, err := search.Smallest(t.Context(), worlds, p, "set-nx-lua", checker.MutualExclusionID, 1); err == nil {
		t.Errorf("shrunk to %s", f.After.Words().English())
	}
}

// A search that is stopped reports how many seeds it has played.
func TestSeekStops(t *testing.T) {
	p := parse(t, storm)
	o := search.Options{
		Plan: p, Lock: "set-nx-lua", Properties: []string{checker.OwnerOnlyReleaseID}, First: 1, Seeds: 70, Jobs: 2, Worlds: worlds,
	}
	played := 0
	o.Progress = func() { played++ }
	tried, err := search.Seek(context.Background(), o)
	if err != nil || tried.Seeds != 70 || tried.Seed != 0 || played != 70 {
		t.Errorf("%+v, %d played, %v", tried, played, err)
	}
	// The first batch is played even without time left.
	o.Stop = func() bool { return true }
	if tried, err = search.Seek(context.Background(), o); err != nil || tried.Seeds != 64 {
		t.Errorf("stopped after the first batch: %+v, %v", tried, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o.Stop = nil
	if tried, err = search.Seek(ctx, o); !errors.Is(err, context.Canceled) || tried.Seeds != 0 {
		t.Errorf("interrupted before it began: %+v, %v", tried, err)
	}
}

// Two pauses, each shorter than the lease, become one that is longer, and the paused client is
// called A.
func TestOneFaultInPlaceOfTwo(t *testing.T) {
	f := smallest(t, `scenario: Two pauses
locks: [set-nx-lua]
lease: 10s
clients: [Xaver, Yvonne]
workload: {work: 1s}
faults:
  - {at: 500ms, pause: Xaver, for: 6s}
  - {at: 6501ms, pause: Xaver, for: 6s}
`)
	if len(f.Smallest.Faults) != 1 || f.Smallest.Faults[0].Text != "pause A for 10s when A is in its critical section" {
		t.Errorf("what is left is:\n%s", f.YAML)
	}
}

// A violation of one kind does not become one of another kind: here the failover
// that forgets the lock, although a long pause would do as well.
func TestTheKindStays(t *testing.T) {
	f := smallest(t, `scenario: Two ways
locks: [set-nx-lua]
clients: [A, B, C, D]
workload: {repeat: 3 times}
servers: {redis: {replicas: 1, lag: 5s}}
faults:
  - {when: D is in its critical section, slow: D, by: 9s} # makes the original long, and is no way to break it
  - {when: A is in its critical section, fail-over: operator}
  - {when: B is in its critical section, pause: B, for: 12s}
`)
	if len(f.Smallest.Faults) != 1 || f.Smallest.Faults[0].Verb.Name() != "fail-over" {
		t.Errorf("what broke first was a failover, what is left is:\n%s", f.YAML)
	}
}

// Ctrl-C during shrinking leaves a smaller version that still breaks.
func TestInterruptedShrinking(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := must.Get(search.Smallest(ctx, worlds, parse(t, storm), "set-nx-lua", checker.MutualExclusionID, 1))(t)
	if !f.Unfinished || f.Judgement.Finding(checker.MutualExclusionID).Verdict != checker.Broken || !strings.Contains(f.YAML, "shrunk it part of the way") {
		t.Errorf("unfinished %v\n%s", f.Unfinished, f.YAML)
	}
}

// A search remembers which lines of the list had an effect; so do joined shards.
func TestASearchKnowsWhichLinesIdle(t *testing.T) {
	p := parse(t, "scenario: x\nlocks: [set-nx-lua]\nworkload: {work: 1s, repeat: 3 times}\nfaults:\n"+
		"  - {when: any client is about to send DECRBY every time, chance: 50%, drop: reply}\n"+
		"  - {when: any client is about to send SET every time, chance: 50%, delay: reply, by: 10ms}\n")
	o := search.Options{Plan: p, Lock: "set-nx-lua", Properties: []string{checker.MutualExclusionID}, First: 1, Seeds: 130, Jobs: 2, Worlds: worlds}
	tried := must.Get(search.Seek(context.Background(), o))(t)
	if idle := run.Idle(p, tried.Noticed); tried.Seed != 0 || len(idle) != 1 || idle[0].Number != 1 {
		t.Errorf("%+v: idle %v", tried, idle)
	}
	parts := []search.Tried{{Seeds: 3, Noticed: []int{2}}, {Seeds: 4, Noticed: []int{1}}}
	if idle := run.Idle(p, search.Join(parts).Noticed); len(idle) != 0 {
		t.Errorf("of two shards with a line each: idle %v", idle)
	}
}
