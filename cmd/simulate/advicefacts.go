package main

import (
	"context"
	"slices"

	"lockstep/internal/advice"
	"lockstep/internal/explore"
	"lockstep/internal/matrix"
	"lockstep/internal/measured"
	"lockstep/internal/say"
	"lockstep/internal/sim"
	"lockstep/measurements"
)

// factsOf are what the answers to the question which lock to use rest on, besides a stored walk.
func factsOf(ctx context.Context, x *measured.Explored) (*advice.Facts, error) {
	costs, err := explore.Costs(ctx, sim.New())
	if err != nil {
		return nil, err
	}
	unchecked, err := explore.Unchecked(ctx, sim.New(), x)
	if err != nil {
		return nil, err
	}
	data, err := measurements.Matrix()
	if err != nil {
		return nil, &bugError{err}
	}
	m, err := measured.ReadMatrix(data)
	if err != nil {
		return nil, &bugError{err}
	}
	return &advice.Facts{Explored: x, Costs: costs, Unchecked: unchecked, Scripts: scriptsOf(m, x)}, nil
}

// scriptsOf are the scripts of a matrix that do harm, by lock, each with the way in which it breaks the lock.
func scriptsOf(m *measured.Matrix, x *measured.Explored) map[string][]advice.Script {
	out := map[string][]advice.Script{}
	for i := range m.Cells {
		c := &m.Cells[i]
		column, ok := matrix.Lookup(c.Fault)
		if !ok {
			continue
		}
		s := advice.Script{Code: c.Fault, Fault: column.Name, Kinds: kindsFor(&column, c.Lock, x)}
		add := func(way string, does bool) {
			if s.Way = way; does && len(s.Kinds) > 0 {
				out[c.Lock] = append(out[c.Lock], s)
			}
		}
		letters := append([]string{c.Letter}, c.Also...)
		add("believe", slices.Contains(letters, "V") || slices.Contains(letters, "VF"))
		add("stuck", slices.Contains(letters, "D"))
		s.By = say.Both{English: c.DamagedBy, Chinese: c.DamagedZH}
		add("damage", c.Damage)
	}
	return out
}

// kindsFor are the kinds of faults that a column stands for, those that the walk has of the lock: without replicas none is
// promoted.
func kindsFor(c *matrix.Column, lock string, x *measured.Explored) (out []string) {
	at := slices.IndexFunc(x.Locks, func(l measured.ExploredLock) bool { return l.Lock == lock })
	for _, k := range c.Kinds() {
		walked := at < 0 || slices.ContainsFunc(x.Locks[at].Singles, func(s measured.Single) bool { return k.Covers(&s) })
		if walked && !slices.Contains(out, k.Name) {
			out = append(out, k.Name)
		}
	}
	return out
}
