package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "delay",
		Summary: "Holds back the request or the reply of one command: it arrives late, but it does arrive.",
		Example: "- when: A is about to send SET\n  delay: reply\n  by: 12s",
		Value:   Param{Kind: ParamChoice, Choices: []string{"request", "reply"}, Required: true, Doc: "which half of the command"},
		Params:  []Param{{Name: "by", Kind: ParamDuration, Required: true, Doc: "how much later it arrives"}},
		OnWire:  true,
		Delays:  true,
		Describe: func(t Description) say.Phrase {
			return textDelay.With(message{t.Value, t.of}, say.Planned(t.Durations["by"]))
		},
		Begin: func(w World, a Args, at Activation) {
			w.DelayCall(at.Fault, at.Call, halfOf(a.Value), a.Durations["by"])
		},
	})
}

var textDelay = say.New2[message, say.Planned]("{message} arrives {time} late")
