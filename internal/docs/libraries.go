package docs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
)

// library is the measurement of a library with its own code; nil if none is stored.
func (w *writer) library(lock string) *results.Library {
	i := slices.IndexFunc(w.Libraries, func(l *results.Library) bool { return l.Lock == lock })
	if i < 0 {
		return nil
	}
	return w.Libraries[i]
}

// howMeasured says how the figures of a library were measured.
func howMeasured(l *results.Library) string {
	return fmt.Sprintf("The code of %s %s itself, in virtual time: its goroutines, timers and client library, against the simulated servers, with %s whose choices follow the seed, so each run can be repeated. Clocks of clients and sentinels cannot be played so.",
		code(l.Library), text(l.Version), text(l.Go))
}

// librariesPage has all libraries that were measured with their own code.
func (w *writer) librariesPage() []Page {
	if len(w.Libraries) == 0 {
		return nil
	}
	head := append([]string{"library", "version", "played"}, each(w.Columns, func(c matrix.Column) string { return code(c.Code) })...)
	var rows, broken, real, how [][]string
	for _, l := range w.Libraries {
		name := lockLink(l.Lock)
		rows = append(rows, w.letterRow(name, "in virtual time", l))
		broken = append(broken, w.librarySets(name, l))
		real = append(real, []string{name, onRealServers(l)})
		how = append(how, []string{name, code(l.Library), text(l.Go), "seeded: each letter has a run that can be repeated", fmt.Sprint(l.Matrix.Seeds)})
	}
	letters, ways := w.programRows()
	rows, how = append(rows, letters...), append(how, ways...)
	return []Page{page("libraries.md", "measurements/libraries",
		heading(1, "Libraries, by their own code"),
		"What people import, as it is. A Go library runs in virtual time: its goroutines, timers and client library against the simulated servers, with a Go runtime whose choices follow the seed; a pause comes from outside, so timers go on firing meanwhile. A library in another language runs on real servers, in a process for each client: a pause is SIGSTOP, a crash SIGKILL. The program that you have installed shows what was measured; it has neither these libraries nor a toolchain. "+
			link("own-lock.md", "own-lock.md")+" and "+link("own-lock-programs.md", "own-lock-programs.md")+" play a lock of your own the same way.",
		section("Under every kind of fault", table(head, rows)+"\n"+text("* the resource was damaged. - cannot be played so, or the library has no such step. ? no run was conclusive.")+" The letters are those of "+link("the matrix", "README.md")+"; the page of a library, or "+linkInto("its section below", "libraries.md", "programs-on-real-servers")+", has the run behind each."),
		section("What it takes to break one", "Each single fault at each moment of the plain profile, for libraries that are played in virtual time: two clients, a request or a step at a time.\n\n"+
			table(librarySetsHead(), broken)),
		section("On real servers", "The scripts of what is played in virtual time (here) on real servers (there), seed by seed. A library whose timers and goroutines race can end either way in both.\n\n"+table([]string{"library", "cells"}, real)),
		section("How", table([]string{"library", "what of it", "with", "how", "variations of each cell"}, how)+"\nAgain:\n\n"+block("", "make libraries")),
		section("Programs on real servers", strings.Join(w.programSections(), "\n")),
	)}
}

func librarySetsHead() []string { return byWays("library", "schedules") }

// howWalked counts the schedules of a library's walk.
func howWalked(l *results.Library) string {
	if l.Walk == nil {
		return "not searched"
	}
	x := &l.Walk.Locks[0]
	return fmt.Sprintf("%d, %d of them without effect", x.Walked, x.NoEffect)
}

// librarySets has the kinds of faults that break a library alone, by the way of breaking.
func (w *writer) librarySets(name string, l *results.Library) []string {
	cells := []string{name, howWalked(l)}
	for _, way := range checker.Ways() {
		cell := "not searched"
		if l.Walk != nil {
			kinds := each(l.Walk.Locks[0].By(way), func(s results.CutSet) string { return text(setName(s)) })
			if cell = strings.Join(kinds, ", "); cell == "" {
				cell = noSet(&l.Walk.Locks[0], way)
			}
		}
		cells = append(cells, cell)
	}
	return cells
}

// onRealServers says in how many cells both worlds agree, and counts the results of the others: a race
// can end either way in both.
func onRealServers(l *results.Library) string {
	if l.Worlds == nil {
		return "not compared"
	}
	out := comparison{l.Worlds}.summary()
	for i := range l.Worlds.Cells {
		c := &l.Worlds.Cells[i]
		if c.Agreement != results.Differs && c.Agreement != results.Untested {
			continue
		}
		simulated, real := map[string]int{}, map[string]int{}
		for _, r := range c.Runs {
			simulated[r.Simulated]++
			real[r.Real]++
		}
		out += fmt.Sprintf("; %s with %d of %d seeds: here %s, there %s", code(c.Fault), c.Agreeing, len(c.Runs), counted(simulated), counted(real))
	}
	return out
}

// counted formats the counts of letters: "6 L, 14 V".
func counted(letters map[string]int) string {
	return strings.Join(each(slices.Sorted(maps.Keys(letters)), func(l string) string {
		return fmt.Sprintf("%d %s", letters[l], text(l))
	}), ", ")
}

// libraryRow is the row of a library in the matrix, and what it takes to break it.
func (w *writer) libraryRow(v locks.Variant) string {
	l := w.library(v.ID)
	if l == nil {
		return "This library has not been measured in virtual time."
	}
	return howMeasured(l) + "\n\n" + w.cells(l.Matrix, v.ID) +
		fmt.Sprintf("\nMeasured with %d random variations of each script; the letter is the worst of all runs. Again:\n\n", l.Matrix.Seeds) + block("", "make libraries")
}

// librarySingles is what it takes to break a library; "" if that was not walked.
func (w *writer) librarySingles(lock string) string {
	l := w.library(lock)
	if l == nil || l.Walk == nil {
		return ""
	}
	return table(byWays("kind of fault"), librarySetRows(&l.Walk.Locks[0])) +
		fmt.Sprintf("\nSchedules of one fault in the plain profile, played by the library's own code: %s. %s\n",
			howWalked(l), link("All libraries", "../libraries.md"))
}

// librarySetRows has a line for each set, with its story.
func librarySetRows(x *results.ExploredLock) [][]string {
	rows := setRows(x)
	for i := range rows {
		for k, way := range checker.Ways() {
			for _, s := range x.By(way) {
				if setName(s) == rows[i][0] {
					rows[i][k+1] = text(s.Text)
				}
			}
		}
	}
	return rows
}

// librariesElsewhere is the table of the libraries' minimal sets on the page of all locks; "" if none
// was walked.
func librariesElsewhere(w *writer) string {
	var rows [][]string
	for _, l := range w.Libraries {
		if l.Walk != nil {
			rows = append(rows, w.librarySets(lockLink(l.Lock), l))
		}
	}
	if rows == nil {
		return ""
	}
	return "In virtual time, each single fault in the plain profile only: " + link("libraries.md", "libraries.md") + ".\n\n" +
		table(librarySetsHead(), rows)
}
