package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:     "promote",
		Summary:  "An operator makes a replica the primary while the old primary lives on and serves the clients that still talk to it: a split brain.",
		Example:  "- when: A is in its critical section\n  promote: replica",
		Value:    Param{Kind: ParamChoice, Choices: []string{"replica"}, Required: true, Doc: "what is promoted"},
		Replica:  true,
		Describe: func(Description) say.Phrase { return textPromote.With() },
		Begin:    func(w World, _ Args, at Activation) { w.Promote(at.Fault) },
	})
}

var textPromote = say.New0("a replica is promoted")
