package faults

func init() {
	Register(Spec{
		Name:    "promote",
		Summary: "An operator makes a replica the primary while the old primary lives on, with whoever still talks to it: a split brain.",
		Example: "- when: A is in its critical section\n  promote: replica",
		Value:   Param{Kind: ParamChoice, Choices: []string{"replica"}, Required: true, Doc: "what is promoted"},
		Ends:    EndNone,
		Replica: true,
		Build:   func(Args) Verb { return promote{} },
	})
}

type promote struct{}

func (promote) Name() string               { return "promote" }
func (promote) Begin(w World, at Occasion) { w.Promote(at.Fault) }
func (promote) End(World, Occasion)        {}
