package page

import (
	"html"
	"html/template"
	"strings"
	"unicode"

	"lockstep/internal/report/glossary"
	"lockstep/internal/say"
)

// extraTerms are terms of reports that are not in the glossary. Names and meanings are texts of package
// say.
var extraTerms = []struct{ id, name, meaning string }{
	{"true-time", "true time", "The one clock that no process of a run can read; all times here are its times."},
	{"kept", "kept", "The run put the property to the test, and it held."},
	{"broken", "broken", "The property did not hold at some instant, and the report shows where."},
	{"unknown", "unknown", "The run did not put the property to the test. That never counts as kept."},
	{"space-time-diagram", "Space-time diagram", "Columns are processes, time runs down, slanted lines are messages."},
	{"round-trip", "round trip", "A command to the store and its reply back."},
}

// Linker links the first occurrence of each term to its explanation, in the order in which a page is
// filled in. Filling it in again needs a new Linker. The explanations are at {{template "words" .Words}},
// where the printed page shows them.
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
	if !strings.ContainsFunc(s, han) {
		language = say.English // a text of a scenario or a lock
	}
	for _, p := range glossary.Split(language, s) {
		switch {
		case p.Term == "":
			l.extra(&b, p.Text)
		case l.used[p.Term]:
			b.WriteString(html.EscapeString(p.Text))
		default:
			l.link(&b, p.Term, p.Text)
		}
	}
	return template.HTML(b.String()) // our own HTML, with the text escaped
}

func han(r rune) bool { return unicode.Is(unicode.Han, r) }

func (l *Linker) link(b *strings.Builder, id, text string) {
	l.used[id] = true
	l.order = append(l.order, id)
	b.WriteString(`<button type="button" class="term" popovertarget="word-` + html.EscapeString(id) + `">` + html.EscapeString(text) + `</button>`)
}

// extra links the extra terms.
func (l *Linker) extra(b *strings.Builder, s string) {
	for s != "" {
		at, end, found := len(s), len(s), -1
		for i := range extraTerms {
			if l.used[extraTerms[i].id] {
				continue
			}
			name := say.Text(extraTerms[i].name).In(l.language)
			if k := wordAt(s, name); k >= 0 && k < at {
				at, end, found = k, k+len(name), i
			}
		}
		b.WriteString(html.EscapeString(s[:at]))
		if found < 0 {
			return
		}
		l.link(b, extraTerms[found].id, s[at:end])
		s = s[end:]
	}
}

// wordAt returns the index of a whole word in a text, or -1. Chinese words have no borders.
func wordAt(s, word string) int {
	from := 0
	for {
		k := strings.Index(s[from:], word)
		if k < 0 {
			return -1
		}
		k += from
		end := k + len(word)
		if strings.ContainsFunc(word, han) || (k == 0 || !letter(s[k-1])) && (end == len(s) || !letter(s[end])) {
			return k
		}
		from = k + 1
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }

// Word is a line of the glossary.
type Word struct{ ID, Name, Meaning string }

// Words explains the linked terms and those in the explanations, in the order of their first occurrence.
func (l *Linker) Words() []Word {
	var out []Word
	for i := 0; i < len(l.order); i++ {
		id := l.order[i]
		if t, ok := glossary.Lookup(id); ok {
			e, name := t.In(l.language), t.In(l.language).Name
			if name != t.English.Name { // the name in other texts
				name += "（" + t.English.Name + "）"
			}
			out = append(out, Word{id, name, e.Meaning})
			for _, p := range glossary.Split(l.language, e.Meaning) {
				if p.Term != "" && !l.used[p.Term] {
					l.used[p.Term] = true
					l.order = append(l.order, p.Term)
				}
			}
			continue
		}
		for _, t := range extraTerms {
			if t.id == id {
				out = append(out, Word{id, say.Text(t.name).In(l.language), say.Text(t.meaning).In(l.language)})
			}
		}
	}
	return out
}
