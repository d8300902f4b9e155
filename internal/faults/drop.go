package faults

import "lockstep/internal/say"

func init() {
	Register(Spec{
		Name:    "drop",
		Summary: "Loses the request or the reply of one command; the client learns of it only from its response timeout.",
		Example: "- when: A is about to send SET\n  drop: reply",
		Value:   Param{Kind: ParamChoice, Choices: []string{"request", "reply"}, Required: true, Doc: "which half of the command"},
		Ends:    EndNone,
		OnWire:  true,
		Say:     func(a Args) string { return "drop " + a.Value },
		Tell:    func(t Telling) say.Phrase { return toldDrop.With(message{t.Value, t.of}) },
		Build:   func(a Args) Verb { return drop{halfOf(a.Value)} },
	})
}

var toldDrop = say.New1[message]("{message} is lost")

type drop struct{ half Half }

func (drop) Name() string                   { return "drop" }
func (d drop) Begin(w World, at Activation) { w.DropCall(at.Fault, at.Call, d.half) }
func (drop) End(World, Activation)          {}

func halfOf(name string) Half {
	if name == "request" {
		return Request
	}
	return ReplyHalf
}
