package say

import (
	_ "embed"
	"sync"

	"github.com/leonelquinteros/gotext"
)

// chinese is a gettext catalogue: the translations, keyed by the English text.
//
//go:embed zh.po
var chinese []byte

// entry is an English text, with a context if it has several translations.
type entry struct{ context, english string }

// catalogue is parsed when Chinese is first needed.
var catalogue = sync.OnceValue(func() map[entry]string {
	po := gotext.NewPo()
	po.Parse(chinese)
	all := map[entry]string{}
	for english, t := range po.GetDomain().GetTranslations() {
		all[entry{english: english}] = t.Get()
	}
	delete(all, entry{}) // the head of the file
	for context, some := range po.GetDomain().GetCtxTranslations() {
		for english, t := range some {
			all[entry{context, english}] = t.Get()
		}
	}
	return all
})

// The contexts of English words with several translations.
const (
	betweenNames   = "between names"
	betweenClauses = "between clauses"
)

// translated is a text in a language; the English if the catalogue lacks it. Tests check that the
// catalogue is complete.
func translated(l Language, english string) string { return word(l, english, "") }

// word is translated with a context.
func word(l Language, english, context string) string {
	if l == Chinese {
		if said, ok := catalogue()[entry{context, english}]; ok {
			return said
		}
	}
	return english
}

// Words are a text of the program, in English. The catalogue has its translation.
type Words string

// In returns the text.
func (w Words) In(l Language) string { return translated(l, string(w)) }

// English is the text in English.
func (w Words) English() string { return string(w) }

// Phrase is the text as a phrase of its own.
func (w Words) Phrase() Phrase { return Said.With(w) }

// Text is a text of the program, by its English; templates of pages use {{say "Verdict"}}. A text
// that the catalogue lacks is a name, which is the same in every language; a test finds missing
// translations.
func Text(english string) Phrase { return Words(english).Phrase() }

// Texts are several texts in a language.
func Texts(l Language, english ...string) []string {
	return mapped(english, func(text string) string { return Text(text).In(l) })
}
