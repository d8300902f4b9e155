package docs

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// comparison is a comparison of cells, or of stories of the search.
type comparison struct{ *results.Worlds }

// subject is what a comparison is of.
type subject struct {
	unit, outcome  string
	many           int    // seeds from which on a result is no coincidence
	delicate, slow string // those that need a larger scale, and why
}

var (
	ofCells = subject{
		unit: "cells", outcome: "the letter", many: 20,
		delicate: "sentinels or an election that no setting makes shorter",
		slow:     "a busy machine would take healthy servers for dead",
	}
	ofStories = subject{
		unit: "stories", outcome: "the outcome", many: 5,
		delicate: "sentinels, nodes of Redlock or a replica that has to be behind",
		slow:     ofCells.slow + ", and a promotion would take longer than the replica is behind",
	}
)

func (c comparison) subject() *subject {
	if slices.ContainsFunc(c.Cells, func(x results.WorldCell) bool { return x.Story != "" }) {
		return &ofStories
	}
	return &ofCells
}

// agreements counts the cells of a lock, or with "" all of them, by their result.
func (c comparison) agreements(lock string) map[results.Agreement]int {
	count := map[results.Agreement]int{}
	for i := range c.Cells {
		if lock == "" || c.Cells[i].Lock == lock {
			count[c.Cells[i].Agreement]++
		}
	}
	return count
}

// Command measures a lock's row again, or with "" the whole table.
func (c comparison) Command(lock string) string {
	out := "simulate dev compare-worlds"
	if lock != "" {
		out += " --lock " + lock
	}
	return out + fmt.Sprintf(" --backend %s --scale %s --times %d", c.Backend, c.Scale(), c.Times)
}

// lettersOf has one letter if all runs of a cell agree, else one of each world.
func lettersOf(x *results.WorldCell) string {
	if x.Agreement == results.NotPlayed || len(x.Runs) == 0 {
		return "-"
	}
	if x.Agreement == results.Agrees {
		return x.Runs[0].Simulated
	}
	for _, r := range x.Runs {
		if r.Agreement == x.Agreement {
			return r.Simulated + "/" + r.Real
		}
	}
	return "-"
}

// WorldsTable has the letters of all locks in both worlds.
func (w *writer) WorldsTable() string {
	codes := w.byColumn(func(c matrix.Column) string { return c.Code })
	return table("lock | "+strings.Join(codes, " | "), lockRows(func(v locks.Variant) []string {
		letters := w.byColumn(func(c matrix.Column) string {
			if x := w.Worlds.Cell(v.ID, c.Code); x != nil {
				return text(lettersOf(x))
			}
			return ""
		})
		if strings.Join(letters, "") == "" {
			return nil
		}
		return append([]string{lockLink(v.ID)}, letters...)
	}))
}

// Differences are the scripts with which the two worlds differ.
func (w *writer) Differences() string {
	return comparison{w.Worlds}.differences("script", func(x *results.WorldCell) string { return code(x.Fault) + " " + text(x.Script) })
}

// Summary counts the cells by their result.
func (c comparison) Summary() string {
	count := c.agreements("")
	of := func(agreement results.Agreement, one, many string) string {
		n := count[agreement]
		return say.Grouped(n).In(say.English) + " " + plural(n, one, many)
	}
	return fmt.Sprintf("of %s %s %s, %s, %s and %s", say.Grouped(len(c.Cells)).In(say.English), c.subject().unit, of(results.Agrees, "agrees", "agree"), of(results.Differs, "differs", "differ"),
		of(results.Untested, "was inconclusive", "were inconclusive"), of(results.NotPlayed, "was not played", "were not played"))
}

// kept names a file for the real runs, which take hours to play.
const kept = " --keep runs.jsonl"

// Again are the commands that measure the page again.
func (c comparison) Again() string {
	last := c.Command("") + " --json > measurements/worlds.json\nsimulate dev docs"
	if _, often, _ := c.count(); often == 0 {
		return last
	}
	first := fmt.Sprintf("simulate dev compare-worlds --backend %s --scale %s --letter V,F,VF,D --times %d", c.Backend, c.Scale(), c.subject().many)
	return first + kept + "\n" + c.Command("") + kept + " --json > measurements/worlds.json\nsimulate dev docs"
}

// Evidence says how many runs the table rests on.
func (c comparison) Evidence() string {
	of := c.subject()
	runs, often, all := c.count()
	out := fmt.Sprintf("That is %s real runs.", say.Grouped(runs).In(say.English))
	if slower := each.Count(c.Cells, func(x *results.WorldCell) bool { return x.ScalePPM > 0 }); slower > 0 {
		out += fmt.Sprintf(" %d %s, those with %s, were played slower than that: %s.", slower, of.unit, of.delicate, of.slow)
	}
	if often > 0 {
		out += fmt.Sprintf(" %s %s were played with %d seeds or more; in %s of these every real run had %s of its simulated run.",
			say.Grouped(often).In(say.English), of.unit, of.many, say.Grouped(all).In(say.English), of.outcome)
	}
	return out
}

