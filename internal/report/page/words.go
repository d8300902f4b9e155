package page

import (
	"html"
	"html/template"
	"strings"
	"unicode"

	"lockstep/internal/report/glossary"
	"lockstep/internal/say"
)

// Linker links the first occurrence of each term to its explanation, in the order in which a page
// is filled in. Filling it in again needs a new Linker. The explanations are at {{template "words"
// .Words}}, where the printed page shows them.
type Linker struct {
	language say.Language
	used     map[string]bool
	order    []string // ids of the terms in the order of their first use
}

// NewLinker makes a Linker for a page in a language.
func NewLinker(l say.Language) *Linker { return &Linker{language: l, used: map[string]bool{}} }

// Text escapes a clean text and links the terms that occur for the first time.
func (l *Linker) Text(s string) template.HTML {
	var b strings.Builder
	language := l.language
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		language = say.English // a text of a scenario or a lock
	}
	for _, p := range glossary.Split(language, s, language == l.language) {
		text := html.EscapeString(p.Text)
		if l.use(p.Term) {
			text = `<button type="button" class="term" popovertarget="word-` + p.Term + `">` + text + `</button>`
		}
		b.WriteString(text)
	}
	return template.HTML(b.String()) // our own HTML, with the text escaped
}

func (l *Linker) use(id string) bool {
	if id == "" || l.used[id] {
		return false
	}
	l.used[id], l.order = true, append(l.order, id)
	return true
}

// Word is a line of the glossary.
type Word struct{ ID, Name, Meaning string }

// Words explains the linked terms and those in the explanations, in the order of their first
// occurrence.
func (l *Linker) Words() []Word {
	var out []Word
	for i := 0; i < len(l.order); i++ {
		t, _ := glossary.Lookup(l.order[i])
		e := t.In(l.language)
		if t.Page {
			out = append(out, Word{t.ID, e.Name, e.Meaning})
			continue
		}
		name := e.Name
		if name != t.English.Name { // the name in other texts
			name += "（" + t.English.Name + "）"
		}
		out = append(out, Word{t.ID, name, e.Meaning})
		for _, p := range glossary.Split(l.language, e.Meaning, false) {
			l.use(p.Term)
		}
	}
	return out
}
