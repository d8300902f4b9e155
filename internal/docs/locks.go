package docs

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

func (w *writer) lock(v locks.Variant) Page {
	d := v.Doc(say.English)
	file := "internal/locks/" + v.File
	course := ""
	if locks.Misprint(v.ID) {
		course = "A misprint of " + link("the course", "../"+coursePage) + ": what a text prints with a mistake in it."
	}
	return page("locks/"+v.ID+".md", "the comment at the top of "+file,
		heading(1, v.ID),
		text(d.Idea),
		course,
		"**Store:** "+text(w.Demands(v))+".\\\n**Lease:** "+leaseOf(v)+".\\\n"+libraryOf(v)+"**Code:** "+link(code(file), w.repo(file)),
		section("Protocol", steps(d)),
		section("Guarantees", text(d.Guarantees)),
		section("Breaks when", text(d.BreaksWhen)),
		section("See it break", w.seeItBreak(v.ID)),
		section("The smallest counterexample", w.counterexample(v.ID)),
		section(titleOfSets, w.exploreRow(v)),
		section("Under every kind of fault", w.matrixRow(v)),
		section("On real servers", w.worldsRow(v.ID)),
		section("Source", text(d.Source)),
	)
}

// steps is the protocol of a lock as a numbered list.
func steps(d locks.Doc) string {
	var b strings.Builder
	for i, step := range d.Protocol {
		fmt.Fprintf(&b, "%d. %s\n", i+1, text(step))
	}
	return b.String()
}

// libraryOf names the library whose code is played; "" for the program's own locks.
func libraryOf(v locks.Variant) string {
	if v.Library == "" {
		return ""
	}
	return "**Library:** " + code(v.Library) + " as it is. Stories play it on real servers; its row of the matrix is measured by its own code in virtual time.\\\n"
}

// lockLink is a link to the page of a lock from a page in the folder of the docs.
func lockLink(id string) string { return link(text(id), "locks/"+id+".md") }

func leaseOf(v locks.Variant) string {
	if v.LeaseUnit == 0 {
		return "the design has none"
	}
	unit := faults.Duration(v.LeaseUnit)
	if v.LeaseUnit == time.Millisecond || v.LeaseUnit == time.Second {
		unit = strings.TrimPrefix(unit, "1")
	}
	return "whole multiples of 1 " + unit
}

// seeItBreak is the smallest story in which the lock breaks, with its command line.
func (w *writer) seeItBreak(lock string) string {
	p := Smallest(w.Plans, lock)
	if p == nil {
		return ""
	}
	broken, _ := expected(p, lock)
	said := fmt.Sprintf("The smallest story in which it does is %s: %d faults, %d clients, and %s broken.",
		link(text(p.Name), w.repo(p.File)), len(p.Faults), len(p.Clients), strings.Join(broken, ", "))
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

// counterexample shows the smallest set of faults that breaks a lock, with its story.
func (w *writer) counterexample(lock string) string {
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