// count counts the real runs, the cells that were played with many seeds, and those of
// them in which all seeds agree.
func (c comparison) count() (runs, often, all int) {
	many := c.subject().many
	for i := range c.Cells {
		x := &c.Cells[i]
		runs += len(x.Runs)
		if len(x.Runs) < many {
			continue
		}
		often++
		if x.Agreement == results.Agrees {
			all++
		}
	}
	return runs, often, all
}

// differences are the cells in which the two worlds differ or tested nothing; what describes a cell.
func (c comparison) differences(head string, what func(x *results.WorldCell) string) string {
	var rows [][]string
	for i := range c.Cells {
		if x := &c.Cells[i]; x.Agreement == results.Differs || x.Agreement == results.Untested {
			rows = append(rows, []string{
				lockLink(x.Lock), what(x), text(lettersOf(x)), fmt.Sprintf("%d of %d", x.Agreeing, len(x.Runs)), text(x.Why),
			})
		}
	}
	return table("lock | "+head+" | simulated/real | seeds that agree | note", rows)
}

// InFullRows are the cells that were compared at the full length of their scripts.
func (w *writer) InFullRows() (rows [][]string) {
	if w.InFull == nil {
		return nil
	}
	for i := range w.InFull.Cells {
		x := &w.InFull.Cells[i]
		short := w.Worlds.Cell(x.Lock, x.Fault)
		if len(x.Runs) == 0 || short != nil && len(short.Runs) > 0 && short.Runs[0].Simulated == x.Runs[0].Simulated {
			continue // not played, or no different at the short scale
		}
		rows = append(rows, []string{
			lockLink(x.Lock), code(x.Fault), text(lettersOf(x)), fmt.Sprintf("%d of %d", x.Agreeing, len(x.Runs)), text(x.Script),
		})
	}
	return rows
}

// Alone is the command that measures a partial comparison again.
func (c comparison) Alone() string {
	var named, faults []string
	for i := range c.Cells {
		if x := &c.Cells[i]; len(x.Runs) > 0 {
			named, faults = append(named, x.Lock), append(faults, x.Fault)
		}
	}
	unique := func(s []string) string {
		slices.Sort(s)
		return strings.Join(slices.Compact(s), ",")
	}
	return c.Command(unique(named)) + " --fault " + unique(faults) + " --letter V,F,VF,D --keep in-full.jsonl --json > measurements/worlds-in-full.json"
}

// LockRows count the cells of each lock by their result.
func (c comparison) LockRows() [][]string {
	return lockRows(func(v locks.Variant) []string {
		count := c.agreements(v.ID)
		if len(count) == 0 {
			return nil
		}
		of := func(a results.Agreement) string { return fmt.Sprint(count[a]) }
		return append([]string{lockLink(v.ID)}, each.Map(results.Agreements(), of)...)
	})
}

// StoryDifferences are the stories of the search with which the two worlds differ.
func (w *writer) StoryDifferences() string {
	stored := map[string]bool{} // the stories of the stored walk, which may be newer than this comparison
	if w.Explored != nil {
		for _, s := range w.Explored.Stories() {
			stored[s.Name] = true
		}
	}
	return comparison{w.Stories}.differences("story", func(x *results.WorldCell) string {
		if w.Explored == nil || stored[x.Story] {
			return text(x.Script) + ": " + code(x.Story)
		}
		return text(x.Script)
	})
}

// NotPlayed counts the cells that were not played by reason, in order of first occurrence.
func (c comparison) NotPlayed() string {
	var rows [][]string
	for _, why := range each.Groups(c.Cells, func(x results.WorldCell) string { return x.Why }) {
		if n := each.Count(why.All, notPlayed); n > 0 {
			rows = append(rows, []string{fmt.Sprint(n), text(why.Key)})
		}
	}
	return table(c.subject().unit+" | why", rows)
}

func notPlayed(x *results.WorldCell) bool { return x.Agreement == results.NotPlayed }

// WorldsRows are the lock's cells in both worlds.
func (p lockPage) WorldsRows() (rows [][]string) {
	if p.Worlds == nil {
		return nil
	}
	for _, column := range p.Columns {
		x := p.Worlds.Cell(p.ID, column.Code)
		if x == nil {
			continue
		}
		seeds := ""
		if len(x.Runs) > 0 {
			seeds = fmt.Sprintf("%d of %d", x.Agreeing, len(x.Runs))
		}
		rows = append(rows, []string{code(x.Fault) + " " + text(column.Name.English()), text(lettersOf(x)), seeds, text(x.Script), text(x.Why)})
	}
	return rows
}
