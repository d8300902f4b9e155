// Package docs writes the reference as Markdown: a page for each lock, and pages for faults,
// properties, commands and results. All of it comes from the registries, the commands, the scenarios
// and the types of results, so a new lock gets its page without a change here.
//
// The pages are a pure function of their input, byte for byte. They are committed, so that they can be
// read in the repository, and a test fails if they are stale.
//
// The page of the five documents is computed, too: locks and claims name the lines that they come from,
// which puts them under a heading. Only lessons, and what cannot be measured, are written by hand. A
// test compares the headings with the texts. Verdicts take a minute to measure, so they are stored, and
// the test that measures all claims compares them.
package docs

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
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

// Input is the source of the pages, beside the registries. Results are nil if none are stored.
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

// repo is the path from a page one folder below the docs to a file of the repository.
func (w *writer) repo(path string) string { return "../" + w.Up + "/" + path }
