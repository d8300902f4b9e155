package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

type lockGroup struct {
	rank  int
	Name  string
	Locks []locks.Variant
}

// Ideas link to the locks of a group.
func (g lockGroup) Ideas() [][]string {
	return each.Map(g.Locks, func(v locks.Variant) []string {
		return []string{lockLink(v.ID), text(v.Doc(say.English).Idea)}
	})
}

// Groups are the locks under their headings, by rank, without the misprints.
func (w *writer) Groups() []lockGroup {
	var out []lockGroup
	for _, v := range locks.All() {
		if locks.Misprint(v.ID) {
			continue
		}
		rank, name := w.Group(v)
		i := slices.IndexFunc(out, func(g lockGroup) bool { return g.Name == name })
		if i < 0 {
			i, out = len(out), append(out, lockGroup{rank: rank, Name: name})
		}
		out[i].Locks = append(out[i].Locks, v)
	}
	slices.SortStableFunc(out, func(a, b lockGroup) int { return cmp.Compare(a.rank, b.rank) })
	return out
}

// Letters are those of the matrix, with their meanings.
func (w *writer) Letters() string {
	var known []string
	for _, l := range checker.CellLetters {
		if l.Letter != checker.LetterUnknown {
			known = append(known, fmt.Sprintf("**%s** %s", l.Letter, l.Means.English()))
		}
	}
	return strings.Join(known, "; ")
}

// ColumnRows explain the columns of the matrix.
func (w *writer) ColumnRows() [][]string {
	return each.Map(w.Columns, func(c matrix.Column) []string {
		kinds := each.Map(c.Kinds(), func(k faultkind.Hit) string { return strings.TrimSpace(k.Kind + " " + k.While()) })
		return []string{code(c.Code), text(c.Name.English()), text(c.Summary.English()), text(strings.Join(kinds, ", "))}
	})
}
