package logcheck

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/internal/checker"
	"lockstep/internal/history"
)

// drawHolds draws holds of a few clients, each with its end: of one client one after the other.
func drawHolds(t *rapid.T) (events []Event) {
	for c := range rapid.IntRange(2, 4).Draw(t, "clients") {
		client := string(rune('A' + c))
		at := int64(0)
		for range rapid.IntRange(1, 3).Draw(t, "holds") {
			at += rapid.Int64Range(0, 6).Draw(t, "rest")
			events = append(events, Event{At: at, Kind: Acquired, Client: client, Lock: "l", Token: NoToken})
			at += rapid.Int64Range(0, 6).Draw(t, "held")
			kind := rapid.SampledFrom([]Kind{Released, Lost, Crashed}).Draw(t, "end")
			events = append(events, Event{At: at, Kind: kind, Client: client, Lock: "l", Token: NoToken})
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return int(a.At - b.At) })
	for i := range events {
		events[i].Line = int64(i + 2)
	}
	return events
}

func judged(events []Event, rules Rules) *Result {
	j := newJudge(rules, nil)
	for i := range events {
		j.observe(&events[i])
	}
	return j.close(int64(len(events)))
}

// When clocks are right and each hold has its end, an overlap is what it is in a history.
func TestOverlapMeansTheSameInAHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawHolds(t)
		var x checker.Exclusion
		kinds := map[Kind]history.Kind{Acquired: history.Acquired, Released: history.Releasing, Lost: history.LostLease, Crashed: history.Crashed}
		for i, e := range events {
			x.Observe(int32(i), &history.Event{At: history.Instant(e.At), Kind: kinds[e.Kind], Node: history.NodeID(e.Client[0] - 'A' + 1)})
		}
		finding := x.Finish(history.Instant(events[len(events)-1].At))
		got := judged(events, Rules{})
		if got.Overlaps != (Count{Certain: int64(finding.Count)}) {
			t.Fatalf("%+v, the history has %d: %+v", got.Overlaps, finding.Count, events)
		}
	})
}

// closed is a hold with its end.
type closed struct {
	client   string
	from, to int64
	line     int64
}

// Whether an overlap is certain or possible is what a look at all clocks says that may have written
// the log: each time off by as much as the error, each client's own events in their order.
func TestClocksByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawHolds(t)
		clockError := rapid.Int64Range(0, 2).Draw(t, "error")
		var holds []closed
		for i, e := range events {
			if e.Kind != Acquired {
				continue
			}
			end := i + 1 + slices.IndexFunc(events[i+1:], func(o Event) bool { return o.Client == e.Client })
			holds = append(holds, closed{e.Client, e.At, events[end].At, e.Line})
		}
		var want Count
		unsure := false
		for i, y := range holds {
			intruder := false
			for _, x := range holds[:i] {
				if x.client == y.client {
					continue
				}
				some, all := overlapping(x, y, clockError)
				intruder = intruder || all
				unsure = unsure || some && !all
			}
			if intruder {
				want.Certain++
			}
		}
		got := judged(events, Rules{ClockError: time.Duration(clockError)})
		if got.Overlaps.Certain != want.Certain || (got.Overlaps.Possible > 0) != unsure {
			t.Fatalf("%+v, want %d for certain, possible: %v; clocks off by %d: %+v", got.Overlaps, want.Certain, unsure, clockError, holds)
		}
	})
}

// overlapping says whether two holds overlap by some of the clocks, and by all.
func overlapping(x, y closed, clockError int64) (some, all bool) {
	all = true
	for a := -clockError; a <= clockError; a++ {
		for b := -clockError; b <= clockError; b++ {
			for c := -clockError; c <= clockError; c++ {
				for d := -clockError; d <= clockError; d++ {
					xFrom, xTo, yFrom, yTo := x.from+a, x.to+b, y.from+c, y.to+d
					if disordered(x, xFrom, xTo) || disordered(y, yFrom, yTo) {
						continue
					}
					overlap := max(xFrom, yFrom) < min(xTo, yTo)
					some, all = some || overlap, all && overlap
				}
			}
		}
	}
	return some, all
}

// disordered reports times of one client that its log contradicts.
func disordered(h closed, from, to int64) bool { return from > to || from == to && h.from < h.to }
