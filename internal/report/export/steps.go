package export

import (
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/timeline"
)

// Steps are the narrated steps of histories for machines, judged by the properties that are Core
// and those asked for: one JSON object with a version.
func Steps(histories []*history.History, asked ...string) ([]byte, error) {
	type step struct {
		AtUS      int64  `json:"at_us"`
		Event     int32  `json:"event"` // its index in the history
		Sentence  string `json:"sentence"`
		Belief    string `json:"belief"`
		Store     string `json:"store"` // "" when the history does not show it
		Violation bool   `json:"violation"`
		Note      string `json:"note"` // of a violation
	}
	type story struct {
		Lock  string `json:"lock"`
		Seed  uint64 `json:"seed"`
		Words string `json:"words"`
		Steps []step `json:"steps"`
		// Numbers of steps of a very long run that are left out before and after these.
		Earlier int `json:"earlier_steps,omitzero"`
		Later   int `json:"later_steps,omitzero"`
	}
	all := []story{}
	for _, h := range histories {
		j, t := checker.Judge(h, asked...), timeline.Of(h)
		one := story{Lock: sanitize.Line(h.Header.Lock), Seed: h.Header.Seed, Words: sanitize.Line(explain.Verdict(t, &j).English()), Steps: []step{}}
		var steps []explain.Step
		steps, one.Earlier, one.Later = explain.Narrate(t, j.Findings)
		for _, s := range steps {
			one.Steps = append(one.Steps, step{
				s.At.Duration().Microseconds(), s.Event, sanitize.Line(s.Sentence.English()),
				sanitize.Line(s.Belief.English()), sanitize.Line(s.Store.English()), s.Violation, sanitize.Line(s.Note.English()),
			})
		}
		all = append(all, one)
	}
	return sanitize.JSON(map[string]any{"schema": 1, "runs": all})
}
