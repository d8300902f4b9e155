package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:     "crash",
		Summary:  "Kills a process at once: no deferred code runs, nothing more is sent. Its operating system lives on and closes its connections.",
		Example:  "- when: A is in its critical section\n  crash: A",
		Value:    Param{Kind: ParamNode, Required: true, Doc: "which process"},
		Lasting:  true,
		Describe: func(t Description) say.Phrase { return textCrash.With(t.who) },
		Begin:    func(w World, _ Args, at Activation) { w.Crash(at.Fault, at.Target) },
	})
}

var textCrash = say.New1[actor]("{who} crashes")
