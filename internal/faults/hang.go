package faults

import (
	"time"

	"lockstep/internal/say"
)

// HangTime is the extra time of work that hangs: longer than any run.
const HangTime = 365 * 24 * time.Hour

func init() {
	Register(Spec{
		Name:     "hang",
		Summary:  "Blocks the work in the critical section for ever; the other tasks of the process, such as a watchdog, go on.",
		Example:  "- when: A enters\n  hang: A",
		Value:    Param{Kind: ParamClient, Required: true, Doc: "which client"},
		Lasting:  true,
		Acts:     SpanOfWork,
		Describe: func(t Description) say.Phrase { return textHang.With(whose{t.who}) },
		Begin:    func(w World, _ Args, at Activation) { w.SlowWork(at.Fault, at.Target, HangTime) },
	})
}

var textHang = say.New1[whose]("{whose} work hangs")
