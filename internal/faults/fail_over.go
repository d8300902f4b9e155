package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "fail-over",
		Summary: "The primary dies and a replica takes its place; what had not been replicated is lost.",
		Example: "- when: A is in its critical section\n  fail-over: operator",
		Value: Param{Kind: ParamChoice, Choices: []string{"operator", "sentinel"}, Required: true,
			Doc: "who promotes the replica: an operator, as soon as failover.after has passed, or sentinels, once they agree that the primary is down"},
		Replica:  true,
		Promoter: true,
		Describe: func(t Description) say.Phrase { return textFailOver.With(t.Value == "sentinel") },
		// The servers decide who promotes; the scenario's reader checks that the value agrees with
		// them.
		Begin: func(w World, _ Args, at Activation) { w.FailOver(at.Fault) },
	})
}

var textFailOver = say.New1[say.Flag]("failover[sentinels? by the sentinels]")
