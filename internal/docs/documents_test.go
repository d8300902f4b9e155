package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/campaign/claims"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/say"
)

// The table has each heading of the five texts once, in their order.
func TestEveryHeadingOfTheDocumentsIsThereOnce(t *testing.T) {
	data := must.Get(os.ReadFile("testdata/headings.txt"))(t)
	var want, got []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			want = append(want, line)
		}
	}
	for _, d := range documents() {
		for _, p := range d.Parts {
			got = append(got, fmt.Sprintf("%s:%d: %s", d.File, p.Line, p.Heading))
		}
	}
	if len(want) < 48 {
		t.Errorf("testdata/headings.txt has %d headings", len(want))
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Fatalf("%q is not in the table", want[i])
		case i >= len(want) || got[i] != want[i]:
			t.Fatalf("the table has %q where the text has %q", got[i], append(want, "nothing more")[min(i, len(want))])
		}
	}
}

// Everything named exists, and a heading without names says why.
func TestTheDocumentsNameWhatThereIs(t *testing.T) {
	for _, d := range documents() {
		for i, p := range d.Parts {
			found := 0
			for _, name := range strings.Fields(p.Lessons) {
				found++
				if _, err := os.Stat(filepath.Join("../../scenarios/lessons", name+".yaml")); err != nil {
					t.Errorf("%s, %s: there is no lesson %s", d.Short, p.Heading, name)
				}
			}
			for _, v := range locks.All() {
				if d.any(i, d.described(v)) {
					found++
				}
			}
			for _, c := range claims.All() {
				if d.any(i, d.linesIn(c.Source)) {
					found++
				}
			}
			if found == 0 && p.Note == "" {
				t.Errorf("%s, %s: there is neither a lesson, a lock or a claim, nor a note", d.Short, p.Heading)
			}
			if p.English == "" {
				t.Errorf("%s, %s has no English", d.Short, p.Heading)
			}
		}
	}
}

// Every claim and every lock is under a heading of each document that it names as a source.
func TestSourcesLeadToHeadings(t *testing.T) {
	under := func(d *document, ranges []lines) bool {
		for _, r := range ranges {
			found := false
			for i := range d.Parts {
				found = found || d.meets(i, r)
			}
			if !found {
				return false
			}
		}
		return len(ranges) > 0
	}
	for _, c := range claims.All() {
		named := 0
		for i := range documents() {
			d := &documents()[i]
			if strings.Contains(c.Source, d.Short+":") {
				named++
				if !under(d, d.linesIn(c.Source)) {
					t.Errorf("claim %d: %s leads to no heading", c.N, c.Source)
				}
			}
		}
		if named == 0 {
			t.Errorf("claim %d names no document: %s", c.N, c.Source)
		}
	}
	for _, v := range locks.All() {
		source := v.Doc(say.English).Source
		for i := range documents() {
			d := &documents()[i]
			if strings.Contains(source, d.Short+" ") && !under(d, d.described(v)) {
				t.Errorf("%s: no lines of %s are read in its source: %s", v.ID, d.Short, source)
			}
		}
	}
}

func TestLinesOfSourcesAreRead(t *testing.T) {
	d := &document{Short: "S2", File: "002_350e0850a80a0d01.txt", Parts: []part{{Line: 10}, {Line: 20}}}
	for give, want := range map[string]string{
		"S2:12":              "[true false]",
		"S0:12, S2:15-20":    "[true true]",
		"S2:9":               "[false false]",
		"S2:25, S2:11":       "[true true]",
		"S0:12":              "[false false]",
		"S2:5-40":            "[true true]",
		"S2:20":              "[false true]",
		"without any source": "[false false]",
	} {
		ranges := d.linesIn(give)
		if got := fmt.Sprint([]bool{d.any(0, ranges), d.any(1, ranges)}); got != want {
			t.Errorf("%q: %s, want %s", give, got, want)
		}
	}
}
