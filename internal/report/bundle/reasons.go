package bundle

import "slices"

// Reason is a reason why runs were not played or tested nothing, with its frequency.
type Reason struct {
	Text string `json:"reason" doc:"In words."`
	N    int    `json:"runs" doc:"How many runs it is the reason of."`
}

// Reasons counts reasons, the most frequent first, equally frequent ones by their first occurrence.
func Reasons(all []string) []Reason {
	var out []Reason
	for _, text := range all {
		i := slices.IndexFunc(out, func(r Reason) bool { return r.Text == text })
		if i < 0 {
			i = len(out)
			out = append(out, Reason{Text: text})
		}
		out[i].N++
	}
	slices.SortStableFunc(out, func(a, b Reason) int { return b.N - a.N })
	return out
}
