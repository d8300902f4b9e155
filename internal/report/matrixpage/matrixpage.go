// Package matrixpage draws the page of a matrix, with the worst run of each cell told in brief.
package matrixpage

import (
	"embed"
	"time"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
)

//go:embed *.html *.css *.js
var files embed.FS

var design = page.NewDesign("matrixpage", files)

// MaxHTML limits the size of the page of a matrix. A larger one has no tales and files, and says
// so.
const MaxHTML = 5_000_000

// Matrix is the content of the page: the result of each lock under each kind of fault.
type Matrix struct {
	Language say.Language
	Backend  string
	Seeds    int           // random variations of each cell's scripts
	Lease    time.Duration // of all runs; 0 when unknown
	Replay   string        // the command line that measures it again
	Columns  []Column
	Locks    []Lock // those of one group side by side
}

// Column is one kind of fault.
type Column struct {
	Code, Name, Summary string
	Kinds               []faultkind.Hit // of the walk; nil if irrelevant
}

// Lock is one row.
type Lock struct {
	ID         string
	Name       string // the common name
	Group      string // heading of its rows
	Apart      bool   // a misprint beside designs, which alone are counted
	More       bool   // hidden by a switch: a variant, a defect, a library, a misprint
	Tokens     bool   // it hands out fencing tokens, and its damage was measured with a resource that checks them
	Store      string // in words
	Idea       string
	Protocol   []string
	BreaksWhen string
	Source     string
	Cells      []Cell // one for each column
}

// Cell is the result of one lock under one kind of fault.
type Cell struct {
	results.Cell          // as measured, but with Note and DamagedBy in the language of the page
	Tried        []string // names of the scripts; empty when unknown
	Worst        *Run
	NotExpected  string // stores with which the fault is not expected, in words; "" for none
	Unexpected   bool   // NotExpected has all stores of the lock
	WalkDamages  bool   // some schedule of the walk damaged the resource
}

// Run is the worst run of a cell, to be played again.
type Run struct {
	Letter  checker.Letter // what this one run showed
	Script  string         // its name
	Varied  bool           // a random variation of the script
	File    string         // file name for the scenario
	YAML    string         // the scenario
	Command string         // plays the file, once it is saved
	Hash    string         // of the history
	Tale    *Tale          // nil if it is not worth telling
	Checked *Tale          // see Again: the same with a resource that checks tokens; nil without tokens

	CheckedCommand string // plays Checked
}

// HTML draws a matrix as one self-contained file, with the evidence folded below the table.
func HTML(m *Matrix) ([]byte, error) {
	v := newView(m)
	out, err := design.Part(m.Language, "matrix", v)
	if err != nil || len(out) <= MaxHTML {
		return out, err
	}
	v.Trimmed = true
	return design.Part(m.Language, "matrix", v)
}

// Folder is the folder of the pages with evidence, next to the page of the matrix.
const Folder = "matrix"

// Pages draws a matrix as a small page without evidence, and a page with the evidence of each lock,
// by file name.
func Pages(m *Matrix) (first []byte, locks map[string][]byte, err error) {
	v := newView(m)
	v.elsewhere, v.alone = Folder, true
	if first, err = design.Part(m.Language, "matrix", v); err != nil {
		return nil, nil, err
	}
	v.elsewhere, locks = "", map[string][]byte{}
	for i := range m.Locks {
		l := &m.Locks[i]
		title := sanitize.Text(l.Called(), sanitize.MaxName) + " (" + sanitize.Text(l.ID, sanitize.MaxName) + ")"
		one := &lockPage{v, design.Head(title, strip.CSS), l}
		if locks[l.Anchor()+".html"], err = design.Part(m.Language, "lock-page", one); err != nil {
			return nil, nil, err
		}
	}
	return first, locks, nil
}

// lockPage is one lock, on a page of its own or below the matrix.
type lockPage struct {
	*view
	Head page.Head
	One  *Lock
}

// Of is the view for the template of a lock.
func (v *view) Of(l *Lock) *lockPage { return &lockPage{v, v.Head, l} }
