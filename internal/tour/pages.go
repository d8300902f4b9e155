package tour

import (
	"context"
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/glossary"
)

// kind is a page of a lesson.
type kind int

// The pages of a lesson, in order.
const (
	storyPage kind = iota
	predictPage
	runPage
	seePage
	switchPage
	againPage
	rememberPage
)

// show is a lesson that has been played: two runs, and the learner's answer.
type show struct {
	*Lesson
	first, second *Played
	right         int // the right answer, from 1; 0 if the run shows none
	guess         int // the learner's answer, from 1; 0 if there is none
}

// perform plays both runs of a lesson.
func perform(ctx context.Context, l *Lesson, seed uint64) (*show, error) {
	first, err := Play(ctx, &l.Run, seed)
	if err != nil {
		return nil, err
	}
	second, err := Play(ctx, &l.Switch.Run, seed)
	if err != nil {
		return nil, err
	}
	right, err := l.Predict.Right(first)
	if err != nil {
		return nil, err
	}
	s := &show{Lesson: l, first: first, second: second}
	if len(right) == 1 {
		s.right = right[0] + 1
	}
	return s, nil
}

// write writes a page of a lesson.
func (s *show) write(c *canvas, k kind, total int) {
	o := c.o
	if k == storyPage || o.Quiet && k == runPage {
		c.title(o.say("lesson", s.Number, total, s.Title.In(o.Language)))
		c.note(s.Title.In(o.Language))
	}
	switch k {
	case storyPage:
		s.prose(c, "story", s.Story)
	case predictPage:
		s.question(c)
	case runPage:
		c.heading(o.say("run"))
		c.command(o.command(s.first))
		c.Gap()
		s.verdicts(c, s.first)
		s.reveal(c)
	case seePage:
		s.prose(c, "see", s.See)
		s.picture(c, s.first)
		s.steps(c, s.first)
		s.disproved(c)
	case switchPage:
		s.prose(c, "switch", s.Switch.Text)
	case againPage:
		c.heading(o.say("again"))
		c.command(o.command(s.second))
		c.Gap()
		s.verdicts(c, s.first, s.second)
		if !o.Quiet {
			s.picture(c, s.second)
			s.steps(c, s.second)
		}
	case rememberPage:
		s.prose(c, "remember", s.Remember)
		s.yours(c)
		s.own(c)
		s.onward(c)
	}
}

func (s *show) prose(c *canvas, heading string, t Text) {
	c.heading(c.o.say(heading))
	c.prose(c.o.fill(t.In(c.o.Language), s.first, s.second))
}

func (s *show) question(c *canvas) {
	l := c.o.Language
	c.heading(c.o.say("predict"))
	c.prose(c.o.fill(s.Predict.Text.In(l), s.first, s.second))
	for i, a := range s.Predict.Answers {
		c.item(i+1, c.o.fill(a.In(l), s.first, s.second))
	}
}

// reveal says which answer is right.
func (s *show) reveal(c *canvas) {
	o := c.o
	c.Gap()
	if s.right == 0 {
		c.prose(o.say("no answer"))
		return
	}
	answer := o.fill(s.Predict.Answers[s.right-1].In(o.Language), s.first, s.second)
	switch s.guess {
	case 0:
		c.prose(o.say("shown", s.right, answer))
	case s.right:
		c.prose(o.say("right", s.guess, answer))
	default:
		c.prose(o.say("wrong", s.guess, s.right, answer))
		c.prose(o.fill(s.Predict.Answers[s.guess-1].Why.In(o.Language), s.first, s.second))
	}
}

// verdicts sums up the last run in a sentence, and shows side by side the properties that the
// lesson is about and every other one that broke.
func (s *show) verdicts(c *canvas, runs ...*Played) {
	last := runs[len(runs)-1]
	if !c.o.Quiet {
		c.prose(explain.Verdict(last.Timeline(), &last.Judgement).In(c.o.Language))
		c.Gap()
	}
	one, two := c.o.labels(s.first, s.second)
	header := []string{"", s.first.Run.Lock}
	if len(runs) == 2 {
		header = []string{"", one, two}
	}
	rows := [][]string{header}
	for _, id := range explain.Order {
		if !s.about(id) {
			continue
		}
		row := []string{id}
		for _, p := range runs {
			row = append(row, bundle.VerdictText(p.Finding(id), c.o.Language))
		}
		rows = append(rows, row)
	}
	c.table(rows)
}

// about reports whether the lesson shows a property.
func (s *show) about(property string) bool {
	return slices.ContainsFunc([]*Played{s.first, s.second}, func(p *Played) bool {
		return p.Run.Claims[property] != "" || p.Judgement.Finding(property).Verdict == checker.Broken
	})
}

// steps narrates a run in the words of the reports.
func (s *show) steps(c *canvas, p *Played) {
	story, before, among, after := p.steps()
	c.Gap()
	c.left("earlier", before)
	for _, step := range story {
		c.step(step)
	}
	c.left("between", among)
	c.left("later", after)
}

// disproved names the assumption that the first run proved false.
func (s *show) disproved(c *canvas) {
	p := s.first
	f := explain.Assumption(p.Timeline(), p.Judgement.Findings, p.Plan.LagOf(p.Lock))
	if !f.Proved() {
		return
	}
	c.Gap()
	c.field(c.o.say("assumed"), f.Assumed.In(c.o.Language))
	c.field(c.o.say("in fact"), f.Formula.In(c.o.Language))
}

// yours asks the learner to find a value.
func (s *show) yours(c *canvas) {
	c.heading(c.o.say("yours"))
	find := "find"
	if s.Yours.Change == lockKey {
		find = "find lock"
	}
	for property, verdict := range s.Yours.Reach { // order: only one
		c.prose(c.o.say(find, property, c.o.say("until "+verdict)))
	}
	c.Gap()
	if s.Yours.Change == lockKey {
		c.command("simulate list locks")
	}
	c.command(s.Yours.command(&s.Run, "?", c.o.Seed))
}

// own says what to type for the learner's own lock.
func (s *show) own(c *canvas) {
	if len(s.Own) == 0 {
		return
	}
	c.heading(c.o.say("own"))
	for i, step := range s.Own {
		if text := step.Text.In(c.o.Language); text != "" {
			if i > 0 {
				c.Gap()
			}
			c.prose(text)
		}
		c.command(step.Command)
	}
}

// onward names further scenarios.
func (s *show) onward(c *canvas) {
	if len(s.More) == 0 {
		return
	}
	c.Gap()
	c.prose(c.o.say("more"))
	for _, name := range s.More {
		c.command("simulate run " + name)
	}
}

// explainTerms explains the terms that first occur on this page. first has the page of each term's
// first occurrence, and is extended.
func explainTerms(c *canvas, first map[string]place, at place) {
	heading := false
	for _, t := range glossary.Find(c.o.Language, c.text()) {
		if _, known := first[t.ID]; !known {
			first[t.ID] = at
		}
		if first[t.ID] != at {
			continue
		}
		if !heading {
			c.heading(c.o.say("words"))
			heading = true
		}
		e := t.In(c.o.Language)
		c.term(e.Name, strings.TrimSpace(e.Meaning))
	}
}

// pagesOf are the pages to show of a lesson.
func pagesOf(o *Options) []kind {
	if o.Quiet {
		return []kind{againPage}
	}
	return []kind{storyPage, predictPage, runPage, seePage, switchPage, againPage, rememberPage}
}
