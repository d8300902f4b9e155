package checker

import (
	"testing"

	"lockstep/internal/history"
)

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
