package tour

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Card is a lesson for a page on which the learner makes the change: its texts in one language,
// with the figures filled in, and its initial scenario.
type Card struct {
	Number   int      `json:"-"`
	Title    string   `json:"-"`
	Name     string   `json:"name"`
	Story    string   `json:"story"`
	Question string   `json:"question"`
	Answers  []string `json:"answers"`
	Whys     []string `json:"whys"`  // why each answer is wrong; "" for the right one
	Right    int      `json:"right"` // index of the right answer
	Stop     int64    `json:"stop"`  // µs: where the run stops until the question is answered
	See      string   `json:"see"`
	Turn     string   `json:"turn"`
	Remember string   `json:"remember"`
	Controls []string `json:"controls"` // those that the change needs; the page hides the others
	Start    string   `json:"start"`    // the scenario of its run
	Goal     []string `json:"goal"`     // verdicts to reach, such as "mutual-exclusion kept"
}

// Cards plays all lessons with a seed.
func Cards(ctx context.Context, seed uint64, l say.Language) (all []Card, err error) {
	lessons, err := Lessons()
	if err != nil {
		return nil, err
	}
	for _, lesson := range lessons {
		c, err := lesson.card(ctx, seed, l)
		if err != nil {
			return nil, fmt.Errorf("lesson %s: %w", lesson.Name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// flowing is a text without line breaks within paragraphs: a page wraps them itself.
func flowing(text string, l say.Language) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range paragraphs {
		if paragraphs[i] = strings.Join(strings.Fields(p), " "); l == say.Chinese {
			paragraphs[i] = say.Spaced(paragraphs[i])
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func (lesson *Lesson) card(ctx context.Context, seed uint64, l say.Language) (Card, error) {
	s, err := perform(ctx, lesson, seed)
	if err != nil {
		return Card{}, err
	}
	o := &Options{Language: l, Seed: seed}
	fill := func(t Text) string { return flowing(o.fill(t.In(l), s.first, s.second), l) }
	c := Card{
		Number: lesson.Number, Name: lesson.Name, Title: fill(lesson.Title), Story: fill(lesson.Story), Question: fill(lesson.Predict.Text),
		Right: s.right - 1, See: fill(lesson.See), Turn: fill(lesson.Turn), Remember: fill(lesson.Remember), Controls: lesson.Controls,
		Start: s.first.text(seed), Stop: s.first.stop(),
	}
	for _, a := range lesson.Predict.Answers {
		c.Answers, c.Whys = append(c.Answers, fill(a.Text)), append(c.Whys, fill(a.Why))
	}
	for _, id := range explain.Order {
		before, after := lesson.Run.Claims[id], lesson.Switch.Run.Claims[id]
		if after == string(checker.Broken) && len(c.Goal) > 0 {
			continue // one harm is enough
		}
		if after != "" && after != before {
			c.Goal = append(c.Goal, id+" "+after)
		}
	}
	return c, nil
}

// stop is where a run stops until the learner has guessed, in µs: at its first fault or just before
// something breaks, whichever is first; at its first acquisition if there is neither.
func (p *Played) stop() int64 {
	t := p.Timeline()
	before := int64(-1)
	for _, s := range explain.Steps(t, p.Judgement.Findings) {
		at := s.At.Duration().Microseconds()
		switch kind := t.Events[s.Event].Kind; {
		case s.Violation && before >= 0:
			return before
		case kind == history.FaultBegan, kind == history.Froze, kind == history.Crashed:
			return at
		}
		before = at
	}
	for _, e := range t.Each(history.Acquired) {
		return e.At.Duration().Microseconds()
	}
	return 0
}

// text is the scenario file of a run without its prose, which the lesson replaces.
func (p *Played) text(seed uint64) string {
	bare := *p.Plan
	bare.Seed, bare.Subtitle, bare.Story, bare.Question, bare.Lesson, bare.Chinese = seed, "", "", "", "", p.Plan.Chinese
	bare.Chinese.Subtitle, bare.Chinese.Story, bare.Chinese.Question, bare.Chinese.Lesson = "", "", "", ""
	bare.Expect, bare.Faults = nil, slices.Clone(p.Plan.Faults)
	return scenario.Resolved(&bare)
}
