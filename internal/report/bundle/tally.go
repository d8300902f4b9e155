package bundle

import (
	"maps"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/rate"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// SeedsTally counts the results of many seeds of one lock.
type SeedsTally struct {
	Lock       string                 `json:"lock" doc:"The id of the lock."`
	Runs       int                    `json:"runs" doc:"How many runs were played."`
	Tested     int                    `json:"tested" doc:"How many of them are evidence."`
	Untested   int                    `json:"untested" doc:"How many of them tested nothing: a fault never fired, no clients competed for the lock, or the history does not tell."`
	Reasons    []Reason               `json:"untested_reasons" doc:"Why they tested nothing, the most frequent reason first."`
	Unasked    bool                   `json:"nothing_expected" doc:"Whether the scenario says that nothing is expected of this lock."`
	Met        int                    `json:"runs_met" doc:"How many of them met their expectations."`
	Hash       string                 `json:"hash" doc:"Covers the hashes of all histories, in the order of the seeds."`
	Letters    map[checker.Letter]int `json:"letters" doc:"How many runs had which outcome."`
	Broken     map[string]int         `json:"broken" doc:"By property: how many runs broke it."`
	Rates      map[string]BrokenRate  `json:"rates" doc:"By property that broke: how often, as a share of the runs in which it was kept or broken."`
	Spared     int                    `json:"spared" doc:"How many of the untested drew no random fault, or none that did anything: no evidence of the lock, but runs of this file all the same."`
	Hours      float64                `json:"story_hours" doc:"How many hours the stories of the runs took together, by their own clock, without those that tested nothing for a reason other than random draws."`
	PerHour    map[string]HourlyRate  `json:"rates_per_hour" doc:"By property that broke: in how many runs for each of these hours. A run that broke it twice counts once."`
	OfAll      map[string]BrokenRate  `json:"rates_of_all" doc:"By property that broke: how often in a run of this file, including the spared ones."`
	Idle       []string               `json:"idle_faults" doc:"Which faults of the list had no noticeable effect with any seed, though they could have been drawn: these runs are no test of them."`
	FirstMiss  *uint64                `json:"first_miss_seed" doc:"The first seed that missed an expectation or tested nothing; null when none did."`
	FirstBroke map[string]uint64      `json:"first_broken_seed" doc:"By property: the first seed that broke it."`
}

// BrokenRate is the rate at which a property broke.
type BrokenRate struct {
	Rate float64 `json:"rate" doc:"The share of runs."`
	Low  float64 `json:"rate_low" doc:"The lower end of its 95 % interval (Wilson)."`
	High float64 `json:"rate_high" doc:"The upper end."`
}

// Tally counts the results of many seeds of one lock, one at a time.
type Tally struct {
	SeedsTally
	Worst    run.Status
	best     run.Status // of the runs without expectations
	from     uint64
	reasons  map[string]say.Phrase // by their English
	missed   *uint64               // the first seed that missed an expectation
	hashes   []history.Hash
	judged   map[string]int // by property: the runs in which it was kept or broken
	noticed  []int
	idle     say.Remarks
	lines    []checker.DrawnLine
	untested []say.Phrase // by seed: why it tested nothing; empty for those that did

	took    []int64 // by seed: length of the story in milliseconds
	played  int64   // total of took for the runs that count for hourly rates
	inHours int     // number of these runs
}

// NewTally makes a tally for the seeds first, first+1, ... of a lock.
func NewTally(lock string, first uint64, seeds int) *Tally {
	return &Tally{
		SeedsTally: SeedsTally{Lock: lock, Unasked: true, Letters: map[checker.Letter]int{}, Broken: map[string]int{}, FirstBroke: map[string]uint64{}},
		judged:     map[string]int{}, best: run.Inconclusive, from: first,
		hashes: make([]history.Hash, seeds), untested: make([]say.Phrase, seeds), took: make([]int64, seeds),
	}
}

// Count adds a run. Runs come in no particular order.
func (t *Tally) Count(o *run.Outcome) {
	t.Runs++
	t.Letters[o.Judgement.Letter]++
	t.hashes[o.Seed-t.from], t.took[o.Seed-t.from] = o.Judgement.History.Hash(), storyTime(o.Judgement.History)
	for _, f := range o.Judgement.Findings {
		if f.Verdict != checker.Unknown {
			t.judged[f.Property]++
		}
		if f.Verdict != checker.Broken {
			continue
		}
		t.Broken[f.Property]++
		if seed, seen := t.FirstBroke[f.Property]; !seen || o.Seed < seed {
			t.FirstBroke[f.Property] = o.Seed
		}
	}
	status := o.Status()
	if len(o.Expected) == 0 {
		t.best = min(t.best, status)
	} else {
		t.Worst, t.Unasked = max(t.Worst, status), false
	}
	t.untested[o.Seed-t.from] = o.WhyUntested()
	t.noticed, t.lines = run.Noticed(t.noticed, o), o.Judgement.Lines
	if status.Good() {
		t.Met++
		return
	}
	if status == run.Missed {
		t.missed = lower(t.missed, o.Seed)
	}
	t.FirstMiss = lower(t.FirstMiss, o.Seed)
}

// lower returns the lower of two seeds; least is nil for none so far.
func lower(least *uint64, seed uint64) *uint64 {
	if least == nil || seed < *least {
		return &seed
	}
	return least
}

// Finish computes the figures that need all seeds.
func (t *Tally) Finish() {
	if t.Runs == len(t.hashes) { // else it was interrupted
		t.Hash = history.CombineHashes(t.hashes).String()
	}
	if t.Unasked {
		t.Worst = t.best // without expectations, one run that told the story is enough
	}
	t.Idle = []string{}
	for i := range t.lines {
		if l := &t.lines[i]; !slices.Contains(t.noticed, l.Number) {
			t.idle = append(t.idle, l.Said())
			t.Idle = append(t.Idle, l.Said().English())
		}
	}
	if len(t.idle) > 0 {
		t.Worst = max(t.Worst, run.Inconclusive)
		if t.FirstMiss == nil {
			t.FirstMiss = &t.from
		}
	}
	t.reasons = map[string]say.Phrase{}
	var whys []string
	for _, why := range t.untested {
		if !why.Empty() {
			t.reasons[why.English()] = why
			whys = append(whys, why.English())
		}
		if spared(why) {
			t.Spared++
		}
	}
	t.Untested, t.Tested = len(whys), t.Runs-len(whys)
	t.Rates, t.OfAll = map[string]BrokenRate{}, map[string]BrokenRate{}
	for name, n := range t.Broken { // order: each property on its own
		t.Rates[name] = brokenRate(n, t.judged[name])
		t.OfAll[name] = brokenRate(n, t.judged[name]+t.Spared)
	}
	t.countHours()
	t.Reasons = append([]Reason{}, Reasons(whys)...)
}

func brokenRate(n, of int) BrokenRate {
	low, high := rate.Wilson(n, of)
	return BrokenRate{rate.InOne(rate.Of(n, of)), rate.InOne(low), rate.InOne(high)}
}

// First is the first seed that missed an expectation, else the first that tested nothing.
func (t *Tally) First() *uint64 {
	if t.missed != nil {
		return t.missed
	}
	return t.FirstMiss
}

// FirstBroken is the first seed that broke a property; nil when none did.
func (t *Tally) FirstBroken() (first *uint64) {
	for _, seed := range t.FirstBroke { // order: the lowest
		first = lower(first, seed)
	}
	return first
}

// Why says why not every run met its expectations; empty if every run did.
func (t *Tally) Why() say.Phrase {
	switch t.Worst {
	case run.Missed:
		return say.FirstWithSeed.With(say.Seed(*t.missed))
	case run.Inconclusive:
		if len(t.idle) > 0 {
			return t.IdleText()
		}
		if t.Untested == 0 {
			return say.SeedIs.With(say.Seed(*t.FirstMiss))
		}
		return t.UntestedText()
	}
	return say.Phrase{}
}

// BrokenText says how often a property broke: the number and rate among the runs that are evidence,
// and the first seed.
type BrokenText struct {
	Property          string
	Runs, Rate, First say.Phrase
}

// BrokenRates lists the properties that broke, by name.
func (t *Tally) BrokenRates() (all []BrokenText) {
	for _, name := range slices.Sorted(maps.Keys(t.Broken)) {
		n, of := t.Broken[name], t.judged[name]
		all = append(all, BrokenText{
			name, say.SomeOf.With(say.Number(n), say.Number(of)), atRate(n, of), say.SeedIs.With(say.Seed(t.FirstBroke[name])),
		})
	}
	return all
}

// NoneBrokeText says what it means that nothing broke; empty if something did, or nothing was
// tested.
func (t *Tally) NoneBrokeText() say.Phrase {
	if t.Tested == 0 || len(t.Broken) > 0 || len(t.idle) > 0 {
		return say.Phrase{}
	}
	// The rule of three: with no event in n runs, the rate is below 3/n with 95 % confidence.
	return say.NoneBroke.With(say.Number(t.Tested), say.Number(max(t.Tested/3, 1)))
}

// OfAllText says how often a run of this file breaks, including the spared ones, since random
// faults are part of the file. Empty if no run was spared, or nothing broke.
func (t *Tally) OfAllText() say.Phrase {
	if t.Spared == 0 || len(t.Broken) == 0 {
		return say.Phrase{}
	}
	var parts say.Remarks
	for _, name := range slices.Sorted(maps.Keys(t.Broken)) {
		n, all := t.Broken[name], t.judged[name]+t.Spared
		parts = append(parts, say.BrokeAtRate.With(say.Property(name), say.Number(n), say.Number(all), atRate(n, all)))
	}
	return say.WithTheSpared.With(say.Number(t.Spared), parts)
}

func atRate(n, of int) say.Phrase {
	low, high := rate.Wilson(n, of)
	return say.AtRate.With(percent(rate.Of(n, of)), percent(low), percent(high))
}

func percent(ppm int64) say.Verbatim { return say.Verbatim(rate.Percent(ppm)) }

// mostReasons limits the reasons that are spelled out.
const mostReasons = 3

// IdleText says which faults of the list did nothing with any seed; empty if each did something.
func (t *Tally) IdleText() say.Phrase {
	if len(t.idle) == 0 {
		return say.Phrase{}
	}
	return say.NoSeedNoticed.With(say.Number(t.Runs), t.idle)
}

// UntestedText says how many runs tested nothing, and why; empty if all tested something.
func (t *Tally) UntestedText() say.Phrase {
	if t.Untested == 0 {
		return say.Phrase{}
	}
	var parts say.Remarks
	for _, r := range t.Reasons[:min(len(t.Reasons), mostReasons)] {
		parts = append(parts, say.ReasonTimes.With(t.reasons[r.Text], say.Number(r.N)))
	}
	if more := len(t.Reasons) - mostReasons; more > 0 {
		parts = append(parts, say.MoreReasons.With(say.Number(more)))
	}
	return say.TestedNothing.With(say.Number(t.Untested), say.Number(t.Runs), parts)
}
