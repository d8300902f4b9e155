package plan

import (
	"cmp"
	"slices"

	"lockstep/internal/locks"
)

// Resources are what the clients work on, in the order of the clients: one in most stories. Each is
// guarded by a lock of its own, whose key is its name. The clients of all of them play in one world,
// and a run is about one: its history has what concerns that lock, and is judged by itself.
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

// several are the resources when there is more than one.
func (p *Plan) several() []string {
	if all := p.Resources(); len(all) > 1 {
		return all
	}
	return nil
}

// Renews reports whether the plan says how often a client's watchdog renews.
func (p *Plan) Renews() bool {
	for _, client := range p.Clients {
		if w := p.WorkloadOf(client); w.Renew > 0 {
			return true
		}
	}
	return false
}

// Apart are the locks with these ids, each once for every resource of which there are several; an id that names
// one of them stands for that.
func (p *Plan) Apart(ids []string) (all []string) {
	several := p.several()
	for _, id := range ids {
		design, resource := locks.Apart(id)
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
