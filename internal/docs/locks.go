package docs

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/campaign/results"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/shell"
)

// lockPage is the view of a lock's page.
type lockPage struct {
	*writer
	locks.Variant
}

// Misprint reports whether the lock is for learning only.
func (p lockPage) Misprint() bool { return locks.Misprint(p.ID) }

// Lease says which leases the design can have.
func (p lockPage) Lease() string {
	if p.LeaseUnit == 0 {
		return "the design has none"
	}
	return "whole multiples of 1 " + strings.TrimPrefix(faults.Duration(p.LeaseUnit), "1")
}

// steps is the protocol of a lock as a numbered list.
func steps(d locks.Doc) string {
	var b strings.Builder
	for i, step := range d.Protocol {
		fmt.Fprintf(&b, "%d. %s\n", i+1, text(step))
	}
	return b.String()
}

// lockLink is a link to the page of a lock from a page in the folder of the docs.
func lockLink(id string) string { return link(text(id), "locks/"+id+".md") }

// Repo is a link to a file of the repository.
func (p lockPage) Repo(words, file string) string { return p.writer.Repo(words, file, "../") }

// Smallest is the smallest story in which the lock breaks; nil for none.
func (p lockPage) Smallest() *plan.Plan { return Smallest(p.Plans, p.ID) }

// Breaks names the properties that the lock breaks in a story.
func (p lockPage) Breaks(story *plan.Plan) string {
	broken, _ := expected(story, p.ID)
	return strings.Join(broken, ", ")
}

// Command plays a story with the lock.
func (p lockPage) Command(story *plan.Plan) string {
	command := "simulate run " + shell.Word(story.File) + " --lock " + p.ID
	if p.CheckSimulated() != nil {
		command += " --backend process --scale 0.1"
	}
	return command
}

// Searched is the search for what breaks the lock; nil if none is stored.
func (p lockPage) Searched() *results.ExploredLock {
	if p.Explored == nil {
		return nil
	}
	return p.Explored.Lock(p.ID)
}

// Measured is the measurement of the library with its own code; nil if none is stored.
func (p lockPage) Measured() *results.Library {
	i := slices.IndexFunc(p.Libraries, func(l *results.Library) bool { return l.Lock == p.ID })
	if i < 0 {
		return nil
	}
	return p.Libraries[i]
}

// shownSteps is how many steps are shown of the beginning and of the end of a long story.
const shownSteps = 15

// StepList is the story of a counterexample, step by step.
func (e Example) StepList() string {
	var steps strings.Builder
	for i, s := range e.Steps {
		if left := len(e.Steps) - 2*shownSteps; left > 0 && i >= shownSteps && i < shownSteps+left {
			if i == shownSteps {
				fmt.Fprintf(&steps, "\nand so on for %d more steps, until\n\n", left)
			}
			continue
		}
		fmt.Fprintf(&steps, "%d. %s: %s", i+1, s.At, text(s.Sentence.English()))
		if breaks := s.Note.English(); breaks != "" {
			fmt.Fprintf(&steps, " **%s**", text(breaks))
		}
		steps.WriteByte('\n')
	}
	return steps.String()
}

// sentence makes a sentence of a text.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "."
}

// Profile describes a usage profile.
func (w *writer) Profile(name string) string {
	for _, b := range w.Explored.Scope.Profiles {
		if b.Name == name {
			return b.Summary
		}
	}
	return ""
}
