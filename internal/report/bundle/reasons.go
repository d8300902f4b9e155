package bundle

import "slices"

// Reason is why something was not played or tested nothing, and how often it is the reason.
type Reason struct {
	Text string `json:"reason" doc:"In words."`
	N    int    `json:"runs" doc:"How many runs it is the reason of."`
}

// Reasons counts reasons, the most frequent first, then in the order in which they come.
func Reasons(all []string) []Reason {
	var out []Reason
	at := map[string]int{}
	for _, text := range all {
		i, known := at[text]
		if !known {
			i = len(out)
			at[text] = i
			out = append(out, Reason{Text: text})
		}
		out[i].N++
	}
	slices.SortStableFunc(out, func(a, b Reason) int { return b.N - a.N })
	return out
}
