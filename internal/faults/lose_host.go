package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "lose-host",
		Summary: "The machine of a client is gone without a word: a power failure, a dead network card. Its connections stay open, and a server learns of it only from timeouts of its own.",
		Example: "- when: A is in its critical section\n  lose-host: A",
		Value: Param{Kind: ParamClient, Required: true, Doc: "whose machine",
			Instead: "the machine of a server is lost to all by a partition that lasts forever"},
		Ends:    EndNone,
		Lasting: true,
		Say:     func(a Args) string { return "lose-host " + a.Value },
		Tell:    func(t Telling) say.Phrase { return toldLoseHost.With(t.who) },
		Build:   func(Args) Verb { return loseHost{} },
	})
}

var toldLoseHost = say.New1[actor]("{who} is lost with its host")

// loseHost has another half, crash: when only the process dies, its operating system goes
// on, closes its connections and sends again what was lost on the way.
type loseHost struct{}

func (loseHost) Name() string                 { return "lose-host" }
func (loseHost) Begin(w World, at Activation) { w.LoseHost(at.Fault, at.Target) }
func (loseHost) End(World, Activation)        {}
