package plan

import (
	"slices"

	"lockstep/internal/history"
)

// Names of the nodes that a scenario does not name. Both worlds use them, so their histories match.
const (
	ProbeName    = "probe"
	ResourceName = "resource"
)

// HeaderOf returns the header of the history of one run. Its nodes are the clients, the probe, the
// servers of the lock's store, the sentinels and the resource, in this order.
func (p *Plan) HeaderOf(lock string, s Store, seed uint64, backend string, scalePPM int64) history.Header {
	h := history.Header{
		Scenario: p.Name, Lock: lock, Seed: seed, Backend: backend, ScalePPM: scalePPM,
		Lease: p.Lease, Fence: string(p.Workload.Fence), Drawn: p.Drawn,
		Store: s.Title, Topology: s.Topology.String(), Expires: s.Expires, AtOnce: s.AtOnce,
	}
	if p.InShards(s) {
		h.Shards = p.ClusterOf(s).Shards
	}
	h.Nodes = make([]history.Node, 0, len(p.Clients)+8)
	h.Faults = slices.Grow(h.Faults, len(p.Faults)) // none stays nil
	add := func(role history.Role, names ...string) {
		for _, name := range names {
			h.Nodes = append(h.Nodes, history.Node{Name: name, Role: role})
		}
	}
	add(history.RoleClient, p.Clients...)
	add(history.RoleProbe, ProbeName)
	add(history.RoleStore, p.Servers(s)...)
	add(history.RoleSentinel, p.SentinelNames(s)...)
	add(history.RoleResource, ResourceName)
	for i := range p.Lines {
		f := &p.Lines[i]
		h.Lines = append(h.Lines, history.Line{Number: f.Number, Text: f.Text, Values: f.Values})
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		h.Faults = append(h.Faults, history.Fault{
			Number: f.Number, Verb: f.Verb.Name(), Text: f.Text, Values: f.Values, Drawn: f.Drawn > 0, Line: f.Drawn, Sides: f.Args.Sides,
		})
	}
	return h
}

// Probe returns what the probe does in the final quiet period: one round, with the wait that
// progress demands.
func (p *Plan) Probe() Workload {
	return Workload{
		Repeat: 1, Wait: ProbeFactor * p.Lease, Retry: p.Workload.Retry, Fence: p.Workload.Fence,
	}
}
