package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/say"
)

// byWays is a table with a column for each way of breaking after some others.
func byWays(others string, rows [][]string) string {
	names := each.Map(checker.Ways(), func(way checker.Way) string { return way.Means().English() })
	return table(others+" | "+strings.Join(names, " | "), rows)
}

// walk is the search of the fault space, with misprints apart from designs.
type walk struct {
	*writer
	Designs, Misprints *results.Explored
}

// tableOfSets has a row for each lock of a walk.
func tableOfSets(x *results.Explored) string {
	var rows [][]string
	for i := range x.Locks {
		l := &x.Locks[i]
		sets := each.Map(checker.Ways(), func(way checker.Way) string { return cutSets(l, way) })
		rows = append(rows, append([]string{lockLink(l.Lock), text(pairsOf(l))}, sets...))
	}
	return byWays("lock | pairs of faults", rows)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// fewSets is how many sets a cell of the table of all locks lists; more are counted.
const fewSets = 3

// cutSets is the cell for one way of breaking a lock: the sets, or their number with a link to the
// lock's page, which lists them all.
func cutSets(l *results.ExploredLock, way checker.Way) string {
	sets := l.By(way)
	switch {
	case way == checker.NoProgress && len(l.By(checker.Hung)) > 0:
		apart := *l
		apart.Breaks = map[string][]results.CutSet{way.String(): sets}
		return cutSets(&apart, way) + "; while work hangs"
	case len(sets) == 0:
		return l.WithoutSet(way).English()
	case len(sets) <= fewSets:
		return strings.Join(each.Map(sets, setName), ", ")
	}
	var parts []string
	for size, n := range setSizes(sets) {
		switch {
		case n == 0:
		case size == 0:
			parts = append(parts, "no fault at all")
		case size == 1:
			parts = append(parts, fmt.Sprintf("%d alone", n))
		case size == 2:
			parts = append(parts, fmt.Sprintf("%d %s", n, plural(n, "pair", "pairs")))
		default:
			parts = append(parts, fmt.Sprintf("%d of %d", n, size))
		}
	}
	return linkInto(strings.Join(parts, ", "), "locks/"+l.Lock+".md", "what-it-takes-to-break-it")
}

// setSizes counts the sets by their size.
func setSizes(sets []results.CutSet) []int {
	var out []int
	for _, s := range sets {
		for len(out) <= len(s.Kinds) {
			out = append(out, 0)
		}
		out[len(s.Kinds)]++
	}
	return out
}

// pairsOf is how pairs were searched, in a few words.
func pairsOf(l *results.ExploredLock) string {
	return strings.Join(each.Map(l.Rests(), func(r results.Rest) string { return r.Says.English() }), ", ")
}

// pairsIn is the same with the number of draws in each world; "" if pairs were not searched.
func pairsIn(l *results.ExploredLock) string {
	var drawn []string
	for _, x := range l.Together {
		if x.How == results.Sampled {
			drawn = append(drawn, fmt.Sprintf("%s %s of about %s", x.Profile, say.Grouped(x.Walked).In(say.English), say.Grouped(x.Of).In(say.English)))
		}
	}
	switch {
	case l.Together == nil:
		return ""
	case drawn == nil:
		return "Pairs: " + pairsOf(l) + "."
	}
	return "Pairs: " + pairsOf(l) + ": " + strings.Join(drawn, ", ") + "."
}

func setName(s results.CutSet) string {
	if len(s.Kinds) == 0 {
		return "no fault at all"
	}
	return strings.Join(s.Kinds, " + ")
}

// playable is the name of a set's story for simulate run; the sets of libraries have no story.
func playable(lock string, s *results.CutSet) string {
	if s.Name == "" {
		return setName(*s)
	}
	return code(lock + "/" + s.Key())
}

// broken is the cell for a set that breaks a lock in one way: by the story that the row names, or
// by another one.
func broken(lock string, s *results.CutSet) string {
	if s.Name == "" || s.Name == lock+"/"+s.Key() {
		return "yes"
	}
	return code(s.Name)
}

// setRows has a line for each set that breaks the lock in some way, smallest sets first, and a last
// line for the ways in which none does.
func setRows(l *results.ExploredLock) [][]string {
	var sets []results.CutSet
	find := func(in []results.CutSet, kinds []string) int {
		return slices.IndexFunc(in, func(s results.CutSet) bool { return slices.Equal(s.Kinds, kinds) })
	}
	for _, way := range checker.Outcomes() {
		for _, s := range l.By(way) {
			if find(sets, s.Kinds) < 0 {
				sets = append(sets, s)
			}
		}
	}
	slices.SortStableFunc(sets, func(a, b results.CutSet) int { return cmp.Compare(len(a.Kinds), len(b.Kinds)) })
	var rows [][]string
	none := []string{""}
	for _, s := range sets {
		row := []string{playable(l.Lock, &s)}
		for _, way := range checker.Ways() {
			cell := ""
			if i := find(l.By(way), s.Kinds); i >= 0 {
				cell = broken(l.Lock, &l.By(way)[i])
			} else if way == checker.NoProgress && find(l.By(checker.Hung), s.Kinds) >= 0 {
				cell = "while it hangs"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	for _, way := range checker.Ways() {
		if len(l.By(way)) == 0 {
			none = append(none, l.WithoutSet(way).English())
		} else {
			none = append(none, "")
		}
	}
	if strings.Join(none, "") != "" {
		rows = append(rows, none)
	}
	return rows
}
