package crosscheck_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/crosscheck"
	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/locks"
	"lockstep/internal/must"
)

// stories are those of some locks in the committed walk.
func stories(t *testing.T, kinds []string, ids ...string) []crosscheck.Story {
	t.Helper()
	var chosen []locks.Variant
	for _, id := range ids {
		v, ok := locks.Lookup(id)
		if !ok {
			t.Fatal(id)
		}
		chosen = append(chosen, v)
	}
	return must.Get(crosscheck.Stories(resultstest.Explored(t), chosen, kinds))(t)
}

// inStories compares the stories of a lock with some kinds of faults.
func inStories(t *testing.T, lock string, real *other, kinds ...string) *crosscheck.Comparison {
	t.Helper()
	o := options(t, lock, "GP", real)
	o.Columns, o.Stories = nil, stories(t, kinds, lock)
	return must.Get(crosscheck.Compare(context.Background(), o))(t)
}

// Each lock of the walk has stories, without duplicates.
func TestStoriesOfTheWalk(t *testing.T) {
	all := stories(t, nil, "set-nx-lua", "watchdog-lua", "lit-unchecked")
	seen := map[string]bool{}
	count := map[string]int{}
	for _, s := range all {
		if seen[s.Lock+s.Name] || !slices.Contains(s.Plan.Locks, s.Lock) || len(s.Plan.Faults) != len(s.Kinds) {
			t.Errorf("%s: %s by %v", s.Lock, s.Name, s.Kinds)
		}
		seen[s.Lock+s.Name] = true
		count[s.Lock]++
	}
	if count["set-nx-lua"] < 15 || count["watchdog-lua"] < 30 || len(all[len(all)-1].Kinds) == 0 || all[0].Lock != "set-nx-lua" {
		t.Errorf("%v", count)
	}
	for _, s := range stories(t, []string{"restart"}, "watchdog-lua") {
		if !slices.Contains(s.Kinds, "restart") {
			t.Errorf("%v was not asked for", s.Kinds)
		}
	}
}

func TestTheSameWorldAgreesInStories(t *testing.T) {
	c := inStories(t, "watchdog-lua", &other{}, "fail-over", "promote", "split")
	if n := c.Count(results.Agrees); n < 25 || n+c.Count(results.NotPlayed) != len(c.Cells) || len(c.Row(0)) != len(c.Cells) {
		t.Errorf("%d of %d agree", n, len(c.Cells))
	}
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.Agreement == results.NotPlayed {
			continue
		}
		simulated, real := cell.Shown().Simulated, cell.Shown().Real
		if cell.Story == "" || simulated != real || !strings.Contains(simulated, "damage") && !strings.Contains(simulated, "overlap") {
			t.Errorf("%+v", cell)
		}
	}
	if s := c.Samples[0]; s.Lock != "watchdog-lua" || len(s.Real.Waits) == 0 {
		t.Errorf("%+v", s)
	}
}

// A story in which two things are due at one instant is not played, as a delay decides it.
func TestAStoryThatRestsOnATieIsNotPlayed(t *testing.T) {
	c := inStories(t, "lit-expire-key", &other{}, "split-short", "evict")
	if c.Count(results.NotPlayed) != 2 || c.Count(results.Agrees) == 0 {
		t.Errorf("%+v", c.Cells)
	}
	for i := range c.Cells {
		cell := &c.Cells[i]
		tie := strings.Contains(cell.Fault, "split-short") // for 3 s, which is how long a client waits for a reply
		if tie != strings.Contains(cell.Why.English(), "up to 0.004 s late: that changes") {
			t.Errorf("%s: %s", cell.Story, cell.Why.English())
		}
	}
}

// Stories are not played if they depend on what is random on real servers: the order of requests
// that a partition held back, of tasks and of a database's work, events at the end of a fault or a
// timeout, whether etcd executes a cancelled request, when in a tick a session of ZooKeeper ends,
// how long it elects. The delays of real servers do not scale: a story that depends on them at the
// requested scale is played at the first larger one at which it does not.
func TestStoriesThatChanceDecidesAreNotPlayed(t *testing.T) {
	const (
		anyOrder  = "up to 0.004 s late: that changes"
		cancelled = "etcd's client cancels it"
		drawn     = "the lock waits for random times"
		gossip    = "within half a node timeout"
		wakes     = "wakes as its timeout expires"
	)
	for _, tt := range []struct {
		lock, kind, story, why string
		scale                  int64 // 0 when it is not played
	}{
		{"setnx", "cut", "setnx/cut@hold", anyOrder, 0},
		{"setnx", "late-release-short", "setnx/late-release-short", "", 100_000},
		{"etcd-mutex", "late-release", "etcd-mutex/late-release", cancelled, 0},
		{"etcd-mutex", "lost-request", "etcd-mutex/lost-request", "", 100_000},
		{"zk-ephemeral", "split", "zk-ephemeral/split", anyOrder, 0},
		{"zk-ephemeral", "restart", "zk-ephemeral/restart.no-progress", anyOrder, 0},
		{"redisson-redlock", "cut", "redisson-redlock/cut", anyOrder, 0},
		{"redisson-redlock", "cut-short", "redisson-redlock/cut-short+server-pause", anyOrder, 0},
		{"redlock-extend", "server-clock", "redlock-extend/lost-request+server-clock.damage", drawn, 0},
		{"redlock-extend", "server-clock", "redlock-extend/lost-request+server-clock", "", 300_000},
		{"set-nx-lua-cluster", "split", "set-nx-lua-cluster/split", gossip, 0},
		{"etcd-mutex", "pause-short", "etcd-mutex/pause-short+pause-short", anyOrder, 0},
		{"mysql-unique", "server-pause", "mysql-unique/server-pause", anyOrder, 0},
		{"etcd-mutex", "pause-short", "etcd-mutex/pause-short", wakes, 0},
		{"zk-ephemeral", "split", "zk-ephemeral/split.no-progress", "", 300_000},
		{"zk-ephemeral", "lost-request", "zk-ephemeral/lost-request", "", 100_000},
	} {
		c, found := inStories(t, tt.lock, &other{}, tt.kind), false
		for i := range c.Cells {
			cell := &c.Cells[i]
			if cell.Story != tt.story {
				continue
			}
			found = true
			agrees := tt.scale > 0
			if (cell.Agreement == results.Agrees) != agrees || agrees && cell.ScalePPM != tt.scale ||
				!strings.Contains(cell.Why.English(), tt.why) {
				t.Errorf("%s: %v at %d millionths: %s",
					tt.story, cell.Agreement, cell.ScalePPM, cell.Why.English())
			}
		}
		if !found {
			t.Errorf("%s has no story %s", tt.lock, tt.story)
		}
	}
}

