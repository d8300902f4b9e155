package plan

import (
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// Names of the nodes that a scenario does not name itself. Both worlds use them,
// so that a history reads the same wherever it comes from.
const (
	ProbeName    = "probe"
	ResourceName = "resource"
)

// Header is HeaderOf for a lock that keeps its entries in the first store of lists and demands nothing of
// its servers.
func (p *Plan) Header(lock string, seed uint64, backend string, scalePPM int64) history.Header {
	return p.HeaderOf(lock, Store{Store: store.All()[0]}, seed, backend, scalePPM)
}

// HeaderOf is the head of the history of one run: clients, probe, the servers of
// the lock's store, sentinels and resource, in this order, and the planned faults.
func (p *Plan) HeaderOf(lock string, s Store, seed uint64, backend string, scalePPM int64) history.Header {
	h := history.Header{
		Scenario: p.Name, Lock: lock, Seed: seed, Backend: backend, ScalePPM: scalePPM,
		Lease: p.Lease, Fence: string(p.Workload.Fence), Drawn: p.Drawn,
		Store: s.Title, Topology: s.Topology.String(), Expires: s.Expires, AtOnce: s.AtOnce,
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
		h.Lines = append(h.Lines, history.Line{Number: f.Number, Text: f.Text, Told: f.Told, TextChinese: f.TextChinese})
	}
	for i := range p.Faults {
		f := &p.Faults[i]
		h.Faults = append(h.Faults, history.Fault{
			Number: f.Number, Verb: f.Verb.Name(), Text: f.Text, Told: f.Told, Deed: f.Deed,
			TextChinese: f.TextChinese, DeedChinese: f.DeedChinese, Drawn: f.Drawn > 0, Line: f.Drawn, Sides: f.Args.Sides,
		})
	}
	return h
}

// Probe is what the probe does in the final quiet period: one round with the
// patience that progress demands.
func (p *Plan) Probe() Workload {
	return Workload{
		Repeat: 1, Wait: ProbeFactor * p.Lease, Retry: p.Workload.Retry, Fence: p.Workload.Fence,
	}
}
