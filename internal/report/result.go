package report

import "lockstep/internal/checker"

// resultSchema is the version of the result's form. Fields are only ever added.
const resultSchema = 1

type result struct {
	Schema   int          `json:"schema"`
	Scenario string       `json:"scenario"`
	Seed     uint64       `json:"seed"`
	Backend  string       `json:"backend"`
	Hash     string       `json:"hash"`
	Met      bool         `json:"met"`
	Locks    []lockResult `json:"locks"`
	RunDir   string       `json:"run_dir"`
}

type lockResult struct {
	Lock      string                   `json:"lock"`
	Met       bool                     `json:"met"`
	Verdicts  map[string]verdictResult `json:"verdicts"` // encoding/json sorts the keys
	Letter    string                   `json:"letter"`
	OverlapUS int64                    `json:"overlap_us"`
	Acquired  int                      `json:"acquired"`
	Faults    []faultResult            `json:"faults"`
}

type verdictResult struct {
	Verdict   string `json:"verdict"`
	Count     int    `json:"count"`
	FirstAtUS *int64 `json:"first_at_us"` // null when nothing broke
}

type faultResult struct {
	Verb  string `json:"verb"`
	Fired bool   `json:"fired"`
}

// Result is the result of a run for machines: one JSON object with a version.
// Its texts are as the scenario has them; what could steer a terminal is escaped
// as JSON allows.
func Result(b *Bundle) ([]byte, error) {
	out := result{
		Schema: resultSchema, Scenario: b.slug(), Seed: b.Seed, Backend: b.Backend,
		Hash: b.Hash, Met: b.Met(), Locks: []lockResult{}, RunDir: b.RunDir,
	}
	for i := range b.Runs {
		out.Locks = append(out.Locks, resultOf(&b.Runs[i]))
	}
	return JSON(out)
}

func resultOf(r *Run) lockResult {
	j := &r.Judgement
	out := lockResult{
		Lock: r.Lock, Met: r.Met(), Verdicts: map[string]verdictResult{},
		Letter: string(j.Letter), OverlapUS: j.Overlap.Microseconds(), Acquired: j.Acquired,
		Faults: []faultResult{},
	}
	for _, f := range j.Findings {
		v := verdictResult{Verdict: string(f.Verdict), Count: f.Count}
		if f.Verdict == checker.Broken && len(f.Violations) > 0 {
			at := f.Violations[0].From.Duration().Microseconds()
			v.FirstAtUS = &at
		}
		out.Verdicts[f.Property] = v
	}
	for _, f := range j.Faults {
		out.Faults = append(out.Faults, faultResult{Verb: f.Verb, Fired: f.Times > 0})
	}
	return out
}
