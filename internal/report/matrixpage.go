package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/say"
)

//go:embed matrixpage.css
var matrixCSS string

var matrixTemplate = pageTemplate("matrixpage.html")

// MaxMatrixHTML is how large the page of a matrix may become. Longer tales are
// cut, visibly.
const MaxMatrixHTML = 5_000_000

// notApplicable is the letter of a cell whose fault could not be brought about.
const notApplicable checker.Letter = "-"

// Matrix is what the page of a matrix shows: what became of each lock under each
// kind of fault.
type Matrix struct {
	Language say.Language
	Backend  string
	Seeds    int           // random variations of each cell's scripts
	Lease    time.Duration // of all runs; 0 when unknown
	Replay   string        // the command line that measures it again
	Columns  []MatrixColumn
	Locks    []MatrixLock // those of one group side by side
}

// MatrixColumn is one kind of fault.
type MatrixColumn struct {
	Code, Name, Summary string
	Kinds               []MatrixKind // of the walk, for which it stands
}

// MatrixKind is a kind of fault of the walk.
type MatrixKind struct {
	Name   string
	During string // what the client is at that it hits, in words; "" for whatever it is at
}

// MatrixLock is one row.
type MatrixLock struct {
	ID         string
	Group      string // under which heading it stands
	Store      string // in words
	Idea       string
	Protocol   []string
	BreaksWhen string
	Source     string
	Cells      []MatrixCell // one for each column
}

// MatrixCell is what became of one lock under one kind of fault.
type MatrixCell struct {
	Letter          checker.Letter // "-" when the fault could not be brought about
	Note            string
	Runs            int      // that tested something
	Untested        int      // that did not
	Broken          int      // letters V, F and VF
	Stuck           int      // letter D
	Rate, Low, High float64  // of broken and stuck among the random variations, with the 95 % interval
	Tried           []string // names of the scripts; empty when unknown
	Worst           *MatrixRun
	Also            []checker.Letter // that were found besides, worst first
	DamagedBy       string           // the script or the story by which the resource was damaged; "" when it was not
	Walk            *MatrixWalk      // nil when the walk has no part in the cell
}

// MatrixWalk is what the walk of the fault space has come to in a cell.
type MatrixWalk struct {
	Schedules, Vain, Cut int64        // walked; whose fault changed nothing; that have no end
	Story                *MatrixStory // when the letter is worse for it; nil when the runs alone have made it
}

// MatrixStory is how the walk has broken a lock.
type MatrixStory struct{ World, Text, Command string }

// MatrixRun is the worst run of a cell, to be played again.
type MatrixRun struct {
	Letter  checker.Letter // what this one run showed
	Script  string         // its name
	Varied  bool           // a random variation of the script
	File    string         // file name for the scenario
	YAML    string         // the scenario
	Command string         // plays the file, once it is saved
	Hash    string         // of the history
	Tale    *Tale          // nil when it is not worth telling
}

// MatrixHTML draws a matrix as one file that needs nothing else.
func MatrixHTML(m *Matrix) ([]byte, error) {
	for _, d := range []detail{{maxTold, true}, {8, true}, {4, false}, {0, false}} {
		var buf bytes.Buffer
		if err := matrixTemplate(m.Language).Execute(&buf, newMatrixView(m, d)); err != nil {
			return nil, fmt.Errorf("filling in the page of the matrix: %w", err)
		}
		if buf.Len() <= MaxMatrixHTML || d.steps == 0 {
			return buf.Bytes(), nil
		}
	}
	return nil, nil // not reached: the last detail returns
}

// detail says how much a page tells of each run.
type detail struct {
	steps int
	files bool
}
