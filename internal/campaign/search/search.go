// Package search looks for a seed that breaks a lock, and then for the smallest story that breaks
// it the same way, by delta debugging (Zeller and Hildebrandt 2002). Each candidate is written as a
// scenario file, parsed and played, in a fixed order: the file alone determines the result.
package search

import (
	"context"
	"math"
	"slices"

	"lockstep/internal/campaign"
	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/run"
)

// Options say what to look for.
type Options struct {
	Plan       *plan.Plan
	Lock       string
	Properties []string // any of these counts
	First      uint64   // seed
	Seeds      int      // how many of them at most
	Jobs       int
	Worlds     run.Factory
	Shard      campaign.Shard // which of the seeds
	// Stop, if not nil, is called after each batch of seeds and reports whether to stop.
	Stop func() bool
	// Progress, if not nil, is called after each seed, one call at a time.
	Progress func()
}

// Tried is the course of a search. It does not depend on the number of workers.
type Tried struct {
	Seeds    int    `json:"seeds"`              // up to the one that broke, or all
	Untested int    `json:"untested"`           // among them: inconclusive runs
	Seed     uint64 `json:"seed,omitempty"`     // the lowest seed that breaks a property; 0 when none does
	Property string `json:"property,omitempty"` // the first one of Options that broke; "" when none did
	Noticed  []int  `json:"noticed,omitempty"`  // the faults of the list that had an effect with some seed; see run.Idle
}

// Join combines all shards up to the lowest seed that breaks a property.
func Join(shards []Tried) (all Tried) {
	for _, t := range shards {
		all.Seeds, all.Untested, all.Noticed = all.Seeds+t.Seeds, all.Untested+t.Untested, append(all.Noticed, t.Noticed...)
		if t.Seed > 0 {
			all.Seed, all.Property = t.Seed, t.Property
			break
		}
	}
	return all
}

// Finds are the lowest shards that have found something, one for each lock; 0 for none.
type Finds []int

// Needed takes the results of one shard and returns the number of the last that still counts.
func (f Finds) Needed(number, of int, tried []Tried) (last int) {
	for i := range f {
		if tried[i].Seed > 0 && (f[i] == 0 || number < f[i]) {
			f[i] = number
		}
		if f[i] == 0 {
			last = of
		}
		last = max(last, f[i])
	}
	return last
}

// Tested counts the runs that tested the lock.
func (t Tried) Tested() int { return t.Seeds - t.Untested }

// Rate is how often the property breaks, with the ends of its 95 % interval, in millionths.
func (t Tried) Rate() (share, low, high int64) {
	if t.Seed == 0 {
		low, high = rate.Wilson(0, t.Tested())
		return 0, low, high
	}
	low, high = rate.First(t.Tested())
	return rate.Of(1, t.Tested()), low, high
}

// batch is how many seeds are played before their outcomes are checked, with any number of workers.
const batch = 64

// shardSeeds returns the seeds of the shard: the first one and how many. Shards consist of whole
// batches.
func (o *Options) shardSeeds() (first uint64, count int) {
	from, before := o.Shard.Block((o.Seeds + batch - 1) / batch)
	from, before = min(from*batch, o.Seeds), min(before*batch, o.Seeds)
	return o.First + uint64(from), before - from
}

// ShardSize counts the seeds of the shard.
func (o *Options) ShardSize() int {
	_, count := o.shardSeeds()
	return count
}

// Seek plays the seeds of the shard in order until one breaks a property.
func Seek(ctx context.Context, o Options) (Tried, error) {
	var t Tried
	o.First, o.Seeds = o.shardSeeds()
	o.Seeds = int(min(uint64(o.Seeds), math.MaxUint64-o.First)) // after the largest one comes 0, which means none
	for t.Seeds < o.Seeds && (t.Seeds == 0 || o.Stop == nil || !o.Stop()) {
		count := min(batch, o.Seeds-t.Seeds)
		first := o.First + uint64(t.Seeds)
		seen := make([]sight, count)
		err := run.Seeds(ctx, o.Worlds, o.Plan, o.Lock, first, count, o.Jobs, func(out *run.Outcome) {
			seen[out.Seed-first] = look(&out.Judgement, o.Properties)
			t.Noticed = run.Noticed(t.Noticed, out)
			if o.Progress != nil {
				o.Progress()
			}
		})
		if err != nil {
			return t, err
		}
		slices.Sort(t.Noticed)
		for i, s := range seen {
			t.Seeds++
			if s.untested {
				t.Untested++
			}
			if s.broken != "" {
				t.Seed, t.Property = first+uint64(i), s.broken
				return t, nil
			}
		}
	}
	return t, nil
}

// sight is the result of one run.
type sight struct {
	broken   string // the first of the properties that broke
	untested bool   // one of them got no verdict: what is said to be kept is all of them
}

func look(j *checker.Judgement, properties []string) (s sight) {
	for _, id := range properties {
		switch j.Finding(id).Verdict {
		case checker.Broken:
			return sight{broken: id}
		case checker.Unknown:
			s.untested = true
		}
	}
	return s
}
