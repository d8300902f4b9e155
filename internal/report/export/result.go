// Package export writes the results of runs for programs and CI servers: JSON, JUnit XML, a summary
// in Markdown, annotations.
package export

import (
	"encoding/json"

	"lockstep/internal/checker"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// RunResult is the output of `simulate run --json` for one scenario, and the content of
// result.json. The schema and the reference describe a field with its doc tag.
type RunResult struct {
	Schema   int          `json:"schema" doc:"The version of this form. Fields are only ever added."`
	Scenario string       `json:"scenario" doc:"The name of the scenario's file, without its ending."`
	Subtitle string       `json:"subtitle" doc:"What the scenario is about in plain words; empty where its title says so."`
	Seed     uint64       `json:"seed" doc:"The seed that was played."`
	Backend  string       `json:"backend" doc:"The world: sim, process, docker or compose; of a history from elsewhere, what it says itself."`
	Hash     string       `json:"hash" doc:"Covers every byte of the histories: the same hash, the same run."`
	Met      bool         `json:"met" doc:"Whether every expectation of every lock is met."`
	Versions Versions     `json:"versions" doc:"What has judged the histories. Another version may judge them otherwise."`
	Locks    []LockResult `json:"locks" doc:"One for each lock, in the order of the scenario."`
	RunDir   string       `json:"run_dir" doc:"Where the run is stored; empty when it is not."`
}

// Versions are the versions of the code that judged a run.
type Versions struct {
	Checker int    `json:"checker" doc:"The version of the properties: it rises when a history could get another verdict than before."`
	Program string `json:"program" doc:"The module version or the commit of the program; empty when it is not known."`
}

// LockResult is the result of one lock.
type LockResult struct {
	Lock         string                   `json:"lock" doc:"The id of the lock."`
	Met          bool                     `json:"met" doc:"Whether all its expectations are met, and idle says nothing; true when there are none, and the run was played to its end."`
	Idle         string                   `json:"idle" doc:"Which faults of the list had no noticeable effect, though they could have been drawn, in words. Empty when each did something."`
	Untested     string                   `json:"untested" doc:"What the run was meant to test and did not, in words: a fault that never fired. Empty when it tested everything."`
	Expectations []ExpectationResult      `json:"expectations" doc:"What is expected of this lock; empty when the scenario says that nothing is."`
	Verdicts     map[string]VerdictResult `json:"verdicts" doc:"By property. One that is unknown was not put to the test."` // encoding/json sorts the keys
	Letter       checker.Letter           `json:"letter" doc:"The outcome in one word, as in the matrix."`
	Impact       checker.Impact           `json:"impact" enum:"kept data-safe unknown data-damaged" doc:"What the run did to the data: every promise was kept; a promise broke, and the data are unharmed; the run does not tell; the data are damaged."`
	OverlapUS    int64                    `json:"overlap_us" doc:"For how long two clients or more believed that they hold, in microseconds."`
	Acquired     int                      `json:"acquired" doc:"How often the lock was acquired, the probe included."`
	Faults       []FaultResult            `json:"faults" doc:"The faults that were planned, in their order."`
}

// ExpectationResult is one thing that the scenario expects.
type ExpectationResult struct {
	Property string `json:"property" doc:"The id of the property."`
	Verdict  string `json:"verdict" enum:"kept broken" doc:"What is expected."`
	Met      bool   `json:"met" doc:"Whether the verdict on the property is this one."`
	Implied  bool   `json:"implied" doc:"Whether it goes without saying: nothing else is expected of this lock."`
}

// VerdictResult is what was found about one property.
type VerdictResult struct {
	Verdict   checker.Verdict `json:"verdict" enum:"kept broken unknown" doc:"What was found."`
	Count     int             `json:"count" doc:"How often it broke."`
	FirstAtUS *int64          `json:"first_at_us" doc:"When it first broke, in microseconds of true time since the run began; null when it did not break."`
	Words     string          `json:"words" doc:"Why it is unknown; empty when it is known. simulate check tells the first violation here."`
}

// FaultResult is one fault.
type FaultResult struct {
	Verb   string `json:"verb" doc:"What it does."`
	Fired  bool   `json:"fired" doc:"Whether it came about."`
	Effect bool   `json:"effect" doc:"Whether it changed anything."`
}

// SeedsResult is the output of `simulate run --times --json` for one scenario.
type SeedsResult struct {
	Schema    int                 `json:"schema" doc:"The version of this form. Fields are only ever added."`
	Scenario  string              `json:"scenario" doc:"The name of the scenario's file, without its ending."`
	Backend   string              `json:"backend" doc:"The world: sim, process, docker or compose."`
	Met       bool                `json:"met" doc:"Whether every run met its expectations and tested what it was meant to."`
	FirstSeed uint64              `json:"first_seed" doc:"The first seed that was played."`
	Times     int                 `json:"times" doc:"How many seeds were played, one after the other."`
	Locks     []bundle.SeedsTally `json:"locks" doc:"One for each lock, in the order of the scenario."`
}

// SeveralResult is the output of `simulate run --json` for several scenarios, or if it left
// something out.
type SeveralResult struct {
	Schema    int                 `json:"schema" doc:"The version of this form. Fields are only ever added."`
	Met       bool                `json:"met" doc:"Whether all of them are as expected."`
	Counts    bundle.StatusCounts `json:"counts" doc:"How many runs, one of each scenario with each of its locks, had which status. With --times all seeds are one."`
	Runs      []json.RawMessage   `json:"runs" doc:"One for each scenario: a run, or with --times what many seeds have shown."`
	NotPlayed []NotPlayed         `json:"not_played,omitzero" doc:"What was left out because the world cannot play it."`
}

// NotPlayed is a lock of a scenario that was left out.
type NotPlayed struct {
	Scenario string `json:"scenario" doc:"The name of the scenario's file, without its ending."`
	Lock     string `json:"lock" doc:"The id of the lock."`
	Reason   string `json:"reason" doc:"Why the world cannot play it."`
}

// Result is the result of a run for machines: one JSON object with a version. Its texts are those
// of the scenario; characters that could steer a terminal are escaped.
func Result(b *bundle.Bundle) ([]byte, error) {
	out := RunResult{
		Schema: bundle.ResultSchema, Scenario: b.Slug(), Subtitle: b.Subtitle(say.English), Seed: b.Seed, Backend: b.Backend,
		Hash: b.Hash, Met: b.Met(), Versions: Versions{checker.Version, b.Program}, Locks: []LockResult{}, RunDir: b.RunDir,
	}
	for i := range b.Runs {
		out.Locks = append(out.Locks, resultOf(&b.Runs[i]))
	}
	return sanitize.JSON(out)
}

func resultOf(r *bundle.Run) LockResult {
	j := &r.Judgement
	out := LockResult{
		Lock: r.Lock, Met: r.Met(), Idle: j.Idle().English(), Untested: r.Judgement.Untested.English(), Expectations: []ExpectationResult{}, Verdicts: map[string]VerdictResult{},
		Letter: j.Letter, Impact: j.Impact(), OverlapUS: j.Overlap.Microseconds(), Acquired: j.Acquired, Faults: []FaultResult{},
	}
	for _, e := range r.Expected {
		out.Expectations = append(out.Expectations, ExpectationResult{e.Property, e.Verdict, e.Met(), e.Implied})
	}
	for i := range j.Findings {
		out.Verdicts[j.Findings[i].Property] = verdictOf(&j.Findings[i])
	}
	for _, f := range j.Faults {
		out.Faults = append(out.Faults, FaultResult{Verb: f.Verb, Fired: f.Times > 0, Effect: f.Times > 0 && !f.NoEffect})
	}
	return out
}

func verdictOf(f *checker.Finding) VerdictResult {
	v := VerdictResult{Verdict: f.Verdict, Count: f.Count, Words: f.Reason.English()}
	if f.Verdict == checker.Broken && len(f.Violations) > 0 {
		at := f.Violations[0].From.Duration().Microseconds()
		v.FirstAtUS = &at
	}
	return v
}
