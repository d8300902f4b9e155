package search_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/search"
	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// sometimes is a story whose fault happens with some seeds only, for some of these long enough to
// break the lock.
func sometimes(t *testing.T, chance, length string) *plan.Plan {
	t.Helper()
	return scenariotest.Parse(t, "sometimes.yaml", fmt.Sprintf(`scenario: Sometimes a pause
locks: [set-nx-lua]
lease: 2s
clients: [A, B]
workload: {repeat: 2 times, work: 500ms..1s, retry: 100ms}
faults:
  - {when: A is in its critical section, chance: %s, pause: A, for: %s}
`, chance, length))
}

// counted is the definition: seed by seed, up to the first that breaks one of the properties. A run
// that breaks none counts if it keeps all of them.
func counted(t *testing.T, o *search.Options, from, before int) (c search.Tried) {
	t.Helper()
	w := sim.New()
	defer w.Close()
	for i := from; i < before; i++ {
		seed := o.First + uint64(i)
		out := run.One(t.Context(), w, o.Plan, o.Lock, seed)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		c.Seeds++
		for _, l := range out.Judgement.Lines {
			if l.Noticed {
				c.Noticed = append(c.Noticed, l.Number)
			}
		}
		is := func(v checker.Verdict) func(string) bool {
			return func(id string) bool { return out.Judgement.Finding(id).Verdict == v }
		}
		if at := slices.IndexFunc(o.Properties, is(checker.Broken)); at >= 0 {
			c.Seed, c.Property = seed, o.Properties[at]
			return c
		}
		if slices.ContainsFunc(o.Properties, is(checker.Unknown)) {
			c.Untested++
		}
	}
	return c
}

// Any number of workers counts the seeds as if played one by one, for any first seed and number,
// across the end of a batch, and in each shard; and joined shards count what one machine does.
func TestCountsAreThoseOfTheSeeds(t *testing.T) {
	broke, untested := 0, 0
	for _, p := range []*plan.Plan{sometimes(t, "50%", "100ms..200ms"), sometimes(t, "2%", "2s..4s"), sometimes(t, "1%", "1s..3s")} {
		for _, tt := range []struct {
			first uint64
			seeds int
		}{{1, 1}, {1, 63}, {7, 64}, {100, 130}, {1, 200}} {
			o := search.Options{
				Plan: p, Lock: "set-nx-lua", Properties: []string{checker.OwnerOnlyReleaseID, checker.MutualExclusionID},
				First: tt.first, Seeds: tt.seeds, Jobs: 1 + tt.seeds%5, Worlds: worlds,
			}
			if tt.seeds == 63 {
				o.Properties = o.Properties[1:]
			}
			want := counted(t, &o, 0, o.Seeds)
			got, err := search.Seek(t.Context(), o)
			if err != nil || !same(got, want) {
				t.Errorf("%s, %d seeds from %d: %+v, %v; one by one: %+v", p.Faults[0].Text, tt.seeds, tt.first, got, err, want)
			}
			if n := want.Seeds - want.Untested; got.Tested() != n {
				t.Errorf("%d tested the lock, want %d", got.Tested(), n)
			}
			if share, _, _ := got.Rate(); share != rate.Of(min(1, int(want.Seed)), want.Seeds-want.Untested) {
				t.Errorf("a rate of %d millionths of %+v", share, want)
			}
			untested += want.Untested
			if want.Seed > 0 {
				broke++
			}
			inShards(t, o, want)
		}
	}
	if broke < 3 || untested < 50 {
		t.Errorf("%d searches found something, %d runs tested nothing: that is too few", broke, untested)
	}
}

