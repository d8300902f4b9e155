package real

import (
	"fmt"
	"slices"

	"lockstep/internal/locks"
	"lockstep/internal/locks/libraries"
	"lockstep/internal/plan"
)

// checkLibrary returns an error if a library lock cannot play the plan.
func checkLibrary(p *plan.Plan, v *locks.Variant) error {
	if v.Library == "" {
		return nil
	}
	library, ok := libraries.Lookup(v.ID)
	if !ok {
		return fmt.Errorf("there is no code for the library behind %s", v.ID)
	}
	own := ownCode{what: "library", ownKeys: library.OwnKeys}
	if library.Untapped {
		own.unread = fmt.Sprintf("what %s sends is not read along, so none of its commands can be waited for", v.ID)
	}
	return own.check(p, v)
}

// ownCode is a lock whose code uses no ports: faults that act on ports do not reach it.
type ownCode struct {
	what    string // library or program
	unread  string // why its commands are no moments; "" if they are
	ownKeys bool   // an operator does not know its keys
}

// check returns an error if such a lock cannot play the plan.
func (o *ownCode) check(p *plan.Plan, v *locks.Variant) error {
	for _, c := range p.Clocks {
		if slices.Contains(p.Clients, c.Node) {
			return fmt.Errorf("%s is a %s, which reads the clock of its host: the clock of %s means nothing to it", v.ID, o.what, c.Node)
		}
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		why := ""
		switch {
		case o.unread != "" && (f.Trigger.Moment.OnWire() || f.End.Until != nil && f.End.Until.Moment.OnWire()):
			why = o.unread
		case changesClock(f) && slices.Contains(p.Clients, f.Target):
			why = fmt.Sprintf("%s is a %s, which reads the clock of its host: no fault can change that", v.ID, o.what)
		case f.Spec().Name == "evict" && o.ownKeys:
			why = v.ID + " has keys of its own, which an operator does not find"
		default:
			continue
		}
		return fmt.Errorf("fault %d (%s): %s", f.Number, f.Text, why)
	}
	return nil
}

// derivable reports whether the entries of the variant's servers can be inferred from
// its commands or from the servers' reports.
func derivable(v *locks.Variant) bool {
	if v.Program != nil {
		return readAlong(v)
	}
	library, ok := libraries.Lookup(v.ID)
	return !ok || !library.OwnKeys
}
