// Package report draws what a run has shown: one HTML file, the text for a
// terminal, a plot, and the result as JSON.
//
// It is pure: no clock, no random ids, no order that a map would choose. The
// same bundle gives the same bytes, therefore reports can be compared, kept
// under version control and drawn again from a stored history.
//
// Every text of a bundle may be hostile: it comes from a scenario file or a
// history that somebody else has written. Text is cleaned (see clean) before it
// reaches a terminal, and cleaned and escaped before it reaches a page.
package report

import (
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// Bundle is everything that one report shows: one plan with one seed, played
// with one or more locks.
type Bundle struct {
	Plan    *plan.Plan
	Runs    []Run
	Backend string // sim, process, docker, compose
	Seed    uint64
	Replay  string // the command line that plays it again
	RunDir  string // where the files of the run are; "" when nothing was written
	Hash    string // covers the bytes of the histories
	Program string // the version of the program that judged them; "" when unknown
	Logs    bool   // whether the logs of the servers are in stores/
}

// Run is one lock's part of a bundle.
type Run struct {
	Lock      string
	Judgement checker.Judgement
	Expected  []Expected
	Untested  say.Phrase // what the run was meant to test and did not: "fault 2 never fired"; empty when nothing
}

// Expected is what the scenario's author expects of one property, beside what
// the checker found.
type Expected struct {
	Property string
	Expected string // kept or broken
	Got      string
	Met      bool
	Implied  bool // the scenario says nothing of the lock
}

// Met reports whether every expectation of the run is met. A run without a
// history has met nothing, nor has one that was cut short.
func (r *Run) Met() bool {
	if r.Judgement.History == nil || r.Judgement.CutShort {
		return false
	}
	for _, e := range r.Expected {
		if !e.Met {
			return false
		}
	}
	return true
}

// Met reports whether every expectation of every run is met, and every lock of the plan
// was played.
func (b *Bundle) Met() bool {
	if b.Plan != nil && len(b.Runs) < len(b.Plan.Locks) {
		return false
	}
	for i := range b.Runs {
		if !b.Runs[i].Met() {
			return false
		}
	}
	return true
}

// title is the name of the story.
func (b *Bundle) title(l say.Language) string {
	if b.Plan != nil && b.Plan.Name != "" {
		return b.Plan.Prose(l).Name
	}
	for i := range b.Runs {
		if h := b.Runs[i].Judgement.History; h != nil && h.Header.Scenario != "" {
			return h.Header.Scenario
		}
	}
	return say.Text("A run without a name").In(l)
}

// slug is the name of the story for machines.
func (b *Bundle) slug() string {
	if b.Plan != nil && b.Plan.Slug != "" {
		return b.Plan.Slug
	}
	return b.title(say.English)
}

// lag is the replication lag in the time of the histories, 0 when unknown. A
// plan that has not been scaled yet still speaks of unscaled time.
func (b *Bundle) lag(h *history.History) time.Duration {
	if b.Plan == nil {
		return 0
	}
	lag := b.Plan.Redis.Lag
	if v, ok := locks.Lookup(h.Header.Lock); ok {
		switch v.Store {
		case locks.StoreMySQL:
			lag = b.Plan.MySQL.Lag
		case locks.StorePostgres:
			lag = b.Plan.Postgres.Lag
		}
	}
	if ppm := h.Header.ScalePPM; ppm > 0 && h.Header.Lease != b.Plan.Lease {
		lag = lag / 1_000_000 * time.Duration(ppm)
	}
	return lag
}

// simulated adds up the true time of all runs.
func (b *Bundle) simulated() time.Duration {
	var sum time.Duration
	for i := range b.Runs {
		if h := b.Runs[i].Judgement.History; h != nil {
			sum += h.End().Duration()
		}
	}
	return sum
}

// worst returns the index of the first run that has a broken property, else of
// the first that has an unknown one, else -1.
func (b *Bundle) worst() int {
	for _, verdict := range []checker.Verdict{checker.Broken, checker.Unknown} {
		for i := range b.Runs {
			for _, f := range b.Runs[i].Judgement.Findings {
				if f.Verdict == verdict {
					return i
				}
			}
		}
	}
	return -1
}

// finding returns what was found about a property; nil when it was not judged.
func (r *Run) finding(property string) *checker.Finding {
	for i := range r.Judgement.Findings {
		if r.Judgement.Findings[i].Property == property {
			return &r.Judgement.Findings[i]
		}
	}
	return nil
}

// fenced reports whether a fence has refused a write in the run.
func (r *Run) fenced() bool {
	h := r.Judgement.History
	if h == nil {
		return false
	}
	for i := range h.Events {
		if h.Events[i].Kind == history.WriteRefused {
			return true
		}
	}
	return false
}
