package explore

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
	"lockstep/internal/store"
)

// Placed puts single faults at the moments of a run. Package locktest uses it to play and judge
// locks that are no variants.
type Placed struct {
	plan      *plan.Plan
	templates []faultTemplate
	moves     *recorder
}

// NewPlaced takes the plainest template of each kind, for the first client or the first server.
func NewPlaced(p *plan.Plan, on locks.Store, kinds []string) (*Placed, error) {
	all := locks.All()
	i := slices.IndexFunc(all, func(v locks.Variant) bool { return v.Store == on })
	if i < 0 {
		return nil, fmt.Errorf("there is no lock on %s", on)
	}
	sketch := scenario.Sketch{Lock: all[i].ID, Clients: "[" + strings.Join(p.Clients, ", ") + "]", Stored: true}
	templates, err := newTemplates(p, sketch, all[i], kinds)
	if err != nil {
		return nil, err
	}
	out := &Placed{plan: p, moves: newRecorder(p.Clients)}
	for _, kind := range kinds {
		of := faultkind.Index(kind)
		plainest := each.Find(templates, func(l *faultTemplate) bool { return l.kind == of })
		if plainest == nil {
			return nil, fmt.Errorf("no %s can be played on %s", kind, store.Of(on).Title)
		}
		out.templates = append(out.templates, *plainest)
	}
	return out, nil
}

// Observe notes a moment of the run without faults.
func (p *Placed) Observe(m faults.Moment, at history.Instant) { p.moves.observe(m, at) }

// Plans are the plan with one fault of a kind at each moment of the first client that was observed,
// without those between the tries of a long wait.
func (p *Placed) Plans(kind string) (out []*plan.Plan) {
	between := p.moves.between()
	for k := range p.templates {
		l := &p.templates[k]
		for i := range p.moves.all {
			m := &p.moves.all[i]
			if kindNames[l.kind] != kind || m.Who != 0 || between[i] || !l.fits(m) {
				continue
			}
			one := *p.plan
			one.Faults = []faults.Fault{faults.Make(1, l.fault.Spec(), l.fault.Args, m.fault(p.plan.Clients), l.fault.End)}
			out = append(out, &one)
		}
	}
	return out
}
