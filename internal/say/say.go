// Package say puts facts into words, in English and in Chinese.
//
// A phrase is a template with typed arguments. Go has its English, and the catalogue zh.po
// its Chinese, so what happened is decided before the language of the reader is known:
//
//	say.Wakes.With(say.Client("A"), true).In(say.English)
//
// A template is a sentence in which these stand for its arguments, in the order in which the
// English sentence first names them:
//
//	{who}             the argument, in the language of the sentence
//	{Who}             the same at the beginning of a sentence: The store, not the store
//	{n|write|writes}  the word that goes with the number n
//	[ for {time}]     left out when one of the arguments in it says nothing
//	[woke? and so]    only when the argument is true
package say

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Language is a language of the program's output.
type Language string

// The languages, as commands name them.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// OnceForEach makes something once for each language, when it is first needed.
func OnceForEach[T any](of func(Language) T) func(Language) T {
	english, chinese := sync.OnceValue(func() T { return of(English) }), sync.OnceValue(func() T { return of(Chinese) })
	return func(l Language) T {
		if l == Chinese {
			return chinese()
		}
		return english()
	}
}

// Part is an argument of a phrase. An empty text means that there is nothing to say.
type Part interface{ In(Language) string }

// Phrase is a template with its arguments. The zero Phrase is empty.
type Phrase struct {
	template *template
	parts    []Part
}

// In returns the phrase in a language. Names and texts in it are not sanitized: the code that
// shows them has to do that.
func (p Phrase) In(l Language) string {
	if p.template == nil {
		return ""
	}
	s := p.template.form(l).fill(l, p.parts)
	if l == Chinese {
		return Spaced(s)
	}
	return s
}

// English is the phrase in English, for data that programs read and for the texts of scenarios.
// (It is not called String, so that no phrase is printed by accident.)
func (p Phrase) English() string { return p.In(English) }

// Both is the phrase in both languages, to be stored.
func (p Phrase) Both() Both { return Both{p.English(), p.In(Chinese)} }

// And appends another phrase.
func (p Phrase) And(more Phrase) Phrase { return oneAfterOther.With(p, more) }

var oneAfterOther = New2[Phrase, Phrase]("{words}{more}")

// Empty reports whether there is nothing to say.
func (p Phrase) Empty() bool { return p.template == nil }

// Like reports whether two phrases have the same template, whatever their arguments.
func (p Phrase) Like(other Phrase) bool { return p.template == other.template }

// Is reports whether the phrase was made from a template.
func (p Phrase) Is(t Template) bool { return p.template == t.is() }

// Template is any template of the catalogue.
type Template interface{ is() *template }

// Match is the phrase of a template that says a stored English text with one word for its argument.
func Match(o Of1[Verbatim], english string) (Phrase, bool) {
	before, rest, _ := strings.Cut(o.english, "{")
	_, after, _ := strings.Cut(rest, "}")
	rest, begins := strings.CutPrefix(english, before)
	word, ends := strings.CutSuffix(rest, after)
	return o.With(Verbatim(word)), begins && ends && word != "" && !strings.Contains(word, " ")
}

// template is a phrase without its arguments.
type template struct {
	english string
	kinds   []Part // of the arguments: a zero value of each
	form    func(Language) form
}

func (t *template) is() *template { return t }

// templates are all of them, for tests.
var templates []*template

// newTemplate makes a template, which is parsed when it is first used: most runs of the program
// use few of them.
func newTemplate(english string, kinds ...Part) *template {
	names := sync.OnceValue(func() []string { return namesIn(english) })
	t := &template{english: english, kinds: kinds, form: OnceForEach(func(l Language) form {
		return parse(translated(l, english), names())
	})}
	templates = append(templates, t)
	return t
}

// The kinds of templates, by the number of their arguments.
type (
	// Of0 is a template without arguments.
	Of0 struct{ *template }
	// Of1 is a template with one argument.
	Of1[A Part] struct{ *template }
	// Of2 is a template with two arguments, and so on.
	Of2[A, B Part]             struct{ *template }
	Of3[A, B, C Part]          struct{ *template }
	Of4[A, B, C, D Part]       struct{ *template }
	Of5[A, B, C, D, E Part]    struct{ *template }
	Of6[A, B, C, D, E, F Part] struct{ *template }
)

// New0 makes a template of an English sentence.
func New0(english string) Of0 { return Of0{newTemplate(english)} }

// New1 makes a template with one argument.
func New1[A Part](english string) Of1[A] {
	return Of1[A]{newTemplate(english, *new(A))}
}

// New2 makes a template with two arguments, and so on.
func New2[A, B Part](english string) Of2[A, B] {
	return Of2[A, B]{newTemplate(english, *new(A), *new(B))}
}
func New3[A, B, C Part](english string) Of3[A, B, C] {
	return Of3[A, B, C]{newTemplate(english, *new(A), *new(B), *new(C))}
}
func New4[A, B, C, D Part](english string) Of4[A, B, C, D] {
	return Of4[A, B, C, D]{newTemplate(english, *new(A), *new(B), *new(C), *new(D))}
}
func New5[A, B, C, D, E Part](english string) Of5[A, B, C, D, E] {
	return Of5[A, B, C, D, E]{newTemplate(english, *new(A), *new(B), *new(C), *new(D), *new(E))}
}
func New6[A, B, C, D, E, F Part](english string) Of6[A, B, C, D, E, F] {
	return Of6[A, B, C, D, E, F]{newTemplate(english, *new(A), *new(B), *new(C), *new(D), *new(E), *new(F))}
}

func (t *template) with(parts ...Part) Phrase { return Phrase{t, parts} }

