package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name: "promote",
		Summary: say.Both{
			English: "An operator makes a replica the primary while the old primary lives on and serves whoever still talks to it: a split brain.",
			Chinese: "运维把一个副本升为主节点，而旧的主节点还活着，还在为联系得到它的人服务：脑裂。",
		},
		Example: "- when: A is in its critical section\n  promote: replica",
		Value:   Param{Kind: ParamChoice, Choices: []string{"replica"}, Required: true, Doc: "what is promoted"},
		Ends:    EndNone,
		Replica: true,
		Say:     func(Args) say.Phrase { return saidPromote.With() },
		Build:   func(Args) Verb { return promote{} },
	})
}

var saidPromote = say.New0("promote replica", "有人手动提升副本")

type promote struct{}

func (promote) Name() string               { return "promote" }
func (promote) Begin(w World, at Occasion) { w.Promote(at.Fault) }
func (promote) End(World, Occasion)        {}
