package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/search"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/run"
)

// playElsewhere plays one share, or takes the results of merged parts. It does nothing if this
// machine plays all seeds, because then each lock is shown as soon as it is done.
func (f *searchFlags) playElsewhere(ctx context.Context, p *plan.Plan) error {
	if !f.shards.elsewhere() {
		return nil
	}
	finds := make(search.Finds, len(p.Locks))
	f.shards.seen = func(number int, data json.RawMessage) (int, error) {
		var tried []search.Tried
		err := json.Unmarshal(data, &tried)
		if err != nil || len(tried) != len(p.Locks) {
			return 0, fmt.Errorf("range %d/%d does not hold the result of a search: %v", number, f.shards.of, err)
		}
		return finds.Needed(number, f.shards.of, tried), nil
	}
	shards, err := divided(ctx, &f.shards, f.globals, "search", f.seedOptions, func(s campaign.Shard) ([]search.Tried, error) {
		return eachOrError(p.Locks, func(lock string) (search.Tried, error) {
			tried, err := f.seek(ctx, p, lock, s)
			if ctx.Err() != nil {
				return tried, ctx.Err()
			}
			return tried, bug(err)
		})
	})
	if err != nil {
		return err
	}
	for k, lock := range p.Locks {
		var tried []search.Tried
		for i := range shards {
			if len(shards[i]) != len(p.Locks) {
				return fmt.Errorf("a shard has searched for %d locks, and there are %d: make its part again", len(shards[i]), len(p.Locks))
			}
			tried = append(tried, shards[i][k])
		}
		all := search.Join(tried)
		if all.Seed == 0 && all.Seeds != f.Seeds {
			return fmt.Errorf("the shards have played %d of %d seeds of %s: make their parts again", all.Seeds, f.Seeds, lock)
		}
		f.tried = append(f.tried, all)
	}
	return nil
}

// seek plays the seeds of a shard until one breaks the lock.
func (f *searchFlags) seek(ctx context.Context, p *plan.Plan, lock string, s campaign.Shard) (search.Tried, error) {
	o := search.Options{
		Plan: p, Lock: lock, Properties: f.Properties, First: f.seed, Seeds: f.Seeds, Jobs: f.jobs, Worlds: simulator, Shard: s,
	}
	total := o.ShardSize()
	if f.limit > 0 {
		until := time.Now().Add(f.limit)
		o.Seeds, o.Stop = 1<<40, func() bool { return !time.Now().Before(until) }
		total = -1 // unknown
	}
	bar := f.bar("seeds of "+lock, total)
	o.Progress = func() { _ = bar.Add(1) }
	tried, err := search.Seek(ctx, o)
	_ = bar.Finish()
	_ = bar.Clear()
	return tried, err
}

type huntJSON struct {
	Lock     string       `json:"lock"`
	Found    bool         `json:"found"`
	Met      bool         `json:"met"`
	Seeds    int          `json:"seeds"`
	Untested int          `json:"untested"`
	Idle     []string     `json:"idle_faults"` // faults that no seed tested, in words
	Rate     float64      `json:"rate"`
	Low      float64      `json:"rate_low"`
	High     float64      `json:"rate_high"`
	Property string       `json:"property,omitempty"`
	Seed     uint64       `json:"seed,omitempty"`
	Replays  int          `json:"replays,omitempty"`
	Original *versionJSON `json:"original"`
	Smallest *versionJSON `json:"smallest"`
}

type versionJSON struct {
	search.Size
	Seed   uint64   `json:"seed"`
	Listed []string `json:"fault_list"`
	File   string   `json:"file"`
	Replay string   `json:"replay"`
	Hash   string   `json:"hash,omitempty"`
	RunDir string   `json:"run_dir,omitempty"`
}

func (f *searchFlags) showJSON(ctx context.Context, p *plan.Plan, hunts []*hunt) error {
	met := true
	all := []huntJSON{}
	for _, h := range hunts {
		met = met && h.met
		x := huntJSON{
			Lock: h.lock, Found: h.found != nil, Met: h.met, Seeds: h.tried.Seeds, Untested: h.tried.Untested,
			Idle: inEnglish(run.IdleRemarks(h.idle)),
		}
		share, low, high := h.tried.Rate()
		x.Rate, x.Low, x.High = rate.InOne(share), rate.InOne(low), rate.InOne(high)
		if h.found != nil {
			if err := f.stored(ctx, h, newOutput(&f.runFlags), false); err != nil {
				return err
			}
			f.addVersions(p, h, &x)
		}
		all = append(all, x)
	}
	return f.printJSON(map[string]any{
		"schema": 1, "scenario": p.Slug, "backend": f.backend, "properties": f.Properties, "met": met, "locks": all,
	})
}

func (f *searchFlags) addVersions(p *plan.Plan, h *hunt, x *huntJSON) {
	x.Property, x.Seed, x.Replays = h.found.Property, h.found.Seed, h.found.Plays
	x.Original = &versionJSON{
		Size: h.found.Before, Seed: h.found.Seed, Listed: textsOf(h.found.Original), File: p.File, Replay: f.replay(p, h.lock, h.found.Seed),
	}
	x.Smallest = &versionJSON{
		Size: h.found.After, Seed: h.found.Smallest.Seed, Listed: textsOf(h.found.Smallest), File: h.file,
		Replay: f.replay(h.loaded, "", h.loaded.Seed), Hash: h.found.Judgement.History.Hash().String(), RunDir: h.runDir,
	}
}

func textsOf(p *plan.Plan) []string {
	return append([]string{}, each.Map(p.Faults, func(f faults.Fault) string { return f.Text })...)
}
