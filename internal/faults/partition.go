package faults

import (
	"strings"

	"lockstep/internal/say"
)

func init() {
	Register(Spec{
		Name:    "partition",
		Summary: "Cuts the links between two or more sides, in both directions; what was sent meanwhile arrives when it is over, as TCP delivers it.",
		Example: "- when: A is in its critical section\n  partition: [A, store]\n  for: 15s",
		Value: Param{Kind: ParamSides, Required: true,
			Doc: "the sides that cannot reach each other; a side is a node, a group (store, replicas, sentinels) or a list of these"},
		Ends: true,
		Acts: SpanOfFault,
		Say: func(a Args) string {
			parts := make([]string, len(a.Sides))
			for i := range a.Sides {
				parts[i] = sideText(a.Sides[i])
			}
			return "partition " + strings.Join(parts, " from ")
		},
		Describe: func(t Description) say.Phrase { return textPartition.With(side(t.Sides[0]), sides(t.Sides[1:])) },
		Begin: func(w World, _ Args, at Activation) {
			for i, side := range at.Sides {
				for _, other := range at.Sides[i+1:] {
					w.Partition(at.Fault, side, other, true)
				}
			}
		},
		End: func(w World, at Activation) { w.HealPartition(at.Fault) },
	})
}

var textPartition = say.New2[side, sides]("the network splits {one} from {others}")
