package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:     "lag",
		Summary:  "Makes replication slower for a while; what is on its way arrives later.",
		Example:  "- at: 1s\n  lag: 3s\n  for: 10s",
		Value:    Param{Kind: ParamDuration, Required: true, Doc: "how much later replicas get what the primary executed"},
		Ends:     true,
		Replica:  true,
		Describe: func(t Description) say.Phrase { return textLag.With(say.Planned(t.Durations[""])) },
		Begin:    func(w World, a Args, at Activation) { w.Lag(at.Fault, a.Durations[""]) },
		End:      func(w World, at Activation) { w.Lag(at.Fault, 0) },
		Keeps:    true,
	})
}

var textLag = say.New1[say.Planned]("replication is {time} behind")
