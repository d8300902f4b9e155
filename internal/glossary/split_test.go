package glossary

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/say"
)

func TestSplitFindsWholeTermsOnly(t *testing.T) {
	got := Split(say.English, "The Lease ends; SETNX releases no random token.")
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
		for _, p := range Split(say.English, text) {
			if p.Term != "" {
				t.Errorf("%q has the term %s in it", text, p.Term)
			}
		}
	}
}

// Split and Find see the same terms.
func TestSplitAgreesWithFind(t *testing.T) {
	for _, l := range []say.Language{say.English, say.Chinese} {
		for _, term := range All() {
			text := term.In(l).Meaning
			var split, found []string
			for _, p := range Split(l, text) {
				if p.Term != "" && !slices.Contains(split, p.Term) {
					split = append(split, p.Term)
				}
			}
			for _, f := range Find(l, text) {
				found = append(found, f.ID)
			}
			if !slices.Equal(split, found) {
				t.Errorf("%s, %s: Split has %v, Find has %v", l, term.ID, split, found)
			}
		}
	}
}
