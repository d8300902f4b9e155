package real

import (
	"errors"
	"fmt"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	stores "lockstep/internal/store"
)

// A plan that needs something this world cannot do is refused before anything starts.

// checkServers returns an error if this world cannot start the servers of a variant.
func checkServers(p *plan.Plan, v *locks.Variant) error {
	k, known := kindOf(v.Store)
	if !known {
		return fmt.Errorf("it needs servers that the live world cannot start yet (%s): play it in the simulator", v.Store)
	}
	if k.refuse != nil {
		if err := k.refuse(p, v); err != nil {
			return err
		}
	}
	for _, name := range p.Servers(plan.StoreOf(v)) {
		if k.noClock != nil && touchesClock(p, name) {
			return cannotSetClock(name, k.noClock)
		}
	}
	for _, name := range p.SentinelNames(plan.StoreOf(v)) {
		if setsClock(p, name) {
			return cannotSetClock(name, errors.New("no lease depends on the clock of a sentinel: play this in the simulator"))
		}
	}
	return nil
}

// checkFault returns an error if a variant's servers cannot have the fault.
func checkFault(p *plan.Plan, v *locks.Variant, f *faults.Fault) error {
	if !f.Spec().Replica {
		return nil
	}
	if s := stores.Of(v.Store); s.Topology == stores.Replicated && len(p.Servers(plan.StoreOf(v))) == 1 {
		return fmt.Errorf("fault %d (%s) needs a replica: set servers.%s.replicas to 1", f.Number, f.Text, s.Section)
	}
	return nil
}
