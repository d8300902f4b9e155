package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "crash",
		Summary: "Kills a process at once: no deferred code runs, nothing more is sent. Its operating system lives on and closes its connections.",
		Example: "- when: A is in its critical section\n  crash: A",
		Value:   Param{Kind: ParamNode, Required: true, Doc: "which process"},
		Ends:    EndNone,
		Lasting: true,
		Say:     func(a Args) string { return "crash " + a.Value },
		Tell:    func(t Telling) say.Phrase { return toldCrash.With(t.who) },
		Build:   func(Args) Verb { return crash{} },
	})
}

var toldCrash = say.New1[actor]("{who} crashes")

type crash struct{}

func (crash) Name() string                 { return "crash" }
func (crash) Begin(w World, at Activation) { w.Crash(at.Fault, at.Target) }
func (crash) End(World, Activation)        {}
