package glossary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/say"
)

// Piece is a part of a text: a term as it is spelled there, or the text between two terms.
type Piece struct {
	Text string
	Term string // id of the term, "" between terms
}

// Split cuts a text into its terms and the pieces between them, without losing anything. page says
// whether those that only pages explain are terms.
func Split(l say.Language, text string, page bool) []Piece {
	var out []Piece
	from := 0
	before := rune(0)
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !latin(before) || !latin(r) { // a term does not begin inside a word
			if end, term := longestAt(l, text, at, r, page); end > at {
				if at > from {
					out = append(out, Piece{Text: text[from:at]})
				}
				out = append(out, Piece{Text: text[at:end], Term: All()[term].ID})
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

// longestAt returns the end of the longest term at a place with the letter first, or at for none.
func longestAt(l say.Language, text string, at int, first rune, page bool) (end, term int) {
	for _, f := range byFirst(l)[unicode.ToLower(first)] {
		end := at + len(f.text)
		if end > len(text) || All()[f.term].Page && !page || !whole(text, at, end) {
			continue
		}
		if piece := text[at:end]; piece == f.text || !f.exact && strings.EqualFold(piece, f.text) {
			return end, f.term
		}
	}
	return at, 0
}

// byFirst indexes the forms by their first letter, for speed.
var byFirst = say.OnceForEach(func(l say.Language) map[rune][]form {
	index := map[rune][]form{}
	for _, f := range forms(l) {
		first, _ := utf8.DecodeRuneInString(f.text)
		first = unicode.ToLower(first)
		index[first] = append(index[first], f)
	}
	return index
})
