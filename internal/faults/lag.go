package faults

import (
	"time"

	"lockstep/internal/say"
)

func init() {
	Register(Spec{
		Name:    "lag",
		Summary: "Makes replication slower for a while; what is on its way arrives later.",
		Example: "- at: 1s\n  lag: 3s\n  for: 10s",
		Value:   Param{Kind: ParamDuration, Required: true, Doc: "how much later replicas get what the primary executed"},
		Ends:    EndRequired,
		Replica: true,
		Say:     func(a Args) string { return "lag " + Duration(a.Durations[""]) },
		Tell:    func(t Telling) say.Phrase { return toldLag.With(say.Planned(t.Durations[""])) },
		Build:   func(a Args) Verb { return lag{a.Durations[""]} },
	})
}

var toldLag = say.New1[say.Planned]("replication is {time} behind")

type lag struct{ by time.Duration }

func (lag) Name() string                   { return "lag" }
func (l lag) Begin(w World, at Activation) { w.Lag(at.Fault, l.by) }
func (lag) End(w World, at Activation)     { w.Lag(at.Fault, 0) }
func (l lag) Keep(w World, at Activation)  { l.Begin(w, at) }
