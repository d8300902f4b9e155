package run

import (
	"errors"
	"fmt"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// CheckLeases says which of a plan's locks cannot ask for its lease, all of them
// at once; nil when every lock can. It matters after scaling: a lock that sends
// whole seconds cannot ask for half of one.
func CheckLeases(p *plan.Plan) error {
	var problems []error
	for _, id := range p.Locks {
		v, ok := locks.Lookup(id)
		if !ok {
			problems = append(problems, fmt.Errorf("unknown lock %q", id))
			continue
		}
		problems = append(problems, v.CheckLease(p.Lease))
	}
	return errors.Join(problems...)
}
