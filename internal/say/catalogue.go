package say

import (
	_ "embed"
	"sync"

	"github.com/leonelquinteros/gotext"
)

// chinese is a gettext catalogue: each sentence and each word by its English.
//
//go:embed zh.po
var chinese []byte

// entry is an English text, and a context where Chinese has several for it.
type entry struct{ context, english string }

// catalogue is read when a reader of Chinese first needs it.
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

// The contexts of words that are one in English and several in Chinese.
const (
	betweenNames   = "between names"
	betweenClauses = "between clauses"
)

// translated is a text in a language; the English where the catalogue does not have it. Tests see to it that it has
// all that is ours.
func translated(l Language, english string) string { return word(l, english, "") }

// word is translated in a context.
func word(l Language, english, context string) string {
	if l == Chinese {
		if said, ok := catalogue()[entry{context, english}]; ok {
			return said
		}
	}
	return english
}

// Words are a text of ours, by its English. In Chinese they are what the catalogue has.
type Words string

// In returns the text.
func (w Words) In(l Language) string { return translated(l, string(w)) }

// English is the text in English.
func (w Words) English() string { return string(w) }

// Phrase is the text by itself.
func (w Words) Phrase() Phrase { return ours.With(w) }

// Text is a text of ours, by its English: templates of pages ask for it with {{say "Verdict"}}. One that the
// catalogue does not have is a name, and the same in every language; a test finds those that were forgotten.
func Text(english string) Phrase { return Words(english).Phrase() }

// Texts are those texts in a language.
func Texts(l Language, english ...string) []string {
	out := make([]string, len(english))
	for i, text := range english {
		out[i] = Text(text).In(l)
	}
	return out
}

var ours = New1[Words]("{text}")
