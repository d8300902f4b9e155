package bundle

import (
	"slices"

	"lockstep/internal/each"
)

// Reason is a reason why runs were not played or tested nothing, with its frequency.
type Reason struct {
	Text string `json:"reason" doc:"In words."`
	N    int    `json:"runs" doc:"How many runs it is the reason of."`
}

// Reasons counts reasons, the most frequent first, equally frequent ones by their first occurrence.
func Reasons(all []string) []Reason {
	same := each.Groups(all, func(text string) string { return text })
	out := each.Map(same, func(g each.Group[string, string]) Reason { return Reason{g.Key, len(g.All)} })
	slices.SortStableFunc(out, func(a, b Reason) int { return b.N - a.N })
	return out
}
