// Package bundle computes the facts that reports show, once, from history, verdicts and plan:
// spans, bars, assumptions, causes, and the findings with their expectations.
//
// It is pure, like all packages of reports: no clock, no random ids, no map order. The same bundle
// gives the same bytes, so reports can be compared, kept under version control and drawn again from
// a stored history.
//
// Every text of a bundle may be hostile, since scenarios and histories may come from a stranger.
// Package sanitize cleans texts before they reach a terminal, and pages escape them too.
package bundle

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// ResultSchema is the version of the form of results for machines. Fields are only ever added.
const ResultSchema = 1

// Bundle is the content of one report: one plan with one seed, played with one or more locks.
type Bundle struct {
	Plan     *plan.Plan
	Runs     []Run
	Backend  string // sim, process, docker, compose
	Seed     uint64
	Replay   string // the command line that plays it again
	RunDir   string // where the files of the run are; "" when nothing was written
	Hash     string // covers the bytes of the histories
	Program  string // version of the program that judged them; "" when unknown
	ScalePPM int64  // of --scale, in millionths; 0 where plan or histories say it
	Logs     bool   // whether the logs of the servers are in stores/
}

// Run is one lock's part of a bundle.
type Run struct {
	Lock      string
	Judgement checker.Judgement
	Expected  []run.Expected

	timeline *timeline.Timeline
}

// Timeline is the account of the run's history; nil without a history.
func (r *Run) Timeline() *timeline.Timeline {
	if r.timeline == nil && r.Judgement.History != nil {
		r.timeline = timeline.Of(r.Judgement.History)
	}
	return r.timeline
}

// Of makes the bundle of a result. replay is the command line that plays it again, program the
// version of the program that judged it.
func Of(r *run.Result, replay, program string) *Bundle {
	b := &Bundle{
		Plan: r.Plan, Backend: r.Backend, Seed: r.Seed, Replay: replay, Hash: history.HashAll(r.Histories()), Program: program,
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		b.Runs = append(b.Runs, Run{Lock: o.Lock, Judgement: o.Judgement, Expected: o.Expected})
	}
	return b
}

// Met reports whether every expectation of the run is met. A run without a history meets none, nor
// does one that was cut short, nor, if there are expectations, one with an idle line of random
// faults.
func (r *Run) Met() bool {
	j := &r.Judgement
	if j.History == nil || j.CutShort || len(r.Expected) > 0 && !j.Idle().Empty() {
		return false
	}
	return !slices.ContainsFunc(r.Expected, func(e run.Expected) bool { return !e.Met() })
}

// Met reports whether every lock of the plan was played, and every run met its expectations.
func (b *Bundle) Met() bool {
	all := b.Plan == nil || len(b.Runs) >= len(b.Plan.Locks)
	return all && !slices.ContainsFunc(b.Runs, func(r Run) bool { return !r.Met() })
}

// Histories iterates over the histories of the runs that were played, each with the index of its
// run.
func (b *Bundle) Histories() iter.Seq2[int, *history.History] {
	return func(yield func(int, *history.History) bool) {
		for i := range b.Runs {
			if h := b.Runs[i].Judgement.History; h != nil && !yield(i, h) {
				return
			}
		}
	}
}

// Title is the name of the story.
func (b *Bundle) Title(l say.Language) string {
	if b.Plan != nil && b.Plan.Name != "" {
		return b.Plan.Prose(l).Name
	}
	for _, h := range b.Histories() {
		if h.Header.Scenario != "" {
			return h.Header.Scenario
		}
	}
	return say.Text("A run without a name").In(l)
}

// Subtitle says in plain words what the story is about; "" if its title says so.
func (b *Bundle) Subtitle(l say.Language) string {
	if b.Plan == nil {
		return ""
	}
	return b.Plan.Prose(l).Subtitle
}

// Slug is the machine-readable name of the story.
func (b *Bundle) Slug() string {
	if b.Plan != nil && b.Plan.Slug != "" {
		return b.Plan.Slug
	}
	return b.Title(say.English)
}

// Lag is the replication lag in the scaled time of a history, 0 when unknown. The plan may not have
// been scaled.
func (b *Bundle) Lag(h *history.History) time.Duration {
	if b.Plan == nil {
		return 0
	}
	lag := b.Plan.LagOf(h.Header.Lock)
	if ppm := h.Header.ScalePPM; ppm > 0 && h.Header.Lease != b.Plan.Lease {
		lag = lag / 1_000_000 * time.Duration(ppm)
	}
	return lag
}

// Simulated adds up the true time of all runs.
func (b *Bundle) Simulated() time.Duration {
	var sum time.Duration
	for _, h := range b.Histories() {
		sum += h.End().Duration()
	}
	return sum
}

// Speed says how much faster or slower than in its scenario a story was played; empty at scale 1.
func (b *Bundle) Speed() say.Phrase {
	ppm := b.ScalePPM
	if b.Plan != nil {
		ppm = cmp.Or(ppm, b.Plan.ScalePPM)
	}
	for _, h := range b.Histories() {
		if h.Header.ScalePPM != 1_000_000 { // that of real servers
			ppm = cmp.Or(ppm, h.Header.ScalePPM)
		}
	}
	times := func(n float64) say.Verbatim { return say.Verbatim(strconv.FormatFloat(n, 'g', 3, 64)) }
	switch {
	case ppm == 100_000:
		return say.Text("ten times faster")
	case ppm > 0 && ppm < 1_000_000:
		return say.TimesFaster.With(times(1_000_000 / float64(ppm)))
	case ppm > 1_000_000:
		return say.TimesSlower.With(times(float64(ppm) / 1_000_000))
	}
	return say.Phrase{}
}

// Worst returns the index of the first run with a broken property, else of the first with an
// unknown one, else -1.
func (b *Bundle) Worst() int {
	for _, verdict := range []checker.Verdict{checker.Broken, checker.Unknown} {
		has := func(f checker.Finding) bool { return f.Verdict == verdict }
		for i := range b.Runs {
			if slices.ContainsFunc(b.Runs[i].Judgement.Findings, has) {
				return i
			}
		}
	}
	return -1
}

// Finding returns the finding on a property; nil when it was not judged.
func (r *Run) Finding(property string) *checker.Finding {
	return each.Find(r.Judgement.Findings, func(f *checker.Finding) bool { return f.Property == property })
}
