package conformance

import (
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/sim"
)

// each runs a test for each case and its plan.
func each(t *testing.T, do func(t *testing.T, c *Case, p *plan.Plan)) {
	for _, c := range Cases() {
		t.Run(c.Name(), func(t *testing.T) {
			p := c.Plan(t)
			if c.About(p) == 0 {
				t.Fatalf("its story has no fault %s", c.Verb)
			}
			do(t, &c, p)
		})
	}
}

func TestTheSimulatorDoesWhatVerbsSay(t *testing.T) {
	each(t, func(t *testing.T, c *Case, p *plan.Plan) {
		h := must.Get(sim.Run(p, c.Lock, 1))(t)
		for _, wrong := range c.Judge(p, h) {
			t.Error(wrong)
		}
	})
}

// idle is a verb without effect.
type idle struct{ faults.Verb }

func (idle) Begin(faults.World, faults.Activation) {}
func (idle) End(faults.World, faults.Activation)   {}

// endless is a verb whose effect lasts after its end.
type endless struct{ faults.Verb }

func (endless) End(faults.World, faults.Activation) {}

// A case that passes in a world in which the verb does nothing, or is not undone, proves nothing.
func TestACaseNoticesAVerbThatDoesNothing(t *testing.T) {
	each(t, func(t *testing.T, c *Case, p *plan.Plan) {
		f := &p.Faults[c.About(p)-1]
		verb := f.Verb
		seen := func(v faults.Verb) *Seen {
			f.Verb = v
			return See(must.Get(sim.Run(p, c.Lock, 1))(t), f.Number)
		}
		if c.During(seen(idle{verb})) == "" {
			t.Error("During accepts a verb without effect")
		}
		if f.End != (faults.End{}) && c.After(seen(endless{verb})) == "" {
			t.Error("After accepts a verb whose effect lasts")
		}
	})
}
