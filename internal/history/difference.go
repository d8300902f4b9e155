package history

import "fmt"

// Difference is where two histories part.
type Difference struct {
	Index  int      // of the event, counted from 0; -1: their headers differ
	Fields []string // in what they differ, in words
}

// FirstDifference is where two histories part; nil when they have the same hash.
func FirstDifference(a, b *History) *Difference {
	if a.Hash() == b.Hash() {
		return nil
	}
	if fields := differingHeader(&a.Header, &b.Header); len(fields) > 0 {
		return &Difference{-1, fields}
	}
	common := min(len(a.Events), len(b.Events))
	for i := range common {
		if fields := differingEvent(a, b, i); len(fields) > 0 {
			return &Difference{i, fields}
		}
	}
	if len(a.Events) != len(b.Events) {
		return &Difference{common, []string{"the number of events"}}
	}
	return &Difference{common, []string{"the hash alone"}}
}

// differing collects the names of what differs.
type differing []string

func (f *differing) add(differs bool, name string) {
	if differs {
		*f = append(*f, name)
	}
}

func differingEvent(a, b *History, i int) []string {
	x, y := &a.Events[i], &b.Events[i]
	var f differing
	f.add(x.At != y.At, "true time")
	f.add(x.Kind != y.Kind, "kind")
	f.add(x.Node != y.Node, "node")
	f.add(x.Peer != y.Peer, "peer")
	f.add(x.Owner != y.Owner, "owner")
	f.add(x.Value != y.Value, "value")
	f.add(x.Token != y.Token, "token")
	f.add(x.Clock != y.Clock, "clock")
	f.add(x.Cause != y.Cause, "cause")
	f.add(a.Text(x.Text) != b.Text(y.Text), "text")
	return f
}

func differingHeader(a, b *Header) []string {
	var f differing
	f.add(a.Scenario != b.Scenario, "scenario")
	f.add(a.Lock != b.Lock, "lock")
	f.add(a.Seed != b.Seed, "seed")
	f.add(a.Backend != b.Backend, "backend")
	f.add(a.ScalePPM != b.ScalePPM, "scale_ppm")
	f.add(a.Lease != b.Lease, "lease_ns")
	f.add(a.Fence != b.Fence, "fence")
	f.add(fmt.Sprint(a.Nodes) != fmt.Sprint(b.Nodes), "nodes")
	f.add(fmt.Sprint(a.Faults) != fmt.Sprint(b.Faults), "faults")
	return f
}
