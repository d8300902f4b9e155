package matrixpage

import (
	"html/template"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// maxTaleSteps limits the steps of a run in a cell.
const maxTaleSteps = 14

// Tale is a run in brief: the steps that led to what broke.
type Tale struct {
	Verdict say.Phrase // one sentence
	Assumed say.Phrase // the false assumption; empty if none was proved
	Formula say.Phrase // why it is false, with numbers
	Steps   []explain.Step
	Before  int // steps left out before the first
	After   int // steps left out after the last

	strip    func(say.Language) template.HTML // draws beliefs and entries; nil without any
	from, to history.Instant                  // the stretch that it draws
}

// NewTale tells a judged run briefly. lag is the replication lag of its plan, 0 when unknown.
func NewTale(j *checker.Judgement, lag time.Duration) *Tale {
	account := timeline.Of(j.History)
	wrong := explain.Assumption(account, j.Findings, lag)
	t := &Tale{Verdict: explain.Verdict(account, j), Assumed: wrong.Assumed, Formula: wrong.Formula}
	t.Steps, t.Before, t.After = explain.Story(explain.Steps(account, j.Findings), maxTaleSteps)
	if n := len(t.Steps); n > 0 && j.Letter != checker.LetterStuck {
		t.draw(j, account, &wrong, t.Steps[0].At, t.Steps[n-1].At)
	}
	return t
}

// Again is the tale of another run of the same script without steps: its verdict, and the picture
// of the same stretch as that of t.
func (t *Tale) Again(j *checker.Judgement, lag time.Duration) *Tale {
	account := timeline.Of(j.History)
	out := &Tale{Verdict: explain.Verdict(account, j)}
	if t.strip != nil {
		wrong := explain.Assumption(account, j.Findings, lag)
		out.draw(j, account, &wrong, t.from, t.to)
	}
	return out
}

func (t *Tale) draw(j *checker.Judgement, account *timeline.Timeline, wrong *explain.False, from, to history.Instant) {
	t.from, t.to = from, to
	margin := (to - from) / 40
	scale := strip.Scale{From: int64(max(from-margin, 0)), To: int64(to + margin), Lease: j.History.Header.Lease}
	t.strip = say.OnceForEach(func(l say.Language) template.HTML {
		s := strip.Of(j, bundle.BarsOf(account), strip.Options{Language: l, Wrong: *wrong})
		return template.HTML(strip.HTML([]*strip.Strip{s}, scale, l)) // our own HTML, with all texts escaped
	})
}
