package faults

import (
	"time"

	"lockstep/internal/say"
)

// HangTime is by how much work is slowed that hangs: longer than any run.
const HangTime = 365 * 24 * time.Hour

func init() {
	Register(Spec{
		Name:    "hang",
		Summary: "Blocks the work in the critical section for ever; the other tasks of the process, such as a watchdog, go on.",
		Example: "- when: A enters\n  hang: A",
		Value:   Param{Kind: ParamClient, Required: true, Doc: "which client"},
		Ends:    EndNone,
		Lasting: true,
		Say:     func(a Args) string { return "hang " + a.Value },
		Tell:    func(t Telling) say.Phrase { return toldHang.With(whose{t.who}) },
		Build:   func(Args) Verb { return hang{} },
	})
}

var toldHang = say.New1[whose]("{whose} work hangs")

type hang struct{}

func (hang) Name() string                 { return "hang" }
func (hang) Begin(w World, at Activation) { w.SlowWork(at.Fault, at.Target, HangTime) }
func (hang) End(World, Activation)        {}
