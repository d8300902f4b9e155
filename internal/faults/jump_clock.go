package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "jump-clock",
		Summary: "Steps a node's wall clock, as an operator or a time daemon does; its monotonic clock goes on.",
		Example: "- when: A is in its critical section\n  jump-clock: the primary\n  by: +12s",
		Value:   Param{Kind: ParamNode, Required: true, Doc: "whose clock"},
		Params:  []Param{{Name: "by", Kind: ParamOffset, Required: true, Doc: "how far, and in which direction"}},
		Describe: func(t Description) say.Phrase {
			by := t.Durations["by"]
			return textJumpClock.With(whose{t.who}, by >= 0, by < 0, say.Planned(by.Abs()))
		},
		Begin: func(w World, a Args, at Activation) {
			w.JumpClock(at.Fault, at.Target, a.Durations["by"])
		},
	})
}

var textJumpClock = say.New4[whose, say.Flag, say.Flag, say.Planned](
	"{whose} clock jumps[ahead? ahead][back? back] by {time}")
