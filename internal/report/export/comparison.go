package export

import (
	"encoding/json"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/compare"
	"lockstep/internal/report/sanitize"
)

// runsResult is a comparison for machines. It has the fields met and runs of `simulate run` with
// several scenarios, and more.
type runsResult struct {
	Schema      int               `json:"schema"`
	Met         bool              `json:"met"`
	Runs        []json.RawMessage `json:"runs"`
	Cautions    []string          `json:"cares"`
	Differences []settingResult   `json:"plan_differences"`
	Stories     []storyResult     `json:"stories"`
	Measures    []measuresResult  `json:"measures"`
}

type settingResult struct {
	Setting string    `json:"setting"`
	Values  []*string `json:"values"` // one for each run; null without the setting
}

// storyResult says where the story of one lock of a run diverges from another one.
type storyResult struct {
	Run         int    `json:"run"` // counted from 1
	Lock        string `json:"lock"`
	AgainstRun  int    `json:"against_run"`
	AgainstLock string `json:"against_lock"`
	Identical   bool   `json:"identical"`  // byte for byte
	FirstStep   *int   `json:"first_step"` // counted from 1; null when no step differs
	Here        string `json:"here"`
	There       string `json:"there"`
}

type measuresResult struct {
	Run             int    `json:"run"`
	Lock            string `json:"lock"`
	Acquired        *int64 `json:"acquired"`
	WaitMedianUS    *int64 `json:"wait_median_us"`
	WaitP99US       *int64 `json:"wait_p99_us"`
	HoldMedianUS    *int64 `json:"hold_median_us"`
	HoldLongestUS   *int64 `json:"hold_longest_us"`
	CommandsPer1000 *int64 `json:"commands_per_1000_acquisitions"`
	OverlapUS       *int64 `json:"overlap_us"`
}

// Comparison is a comparison for machines: one JSON object with a version.
func Comparison(c *compare.Comparison) ([]byte, error) {
	if c.Language != "" { // programs read English
		c = &compare.Comparison{Runs: c.Runs, Replay: c.Replay}
	}
	sides := c.Sides()
	out := runsResult{
		Schema: bundle.ResultSchema, Met: true, Runs: []json.RawMessage{}, Cautions: append([]string{}, c.Cautions()...),
		Differences: []settingResult{}, Stories: []storyResult{}, Measures: []measuresResult{},
	}
	for n := range c.Runs {
		data, err := Result(c.Runs[n].Bundle)
		if err != nil {
			return nil, err
		}
		out.Met = out.Met && c.Runs[n].Bundle.Met()
		out.Runs = append(out.Runs, data)
	}
	for _, d := range c.Differences() {
		r := settingResult{Setting: d.Name}
		for _, v := range d.Values {
			if v == "" {
				r.Values = append(r.Values, nil)
				continue
			}
			r.Values = append(r.Values, &v)
		}
		out.Differences = append(out.Differences, r)
	}
	for i := range sides {
		out.Measures = append(out.Measures, measuresOfSide(&sides[i]))
		if sides[i].Against >= 0 {
			out.Stories = append(out.Stories, storyOfSide(&sides[i], &sides[sides[i].Against]))
		}
	}
	return sanitize.JSON(out)
}

func storyOfSide(s, against *compare.Side) storyResult {
	out := storyResult{
		Run: s.Number, Lock: s.Run.Lock, AgainstRun: against.Number, AgainstLock: against.Run.Lock,
		Identical: s.Same, Here: s.Divergence.Here, There: s.Divergence.There,
	}
	if s.Divergence.Step > 0 {
		out.FirstStep = &s.Divergence.Step
	}
	return out
}

func measuresOfSide(s *compare.Side) measuresResult {
	a := s.Amounts()
	value := func(k int, unit int64) *int64 {
		if a[k] < 0 {
			return nil
		}
		v := a[k] / unit
		return &v
	}
	out := measuresResult{
		Run: s.Number, Lock: s.Run.Lock, Acquired: value(0, 1), WaitMedianUS: value(1, 1000), WaitP99US: value(2, 1000),
		HoldMedianUS: value(3, 1000), HoldLongestUS: value(4, 1000), OverlapUS: value(6, 1000),
	}
	if m := s.Measures; m != nil && m.Acquired > 0 {
		perThousand := int64(m.Commands) * 1000 / int64(m.Acquired)
		out.CommandsPer1000 = &perThousand
	}
	return out
}
