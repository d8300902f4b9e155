package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "pause",
		Summary: "Freezes a whole process, its watchdog included, while its sockets stay open: a stop-the-world garbage collection, a swap storm, SIGSTOP. Its clocks go on, unlike those of a suspended host.",
		Example: "- when: A is in its critical section\n  pause: A\n  for: 15s",
		Value:   Param{Kind: ParamNode, Required: true, Doc: "which process"},
		Ends:    EndRequired,
		Say:     func(a Args) string { return "pause " + a.Value },
		Tell:    func(t Telling) say.Phrase { return toldPause.With(t.who) },
		Build:   func(Args) Verb { return pause{} },
	})
}

var toldPause = say.New1[actor]("{who} pauses")

type pause struct{}

func (pause) Name() string                 { return "pause" }
func (pause) Begin(w World, at Activation) { w.Freeze(at.Fault, at.Target) }
func (pause) End(w World, at Activation)   { w.Thaw(at.Fault, at.Target) }
func (pause) Keep(World, Activation)       {} // it is frozen already