// A run that keeps one property and has no verdict on another one does not show that both are kept:
// here clients come one after the other, so the lock is free whenever one comes, and no client
// contends.
func TestARunCountsIfItKeepsAll(t *testing.T) {
	p := parse(t, "scenario: In turn\nlocks: [set-nx-lua]\nclients: [A, B]\nworkload: {work: 100ms, stagger: 2s}\n")
	for _, tt := range []struct {
		properties []string
		untested   int
	}{
		{[]string{checker.ProgressID}, 0},
		{[]string{checker.MutualExclusionID}, 3},
		{[]string{checker.ProgressID, checker.MutualExclusionID}, 3},
		{[]string{checker.MutualExclusionID, checker.ProgressID}, 3},
	} {
		got, err := search.Seek(t.Context(), search.Options{
			Plan: p, Lock: "set-nx-lua", Properties: tt.properties, First: 1, Seeds: 3, Jobs: 1, Worlds: worlds,
		})
		if err != nil || got.Seed != 0 || got.Seeds != 3 || got.Untested != tt.untested {
			t.Errorf("%v: %+v, %v; want %d of 3 untested", tt.properties, got, err, tt.untested)
		}
	}
}

// A search by time ends at the largest seeds. After them it would play seed 0, whose find is none.
func TestASearchEndsAtTheLargestSeeds(t *testing.T) {
	batches := 0
	got, err := search.Seek(t.Context(), search.Options{
		Plan: sometimes(t, "1%", "1ms"), Lock: "set-nx-lua", Properties: []string{checker.ProgressID},
		First: math.MaxUint64 - 70, Seeds: 1 << 40, Jobs: 1, Worlds: worlds,
		Stop: func() bool { batches++; return batches > 5 },
	})
	if err != nil || got.Seeds != 70 || got.Seed != 0 {
		t.Errorf("%+v, %v; want 70 seeds", got, err)
	}
}

// same reports whether two searches have the same result. Noticed lines count only where nothing
// broke.
func same(a, b search.Tried) bool {
	lines := func(t *search.Tried) (all []int) {
		if t.Seed == 0 {
			all = slices.Compact(slices.Sorted(slices.Values(t.Noticed)))
		}
		t.Noticed = nil
		return all
	}
	return slices.Equal(lines(&a), lines(&b)) && reflect.DeepEqual(a, b)
}

// inShards divides a search into three, and expects the same counts of them together.
func inShards(t *testing.T, o search.Options, want search.Tried) {
	t.Helper()
	var parts []search.Tried
	seeds := 0
	for n := range 3 {
		o.Shard = campaign.Shard{Number: n + 1, Of: 3}
		part := must.Get(search.Seek(t.Context(), o))(t)
		if at := counted(t, &o, seeds, seeds+o.ShardSize()); !same(part, at) {
			t.Errorf("shard %d: %+v, one by one: %+v", n+1, part, at)
		}
		parts, seeds = append(parts, part), seeds+o.ShardSize()
	}
	if got := search.Join(parts); !same(got, want) || seeds != o.Seeds {
		t.Errorf("shards of %d seeds count %+v, one machine with %d counts %+v", seeds, got, o.Seeds, want)
	}
}

// Shards count up to the first by which every lock has broken.
func TestShardsThatCount(t *testing.T) {
	const none, found = 0, 7
	for name, tt := range map[string]struct {
		shards []int // in the order in which they end
		seeds  [][]uint64
		want   []int
	}{
		"nothing found":             {[]int{1, 2, 3}, [][]uint64{{none}, {none}, {none}}, []int{4, 4, 4}},
		"found, and nothing before": {[]int{2, 1}, [][]uint64{{found}, {none}}, []int{2, 2}},
		"found, and then lower":     {[]int{3, 1}, [][]uint64{{found}, {found}}, []int{3, 1}},
		"found, and then higher":    {[]int{1, 3}, [][]uint64{{found}, {found}}, []int{1, 1}},
		"one lock of two":           {[]int{1, 2}, [][]uint64{{found, none}, {none, none}}, []int{4, 4}},
		"each in another":           {[]int{1, 3, 2}, [][]uint64{{found, none}, {found, found}, {none, found}}, []int{4, 3, 2}},
	} {
		finds := make(search.Finds, len(tt.seeds[0]))
		for i, number := range tt.shards {
			var tried []search.Tried
			for _, seed := range tt.seeds[i] {
				tried = append(tried, search.Tried{Seeds: 9, Seed: seed})
			}
			if got := finds.Needed(number, 4, tried); got != tt.want[i] {
				t.Errorf("%s: after shard %d those up to %d count, want %d", name, number, got, tt.want[i])
			}
		}
	}
}