// Real servers need a moment to promote a replica. A story in which the replica has to lag is
// played slowly enough; others are not.
func TestAStoryThatRestsOnLagIsPlayedSlowly(t *testing.T) {
	c := inStories(t, "watchdog-lua", &other{}, "promote", "pause")
	slow := 0
	for i := range c.Cells {
		promotes := strings.Contains(c.Cells[i].Fault, "promote")
		switch scale := c.Cells[i].ScalePPM; {
		case promotes && scale == 300_000:
			slow++
		case !promotes && scale != 100_000 && c.Cells[i].Agreement != results.NotPlayed:
			t.Errorf("%s is played at %d millionths of its time", c.Cells[i].Story, scale)
		}
	}
	if slow == 0 {
		t.Error("no promotion is played at three tenths of its time")
	}
}

// A lock that keeps on real servers what it breaks in the simulator differs, even with the same
// letter.
func TestStoriesDiffer(t *testing.T) {
	c := inStories(t, "set-nx-ex-del", &other{lock: "set-nx-lua"}, "slow")
	if c.Count(results.Differs) == 0 {
		t.Errorf("%+v", c.Cells)
	}
	c = inStories(t, "set-nx-lua", &other{lock: alone}, "evict")
	if c.Count(results.Untested) == 0 && c.Count(results.Differs) == 0 {
		t.Errorf("a client alone breaks nothing: %+v", c.Cells)
	}
}

// What a run breaks is kept with it, and not played again.
func TestKeptStories(t *testing.T) {
	name := filepath.Join(t.TempDir(), "runs.jsonl")
	all := stories(t, []string{"evict"}, "set-nx-lua")
	for _, want := range []int{2 * len(all), 0} {
		c, plays := keeping(t, name, 2, &other{}, func(o *crosscheck.Options) {
			o.Columns, o.Stories, o.Jobs = nil, all, 1
		})
		simulated, real := c.Cells[0].Shown().Simulated, c.Cells[0].Shown().Real
		if simulated != real || simulated == "" || c.Count(results.Agrees) != len(c.Cells) {
			t.Errorf("%+v", c.Cells)
		}
		if plays != want {
			t.Errorf("%d plays, want %d", plays, want)
		}
	}
}

func TestAgreementOfStories(t *testing.T) {
	for _, tt := range []struct {
		simulated, real string
		want            results.Agreement
	}{
		{"overlap+damage", "overlap+damage", results.Agrees},
		{"overlap+damage", "overlap", results.Differs},
		{"overlap", "overlap+foreign-release", results.Differs},
		{"overlap", "none", results.Differs},
		{"overlap", "overlap?", results.Untested},
		{"overlap", "overlap+foreign-release?", results.Agrees}, // it was kept, or not tested
		{"overlap+damage", "overlap?", results.Differs},
		{"overlap", "?", results.Untested},
		{"?", "overlap", results.Untested},
	} {
		if got := crosscheck.AgreementOf(tt.simulated, tt.real); got != tt.want {
			t.Errorf("simulated %s, real %s: %s, want %s", tt.simulated, tt.real, got, tt.want)
		}
	}
}

// A client that sleeps past its timeout while its reply waits is a race, and not played.
func TestStoriesInWhichAClientOversleeps(t *testing.T) {
	c := inStories(t, "set-nx-lua", &other{}, "pause")
	raced, played := 0, 0
	for i := range c.Cells {
		switch cell := &c.Cells[i]; {
		case cell.Agreement == results.NotPlayed && strings.Contains(cell.Why.English(), "is a race"):
			raced++
			if !strings.Contains(cell.Script.English(), "sends SET") {
				t.Errorf("%s: %s", cell.Script.English(), cell.Why.English())
			}
		case cell.Agreement == results.Agrees:
			played++
		}
	}
	if raced == 0 || played == 0 {
		t.Errorf("%d races, %d played", raced, played)
	}
}
