package scenario

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// The texts of a file, in English, and below the key zh the same keys in Chinese.

const (
	titleExample    = "scenario: A long pause outlives the lease"
	subtitleExample = "subtitle: the holder sleeps for 15 s, its lease lasts 10 s"
)

// remedyForm is the form of a scenario's name.
var remedyForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?$`)

var proseKeys = []string{"scenario", "subtitle", "story", "question", "lesson", "origin"}

// words reads the title and the texts.
func (r *reader) words(root *node, g group, p *plan.Plan) {
	if _, ok := g["scenario"]; !ok {
		r.problemf(root, "the title is missing: start with a line such as %q", titleExample)
	}
	p.Texts = r.prose(g, asWritten)
	p.Chinese = r.prose(r.group(g["zh"].value, "zh", "scenario: a title in Chinese below it", proseKeys...), say.Spaced)
	if level, ok := r.count(g["level"].value, "level", "level: 1", 1, 3); ok {
		p.Level = level
	}
	if name, ok := r.value(g["remedy"].value, "remedy", "remedy: fence-saves-the-resource"); ok {
		if p.Remedy = name; !remedyForm.MatchString(name) {
			r.problemf(g["remedy"].value, "%q is no name of a scenario: `simulate list scenarios` shows them", name)
		}
	}
	r.seed(g["seed"].value, p)
}

func asWritten(text string) string { return text }

// prose reads the texts of one language; spaced removes the blanks that YAML inserts at line
// breaks.
func (r *reader) prose(g group, spaced func(string) string) (said plan.Texts) {
	if title, ok := r.value(g["scenario"].value, "scenario", titleExample); ok {
		said.Name = spaced(title)
		r.limit(g["scenario"].value, "the title", said.Name, MaxTitle)
	}
	if subtitle, ok := r.value(g["subtitle"].value, "subtitle", subtitleExample); ok {
		said.Subtitle = spaced(subtitle)
		r.limit(g["subtitle"].value, "the subtitle", said.Subtitle, MaxTitle)
	}
	texts := map[string]*string{"story": &said.Story, "question": &said.Question, "lesson": &said.Lesson, "origin": &said.Origin}
	for key, text := range texts { // order: problems are sorted by place
		e, ok := g[key]
		if !ok {
			continue
		}
		if e.value.kind != scalarNode || strings.TrimSpace(e.value.text) == "" {
			r.wrongKind(e.value, key, "a text", key+": >, and the text in the lines below, indented")
			continue
		}
		*text = spaced(tidyText(e.value.text))
		r.limit(e.value, "the "+key, *text, MaxText)
	}
	return said
}

func (r *reader) limit(n *node, what, text string, most int) {
	if length := utf8.RuneCountInString(text); length > most {
		r.problemf(n, "%s has %d characters, and %d is the most: shorten it", what, length, most)
	}
}

// tidyText drops invisible blanks, so that a text does not depend on how it is written down.
func tidyText(text string) string {
	return strings.TrimSpace(trailing.ReplaceAllString(strings.ReplaceAll(text, "\t", " "), ""))
}

var trailing = regexp.MustCompile(`(?m) +$`)

// prose prints the title and the texts before the world of the story.
func (w *writer) prose(p *plan.Plan) {
	w.line(0, "scenario: %s", scalar(p.Name))
	if p.Subtitle != "" {
		w.line(0, "subtitle: %s", scalar(p.Subtitle))
	}
	w.line(0, "level: %d", p.Level)
	w.text(0, "story", p.Story, asWritten)
	w.text(0, "question", p.Question, asWritten)
	if p.Remedy != "" {
		w.line(0, "remedy: %s", p.Remedy)
	}
	w.text(0, "origin", p.Origin, asWritten)
}

// chinese prints the Chinese texts.
func (w *writer) chinese(said plan.Texts) {
	if said == (plan.Texts{}) {
		return
	}
	w.line(0, "\nzh:")
	if said.Name != "" {
		w.line(1, "scenario: %s", scalar(said.Name))
	}
	if said.Subtitle != "" {
		w.line(1, "subtitle: %s", scalar(said.Subtitle))
	}
	w.text(1, "story", said.Story, say.Spaced)
	w.text(1, "question", said.Question, say.Spaced)
	w.text(1, "origin", said.Origin, say.Spaced)
	w.text(1, "lesson", said.Lesson, say.Spaced)
}

// text prints a text as a folded block, or in quotes when folding would change it.
func (w *writer) text(indent int, key, text string, spaced func(string) string) {
	if text == "" {
		return
	}
	var block []string
	for _, paragraph := range strings.Split(text, "\n") {
		lines := columns.Wrap(paragraph, w.width)
		if paragraph == "" || spaced(strings.Join(lines, " ")) != paragraph {
			w.line(indent, "%s: %s", key, doubleQuoted(text))
			return
		}
		block = append(append(block, lines...), "")
	}
	w.line(indent, "%s: >", key)
	for _, line := range block[:len(block)-1] {
		if line == "" {
			w.line(0, "")
			continue
		}
		w.line(indent+1, "%s", line)
	}
}

// textWidth is the width of a folded text in columns; a Chinese character takes two. The hashes of
// stored runs' files depend on it.
const textWidth = 96

var columns = say.RulerFor(say.English)
