// Package docs writes the reference as Markdown: a page for each lock, and one for all faults,
// properties, commands, and results for programs. All of it comes
// from the registries, the commands, the scenarios and the types of results, so a new lock has
// its page without a word in here.
//
// The pages are a pure function of their input, byte for byte. They are committed, for a
// reader of the repository needs no program to read them, and a test fails while they are
// stale.
//
// The page of the five documents keeps itself, too. Locks and claims say from which lines
// they come, so which of them stand under a heading is computed; only lessons and what
// cannot be measured are written down, and a test has the headings from the texts.
// Verdicts take a minute to measure, so they are stored as the matrix is, and the test that
// measures all claims compares them.
package docs

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/timeline"
)

// Mark is how every page begins. A file that does not is none of ours.
const Mark = "<!-- Written by `simulate dev docs`, and overwritten by it."

// Page is one file.
type Page struct {
	Path string // below the folder of the docs, with slashes
	Data []byte
}

// Column is a kind of fault in the matrix.
type Column struct {
	Code, Name, Summary string
	Kinds               []string // of the walk, for which it stands
}

// Example is the story of the smallest set of faults that breaks a lock.
type Example struct {
	Set   results.CutSet
	Steps []explain.Step // what happens in it
}

// ExampleOf is a set with what happens in its story, of which a run was judged.
func ExampleOf(set *results.CutSet, j *checker.Judgement) Example {
	return Example{*set, explain.Steps(timeline.Of(j.History), j.Findings)}
}

// Input is what the pages are made of, beside the registries.
type Input struct {
	Root    *cobra.Command  // the command line; its tree is changed for printing
	Plans   []*plan.Plan    // all scenarios, with their files, relative to the repository
	Matrix  *results.Matrix // nil: none is stored
	Worlds  *results.Worlds // nil: none is stored
	InFull  *results.Worlds // the same at full length, of cells that a short scale makes harmless; nil: none is stored
	Stories *results.Worlds // the stories of the walk in both worlds; nil: none is stored
	Columns []Column        // of the matrix
	// Explored is what it takes to break each lock; nil: none is stored.
	Explored *results.Explored
	// Libraries are those that were measured by their own code, by lock; there may be none.
	Libraries []*results.Library
	// Programs are those of examples that were measured on real servers, by lock; there may be none.
	Programs []*results.Library
	Up       string          // the way from the folder of the docs to the repository: ".."
	Claims   []results.Claim // all of them
	// Examples are the smallest counterexamples, by lock; there may be none.
	Examples map[string]Example
	// Published are results of others that were measured again.
	Published []Published

	// Group is the heading under which a lock is listed, and its rank among them.
	Group   func(locks.Variant) (rank int, name string)
	Demands func(locks.Variant) string // what a lock wants of its servers
}

// Pages returns all pages, sorted by path.
func Pages(in Input) ([]Page, error) {
	w := &writer{in}
	pages := append([]Page{w.index(), w.scenarioFile(), w.results(), w.documentsPage(), w.claimsPage(), w.course(), w.record(), w.chinese()}, slices.Concat(w.worldsPage(), w.explorePage(), w.librariesPage())...)
	commands, err := w.commands()
	if err != nil {
		return nil, err
	}
	pages = append(pages, commands, w.faults(), w.properties())
	for _, v := range locks.All() {
		pages = append(pages, w.lock(v))
	}
	slices.SortFunc(pages, func(a, b Page) int { return strings.Compare(a.Path, b.Path) })
	return pages, nil
}

type writer struct{ Input }

// repo is the way from a page one folder below the docs to a file of the repository.
func (w *writer) repo(path string) string { return "../" + w.Up + "/" + path }
