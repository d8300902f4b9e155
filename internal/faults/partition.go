package faults

import "strings"

func init() {
	Register(Spec{
		Name:    "partition",
		Summary: "Cuts the links between two or more sides, in both directions; what was sent arrives late, after the end, as TCP brings it.",
		Example: "- when: A is in its critical section\n  partition: [A, store]\n  for: 15s",
		Value: Param{Kind: ParamSides, Required: true,
			Doc: "the sides that cannot reach each other; a side is a node, a group (store, replicas, sentinels) or a list of these"},
		Ends:  EndRequired,
		Say:   func(a Args) string { return "partition " + sidesWords(a.Sides, " from ") },
		Build: func(Args) Verb { return partition{} },
	})
}

type partition struct{}

func (partition) Name() string { return "partition" }

func (partition) Begin(w World, at Occasion) {
	for i, side := range at.Sides {
		for _, other := range at.Sides[i+1:] {
			w.Partition(at.Fault, side, other, true)
		}
	}
}

func (partition) End(w World, at Occasion) { w.HealPartition(at.Fault) }

// sidesWords is all sides in words.
func sidesWords(sides [][]string, between string) string {
	parts := make([]string, len(sides))
	for i, side := range sides {
		parts[i] = sideWords(side)
	}
	return strings.Join(parts, between)
}
