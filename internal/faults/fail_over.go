package faults

func init() {
	Register(Spec{
		Name:    "fail-over",
		Summary: "The primary dies and a replica takes its place; what had not been replicated is lost.",
		Example: "- when: A is in its critical section\n  fail-over: operator",
		Value: Param{Kind: ParamChoice, Choices: []string{"operator", "sentinel"}, Required: true,
			Doc: "who promotes the replica: an operator, as soon as failover.after has passed, or sentinels, once they agree that the primary is down"},
		Ends:     EndNone,
		Replica:  true,
		Promoter: true,
		Build:    func(Args) Verb { return failOver{} },
	})
}

type failOver struct{}

func (failOver) Name() string               { return "fail-over" }
func (failOver) Begin(w World, at Occasion) { w.FailOver(at.Fault) }
func (failOver) End(World, Occasion)        {}
