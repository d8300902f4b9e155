package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:     "drop",
		Summary:  "Loses the request or the reply of one command; the client learns of it only from its response timeout.",
		Example:  "- when: A is about to send SET\n  drop: reply",
		Value:    Param{Kind: ParamChoice, Choices: []string{"request", "reply"}, Required: true, Doc: "which half of the command"},
		OnWire:   true,
		Describe: func(t Description) say.Phrase { return textDrop.With(message{t.Value, t.of}) },
		Begin:    func(w World, a Args, at Activation) { w.DropCall(at.Fault, at.Call, halfOf(a.Value)) },
	})
}

var textDrop = say.New1[message]("{message} is lost")

func halfOf(name string) Half {
	if name == "request" {
		return RequestHalf
	}
	return ReplyHalf
}
