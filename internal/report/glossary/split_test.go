package glossary

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lockstep/internal/say"
)

// termsOf lists the terms among pieces of a text.
func termsOf(pieces []Piece) (terms []string) {
	for _, p := range pieces {
		if p.Term != "" {
			terms = append(terms, p.Term)
		}
	}
	return terms
}

// Split finds what trying every form at every place finds, and Find the same, each term once.
func TestSplitTriesEveryForm(t *testing.T) {
	for _, l := range []say.Language{say.English, say.Chinese} {
		for _, term := range All() {
			text := term.In(l).Meaning
			var tried, found []string
			pieces := Split(l, text, false)
			split, all := termsOf(pieces), ""
			for _, p := range pieces {
				all += p.Text
			}
			if all != text {
				t.Errorf("%s, %s: the pieces are not the text: %q", l, term.ID, all)
			}
			for at := 0; at < len(text); {
				id, size := tryAt(l, text, at)
				if id != "" {
					tried = append(tried, id)
				}
				at += size
			}
			if !slices.Equal(split, tried) {
				t.Errorf("%s, %s: Split has %v, want %v", l, term.ID, split, tried)
			}
			for _, f := range Find(l, text) {
				found = append(found, f.ID)
			}
			var once []string
			for _, id := range tried {
				if !slices.Contains(once, id) {
					once = append(once, id)
				}
			}
			if !slices.Equal(found, once) {
				t.Errorf("%s, %s: Find has %v, want %v", l, term.ID, found, once)
			}
		}
	}
}

// tryAt returns the term that begins at a place, "" for none, and how far it goes.
func tryAt(l say.Language, text string, at int) (id string, size int) {
	for _, f := range forms(l) {
		end := at + len(f.text)
		if end > len(text) || All()[f.term].Page || !whole(text, at, end) {
			continue
		}
		if piece := text[at:end]; piece == f.text || f.text != strings.ToUpper(f.text) && strings.EqualFold(piece, f.text) {
			return All()[f.term].ID, len(f.text)
		}
	}
	_, size = utf8.DecodeRuneInString(text[at:])
	return "", size
}
