package bundle_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

func TestMeasures(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	w.Add(0, history.Waits, "A")
	read := w.Acquires(12, "A", 0) // one command
	w.Add(20, history.Waits, "B")
	w.Command(20, "B", "SET lock B-1 NX PX 10000", "(nil)", func(int32) {})
	w.Add(30, history.AcquireFailed, "B")
	w.Writes(1000, "A", read, 1)
	w.Releases(1001, "A", "EVAL unlock lock A-1", "A") // one more
	w.Add(2000, history.GaveUp, "B")
	w.Add(2000, history.Waits, "B")
	m := timeline.Of(w.H).Measure()
	if m.Acquired != 1 || m.Commands != 3 || m.Least != 2 {
		t.Errorf("%d acquisitions, %d commands, at best %d; want 1, 3, 2", m.Acquired, m.Commands, m.Least)
	}
	want := []struct {
		end    timeline.WaitEnd
		length time.Duration
	}{{timeline.WaitGot, 12 * time.Millisecond}, {timeline.WaitGaveUp, 1980 * time.Millisecond}, {0, 0}} // neither
	if len(m.Waits) != len(want) {
		t.Fatalf("%d waits, want %d", len(m.Waits), len(want))
	}
	for i, got := range m.Waits {
		if got.End != want[i].end || got.Length() != want[i].length {
			t.Errorf("wait %d ended as %d after %v, want %d after %v", i, got.End, got.Length(), want[i].end, want[i].length)
		}
	}
	if len(m.Failures) != 1 || len(m.Holds) != 1 || m.Holds[0].End.Sub(m.Holds[0].Start) != 989*time.Millisecond {
		t.Errorf("failures %v, holds %v", m.Failures, m.Holds)
	}
	if m.Tokens {
		t.Error("this lock has no tokens")
	}
}

// Stale writes were accepted although a higher token had been seen, of any client.
func TestStaleWrites(t *testing.T) {
	w := reporttest.NewWriter("set-nx-incr-fence", "A", "B", "C")
	for _, write := range strings.Fields("accepted=1 accepted=1 accepted=3 accepted=1 accepted=2 refused=2 accepted=3") {
		w.Write("1 resource write-" + strings.Replace(write, "=", " token=", 1))
	}
	var got []bool
	for _, g := range timeline.Of(w.H).Measure().Writes {
		got = append(got, g.Stale)
	}
	if want := []bool{false, false, false, true, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("stale: %v, want %v", got, want)
	}
}

func TestQuantile(t *testing.T) {
	var hundred []time.Duration
	for n := range 100 {
		hundred = append(hundred, time.Duration(n+1))
	}
	tests := []struct {
		give    []time.Duration
		percent int
		want    time.Duration
	}{
		{nil, 50, 0}, {[]time.Duration{7}, 99, 7}, {[]time.Duration{1, 2, 3}, 50, 2}, {[]time.Duration{1, 2, 3, 4}, 50, 2},
		{hundred, 50, 50}, {hundred, 99, 99}, {hundred, 100, 100}, {hundred, 0, 1},
	}
	for _, tt := range tests {
		if got := timeline.Quantile(tt.give, tt.percent); got != tt.want {
			t.Errorf("p%d of %d values is %d, want %d", tt.percent, len(tt.give), got, tt.want)
		}
	}
}

// Clocks: one that is off from the start, one that is stepped, one that is right.
func TestSkews(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B", "C")
	w.Write(`10ms A waits shows=510ms; 20ms B waits shows=20ms; 25ms C waits shows=25ms
		30ms B clock-changed shows=12030ms lasts=12s; 40ms A waits shows=540ms; 50ms redis-1 clock-changed shows=-2950ms lasts=-3s`)
	m := timeline.Of(w.H).Measure()
	want := []struct {
		node string
		at   int64
		off  time.Duration
	}{
		{"A", 0, 500 * time.Millisecond}, {"A", 10, 500 * time.Millisecond},
		{"B", 0, 0}, {"B", 30, 12 * time.Second},
		{"redis-1", 0, 0}, {"redis-1", 50, -3 * time.Second},
	}
	if len(m.Skews) != len(want) {
		t.Fatalf("%d skews, want %d: %v", len(m.Skews), len(want), m.Skews)
	}
	for i, s := range m.Skews {
		if w.H.Name(s.Node) != want[i].node || s.At != reporttest.At(want[i].at) || s.Off != want[i].off {
			t.Errorf("skew %d is %s at %s by %v, want %v", i, w.H.Name(s.Node), s.At, s.Off, want[i])
		}
	}
}

// What the world did: a pause longer than the lease, a lost reply, nothing else.
func TestAssumptions(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	w.Acquires(12, "A", 0)
	w.Write("60ms A froze; 70ms redis-1 reply-dropped; 15060ms A thawed")
	w.Releases(15_070, "A", "EVAL unlock lock A-1", "A")
	held := map[string]bool{}
	figures := ""
	for _, p := range bundle.AssumptionsOf(w.H, bundle.FaultSummaryOf(timeline.Of(w.H), timeline.Of(w.H).Measure())) {
		held[say.Stop.With(p.Text).English()] = p.Held
		figures += p.Figure.English() + "\n"
	}
	for text, want := range map[string]bool{
		"No client pauses for longer than a lease.":        false,
		"Every holder finishes within a lease.":            false,
		"Every message arrives, and on time.":              false,
		"All clocks show the same time.":                   true,
		"The store forgets nothing that it has confirmed.": true,
		"No client dies.":                                  true,
		"Only its owner removes an entry.":                 true,
	} {
		if got, there := held[text]; got != want || !there {
			t.Errorf("%q: held %v, want %v", text, got, want)
		}
	}
	reporttest.Has(t, figures, "longest pause 15.000 s, lease 10.000 s", "longest hold 15.058 s", "1 lost, 0 response timeouts")
}

// A store that evicts an entry has forgotten it.
func TestAnEvictionIsForgotten(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	w.Acquires(12, "A", 0)
	w.Write("60ms redis-1 removed owner=A")
	for _, p := range bundle.AssumptionsOf(w.H, bundle.FaultSummaryOf(timeline.Of(w.H), timeline.Of(w.H).Measure())) {
		if p.Figure.Is(say.EntriesLost) && (p.Held || p.Figure.English() != "1 entry forgotten, 0 crashes, 0 promotions") {
			t.Errorf("held: %v, %s", p.Held, p.Figure.English())
		}
	}
}
