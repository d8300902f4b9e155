package plan

import "lockstep/internal/say"

// Prose is the texts of a story in one language. No run depends on them.
type Prose struct {
	Name, Subtitle, Story, Question, Lesson, Origin string
}

// Prose returns the texts in a language, with English in place of those that are missing in it.
func (p *Plan) Prose(l say.Language) Prose {
	in := func(english, chinese string) string {
		return say.Both{English: english, Chinese: chinese}.In(l)
	}
	return Prose{
		Name: in(p.Name, p.Chinese.Name), Subtitle: in(p.Subtitle, p.Chinese.Subtitle), Story: in(p.Story, p.Chinese.Story), Question: in(p.Question, p.Chinese.Question),
		Lesson: in(p.Lesson, p.Chinese.Lesson), Origin: in(p.Origin, p.Chinese.Origin),
	}
}
