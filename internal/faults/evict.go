package faults

import (
	"cmp"

	"lockstep/internal/say"
)

func init() {
	Register(Spec{
		Name:    "evict",
		Summary: "The store drops the lock's entry early: an eviction, a flush, an operator's DEL; a revoked lease, a killed session.",
		Example: "- when: A is in its critical section\n  evict: lock",
		Value:   Param{Kind: ParamChoice, Choices: []string{"lock"}, Required: true, Doc: "what is dropped"},
		Params:  []Param{{Name: "from", Kind: ParamServer, Doc: "the only server that drops it; all that have it when left out"}},
		Describe: func(t Description) say.Phrase {
			return textEvict.With(someone(cmp.Or(t.Choices["from"], TheStore)))
		},
		Begin: func(w World, a Args, at Activation) { w.Evict(at.Fault, a.Choices["from"]) },
	})
}

var textEvict = say.New1[someone]("{server} drops the lock's entry")
