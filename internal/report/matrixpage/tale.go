package matrixpage

import (
	"html/template"
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// maxTold limits the steps of a run in a cell.
const maxTold = 14

// Tale is a run in brief: the steps that led to what broke.
type Tale struct {
	Verdict say.Phrase // one sentence
	Assumed say.Phrase // the false assumption; empty if none was proved
	Formula say.Phrase // why it is false, with numbers
	Steps   []explain.Step
	Before  int // steps left out before the first
	After   int // steps left out after the last

	picker   *picker                          // of Steps
	strip    func(say.Language) template.HTML // draws beliefs and entries; nil without any
	from, to history.Instant                  // the stretch that it draws
}

// NewTale tells a judged run briefly. lag is the replication lag of its plan, 0 when unknown.
func NewTale(j *checker.Judgement, lag time.Duration) *Tale {
	account := timeline.Of(j.History)
	wrong := explain.Assumption(account, j.Findings, lag)
	t := &Tale{Verdict: explain.Verdict(account, j), Assumed: wrong.Assumed, Formula: wrong.Formula}
	t.picker = newPicker(j, explain.Steps(account, j.Findings))
	t.Steps, t.Before, t.After = t.picker.story(maxTold)
	if n := len(t.Steps); n > 0 && j.Letter != checker.LetterStuck {
		t.draw(j, account, &wrong, t.Steps[0].At, t.Steps[n-1].At)
	}
	return t
}

// Again is the tale of another run of the same script without steps: its verdict, and the picture of the
// same stretch as that of t.
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

// shorter returns the tale with at most limit steps.
func (t *Tale) shorter(limit int) *Tale {
	if len(t.Steps) <= limit {
		return t
	}
	out := *t
	out.strip = nil
	out.Steps, out.Before, out.After = t.picker.story(limit)
	return &out
}

// picker chooses the steps of a tale.
type picker struct {
	h      *history.History
	steps  []explain.Step
	party  map[history.NodeID]bool // clients of the first violations
	stuck  bool                    // only progress broke
	center int                     // the turning point
	end    int                     // the last step to tell
}

// newPicker finds the turning point: the first violation, or, for a stuck lock, the first fault, since
// the violation is noticed much later.
func newPicker(j *checker.Judgement, steps []explain.Step) *picker {
	p := &picker{h: j.History, steps: steps, party: map[history.NodeID]bool{}, center: -1, end: len(steps) - 1}
	p.stuck = j.Letter == checker.LetterStuck
	for _, f := range j.Findings {
		if f.Verdict == checker.Broken && len(f.Violations) > 0 {
			for _, c := range f.Violations[0].Clients {
				p.party[c] = true
			}
		}
	}
	for i := range steps {
		if steps[i].Violation && !p.stuck || p.stuck && isFault(p.event(i).Kind) {
			p.center = i
			break
		}
	}
	if p.center < 0 {
		p.center = max(len(steps)-1, 0)
	}
	if !p.stuck {
		p.end = p.center
		for _, i := range p.firsts() {
			p.end = max(p.end, i)
		}
	}
	return p
}

func (p *picker) event(i int) *history.Event {
	if at := p.steps[i].Event; at >= 0 && int(at) < len(p.h.Events) {
		return &p.h.Events[at]
	}
	return &history.Event{}
}

// firsts are the first violations of each kind of event: the second client that enters, the stale write,
// the removal of a foreign entry.
func (p *picker) firsts() []int {
	var out []int
	seen := map[history.Kind]bool{}
	for i := range p.steps {
		if k := p.event(i).Kind; p.steps[i].Violation && !seen[k] {
			seen[k] = true
			out = append(out, i)
		}
	}
	return out
}

// story is at most limit steps, in their order, with the numbers of those left out around them.
func (p *picker) story(limit int) (told []explain.Step, before, after int) {
	last := -1
	for _, i := range p.pick(limit) {
		told = append(told, p.steps[i])
		told[len(told)-1].Skipped = i - last - 1
		last = i
	}
	if len(told) > 0 {
		before, told[0].Skipped = told[0].Skipped, 0
	}
	return told, before, len(p.steps) - last - 1
}

// pick chooses at most limit steps, the most important ones, and sorts them.
func (p *picker) pick(limit int) (out []int) {
	for _, i := range slices.Concat(p.firsts(), p.deciding(), p.entrances(), p.near(1), p.near(2), p.near(3)) {
		if !slices.Contains(out, i) && len(out) < limit {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}

// deciding are the steps that decided the violation, the last one first.
func (p *picker) deciding() (out []int) {
	for i := p.end; i >= 0; i-- {
		if p.steps[i].Decides {
			out = append(out, i)
		}
	}
	return out
}

// entrances are the last acquisitions of the parties before the turning point.
func (p *picker) entrances() []int {
	var out []int
	seen := map[history.NodeID]bool{}
	for i := p.center - 1; i >= 0; i-- {
		e := p.event(i)
		if e.Kind == history.Acquired && p.concerns(e) && !seen[e.Node] {
			seen[e.Node] = true
			out = append(out, i)
		}
	}
	return out
}

// near lists the steps of a class, the closest to the turning point first.
func (p *picker) near(class int) []int {
	var out []int
	for i := range p.steps {
		if i <= p.end && p.class(i) == class {
			out = append(out, i)
		}
	}
	distance := func(i int) int { return max(i-p.center, p.center-i) }
	slices.SortStableFunc(out, func(a, b int) int { return distance(a) - distance(b) })
	return out
}

// class is the relevance of a step: 1 faults and their effects on processes, 2 actions and beliefs of
// the parties, 3 changes of their entries, 4 the rest.
func (p *picker) class(i int) int {
	e := p.event(i)
	switch {
	case isFault(e.Kind):
		return 1
	case !p.concerns(e):
		return 4
	case e.Kind == history.Removed && e.Owner == e.Peer && i > 0 && p.steps[i].Belief.English() == p.steps[i-1].Belief.English():
		return 4 // it cleans up after a failed attempt
	case e.Kind == history.Granted, e.Kind == history.Extended, e.Kind == history.Replicated, e.Kind == history.TimedOut:
		return 3
	}
	return 2
}

// concerns reports whether an event is about a party; in a stuck run every node is a party.
func (p *picker) concerns(e *history.Event) bool {
	return p.stuck || p.party[e.Node] || p.party[e.Owner]
}

// isFault reports whether a kind of event belongs to a fault.
func isFault(k history.Kind) bool {
	switch k {
	case history.FaultBegan, history.Froze, history.Thawed, history.Crashed, history.Restarted, history.Promoted,
		history.Demoted, history.ClockChanged, history.ReplyDropped, history.RequestDropped, history.Forgotten, history.Healed:
		return true
	}
	return false
}
