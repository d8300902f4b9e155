package plan

import "lockstep/internal/say"

// Prose is what a story says to its reader, in one language. No run depends on it.
type Prose struct {
	Name, Subtitle, Story, Question, Lesson, Origin string
}

// Prose returns what the story says in a language; in English what it does not say in that one.
func (p *Plan) Prose(l say.Language) Prose {
	in := func(english, chinese string) string {
		return say.Both{English: english, Chinese: chinese}.In(l)
	}
	return Prose{
		Name: in(p.Name, p.Chinese.Name), Subtitle: in(p.Subtitle, p.Chinese.Subtitle), Story: in(p.Story, p.Chinese.Story), Question: in(p.Question, p.Chinese.Question),
		Lesson: in(p.Lesson, p.Chinese.Lesson), Origin: in(p.Origin, p.Chinese.Origin),
	}
}
