package export

import (
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Checked is one judged history, as programs read it.
type Checked struct {
	File      string                    `json:"file"`
	Number    int                       `json:"number"` // of the history in its file, counted from 1
	Scenario  string                    `json:"scenario"`
	Lock      string                    `json:"lock"`
	Seed      uint64                    `json:"seed"`
	Backend   string                    `json:"backend"`
	Hash      string                    `json:"hash"`
	Events    int                       `json:"events"`
	Whole     bool                      `json:"whole"`   // false: it may go on behind its last line
	Verdict   checker.Verdict           `json:"verdict"` // the worst of all properties
	Letter    checker.Letter            `json:"letter"`
	Words     string                    `json:"words"`
	Verdicts  map[string]CheckedVerdict `json:"verdicts"`
	OverlapUS int64                     `json:"overlap_us"`
	Acquired  int                       `json:"acquired"`
	Judgement checker.Judgement         `json:"-"`
}

// CheckedVerdict is what came of one property.
type CheckedVerdict struct {
	Verdict   checker.Verdict `json:"verdict"`
	Count     int             `json:"count"`
	FirstAtUS *int64          `json:"first_at_us"` // null when nothing broke
	Words     string          `json:"words"`       // the first violation, or why the verdict is unknown
}

// CheckedOf judges a history: so many of its file, counted from 1.
func CheckedOf(file string, number int, h *history.History) Checked {
	j := checker.Judge(h)
	c := Checked{
		File: file, Number: number, Scenario: h.Header.Scenario, Lock: h.Header.Lock, Seed: h.Header.Seed,
		Backend: h.Header.Backend, Hash: h.Hash().String(), Events: len(h.Events), Whole: h.Whole, Verdict: checker.Kept, Letter: j.Letter,
		Words: explain.Verdict(j).English(), Verdicts: map[string]CheckedVerdict{}, OverlapUS: j.Overlap.Microseconds(),
		Acquired: j.Acquired, Judgement: j,
	}
	for i := range j.Findings {
		f := &j.Findings[i]
		c.Verdict = checker.Worse(c.Verdict, f.Verdict)
		v := CheckedVerdict{Verdict: f.Verdict, Count: f.Count, Words: f.Reason.English()}
		if f.Verdict == checker.Broken && len(f.Violations) > 0 {
			at := f.Violations[0].From.Duration().Microseconds()
			v.FirstAtUS, v.Words = &at, FirstViolation(h, f).English()
		}
		c.Verdicts[f.Property] = v
	}
	return c
}

// FirstViolation tells the step at which a property broke for the first time.
func FirstViolation(h *history.History, f *checker.Finding) say.Phrase {
	alone := *f
	alone.Violations = f.Violations[:1]
	for _, step := range explain.Steps(h, []checker.Finding{alone}) {
		if step.Violation {
			return say.StepBreaks.With(say.Seconds(step.At), step.Sentence, step.Note)
		}
	}
	return say.AtTime.With(say.Seconds(f.Violations[0].From))
}

// Said is the verdict on the whole history.
func (c *Checked) Said() say.Phrase { return explain.Verdict(c.Judgement) }
