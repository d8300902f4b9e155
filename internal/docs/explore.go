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
	bySize := each.Groups(sets, func(s results.CutSet) int { return len(s.Kinds) })
	slices.SortFunc(bySize, func(a, b each.Group[int, results.CutSet]) int { return cmp.Compare(a.Key, b.Key) })
	for _, same := range bySize {
		switch n := len(same.All); same.Key {
		case 0:
			parts = append(parts, "no fault at all")
		case 1:
			parts = append(parts, fmt.Sprintf("%d alone", n))
		case 2:
			parts = append(parts, fmt.Sprintf("%d %s", n, plural(n, "pair", "pairs")))
		default:
			parts = append(parts, fmt.Sprintf("%d of %d", n, same.Key))
		}
	}
	return linkInto(strings.Join(parts, ", "), "locks/"+l.Lock+".md", "what-it-takes-to-break-it")
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
func setRows(l *results.ExploredLock) (rows [][]string) {
	all := slices.Concat(each.Map(checker.Outcomes(), l.By)...)
	slices.SortStableFunc(all, func(a, b results.CutSet) int { return cmp.Compare(len(a.Kinds), len(b.Kinds)) })
	for _, same := range each.Groups(all, setName) {
		find := func(way checker.Way) *results.CutSet {
			return each.Find(l.By(way), func(s *results.CutSet) bool { return setName(*s) == same.Key })
		}
		cells := each.Map(checker.Ways(), func(way checker.Way) string {
			if s := find(way); s != nil {
				return broken(l.Lock, s)
			}
			if way == checker.NoProgress && find(checker.Hung) != nil {
				return "while it hangs"
			}
			return ""
		})
		rows = append(rows, append([]string{playable(l.Lock, &same.All[0])}, cells...))
	}
	none := each.Map(checker.Ways(), func(way checker.Way) string {
		if len(l.By(way)) > 0 {
			return ""
		}
		return l.WithoutSet(way).English()
	})
	if strings.Join(none, "") != "" {
		rows = append(rows, append([]string{""}, none...))
	}
	return rows
}
