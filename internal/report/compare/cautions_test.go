package compare

import (
	"strings"
	"testing"

	"lockstep/internal/report/bundle"
	"lockstep/internal/say"
)

func TestRatios(t *testing.T) {
	c := &Comparison{Runs: []Run{
		{Bundle: WaitingBundle(1, bundle.Run{Lock: "never-played"}, WaitingRun("a", []string{"A"}, []int64{10, 20, 30}, []int64{100, 100, 100}))},
		{Bundle: WaitingBundle(2, WaitingRun("a", []string{"A"}, []int64{30, 20, 60}, []int64{150, 200, 400}))},
		{Bundle: WaitingBundle(3, WaitingRun("a", []string{"A"}, []int64{4000}, []int64{100}))},
	}}
	var got []string
	for _, r := range RatioRows(c.Sides(), say.English) {
		text := r.Name + ":"
		for _, c := range r.Cells {
			text += " [" + strings.TrimSpace(c.Value+" "+c.Ratio) + "]"
		}
		got = append(got, text)
	}
	// Two commands for each acquisition; ratios are to the first line with a value.
	want := `run 1, never-played: [] [] [] [] [] [] []
run 1, a: [3] [20.0 ms] [30.0 ms] [100.0 ms] [100.0 ms] [2.0] [0.0 ms]
run 2, a: [3 ×1.00] [30.0 ms ×1.50] [60.0 ms ×2.00] [200.0 ms ×2.00] [400.0 ms ×4.00] [2.0 ×1.00] [0.0 ms ×1.00]
run 3, a: [1 ×0.33] [4.000 s ×200] [4.000 s ×133] [100.0 ms ×1.00] [100.0 ms ×1.00] [2.0 ×1.00] [0.0 ms ×1.00]`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	for _, tt := range []struct {
		a, b int64
		want string
	}{{1, 1000, "<0.01"}, {0, 5, "×0.00"}, {5, 0, ""}, {0, 0, "×1.00"}, {25, 2, "×12.5"}} {
		if got := ratioText(tt.a, tt.b); got != tt.want {
			t.Errorf("%d to %d: %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

// Each reason to distrust a comparison is given, by itself.
func TestCautions(t *testing.T) {
	many := make([]int64, fewAcquisitions)
	for i := range many {
		many[i] = 1
	}
	run := func() *bundle.Bundle {
		return WaitingBundle(1, WaitingRun("a", []string{"A", "B"}, many, many))
	}
	tests := []struct {
		name   string
		change func(c *Comparison)
		want   []string
	}{
		{"nothing", func(c *Comparison) {}, nil},
		{"scenario", func(c *Comparison) {
			c.Runs[1].Bundle.Runs[0].Judgement.History.Header.Scenario = "Another"
		}, []string{"Run 2 has a different scenario from run 1"}},
		{"version", func(c *Comparison) {
			c.Runs[0].Settings, c.Runs[1].Settings = []Setting{{"lease", "10s", false}}, []Setting{{"lease", "5s", false}}
		}, []string{"not the same in all runs: lease is 10s in run 1, and 5s in run 2"}},
		{"clients", func(c *Comparison) {
			c.Runs[1].Bundle.Runs[0] = WaitingRun("a", []string{"A", "C"}, many, many)
		}, []string{"Run 2 has other clients than run 1 (A, B)"}},
		{"worlds", func(c *Comparison) { c.Runs[1].Bundle.Backend = "process" }, []string{"Run 2 has a different world from run 1 (sim)"}},
		{"scale", func(c *Comparison) {
			c.Runs[1].Bundle.Runs[0].Judgement.History.Header.ScalePPM = 100_000
		}, []string{"Run 2 has a different time scale from run 1"}},
		{"cut short", func(c *Comparison) { c.Runs[1].Bundle.Runs[0].Judgement.CutShort = true }, []string{"Cut short: run 2, a."}},
		{"untested", func(c *Comparison) { c.Runs[1].Bundle.Runs[0].Judgement.Untested = say.NeverFired.With(1, say.Both{}) }, []string{"Inconclusive: run 2, a (fault 1 never fired)."}},
		{"few", func(c *Comparison) {
			c.Runs[1].Bundle.Runs[0] = WaitingRun("a", []string{"A", "B"}, many[1:], many[1:])
		}, []string{"Fewer than 100 acquisitions: run 2, a."}},
		{"the same", func(c *Comparison) { c.Runs[1].Bundle.Hash = c.Runs[0].Bundle.Hash }, []string{"Run 2 repeats run 1, byte for byte."}},
		{"seeds", func(c *Comparison) { c.Runs[1].Bundle.Seed = 2 }, []string{"Each run is a single draw."}},
	}
	for _, tt := range tests {
		c := &Comparison{Runs: []Run{{Bundle: run()}, {Bundle: run()}}}
		c.Runs[1].Bundle.Hash = "another"
		tt.change(c)
		got := c.Cautions()
		if len(got) != len(tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], tt.want[i]) {
				t.Errorf("%s: %q, want %q", tt.name, got[i], tt.want[i])
			}
		}
	}
	c := &Comparison{Runs: []Run{{Bundle: run()}, {Bundle: run()}, {Bundle: run()}, {Bundle: run()}}}
	for n, names := range []string{"", "Run 2 has", "Runs 2 and 3 have", "Runs 2, 3 and 4 have"} {
		i := 0
		if got := c.others(func(*bundle.Bundle) bool { i++; return i <= n }).English(); got != names {
			t.Errorf("%d others: %q, want %q", n, got, names)
		}
	}
}
