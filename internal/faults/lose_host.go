package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "lose-host",
		Summary: "The machine of a client disappears without notice: a power failure, a dead network card. Its connections stay open, and a server notices only by its own timeouts.",
		Example: "- when: A is in its critical section\n  lose-host: A",
		Value: Param{Kind: ParamClient, Required: true, Doc: "whose machine",
			Instead: "the machine of a server is lost to all by a partition that lasts forever"},
		Lasting:  true,
		Describe: func(t Description) say.Phrase { return textLoseHost.With(t.who) },
		Begin:    func(w World, _ Args, at Activation) { w.LoseHost(at.Fault, at.Target) },
	})
}

var textLoseHost = say.New1[actor]("{who} is lost with its host")
