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
		Ends: EndNone,
		Say: func(a Args) string {
			if d, ok := a.Durations["down"]; ok {
				return "restart " + a.Value + " down " + Duration(d)
			}
			return "restart " + a.Value
		},
		Tell:  func(t Telling) say.Phrase { return toldRestart.With(t.who, said(t.Args, "down")) },
		Build: func(a Args) Verb { return restart{a.Durations["down"]} },
	})
}

var toldRestart = say.New2[actor, optionalSpan]("{who} restarts[ ({time} down)]")

type restart struct{ down time.Duration }

func (restart) Name() string                   { return "restart" }
func (r restart) Begin(w World, at Activation) { w.Restart(at.Fault, at.Target, r.down) }
func (restart) End(World, Activation)          {}
