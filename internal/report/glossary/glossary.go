// Package glossary explains the terms of the field, one sentence each, in English and in Chinese.
//
// Texts do not mark their terms: Find recognises them, so no mark can be forgotten:
//
//	for _, t := range glossary.Find(say.English, "The lease ends.") {
//		fmt.Println(t.English.Name, "-", t.English.Meaning)
//	}
package glossary

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"lockstep/internal/each"
	"lockstep/internal/say"
)

// Term is one term of the field.
type Term struct {
	ID      string // the English name, with dashes
	Page    bool   // only pages explain it, in exactly this spelling
	English Entry  `yaml:"en"`
	Chinese Entry  `yaml:"zh"`
}

// Entry is a term in one language.
type Entry struct {
	Name    string
	Also    []string // its other forms: plurals, verbs
	Meaning string   // one sentence
}

// In returns the entry of a language, the English one for an unknown language.
func (t *Term) In(l say.Language) *Entry {
	if l == say.Chinese {
		return &t.Chinese
	}
	return &t.English
}

//go:embed terms.yaml
var file []byte

// All returns the terms, in the order in which a reader may meet them.
func All() []Term { return read(say.English) }

// read reads the terms when they are first needed.
var read = say.OnceForEach(func(say.Language) (all []Term) {
	if err := yaml.UnmarshalWithOptions(file, &all, yaml.Strict()); err != nil {
		panic(err) // a test reads it
	}
	return all
})

// Lookup returns the term with an id.
func Lookup(id string) (Term, bool) {
	if t := each.Find(All(), func(t *Term) bool { return t.ID == id }); t != nil {
		return *t, true
	}
	return Term{}, false
}

// Find returns the terms in a text, each once, in the order of their first occurrence. The longest
// term wins: "random token" contains no "token".
func Find(l say.Language, text string) []Term {
	var found []Term
	for _, p := range Split(l, text, false) {
		known := func(t Term) bool { return t.ID == p.Term }
		if t, ok := Lookup(p.Term); ok && !slices.ContainsFunc(found, known) {
			found = append(found, t)
		}
	}
	return found
}

// form is one spelling of a term.
type form struct {
	text  string
	term  int
	exact bool // not in other letters, as at the beginning of a sentence
}

// forms lists all spellings of all terms, the longest first.
func forms(l say.Language) []form {
	var all []form
	for i := range All() {
		e := All()[i].In(l)
		for _, text := range append([]string{e.Name}, e.Also...) {
			all = append(all, form{text, i, All()[i].Page || text == strings.ToUpper(text)})
		}
	}
	slices.SortStableFunc(all, func(a, b form) int { return len(b.text) - len(a.text) })
	return all
}

// whole reports whether a piece is not part of a longer word. Only Latin letters and digits form
// words, since Chinese has no blanks. A dash joins words: the lock set-nx-token-getdel does not use
// "token".
func whole(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	first, _ := utf8.DecodeRuneInString(text[from:])
	last, _ := utf8.DecodeLastRuneInString(text[:to])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return !(latin(before) && latin(first)) && !(latin(last) && latin(after))
}

func latin(r rune) bool {
	return r != utf8.RuneError && r < 0x250 && (r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r))
}
