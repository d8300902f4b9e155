package compare_test

import (
	"strings"
	"testing"

	"lockstep/internal/report/compare"
	"lockstep/internal/report/reporttest"
)

// Settings that only some locks need are no difference where they are missing;
// a fault is.
func TestPlansAreCompared(t *testing.T) {
	var got []string
	for _, d := range comparison().Differences() {
		got = append(got, d.Name+"="+strings.Join(d.Values, "|"))
	}
	want := "lease=10s|10s|4s fault 1=pause: A|pause: A|"
	if strings.Join(got, " ") != want {
		t.Errorf("differences %q, want %q", strings.Join(got, " "), want)
	}
	c := comparison()
	c.Runs[1].Settings[3].Value = "5s" // the servers' lag
	if d := c.Differences(); len(d) != 3 || d[2].Name != "servers, redis, lag" {
		t.Errorf("differences %v", d)
	}
}

func TestStoriesPart(t *testing.T) {
	sides := comparison().Sides()
	if len(sides) != 4 {
		t.Fatalf("%d sides", len(sides))
	}
	for i, want := range []compare.Divergence{
		{}, {}, // the locks of one run are compared in its own report
		{Against: "run 1, set-nx-lua", Says: "the same history, byte for byte"},
		{Against: "run 1, set-nx-ex-del", Step: 2}, // in both A enters first
	} {
		got := sides[i].Divergence
		if want.Step > 0 {
			if !strings.Contains(got.There, "A freezes") || !strings.Contains(got.Here, "A releases") {
				t.Errorf("side %d: %+v", i, got)
			}
			got.Here, got.There = "", ""
		}
		if got != want {
			t.Errorf("side %d: %+v, want %+v", i, got, want)
		}
	}
	// The same story a millisecond later is the same story, but not the same history.
	c := comparison()
	h := c.Runs[1].Bundle.Runs[0].Judgement.History
	h.Events[len(h.Events)-1].At += reporttest.At(1)
	if got := c.Sides()[2].Divergence; got.Says != "the same steps, at other times" {
		t.Errorf("%+v", got)
	}
}
