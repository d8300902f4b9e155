package export

import (
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Checked is one judged history, for programs.
type Checked struct {
	File      string                   `json:"file"`
	Number    int                      `json:"number"` // of the history in its file, counted from 1
	Scenario  string                   `json:"scenario"`
	Lock      string                   `json:"lock"`
	Seed      uint64                   `json:"seed"`
	Backend   string                   `json:"backend"`
	Hash      string                   `json:"hash"`
	Events    int                      `json:"events"`
	Whole     bool                     `json:"whole"`   // false: it may go on behind its last line
	Verdict   checker.Verdict          `json:"verdict"` // the worst of all properties
	Letter    checker.Letter           `json:"letter"`
	Words     string                   `json:"words"`
	Verdicts  map[string]VerdictResult `json:"verdicts"`
	OverlapUS int64                    `json:"overlap_us"`
	Acquired  int                      `json:"acquired"`
	Judgement checker.Judgement        `json:"-"`
	timeline  *timeline.Timeline
}

// CheckedOf judges a history; number is its place in its file, counted from 1.
func CheckedOf(file string, number int, h *history.History) Checked {
	asked := strings.FieldsFunc(h.Header.Asked, func(r rune) bool { return r == ',' })
	j, t := checker.Judge(h, asked...), timeline.Of(h)
	for _, id := range asked {
		if _, known := checker.Lookup(id); !known { // so its verdict is unknown
			j.Findings = append(j.Findings, j.Finding(id))
		}
	}
	c := Checked{
		File: file, Number: number, Scenario: h.Header.Scenario, Lock: h.Header.Lock, Seed: h.Header.Seed,
		Backend: h.Header.Backend, Hash: h.Hash().String(), Events: len(h.Events), Whole: h.Whole, Verdict: checker.Kept, Letter: j.Letter,
		Words: explain.Verdict(t, &j).English(), Verdicts: map[string]VerdictResult{}, OverlapUS: j.Overlap.Microseconds(),
		Acquired: j.Acquired, Judgement: j, timeline: t,
	}
	for i := range j.Findings {
		f := &j.Findings[i]
		c.Verdict = checker.Worse(c.Verdict, f.Verdict)
		v := verdictOf(f)
		if v.FirstAtUS != nil {
			v.Words = c.FirstViolation(f).English()
		}
		c.Verdicts[f.Property] = v
	}
	return c
}

// FirstViolation tells the step at which a property first broke.
func (c *Checked) FirstViolation(f *checker.Finding) say.Phrase {
	alone := *f
	alone.Violations = f.Violations[:1]
	steps := explain.Steps(c.timeline, []checker.Finding{alone})
	if n := bundle.FirstViolation(steps); n >= 0 {
		return say.StepBreaks.With(say.Seconds(steps[n].At), steps[n].Sentence, steps[n].Note)
	}
	return say.AtTime.With(say.Seconds(f.Violations[0].From))
}

// Said is the verdict on the whole history.
func (c *Checked) Said() say.Phrase {
	return explain.Verdict(c.timeline, &c.Judgement)
}
