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

	"lockstep/internal/campaign/results"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// document is one of the five texts that the locks come from. The texts are not in the repository; a
// test compares these headings with testdata/headings.txt.
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
	claimSource = regexp.MustCompile(`(S[0-4]):([0-9]+)(?:-([0-9]+))?`)
	lockSource  = regexp.MustCompile(`(S[0-4]) "[^"]+", lines? ([0-9]+(?:-[0-9]+)?(?:(?:, | and )[0-9]+(?:-[0-9]+)?)*)`)
	span        = regexp.MustCompile(`([0-9]+)(?:-([0-9]+))?`)
)

// linesOf parses a range; to may be "".
func linesOf(from, to string) lines {
	a, _ := strconv.Atoi(from)
	b, err := strconv.Atoi(to)
	if err != nil {
		b = a
	}
	return lines{a, b}
}

// claimed are the lines of the document that a claim is about.
func (d *document) claimed(c results.Claim) (out []lines) {
	for _, m := range claimSource.FindAllStringSubmatch(c.Source, -1) {
		if m[1] == d.Short {
			out = append(out, linesOf(m[2], m[3]))
		}
	}
	return out
}

// described are the lines of the document that describe a lock.
func (d *document) described(v locks.Variant) (out []lines) {
	for _, m := range lockSource.FindAllStringSubmatch(v.Doc(say.English).Source, -1) {
		if m[1] != d.Short {
			continue
		}
		for _, s := range span.FindAllStringSubmatch(m[2], -1) {
			out = append(out, linesOf(s[1], s[2]))
		}
	}
	return out
}

// any reports whether one of the ranges meets part i.
func (d *document) any(i int, ranges []lines) bool {
	return slices.ContainsFunc(ranges, func(r lines) bool { return d.meets(i, r) })
}

// documentsPage goes through the five texts heading by heading.
func (w *writer) documentsPage() Page {
	body := []string{
		heading(1, "The five documents"),
		"The five texts that lockstep is about, heading by heading: which locks come from each, which stories show it, " +
			"which of its claims were measured, and what cannot be measured and why. Locks and claims are listed by the lines that they name as their source. " +
			"The verdicts are those of " + link("claims.md", "claims.md") + ".",
	}
	body = append(body, table([]string{"", "title", "in English", "file"}, each(documents(), func(d document) []string {
		return []string{d.Short, text(d.name()), text(d.English), code(d.File)}
	})))
	for i := range documents() {
		d := &documents()[i]
		body = append(body, heading(2, d.Short+" "+d.name()))
		for k := range d.Parts {
			body = append(body, w.documentPart(d, k)...)
		}
	}
	var others []string
	for _, v := range locks.All() {
		if !slices.ContainsFunc(documents(), func(d document) bool { return len(d.described(v)) > 0 }) {
			others = append(others, lockLink(v.ID))
		}
	}
	body = append(body, heading(2, "Locks that no document has"), strings.Join(others, ", ")+".")
	return page("documents.md", "internal/docs/documents.yaml, and the sources that locks and claims name", body...)
}

// name is the title, or a substitute.
func (d *document) name() string { return cmp.Or(d.Title, "(without a title)") }

// documentPart is the content of one heading.
func (w *writer) documentPart(d *document, i int) []string {
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
	item("Lessons", each(strings.Fields(p.Lessons), func(name string) string {
		return link(text(name), w.Up+"/scenarios/lessons/"+name+".yaml")
	}))
	of = nil
	for _, c := range w.Claims {
		if d.any(i, d.claimed(c)) {
			is := ""
			if c.Verdict != "" {
				is = ": " + c.Verdict
			}
			of = append(of, fmt.Sprintf("[%d%s](claims.md#claim-%d)", c.N, is, c.N))
		}
	}
	item("Claims", of)
	return []string{heading(3, p.Heading), "*" + text(p.English) + ".*", strings.Join(items, "\n"), text(p.Note)}
}

// claimsPage has the measurement of each claim.
func (w *writer) claimsPage() Page {
	body := []string{
		heading(1, "The claims of the documents"),
		"Each claim has an experiment in the simulator; the verdict is computed from what is counted there. " +
			"These are the figures of " + code("simulate dev claims") + ", stored in " + code("measurements/claims.json") + "; a test measures them again.",
		block("", "simulate dev claims --json > measurements/claims.json\nsimulate dev docs"),
	}
	for _, c := range w.Claims {
		body = append(body, heading(2, fmt.Sprintf("Claim %d", c.N)), text(c.Text)+" ("+text(c.Source)+")")
		if c.Verdict == "" {
			body = append(body, "Not measured yet: "+code(fmt.Sprintf("simulate dev claims --claim %d", c.N)))
			continue
		}
		body = append(body, "**"+text(c.Verdict)+"**: "+text(c.Figure))
	}
	return page("claims.md", "internal/campaign/claims and measurements/claims.json", body...)
}
