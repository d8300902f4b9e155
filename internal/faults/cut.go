package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "cut",
		Summary: "Cuts the links from one side to another, in this direction only: what the first side sends arrives when the cut is over.",
		Example: "- when: A is in its critical section\n  cut: [A, store]\n  for: 15s",
		Value: Param{Kind: ParamSides, Required: true, Two: true,
			Doc: "who is not heard, and by whom; a side is a node, a group (store, replicas, sentinels) or a list of these"},
		Ends:     true,
		Acts:     SpanOfFault,
		Say:      func(a Args) string { return "cut what " + sideText(a.Sides[0]) + " sends to " + sideText(a.Sides[1]) },
		Describe: func(t Description) say.Phrase { return textCut.With(side(t.Sides[0]), side(t.Sides[1])) },
		Begin: func(w World, _ Args, at Activation) {
			w.Partition(at.Fault, at.Sides[0], at.Sides[1], false)
		},
		End: func(w World, at Activation) { w.HealPartition(at.Fault) },
	})
}

var textCut = say.New2[side, side]("what {from} sends to {to} is held back")
