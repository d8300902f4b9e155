package plan

import (
	"cmp"
	"slices"

	"lockstep/internal/locks"
)

// Resources are what the clients work on, in the order of the clients; most stories have one. Each
// is guarded by its own lock, whose key is the resource's name. All clients play in one world, and
// a run's history has only the events of one lock, which is judged by itself.
func (p *Plan) Resources() []string {
	if len(p.Own) == 0 {
		return []string{p.Workload.resource()}
	}
	var all []string
	for _, client := range p.Clients {
		if w := p.WorkloadOf(client); !slices.Contains(all, w.resource()) {
			all = append(all, w.resource())
		}
	}
	return all
}

func (w *Workload) resource() string { return cmp.Or(w.Resource, locks.Key) }

// several returns the resources when there are two or more.
func (p *Plan) several() []string {
	if all := p.Resources(); len(all) > 1 {
		return all
	}
	return nil
}

// Renews reports whether the plan says how often a client's watchdog renews.
func (p *Plan) Renews() bool {
	return slices.ContainsFunc(p.Clients, func(client string) bool {
		return p.WorkloadOf(client).Renew > 0
	})
}

// LocksPerResource lists each lock once per resource if there are several resources. An id that
// already names a resource is unchanged.
func (p *Plan) LocksPerResource(ids []string) (all []string) {
	several := p.several()
	for _, id := range ids {
		design, resource := locks.SplitResource(id)
		if resource != "" || several == nil {
			all = append(all, id)
			continue
		}
		for _, r := range several {
			all = append(all, locks.Variant{ID: design}.At(r).ID)
		}
	}
	return all
}