// With makes a phrase of a template; and so on.
func (o Of0) With() Phrase                               { return o.with() }
func (o Of1[A]) With(a A) Phrase                         { return o.with(a) }
func (o Of2[A, B]) With(a A, b B) Phrase                 { return o.with(a, b) }
func (o Of3[A, B, C]) With(a A, b B, c C) Phrase         { return o.with(a, b, c) }
func (o Of4[A, B, C, D]) With(a A, b B, c C, d D) Phrase { return o.with(a, b, c, d) }
func (o Of5[A, B, C, D, E]) With(a A, b B, c C, d D, e E) Phrase {
	return o.with(a, b, c, d, e)
}
func (o Of6[A, B, C, D, E, F]) With(a A, b B, c C, d D, e E, f F) Phrase {
	return o.with(a, b, c, d, e, f)
}

// form is a template in one language, parsed.
type form struct {
	pieces []piece
	flags  []int // by group: the flag that decides whether it is said; none when its arguments decide
}

// piece is a part of a form: a text, an argument, or a word that agrees with a number.
type piece struct {
	text      string
	argument  int // none for a text
	capital   bool
	one, many string // of a word that agrees with a number
	group     int    // the brackets around it; 0 for none
}

const none = -1

// namesIn returns the arguments that a text names, in order of first use.
func namesIn(text string) []string {
	var names []string
	for _, tok := range tokens(text) {
		if tok.name == "" {
			continue
		}
		if name := lowered(tok.name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func lowered(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// token is a piece of a template: a text, a name in braces, or a bracket.
type token struct {
	text, name string
	words      string // after the name: |write|writes
	opens      bool   // a bracket; name is its flag, if it has one
	closes     bool
}

// tokens splits a template. It panics on a malformed one; a test parses them all.
func tokens(text string) []token {
	var out []token
	for text != "" {
		switch text[0] {
		case '{':
			inside, rest, ok := strings.Cut(text[1:], "}")
			name, words, _ := strings.Cut(inside, "|")
			if !ok || name == "" {
				panic(fmt.Sprintf("say: a brace that names nothing in %q", text))
			}
			out, text = append(out, token{name: name, words: words}), rest
		case '[':
			tok := token{opens: true}
			text = text[1:]
			if end := strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }); end > 0 && text[end] == '?' {
				tok.name, text = text[:end], text[end+1:]
			}
			out = append(out, tok)
		case ']':
			out, text = append(out, token{closes: true}), text[1:]
		default:
			end := strings.IndexAny(text, "{[]")
			if end < 0 {
				end = len(text)
			}
			out, text = append(out, token{text: text[:end]}), text[end:]
		}
	}
	return out
}

// parse turns a template into a form; names are its arguments.
func parse(text string, names []string) form {
	f := form{flags: []int{none}}
	group := 0
	for _, tok := range tokens(text) {
		switch {
		case tok.opens:
			group = len(f.flags)
			flag := none
			if tok.name != "" {
				flag = argument(text, names, tok.name)
			}
			f.flags = append(f.flags, flag)
		case tok.closes:
			group = 0
		case tok.name != "":
			p := piece{argument: argument(text, names, tok.name), group: group}
			p.capital = unicode.IsUpper(rune(tok.name[0]))
			p.one, p.many, _ = strings.Cut(tok.words, "|")
			f.pieces = append(f.pieces, p)
		default:
			f.pieces = append(f.pieces, piece{text: tok.text, argument: none, group: group})
		}
	}
	return f
}

func argument(text string, names []string, name string) int {
	i := slices.Index(names, lowered(name))
	if i < 0 {
		panic(fmt.Sprintf("say: the English of %q has no {%s}", text, name))
	}
	return i
}

// fill fills in the arguments.
func (f form) fill(l Language, parts []Part) string {
	words := eachIn(parts, l)
	said := make([]bool, len(f.flags))
	for group, flag := range f.flags {
		said[group] = flag == none || bool(parts[flag].(Flag))
	}
	for _, p := range f.pieces {
		if p.group != 0 && p.argument != none && words[p.argument] == "" {
			said[p.group] = false
		}
	}
	var b strings.Builder
	for _, p := range f.pieces {
		switch {
		case !said[p.group]:
		case p.argument == none:
			b.WriteString(p.text)
		case p.many != "" && words[p.argument] == "1":
			b.WriteString(p.one)
		case p.many != "":
			b.WriteString(p.many)
		case p.capital:
			b.WriteString(capital(parts[p.argument], words[p.argument]))
		default:
			b.WriteString(words[p.argument])
		}
	}
	return b.String()
}

// capital puts a part at the beginning of a sentence. Names of clients keep their case.
func capital(p Part, words string) string {
	if n, ok := p.(Node); ok && n.named() || words == "" {
		return words
	}
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

// Spaced puts one space between Latin and Chinese text, and none within Chinese.
func Spaced(s string) string {
	var b strings.Builder
	var last rune // the last one written that is not a space
	blanks := 0
	for _, r := range s {
		if r == ' ' {
			blanks++
			continue
		}
		han := unicode.Is(unicode.Han, r)
		switch before := unicode.Is(unicode.Han, last); {
		case before && han, punctuation(last), punctuation(r):
			blanks = 0
		case before && alphanumeric(r), han && alphanumeric(last):
			blanks = max(blanks, 1)
		}
		for ; blanks > 0; blanks-- {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	b.WriteString(strings.Repeat(" ", blanks))
	return b.String()
}

// punctuation reports whether a rune is Chinese punctuation, which includes its own spacing.
func punctuation(r rune) bool {
	return r != 0 && strings.ContainsRune("，。：；？！、（）「」《》", r)
}

func alphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}
