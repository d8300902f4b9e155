package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "drift-clock",
		Summary: "Makes both clocks of a node run faster or slower for a while; the readings do not jump.",
		Example: "- when: A is in its critical section\n  drift-clock: redis-1\n  rate: +5%\n  for: 10s",
		Value:   Param{Kind: ParamNode, Required: true, Doc: "whose clocks"},
		Params:  []Param{{Name: "rate", Kind: ParamRate, Required: true, Doc: "how much faster than without the fault"}},
		Ends:    true,
		Acts:    SpanOfFault,
		Describe: func(t Description) say.Phrase {
			return textDriftClock.With(whose{t.who}, rate(t.Rates["rate"]), t.Rates["rate"] >= 0, t.Rates["rate"] < 0)
		},
		Begin: func(w World, a Args, at Activation) {
			w.DriftClock(at.Fault, at.Target, a.Rates["rate"])
		},
		End:   func(w World, at Activation) { w.DriftClock(at.Fault, at.Target, 0) },
		Keeps: true,
	})
}

var textDriftClock = say.New4[whose, rate, say.Flag, say.Flag](
	"{whose} clocks run {rate}[fast? fast][slow? slow]")
