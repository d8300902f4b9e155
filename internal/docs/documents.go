package docs

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// document is one of the five texts that the locks come from. The texts are not in the repository;
// a test compares these headings with testdata/headings.txt.
type document struct {
	Short   string // S0, as in the sources of claims and locks
	File    string
	Title   string // in the original; "" if it has none
	English string
	Parts   []part // in the order of the text
}

// part is the text below one heading. Its locks and claims follow from their sources, which name
// lines.
type part struct {
	Line    int // of the heading
	Heading string
	English string
	Lessons string // names below scenarios/lessons, separated by spaces
	Note    string // what is not played or cannot be measured, and why; may be ""
}

// documents are the five texts, heading by heading.
var documents = sync.OnceValue(func() (all []document) {
	if err := yaml.UnmarshalWithOptions(documentsFile, &all, yaml.Strict()); err != nil {
		panic(err) // a test reads it
	}
	return all
})

//go:embed documents.yaml
var documentsFile []byte

// lines is an inclusive range of lines of a document.
type lines struct{ from, to int }

// meets reports whether a range overlaps part i of the document.
func (d *document) meets(i int, r lines) bool {
	next := 1 << 30
	if i+1 < len(d.Parts) {
		next = d.Parts[i+1].Line
	}
	return r.from < next && r.to >= d.Parts[i].Line
}

var (
	// cited matches lines of a document: S2:8-12, or S2 "Title", lines 8-12 and 20.
	cited = regexp.MustCompile(`(S[0-4])(?::| "[^"]+", lines? )` +
		`([0-9]+(?:-[0-9]+)?(?:(?:, | and )[0-9]+(?:-[0-9]+)?)*)`)
	span = regexp.MustCompile(`([0-9]+)(?:-([0-9]+))?`)
)

// linesIn are the lines of the document that a source names.
func (d *document) linesIn(source string) (out []lines) {
	for _, m := range cited.FindAllStringSubmatch(source, -1) {
		if m[1] != d.Short {
			continue
		}
		for _, s := range span.FindAllStringSubmatch(m[2], -1) {
			from, _ := strconv.Atoi(s[1])
			to, _ := strconv.Atoi(cmp.Or(s[2], s[1]))
			out = append(out, lines{from, to})
		}
	}
	return out
}

// described are the lines of the document that describe a lock.
func (d *document) described(v locks.Variant) []lines {
	return d.linesIn(v.Doc(say.English).Source)
}

// any reports whether one of the ranges meets part i.
func (d *document) any(i int, ranges []lines) bool {
	return slices.ContainsFunc(ranges, func(r lines) bool { return d.meets(i, r) })
}

// DocumentRows name the documents.
func (w *writer) DocumentRows() [][]string {
	return each.Map(documents(), func(d document) []string {
		return []string{d.Short, text(d.Name()), text(d.English), code(d.File)}
	})
}

// Undocumented are the locks that no document has.
func (w *writer) Undocumented() string {
	var others []string
	for _, v := range locks.All() {
		if !slices.ContainsFunc(documents(), func(d document) bool { return len(d.described(v)) > 0 }) {
			others = append(others, lockLink(v.ID))
		}
	}
	return strings.Join(others, ", ")
}

// Name is the title, or a substitute.
func (d document) Name() string { return cmp.Or(d.Title, "(without a title)") }

// Items list what there is of part i of a document.
func (w *writer) Items(d document, i int) string {
	p := d.Parts[i]
	var items []string
	item := func(what string, links []string) {
		if len(links) > 0 {
			items = append(items, "* "+what+": "+strings.Join(links, ", "))
		}
	}
	var of, misprints []string
	for _, v := range locks.All() {
		switch {
		case !d.any(i, d.described(v)):
		case locks.Misprint(v.ID):
			misprints = append(misprints, lockLink(v.ID))
		default:
			of = append(of, lockLink(v.ID))
		}
	}
	item("Locks", of)
	item("Misprints", misprints)
	item("Lessons", each.Map(strings.Fields(p.Lessons), func(name string) string {
		return link(text(name), w.Up+"/scenarios/lessons/"+name+".yaml")
	}))
	of = nil
	for _, c := range w.Claims {
		if d.any(i, d.linesIn(c.Source)) {
			is := ""
			if c.Verdict != "" {
				is = ": " + c.Verdict
			}
			of = append(of, fmt.Sprintf("[%d%s](claims.md#claim-%d)", c.N, is, c.N))
		}
	}
	item("Claims", of)
	return strings.Join(items, "\n")
}
