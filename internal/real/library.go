package real

import (
	"fmt"
	"slices"

	"lockstep/internal/locks"
	"lockstep/internal/locks/libraries"
	"lockstep/internal/plan"
)

// checkLibrary returns an error if a library lock cannot play the plan: a library has no
// ports, so what acts on ports does not reach it.
func checkLibrary(p *plan.Plan, v *locks.Variant) error {
	if v.Library == "" {
		return nil
	}
	library, ok := libraries.Lookup(v.ID)
	if !ok {
		return fmt.Errorf("there is no code for the library behind %s", v.ID)
	}
	for _, c := range p.Clocks {
		if slices.Contains(p.Clients, c.Node) {
			return fmt.Errorf("%s is a library, which reads the clock of its host: the clock of %s means nothing to it", v.ID, c.Node)
		}
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		switch {
		case library.Untapped && (f.Trigger.Moment.OnWire() || f.End.Until != nil && f.End.Until.Moment.OnWire()):
			return fmt.Errorf("fault %d (%s): what %s sends is not read along, so none of its commands can be waited for", f.Number, f.Text, v.ID)
		case changesClock(f) && slices.Contains(p.Clients, f.Target):
			return fmt.Errorf("fault %d (%s): %s is a library, which reads the clock of its host: no fault can change that", f.Number, f.Text, v.ID)
		case f.Spec().Name == "evict" && library.OwnKeys:
			return fmt.Errorf("fault %d (%s): %s has keys of its own, which an operator does not find", f.Number, f.Text, v.ID)
		}
	}
	return nil
}

// derivable reports whether the entries of the variant's servers can be concluded from
// its commands.
func derivable(v *locks.Variant) bool {
	library, ok := libraries.Lookup(v.ID)
	if v.Program != nil {
		return readAlong(v) // then a server's own account may be had
	}
	return !ok || !library.OwnKeys
}
