package main

import (
	"testing"

	"lockstep/internal/report/bundle"
	"lockstep/internal/run"
)

// The stored run is the first that missed an expectation, else the first that broke a property,
// else the first that tested nothing.
func TestTheSeedThatIsOpened(t *testing.T) {
	seed := func(n uint64) *uint64 { return &n }
	broke := func(n uint64) *bundle.Tally {
		return &bundle.Tally{Worst: run.NothingExpected, SeedsTally: bundle.SeedsTally{FirstBroke: map[string]uint64{"a": n + 3, "b": n}}}
	}
	missed := &bundle.Tally{Worst: run.Missed, SeedsTally: bundle.SeedsTally{FirstMiss: seed(9)}}
	untested := &bundle.Tally{Worst: run.Inconclusive, SeedsTally: bundle.SeedsTally{FirstMiss: seed(2)}}
	for name, tt := range map[string]struct {
		tallies []*bundle.Tally
		want    uint64
	}{
		"missed first":    {[]*bundle.Tally{untested, broke(5), missed}, 9},
		"broken":          {[]*bundle.Tally{untested, broke(5)}, 5},
		"tested nothing":  {[]*bundle.Tally{{Worst: run.Met}, untested}, 2},
		"nothing to tell": {[]*bundle.Tally{{Worst: run.Met}}, 1},
		"interrupted":     {nil, 1},
	} {
		if got := telling(tt.tallies, 1); got != tt.want {
			t.Errorf("%s: seed %d, want %d", name, got, tt.want)
		}
	}
}
