package faults

import (
	"time"

	"lockstep/internal/say"
)

func init() {
	Register(Spec{
		Name:    "restart",
		Summary: "Kills a process and starts it again: a server comes back with what its persistence kept, a client begins its workload anew.",
		Example: "- when: A is in its critical section\n  restart: the primary\n  down: 500ms",
		Value:   Param{Kind: ParamNode, Required: true, Doc: "which process"},
		Params: []Param{{Name: "down", Kind: ParamDuration, Default: 500 * time.Millisecond,
			Doc: "how long it stays away"}},
		Ends:  EndNone,
		Say:   func(a Args) say.Phrase { return saidRestart.With(someone(a.Value), said(a, "down")) },
		Build: func(a Args) Verb { return restart{a.Durations["down"]} },
	})
}

var saidRestart = say.New2[someone, optionalSpan]("restart {who}[ down {time}]", "重启{who}[，停机 {time}]")

type restart struct{ down time.Duration }

func (restart) Name() string                 { return "restart" }
func (r restart) Begin(w World, at Occasion) { w.Restart(at.Fault, at.Target, r.down) }
func (restart) End(World, Occasion)          {}
