// Package docs writes the reference as Markdown: a page for each lock, and pages for faults,
// properties, commands and results. All of it comes from the registries, the commands, the
// scenarios and the types of results, so a new lock gets its page without a change here. The folder
// pages has their prose.
//
// The pages are a pure function of their input, byte for byte. They are committed, so that they can
// be read in the repository, and a test fails if they are stale.
//
// The page of the five documents is computed, too: locks and claims name the lines that they come
// from, which puts them under a heading. Only lessons, and what cannot be measured, are written by
// hand. A test compares the headings with the texts. Verdicts take a minute to measure, so they are
// stored, and the test that measures all claims compares them.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/schema"
	"lockstep/internal/shell"
	"lockstep/internal/timeline"
)

// Mark begins every page. A file without it was written by hand.
const Mark = "<!-- Written by `simulate dev docs`, and overwritten by it."

// Page is one file.
type Page struct {
	Path string // below the folder of the docs, with slashes
	Data []byte
}

// Example is the story of the smallest set of faults that breaks a lock.
type Example struct {
	Set   results.CutSet
	Steps []explain.Step // of its story
}

// ExampleOf is a set with the steps of a run of its story.
func ExampleOf(set *results.CutSet, j *checker.Judgement) Example {
	return Example{*set, explain.Steps(timeline.Of(j.History), j.Findings)}
}

// Input is the source of the pages, besides the registries. Results are nil if none are stored.
type Input struct {
	Root      *cobra.Command     // the command line; it is changed for printing
	Plans     []*plan.Plan       // all scenarios, with their files relative to the repository
	Matrix    *results.Matrix    // the measured matrix
	Worlds    *results.Worlds    // the matrix in both worlds
	InFull    *results.Worlds    // the same at full length, for cells that a short scale makes harmless
	Stories   *results.Worlds    // the stories of the search in both worlds
	Columns   []matrix.Column    // of the matrix
	Explored  *results.Explored  // what it takes to break each lock
	Libraries []*results.Library // Go libraries, measured with their own code, by lock
	Programs  []*results.Library // the programs of examples, measured on real servers, by lock
	Up        string             // the path from the folder of the docs to the repository: ".."
	Claims    []results.Claim    // all claims
	Examples  map[string]Example // the smallest counterexamples, by lock
	Published []Published        // published results that were measured again

	// Group is the heading under which a lock is listed, and its rank.
	Group   func(locks.Variant) (rank int, name string)
	Demands func(locks.Variant) string // what a lock requires of its servers
}

// Pages returns all pages, sorted by path.
func Pages(in Input) ([]Page, error) {
	w := &writer{in}
	views := map[string]any{"scenario.md": scenarioPage{w, schema.Scenario()}}
	for _, name := range []string{
		"README.md", "claims.md", "commands.md", "course.md", "documents.md", "faults.md", "properties.md", "results.md",
		"track-record.md", "zh.md",
	} {
		views[name] = w
	}
	if w.Worlds != nil {
		views["worlds.md"] = w
	}
	if w.Explored != nil {
		designs, misprints := w.Explored.DesignsAndMisprints()
		views["explore.md"] = walk{w, designs, misprints}
	}
	if len(w.Libraries) > 0 {
		views["libraries.md"] = w
	}
	for _, v := range locks.All() {
		views["locks/"+v.ID+".md"] = lockPage{w, v}
	}
	var pages []Page
	for _, name := range slices.Sorted(maps.Keys(views)) {
		data, err := fill(name, views[name])
		if err != nil {
			return nil, err
		}
		pages = append(pages, Page{name, data})
	}
	return pages, nil
}

type writer struct{ Input }

// Repo is a link to a file of the repository, from a page in the folder of the docs or in one
// below.
func (w *writer) Repo(words, file string, below ...string) string {
	return link(words, strings.Join(below, "")+w.Up+"/"+file)
}

//go:embed pages/*.md
var files embed.FS

// layout has the pages as templates. Every text in them that is not their own goes through text or
// code.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(files, "pages/*.md"))
})

// functions write Markdown.
var functions = template.FuncMap{
	"text": func(s any) string {
		if p, ok := s.(say.Part); ok {
			s = p.In(say.English)
		}
		return text(fmt.Sprint(s))
	},
	"source": func(origin string) string {
		return fmt.Sprintf("%s The source is %s. -->", Mark, strings.ReplaceAll(origin, "--", ""))
	},
	"grouped":         func(n int64) string { return say.Grouped(n).In(say.English) },
	"compared":        func(w *results.Worlds) comparison { return comparison{w} },
	"chineseName":     func(id string) string { return locks.Name(id).In(say.Chinese) },
	"chineseProperty": func(id string) string { return say.PropertyName(id, say.Chinese) },

	"code": code, "fenced": block, "table": table, "cell": cell, "link": link, "linkInto": linkInto, "lockLink": lockLink,
	"steps": steps, "indented": indented, "sentence": sentence, "plural": plural, "word": shell.Word,
	"documents": documents, "fields": fields, "parameters": parameters, "keyTable": keyTable, "starred": starred,
	"byWays": byWays, "tableOfSets": tableOfSets, "setRows": setRows, "pairsIn": pairsIn,
	"librarySetRows": librarySetRows, "howWalked": howWalked, "onRealServers": onRealServers,
}

// fill fills in a page. A part that has nothing to say leaves no more than blank lines, of which
// one is kept.
func fill(name string, view any) ([]byte, error) {
	page := name
	if path.Dir(name) == "locks" {
		page = "lock.md"
	}
	var b bytes.Buffer
	if err := layout().ExecuteTemplate(&b, page, view); err != nil {
		return nil, err
	}
	return append(bytes.TrimSpace(blankLines.ReplaceAll(b.Bytes(), []byte("\n\n"))), '\n'), nil
}
