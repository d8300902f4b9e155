package glossary

import "unicode/utf8"

// Piece is a stretch of a text: a term as it is written there, or what stands
// between two terms.
type Piece struct {
	Text string
	Term string // id of the term, "" for what stands between
}

// Split cuts a text into its terms and what stands between them. The pieces
// together are the text.
func Split(l Language, text string) []Piece {
	var out []Piece
	from := 0
	before := rune(0)
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !latin(before) || !latin(r) { // a term does not begin within a word
			if m, ok := matchAt(l, text, at); ok {
				if at > from {
					out = append(out, Piece{Text: text[from:at]})
				}
				out = append(out, Piece{Text: text[m.from:m.to], Term: terms[m.term].ID})
				at, from = m.to, m.to
				before, _ = utf8.DecodeLastRuneInString(text[:at])
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
