package glossary

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"lockstep/internal/say"
)

func TestSplitFindsWholeTermsOnly(t *testing.T) {
	got := Split(say.English, "The Lease ends; SETNX releases no random token.", false)
	var terms []string
	var all strings.Builder
	for _, p := range got {
		all.WriteString(p.Text)
		if p.Term != "" {
			terms = append(terms, p.Term)
		}
	}
	if all.String() != "The Lease ends; SETNX releases no random token." {
		t.Errorf("the pieces are not the text: %q", all.String())
	}
	if want := []string{"lease", "setnx", "release", "random-token"}; !slices.Equal(terms, want) {
		t.Errorf("terms %v, want %v", terms, want)
	}
	for _, text := range []string{"leased", "setnx", "preleases", ""} {
		for _, p := range Split(say.English, text, false) {
			if p.Term != "" {
				t.Errorf("%q has the term %s in it", text, p.Term)
			}
		}
	}
}

// Split finds what trying every form at every place finds, and Find the same, each term once.
func TestSplitTriesEveryForm(t *testing.T) {
	for _, l := range []say.Language{say.English, say.Chinese} {
		for _, term := range All() {
			text := term.In(l).Meaning
			var split, tried, found []string
			for _, p := range Split(l, text, false) {
				if p.Term != "" {
					split = append(split, p.Term)
				}
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
		if end > len(text) || terms()[f.term].Page || !whole(text, at, end) {
			continue
		}
		if piece := text[at:end]; piece == f.text || f.text != strings.ToUpper(f.text) && strings.EqualFold(piece, f.text) {
			return terms()[f.term].ID, len(f.text)
		}
	}
	_, size = utf8.DecodeRuneInString(text[at:])
	return "", size
}
