package docs

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
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
	unit := faults.Duration(p.LeaseUnit)
	if p.LeaseUnit == time.Millisecond || p.LeaseUnit == time.Second {
		unit = strings.TrimPrefix(unit, "1")
	}
	return "whole multiples of 1 " + unit
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

// SeeItBreak is the smallest story in which the lock breaks, with its command line.
func (w *writer) SeeItBreak(lock string) string {
	p := Smallest(w.Plans, lock)
	if p == nil {
		return ""
	}
	broken, _ := expected(p, lock)
	said := fmt.Sprintf("The smallest story in which it does is %s: %d faults, %d clients, and %s broken.",
		link(text(p.Name), "../"+w.Up+"/"+p.File), len(p.Faults), len(p.Clients), strings.Join(broken, ", "))
	if len(p.Faults) == 1 {
		said = strings.Replace(said, "1 faults", "1 fault", 1)
	}
	command := "simulate run " + shell.Word(p.File) + " --lock " + lock
	if v, ok := locks.Lookup(lock); ok && v.CheckSimulated() != nil {
		command += " --backend process --scale 0.1"
	}
	return said + "\n\n" + block("", command)
}

// shownSteps is how many steps are shown of the beginning and of the end of a long story.
const shownSteps = 15

// Counterexample shows the smallest set of faults that breaks a lock, with its story.
func (w *writer) Counterexample(lock string) string {
	e, ok := w.Examples[lock]
	if !ok {
		return ""
	}
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
	return text(sentence(e.Set.Text)) + " The usage profile is " + code(e.Set.Profile) + ": " + text(w.summaryOf(e.Set.Profile)) + ".\n\n" +
		steps.String() + "\n" + block("", "simulate run "+shell.Word(e.Set.Name))
}

// sentence makes a sentence of a text.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "."
}

// summaryOf describes a usage profile.
func (w *writer) summaryOf(name string) string {
	for _, b := range w.Explored.Scope.Profiles {
		if b.Name == name {
			return b.Summary
		}
	}
	return ""
}
