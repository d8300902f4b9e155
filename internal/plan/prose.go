package plan

import "lockstep/internal/say"

// Texts are those of a story in one language. No run depends on them.
type Texts struct {
	Name                    string // from the scenario's title
	Subtitle                string // what it is about in plain words, where the title only makes sense afterwards
	Story, Question, Lesson string
	Origin                  string // where a generated file comes from
}

// Prose returns the texts in a language, with English in place of those that are missing in it.
func (p *Plan) Prose(l say.Language) Texts {
	in := func(english, chinese string) string {
		return say.Both{English: english, Chinese: chinese}.In(l)
	}
	return Texts{
		Name: in(p.Name, p.Chinese.Name), Subtitle: in(p.Subtitle, p.Chinese.Subtitle), Story: in(p.Story, p.Chinese.Story), Question: in(p.Question, p.Chinese.Question),
		Lesson: in(p.Lesson, p.Chinese.Lesson), Origin: in(p.Origin, p.Chinese.Origin),
	}
}
