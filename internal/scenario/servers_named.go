package scenario

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// CheckServers returns an error if the plan names a server that a lock does not have. A file is
// checked with the locks that it lists; this is for other ones.
func CheckServers(p *plan.Plan, lock string) error {
	known := slices.Concat(serversOf(p, lock), p.Clients)
	for _, name := range named(p) {
		if serverForm.MatchString(name) && !slices.Contains(known, name) {
			return fmt.Errorf("the faults and clocks of this scenario aim at %s, and %s has no such server (it has %s): choose another lock, or write a scenario for it",
				name, lock, strings.Join(p.Servers(storeOf(p, lock)), ", "))
		}
	}
	return nil
}

// named returns all names of nodes in a plan.
func named(p *plan.Plan) (names []string) {
	if p.Chaos != nil {
		names = append(names, p.Chaos.Servers...)
	}
	for _, c := range p.Clocks {
		names = append(names, c.Node)
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		names = append(names, f.Names()...)
		for _, param := range append(f.Spec().Params, f.Spec().Value) {
			if param.Kind == faults.ParamServer {
				names = append(names, f.Args.Choices[param.Name], f.Args.Value)
			}
		}
	}
	return names
}
