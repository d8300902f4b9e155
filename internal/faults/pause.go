package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:     "pause",
		Summary:  "Freezes a whole process, its watchdog included, while its sockets stay open: a stop-the-world garbage collection, a swap storm, SIGSTOP. Its clocks go on, unlike those of a suspended host.",
		Example:  "- when: A is in its critical section\n  pause: A\n  for: 15s",
		Value:    Param{Kind: ParamNode, Required: true, Doc: "which process"},
		Ends:     true,
		Describe: func(t Description) say.Phrase { return textPause.With(t.who) },
		Begin:    func(w World, _ Args, at Activation) { w.Freeze(at.Fault, at.Target) },
		End:      func(w World, at Activation) { w.Thaw(at.Fault, at.Target) },
		Keeps:    true,
	})
}

var textPause = say.New1[actor]("{who} pauses")
