package main

import (
	"context"
	"encoding/hex"

	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/run"
	"lockstep/internal/search"
)

// huntJSON is what came of one lock, as other programs read it.
type huntJSON struct {
	Lock     string       `json:"lock"`
	Found    bool         `json:"found"`
	Met      bool         `json:"met"`
	Seeds    int          `json:"seeds"`
	Untested int          `json:"untested"`
	Idle     []string     `json:"idle_faults"` // that did nothing with any seed, in words
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

func (f *searchFlags) showJSON(ctx context.Context, p *plan.Plan, hunts []*hunt, worlds run.Factory) error {
	met := true
	all := []huntJSON{}
	for _, h := range hunts {
		met = met && h.met
		x := huntJSON{Lock: h.lock, Found: h.found != nil, Met: h.met, Seeds: h.tried.Seeds, Untested: h.tried.Untested, Idle: []string{}}
		for _, idle := range run.SaidIdle(h.idle) {
			x.Idle = append(x.Idle, idle.English())
		}
		share, low, high := h.tried.Rate()
		x.Rate, x.Low, x.High = rate.InOne(share), rate.InOne(low), rate.InOne(high)
		if h.found != nil {
			if err := f.stored(ctx, h, worlds, newOutput(&f.runFlags), false); err != nil {
				return err
			}
			f.addVersions(p, h, &x)
		}
		all = append(all, x)
	}
	return printJSON(f.stdout, map[string]any{
		"schema": 1, "scenario": p.Slug, "backend": f.backend, "properties": f.properties, "met": met, "locks": all,
	})
}

func (f *searchFlags) addVersions(p *plan.Plan, h *hunt, x *huntJSON) {
	x.Property, x.Seed, x.Replays = h.found.Property, h.found.Seed, h.found.Plays
	hash := h.found.Judgement.History.Hash()
	x.Original = &versionJSON{
		Size: h.found.Before, Seed: h.found.Seed, Listed: textsOf(h.found.Original), File: p.File, Replay: f.replay(p, h.lock, h.found.Seed),
	}
	x.Smallest = &versionJSON{
		Size: h.found.After, Seed: h.found.Smallest.Seed, Listed: textsOf(h.found.Smallest), File: h.file,
		Replay: f.replay(h.loaded, "", h.loaded.Seed), Hash: hex.EncodeToString(hash[:]), RunDir: h.runDir,
	}
}

func textsOf(p *plan.Plan) []string {
	out := []string{}
	for i := range p.Faults {
		out = append(out, p.Faults[i].Text)
	}
	return out
}
