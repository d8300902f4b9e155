package faults

import (
	"time"

	"lockstep/internal/say"
)

func init() {
	Register(Spec{
		Name:    "restart",
		Summary: "Kills a process and starts it again: a server comes back with what its persistence kept, a client begins its workload again.",
		Example: "- when: A is in its critical section\n  restart: the primary\n  down: 500ms",
		Value:   Param{Kind: ParamNode, Required: true, Doc: "which process"},
		Params: []Param{{Name: "down", Kind: ParamDuration, Default: 500 * time.Millisecond,
			Doc: "how long it stays away"}},
		Describe: func(t Description) say.Phrase {
			var down say.Part = say.Verbatim("")
			if d, ok := t.Durations["down"]; ok {
				down = say.Planned(d)
			}
			return textRestart.With(t.who, down)
		},
		Begin: func(w World, a Args, at Activation) {
			w.Restart(at.Fault, at.Target, a.Durations["down"])
		},
	})
}

var textRestart = say.New2[actor, say.Part]("{who} restarts[ ({time} down)]")
