package faults

import "time"

func init() {
	Register(Spec{
		Name:    "delay",
		Summary: "Holds back the request or the reply of one command; it arrives late, not never.",
		Example: "- when: A is about to send SET\n  delay: reply\n  by: 12s",
		Value:   Param{Kind: ParamChoice, Choices: []string{"request", "reply"}, Required: true, Doc: "which half of the command"},
		Params:  []Param{{Name: "by", Kind: ParamDuration, Required: true, Doc: "how much later it arrives"}},
		Ends:    EndNone,
		OnWire:  true,
		Build:   func(a Args) Verb { return delay{halfOf(a.Value), a.Durations["by"]} },
	})
}

type delay struct {
	half Half
	by   time.Duration
}

func (delay) Name() string                 { return "delay" }
func (d delay) Begin(w World, at Occasion) { w.DelayCall(at.Fault, at.Call, d.half, d.by) }
func (delay) End(World, Occasion)          {}
