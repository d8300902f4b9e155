package glossary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/say"
)

// Piece is a stretch of a text: a term as it is written there, or what stands
// between two terms.
type Piece struct {
	Text string
	Term string // id of the term, "" for what stands between
}

// Split cuts a text into its terms and what stands between them. The pieces
// together are the text.
func Split(l say.Language, text string) []Piece {
	var out []Piece
	from := 0
	before := rune(0)
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !latin(before) || !latin(r) { // no term begins within a word
			if end, term := longestAt(l, text, at, r); end > at {
				if at > from {
					out = append(out, Piece{Text: text[from:at]})
				}
				out = append(out, Piece{Text: text[at:end], Term: terms()[term].ID})
				before, _ = utf8.DecodeLastRuneInString(text[:end])
				at, from = end, end
				continue
			}
		}
		at, before = at+size, r
	}
	if from < len(text) {
		out = append(out, Piece{Text: text[from:]})
	}
	return out
}

// longestAt returns the end of the longest term that begins at a place with the
// letter first, or at when there is none.
func longestAt(l say.Language, text string, at int, first rune) (end, term int) {
	for _, f := range byFirst(l)[unicode.ToLower(first)] {
		end := at + len(f.text)
		if end > len(text) || !whole(text, at, end) {
			continue
		}
		// A form in capitals (SETNX) is written like that only; the others may begin a sentence.
		if piece := text[at:end]; piece == f.text || !f.capitals && strings.EqualFold(piece, f.text) {
			return end, f.term
		}
	}
	return at, 0
}

// startedForm is a form in the index by first letters.
type startedForm struct {
	form
	capitals bool // is written like that only
}

// byFirst finds the forms that begin with a letter, the longest first. A page of a
// report looks at every word of it.
var byFirst = say.OnceForEach(started)

func started(l say.Language) map[rune][]startedForm {
	index := map[rune][]startedForm{}
	for _, f := range forms(l) {
		first, _ := utf8.DecodeRuneInString(f.text)
		first = unicode.ToLower(first)
		index[first] = append(index[first], startedForm{f, f.text == strings.ToUpper(f.text)})
	}
	return index
}
