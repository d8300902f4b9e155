package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:     "slow",
		Summary:  "Makes the work in the critical section take longer; the other tasks of the process, such as a watchdog, go on.",
		Example:  "- when: A enters\n  slow: A\n  by: 15s",
		Value:    Param{Kind: ParamClient, Required: true, Doc: "which client"},
		Params:   []Param{{Name: "by", Kind: ParamDuration, Required: true, Doc: "how much longer the work takes"}},
		Acts:     SpanOfWork,
		Describe: func(t Description) say.Phrase { return textSlow.With(whose{t.who}, say.Planned(t.Durations["by"])) },
		Begin: func(w World, a Args, at Activation) {
			w.SlowWork(at.Fault, at.Target, a.Durations["by"])
		},
	})
}

var textSlow = say.New2[whose, say.Planned]("{whose} work takes {time} longer")
