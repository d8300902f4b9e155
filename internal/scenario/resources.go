package scenario

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// resourceForm is the form of a resource's name, which is a key in all stores, some of which ignore
// case.
var resourceForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// maxResources is the maximum of a story: each resource is a run of its own.
const maxResources = 8

// resource reads the name of a resource.
func (r *reader) resource(n *node, example string) string {
	name, ok := r.value(n, "resource", example)
	if ok && !resourceForm.MatchString(name) {
		r.problemf(n, "a resource cannot be called %s: use small letters, digits and -, at most 32 of them, a letter first", quote(name))
	}
	return name
}

// locksApart makes one lock for each of several resources, and checks that every lock supports the
// workload.
func (r *reader) locksApart(lockNodes map[string]*node, at *node, p *plan.Plan) {
	resources := p.Resources()
	for _, id := range p.Locks {
		_, resource := locks.SplitResource(id)
		v, known := p.Lock(id)
		of := cmp.Or(lockNodes[id], at)
		switch {
		case resource != "" && !known && len(resources) == 1:
			r.problemf(of, "%s names a resource, and all clients work on one here: write %s", id, strings.TrimSuffix(id, "@"+resource))
		case resource != "" && !known:
			r.problemf(of, "no client works on %s: %s", quote(resource), suggest(resource, resources))
		case p.Renews() && v.CheckRenew() != nil:
			r.problemf(of, "%s", v.CheckRenew().Error())
		case len(resources) > 1 && slices.ContainsFunc(p.Programs, func(own locks.Variant) bool { return own.ID == id }):
			r.problemf(of, "%s is code of your own, and a story of such a lock has one resource: leave resource out", id)
		}
	}
	if len(resources) > maxResources {
		r.problemf(at, "the clients work on %d resources, and %d are the most: let more of them work on the same", len(resources), maxResources)
		return
	}
	p.Locks = p.LocksPerResource(p.Locks)
}

// evictsOne refuses a fault that does not say which of several locks it hits.
func (r *reader) evictsOne(g group, p *plan.Plan) {
	if len(p.Resources()) == 1 {
		return
	}
	const evict, cure = "evict", "evict drops the entry of one lock, and a story with several resources cannot say which: leave it out, or make a story of one resource"
	for i := range p.Faults {
		if p.Faults[i].Verb.Name() == evict {
			r.problemf(g["faults"].value, "fault %d: %s", p.Faults[i].Number, cure)
		}
	}
	if p.Chaos != nil && slices.Contains(p.Chaos.From, evict) {
		r.problemf(g["chaos"].value, "%s", cure)
	}
}

// designOf returns the id of a lock without its resource.
func designOf(id string) string {
	design, _ := locks.SplitResource(id)
	return design
}
