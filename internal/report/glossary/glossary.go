// Package glossary explains the words of the field, one sentence each, in English
// and in Chinese.
//
// A text does not mark its terms: Find sees them. So no mark can be forgotten,
// and a term is explained wherever it comes up first:
//
//	for _, t := range glossary.Find(say.English, "The lease ends.") {
//		fmt.Println(t.English.Name, "-", t.English.Meaning)
//	}
package glossary

import (
	_ "embed"
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"lockstep/internal/say"
)

// Term is one word of the field.
type Term struct {
	ID      string // the English name, with dashes
	English Entry  `yaml:"en"`
	Chinese Entry  `yaml:"zh"`
}

// Entry is a term in one language.
type Entry struct {
	Name    string
	Also    []string // other forms of it in a text: plurals, verbs
	Meaning string   // one sentence
}

// In returns the entry of a language, the English one for a language that there
// is not.
func (t *Term) In(l say.Language) *Entry {
	if l == say.Chinese {
		return &t.Chinese
	}
	return &t.English
}

// read reads the terms, in the order of the file, when they are needed first.
var read = say.OnceForEach(func(say.Language) (all []Term) {
	if err := yaml.UnmarshalWithOptions(file, &all, yaml.Strict()); err != nil {
		panic(err) // a test reads it
	}
	return all
})

func terms() []Term { return read(say.English) }

//go:embed terms.yaml
var file []byte

// All returns the terms, in the order in which a reader may meet them.
func All() []Term { return append([]Term(nil), terms()...) }

// Lookup returns the term with an id.
func Lookup(id string) (Term, bool) {
	for _, t := range terms() {
		if t.ID == id {
			return t, true
		}
	}
	return Term{}, false
}

// Find returns the terms that occur in a text, each once, in the order in which
// they come up. Where a longer term covers a shorter one, the longer one counts:
// "random token" is no "token".
func Find(l say.Language, text string) []Term {
	var found []Term
	seen := map[string]bool{}
	for _, p := range Split(l, text) {
		if t, ok := Lookup(p.Term); ok && !seen[t.ID] {
			seen[t.ID] = true
			found = append(found, t)
		}
	}
	return found
}

// form is one way to write a term.
type form struct {
	text string
	term int
}

// forms lists all ways to write all terms, the longest first.
func forms(l say.Language) []form {
	var all []form
	for i := range terms() {
		e := terms()[i].In(l)
		for _, text := range append([]string{e.Name}, e.Also...) {
			all = append(all, form{text, i})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return len(all[i].text) > len(all[j].text) })
	return all
}

// whole reports whether the piece is no part of a longer word. Chinese is written
// without blanks, so only Latin letters and digits have such borders. A dash joins
// words: the lock set-nx-token-getdel is not a use of "token".
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
