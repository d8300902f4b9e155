package checker

import (
	"testing"

	"lockstep/internal/history"
)

// stream feeds n intervals of the given number of clients, in turn, one in a
// thousand of them overlapping with the next.
func stream(x *Exclusion, n, clients int) Finding {
	e := history.Event{Cause: history.NoCause}
	for i := range n {
		e.At = history.Instant(i) * 1000
		e.Node = history.NodeID(1 + i%clients)
		e.Kind = history.Acquired
		x.Observe(int32(2*i), &e)
		if i%1000 == 1 { // the one before has stayed on
			late := history.Event{At: e.At + 10, Node: history.NodeID(1 + (i-1)%clients), Kind: history.Releasing}
			x.Observe(int32(2*i), &late)
		}
		if i%1000 != 0 {
			e.At += 900
			e.Kind = history.Releasing
			x.Observe(int32(2*i+1), &e)
		}
	}
	return x.Finish(e.At)
}

func BenchmarkExclusion10MIntervals(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var x Exclusion
		if f := stream(&x, 10_000_000, 100); f.Count != 10_000 {
			b.Fatal(f.Count)
		}
	}
}

// judgedRun is a history of about 3000 events like those of a simulated run:
// 250 rounds of 12 events with the wire, the grants and the resource.
func judgedRun() *history.History {
	h := parse(contended)
	round := h.Events
	h.Events = nil
	for i := range 250 {
		first := int32(len(h.Events))
		for _, e := range round {
			e.At += history.Instant(i) * 10_000_000_000
			if e.Cause >= 0 {
				e.Cause += first
			}
			if e.Kind == history.ReadDone || e.Kind == history.WriteAccepted {
				e.Value += int64(2 * i)
			}
			h.Add(e)
		}
	}
	return h
}

func BenchmarkJudge3000Events(b *testing.B) {
	h := judgedRun()
	if j := Judge(h); verdicts(&j) != "kkkku" {
		b.Fatal(verdicts(&j))
	}
	b.ReportAllocs()
	for b.Loop() {
		Judge(h)
	}
	b.ReportMetric(float64(len(h.Events)), "events")
}
