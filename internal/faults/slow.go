package faults

import (
	"time"

	"lockstep/internal/say"
)

func init() {
	Register(Spec{
		Name:    "slow",
		Summary: "Makes the work in the critical section take longer; the other tasks of the process, such as a watchdog, go on.",
		Example: "- when: A enters\n  slow: A\n  by: 15s",
		Value:   Param{Kind: ParamClient, Required: true, Doc: "which client"},
		Params:  []Param{{Name: "by", Kind: ParamDuration, Required: true, Doc: "how much longer the work takes"}},
		Ends:    EndNone,
		Say:     func(a Args) string { return "slow " + a.Value + " by " + Duration(a.Durations["by"]) },
		Tell:    func(t Telling) say.Phrase { return toldSlow.With(whose{t.who}, say.Planned(t.Durations["by"])) },
		Build:   func(a Args) Verb { return slow{a.Durations["by"]} },
	})
}

var toldSlow = say.New2[whose, say.Planned]("{whose} work takes {time} longer")

type slow struct{ by time.Duration }

func (slow) Name() string                   { return "slow" }
func (s slow) Begin(w World, at Activation) { w.SlowWork(at.Fault, at.Target, s.by) }
func (slow) End(World, Activation)          {}
