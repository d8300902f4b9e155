package docs

import (
	"fmt"
	"strings"

	"lockstep/internal/measured"
)

// wayNames are the ways of breaking as a table calls them, in the order of measured.Ways.
var wayNames = [...]string{"two believe they hold it", "the resource is damaged", "somebody is robbed", "everybody is stuck"}

// explorePage says for all locks what it takes to break them.
func (w *writer) explorePage() []Page {
	if w.Explored == nil {
		return nil
	}
	x := w.Explored
	var rows, worlds [][]string
	for i := range x.Locks {
		l := &x.Locks[i]
		row := []string{link(text(l.Lock), "locks/"+l.Lock+".md")}
		for _, way := range measured.Ways() {
			row = append(row, cutSets(l, way, w.Up+"/"))
		}
		rows = append(rows, row)
	}
	for _, b := range x.Scope.Worlds {
		worlds = append(worlds, []string{code(b.Name), text(b.Summary)})
	}
	return []Page{page("explore.md", "docs/explore.json",
		heading(1, "What does it take to break it?"),
		fmt.Sprintf("Of each lock the minimal sets of kinds of faults that break it: all of a set together do, no part of it does. They come from %d schedules of faults, each of which was played in the simulator: every single fault for %d locks, every pair for %d of them. A set leads to the shortest story that shows it; %s explains the kinds, and %s says which locks survive what can happen to you.",
			x.Walked(), x.Complete(1), x.Complete(2), link(code("simulate explore"), "commands/simulate_explore.md"), link(code("simulate advise"), "commands/simulate_advise.md")),
		table(append([]string{"lock"}, wayNames[:]...), rows),
		section("What none means", "None of all schedules of so many faults within this scope: "+fmt.Sprintf("%d clients of %d %s in the plain world, and these worlds and durations.", x.Scope.Clients, x.Scope.Rounds, plural(x.Scope.Rounds, "round", "rounds"))+"\n\n"+
			table([]string{"world", "how the lock is used"}, worlds)+"\n"+list(x.Scope.Classes)),
		section("Again", block("", "simulate explore --resume walk.json\nsimulate explore --resume walk.json --faults 2 redlock\nsimulate explore --resume walk.json --faults 2 --as-is --json")),
	)}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// list is a list of texts.
func list(all []string) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString("- " + text(s) + "\n")
	}
	return b.String()
}

// cutSets are the sets of one way, each with a link to its story; up is the way to the repository.
func cutSets(l *measured.ExploredLock, way, up string) string {
	sets := l.Breaks[way]
	switch {
	case sets == nil || l.Complete == 0:
		return "not walked"
	case len(sets) == 0 && (l.Cut > 0 || len(l.Doubts) > 0):
		return "none known"
	case len(sets) == 0:
		return fmt.Sprintf("none up to %d", l.Complete)
	}
	var all []string
	for _, s := range sets {
		name := strings.Join(s.Kinds, " + ")
		if len(s.Kinds) == 0 {
			name = "no fault at all"
		}
		if s.Story != "" {
			name = link(text(name), up+s.Story)
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

// exploreRow is what it takes to break one lock; "" when that is not stored.
func (w *writer) exploreRow(lock string) string {
	if w.Explored == nil {
		return ""
	}
	for i := range w.Explored.Locks {
		l := &w.Explored.Locks[i]
		if l.Lock != lock {
			continue
		}
		var rows [][]string
		for i, way := range measured.Ways() {
			rows = append(rows, []string{wayNames[i], cutSets(l, way, w.repo(""))})
		}
		return table([]string{"how it breaks", "minimal sets of kinds of faults"}, rows) +
			fmt.Sprintf("\nOf %d schedules. What the kinds are and what none means: %s\n\n", l.Walked, link("the whole table", "../explore.md")) +
			block("", "simulate explore "+lock)
	}
	return ""
}
