package docs

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/say"
)

// LetterTable has the letters of all libraries.
func (w *writer) LetterTable() string {
	rows := each.Map(w.Libraries, func(l *results.Library) []string {
		return w.letterRow(lockLink(l.Lock), "in virtual time", l)
	})
	for _, p := range w.Programs {
		rows = append(rows, w.letterRow(programLink(p), "on real servers", p))
	}
	codes := w.byColumn(func(c matrix.Column) string { return code(c.Code) })
	return table("library | version | played | "+strings.Join(codes, " | "), rows)
}

// HowRows say how all libraries were played.
func (w *writer) HowRows() (rows [][]string) {
	for _, l := range w.Libraries {
		rows = append(rows, []string{lockLink(l.Lock), code(l.Library), text(l.Go), "seeded: each letter has a run that can be repeated", fmt.Sprint(l.Matrix.Seeds)})
	}
	for _, p := range w.Programs {
		rows = append(rows, []string{
			programLink(p), code(p.Library), languages[path.Dir(p.Program)],
			fmt.Sprintf("each script once, by %s, the durations times %s", w.Repo(path.Base(p.Program), "examples/"+p.Program), fmt.Sprint(float64(p.ScalePPM)/1_000_000)),
			fmt.Sprint(p.Matrix.Seeds),
		})
	}
	return rows
}

// LibrarySets are the sets of the libraries; those without a walk say so.
func (w *writer) LibrarySets() [][]string { return each.Map(w.Libraries, librarySets) }

// WalkedLibraries are the sets of the libraries that were walked.
func (w *writer) WalkedLibraries() [][]string {
	return each.Map(slices.DeleteFunc(slices.Clone(w.Libraries), func(l *results.Library) bool { return l.Walk == nil }), librarySets)
}

// howWalked counts the schedules of a library's walk.
func howWalked(l *results.Library) string {
	if l.Walk == nil {
		return "not searched"
	}
	x := &l.Walk.Locks[0]
	return fmt.Sprintf("%s (%s without effect)", say.Grouped(x.Walked).In(say.English), say.Grouped(x.NoEffect).In(say.English))
}

// librarySets has the kinds of faults that break a library alone, by the way of breaking.
func librarySets(l *results.Library) []string {
	return append([]string{lockLink(l.Lock), howWalked(l)}, each.Map(checker.Ways(), func(way checker.Way) string {
		if l.Walk == nil {
			return "not searched"
		}
		x := &l.Walk.Locks[0]
		kinds := each.Map(x.By(way), func(s results.CutSet) string { return text(setName(s)) })
		return cmp.Or(strings.Join(kinds, ", "), x.WithoutSet(way).English())
	})...)
}

// onRealServers says in how many cells both worlds agree, and counts the results of the others: a
// race can end either way in both.
func onRealServers(l *results.Library) string {
	if l.Worlds == nil {
		return "not compared"
	}
	out := comparison{l.Worlds}.Summary()
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
	return strings.Join(each.Map(slices.Sorted(maps.Keys(letters)), func(l string) string {
		return fmt.Sprintf("%d %s", letters[l], text(l))
	}), ", ")
}

// librarySetRows has a line for each set, with its story.
func librarySetRows(l *results.Library) [][]string {
	x := &l.Walk.Locks[0]
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
