package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

func TestMeasures(t *testing.T) {
	w := newWriter("set-nx-lua", "A", "B")
	w.add(0, history.Waits, "A")
	read := w.acquires(12, "A", 0) // one command
	w.add(20, history.Waits, "B")
	w.command(20, "B", "SET lock B-1 NX PX 10000", "(nil)", func(int32) {})
	w.add(30, history.AcquireFailed, "B")
	w.writes(1000, "A", read, 1)
	w.releases(1001, "A", "EVAL unlock lock A-1", "A") // one more
	w.add(2000, history.GaveUp, "B")
	w.add(2000, history.Waits, "B")
	m := measure(w.h)
	if m.acquired != 1 || m.commands != 3 || m.least != 2 {
		t.Errorf("%d acquisitions, %d commands, at best %d; want 1, 3, 2", m.acquired, m.commands, m.least)
	}
	want := []struct {
		end    waitEnd
		length time.Duration
	}{{waitGot, 12 * time.Millisecond}, {waitGaveUp, 1980 * time.Millisecond}, {waitOpen, 0}}
	if len(m.waits) != len(want) {
		t.Fatalf("%d waits, want %d", len(m.waits), len(want))
	}
	for i, got := range m.waits {
		if got.end != want[i].end || got.length() != want[i].length {
			t.Errorf("wait %d ended as %d after %v, want %d after %v", i, got.end, got.length(), want[i].end, want[i].length)
		}
	}
	if len(m.failures) != 1 || len(m.holds) != 1 || m.holds[0].End.Sub(m.holds[0].Start) != 989*time.Millisecond {
		t.Errorf("failures %v, holds %v", m.failures, m.holds)
	}
	if m.tokens {
		t.Error("this lock has no tokens")
	}
	if got := commandsText(m).English(); got != "3.0, at best 2" {
		t.Errorf("commands %q", got)
	}
	if got := waitsText(m).English(); got != "0.012 s, 0.012 s; gave up once" {
		t.Errorf("waits %q", got)
	}
}

// Stale is what was taken although a higher token had been seen, by whomever.
func TestStaleWrites(t *testing.T) {
	w := newWriter("set-nx-incr-fence", "A", "B", "C")
	for i, write := range []struct {
		kind history.Kind
		with int64 // its token
	}{
		{history.WriteAccepted, 1}, {history.WriteAccepted, 1}, {history.WriteAccepted, 3},
		{history.WriteAccepted, 1}, {history.WriteAccepted, 2}, {history.WriteRefused, 2}, {history.WriteAccepted, 3},
	} {
		w.add(int64(1000+i), write.kind, "resource", func(e *history.Event) { e.Token = write.with })
	}
	var got []bool
	for _, g := range measure(w.h).writes {
		got = append(got, g.stale)
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
		if got := quantile(tt.give, tt.percent); got != tt.want {
			t.Errorf("p%d of %d values is %d, want %d", tt.percent, len(tt.give), got, tt.want)
		}
	}
}

// Clocks: one that is off from the start, one that is stepped, one that is right.
func TestSkews(t *testing.T) {
	w := newWriter("set-nx-lua", "A", "B", "C")
	clock := func(off int64) func(*history.Event) {
		return func(e *history.Event) { e.Clock = int64(e.At) + off*int64(time.Millisecond) }
	}
	w.add(10, history.Waits, "A", clock(500))
	w.add(20, history.Waits, "B", clock(0))
	w.add(25, history.Waits, "C", clock(0))
	w.add(30, history.ClockChanged, "B", clock(12_000), value(int64(12*time.Second)))
	w.add(40, history.Waits, "A", clock(500))
	w.add(50, history.ClockChanged, "redis-1", clock(-3000), value(-int64(3*time.Second)))
	m := measure(w.h)
	want := []struct {
		node string
		at   int64
		off  time.Duration
	}{
		{"A", 0, 500 * time.Millisecond}, {"A", 10, 500 * time.Millisecond},
		{"B", 0, 0}, {"B", 30, 12 * time.Second},
		{"redis-1", 0, 0}, {"redis-1", 50, -3 * time.Second},
	}
	if len(m.skews) != len(want) {
		t.Fatalf("%d skews, want %d: %v", len(m.skews), len(want), m.skews)
	}
	for i, s := range m.skews {
		if w.h.Name(s.node) != want[i].node || s.at != ms(want[i].at) || s.off != want[i].off {
			t.Errorf("skew %d is %s at %s by %v, want %v", i, w.h.Name(s.node), s.at, s.off, want[i])
		}
	}
}

// What the world did: a pause longer than the lease, a lost reply, nothing else.
func TestPremises(t *testing.T) {
	w := newWriter("set-nx-lua", "A", "B")
	w.acquires(12, "A", 0)
	w.add(60, history.Froze, "A")
	w.add(70, history.ReplyDropped, "redis-1")
	w.add(15_060, history.Thawed, "A")
	w.releases(15_070, "A", "EVAL unlock lock A-1", "A")
	held := map[string]bool{}
	figures := ""
	for _, p := range premisesOf(w.h, deedsOf(w.h, measure(w.h))) {
		held[say.Stop.With(p.Text).English()] = p.Held
		figures += p.Figure.English() + "\n"
	}
	for text, want := range map[string]bool{
		"No client stands still for longer than a lease.":  false,
		"Every holder is done within a lease.":             false,
		"Every message arrives, and in time.":              false,
		"All clocks show the same time.":                   true,
		"The store forgets nothing that it has confirmed.": true,
		"No client dies.":                                  true,
		"Nobody removes an entry but its owner.":           true,
	} {
		if got, there := held[text]; got != want || !there {
			t.Errorf("%q: held %v, want %v", text, got, want)
		}
	}
	for _, want := range []string{"longest standstill 15.000 s, lease 10.000 s", "longest hold 15.058 s", "1 lost, 0 response timeouts"} {
		if !strings.Contains(figures, want) {
			t.Errorf("no %q in\n%s", want, figures)
		}
	}
}

func TestChecksNameWhatIsMissing(t *testing.T) {
	b := testBundle()
	j := b.Runs[0].Judgement
	failed := func() (out []string) {
		for _, c := range checksOf(&j) {
			if !c.OK {
				out = append(out, c.Text)
			}
		}
		return out
	}
	if got := failed(); len(got) != 1 || !strings.Contains(got[0], "progress") { // the history by hand has no quiet period
		t.Errorf("not satisfied: %q", got)
	}
	j.Waited, j.CutShort, j.Faults[0].Times, j.Faults[0].InVain = false, true, 0, true
	j.History.Whole = false
	j.History.Events[3].Cause = 900
	if got := failed(); len(got) != 7 {
		t.Errorf("not satisfied: %q", got)
	}
}
