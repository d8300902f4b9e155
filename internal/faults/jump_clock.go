package faults

import (
	"time"

	"lockstep/internal/say"
)

func init() {
	Register(Spec{
		Name: "jump-clock",
		Summary: say.Both{
			English: "Steps a node's wall clock, as an operator or a time daemon does; its monotonic clock goes on.",
			Chinese: "让一个节点的墙上时钟跳变，就像运维或对时程序那样；它的单调时钟照常走。",
		},
		Example: "- when: A is in its critical section\n  jump-clock: the primary\n  by: +12s",
		Value:   Param{Kind: ParamNode, Required: true, Doc: "whose clock"},
		Params:  []Param{{Name: "by", Kind: ParamOffset, Required: true, Doc: "how far, and in which direction"}},
		Ends:    EndNone,
		Say:     func(a Args) say.Phrase { return saidJumpClock.With(someone(a.Value), offset(a.Durations["by"])) },
		Build:   func(a Args) Verb { return jumpClock{a.Durations["by"]} },
	})
}

var saidJumpClock = say.New2[someone, offset]("jump-clock {who} by {by}", "{who}的时钟跳 {by}")

type jumpClock struct{ by time.Duration }

func (jumpClock) Name() string                 { return "jump-clock" }
func (j jumpClock) Begin(w World, at Occasion) { w.JumpClock(at.Fault, at.Target, j.by) }
func (jumpClock) End(World, Occasion)          {}
