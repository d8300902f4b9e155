package scenario

import (
	"fmt"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

// lastServer reports a fail-over that is certain to happen and leaves no server that could lead:
// the rest of the story would not be about a lock. A file that intends this expects the lock to be
// stuck.
func (r *reader) lastServer(g group, p *plan.Plan) {
	if r.stored || len(r.problems) > 0 || p.RestartsServers() ||
		slices.ContainsFunc(p.Vary, func(a plan.Axis) bool { return a.Key == "replicas" }) {
		return
	}
	var certain []int // numbers of faults
	for i := range p.Faults {
		if f := &p.Faults[i]; f.Spec().Promoter && f.Open == nil && !f.Repeats() {
			certain = append(certain, f.Number)
		}
	}
	for _, id := range p.Locks {
		s := storeOf(p, id)
		spare := p.Spare(s)
		if len(certain) <= spare || saidStuck(p, id) {
			continue
		}
		more := fmt.Sprintf("%s: {replicas: %d}", s.Section, len(certain))
		if s.Topology == store.Quorum {
			more = fmt.Sprintf("%s: {nodes: %d}", s.Section, 2*len(certain)+1)
		}
		r.problemf(g["faults"].value.items[certain[spare]-1],
			"after this fail-over %s has no server left that could lead: add \"servers: {%s}\", write \"restart: the primary\" with \"down: 10s\" instead, or say that no client gets the lock any more (\"expect: {%s: {progress: broken}}\")",
			id, more, id)
		return
	}
}

func saidStuck(p *plan.Plan, id string) bool {
	said, _ := p.Said(id)
	return slices.ContainsFunc(said, func(e plan.Expectation) bool {
		return e.Property == checker.ProgressID && e.Verdict == string(checker.Broken)
	})
}
