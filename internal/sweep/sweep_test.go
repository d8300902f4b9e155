package sweep_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/internal/sweep"
)

func worlds() run.World { return sim.New() }

func parse(t *testing.T, text string) *plan.Plan {
	t.Helper()
	p, err := scenario.Parse("x.yaml", []byte("scenario: x\nlocks: [set-nx-lua]\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const pauses = `
faults: [{when: A is in its critical section, pause: A, for: 1s}]
workload: {work: 100ms}
vary:
  lease: [2s, 4s]
  pause: 0s..5s step 1s
`

func play(t *testing.T, p *plan.Plan, seeds, jobs int) []sweep.Map {
	t.Helper()
	maps, err := sweep.Play(context.Background(), sweep.Options{
		Plan: p, Property: checker.MutualExclusionID, First: 1, Seeds: seeds, Jobs: jobs, Worlds: worlds,
	})
	if err != nil {
		t.Fatal(err)
	}
	return maps
}

// A pause in the critical section breaks this lock just when pause and work together
// outlive the lease: the border of the map is known beforehand.
func TestTheBorderIsTheLease(t *testing.T) {
	m := play(t, parse(t, pauses), 5, 2)[0]
	for y, pause := range m.Y.Values {
		for x, lease := range m.X.Values {
			c := m.At(x, y)
			want, first := 0, uint64(0)
			if pause+int64(100*time.Millisecond) > lease {
				want, first = 5, 1
			}
			if c.X != lease || c.Y != pause || c.Broken != want || c.Tested() != 5 || c.FirstBroke != first {
				t.Errorf("lease %v, pause %v: %+v, want %d broken", time.Duration(lease), time.Duration(pause), *c, want)
			}
		}
	}
}

func TestWorkersDoNotMatter(t *testing.T) {
	p := parse(t, "faults: [{at: 3s, pause: the holder, for: 9s}]\nvary: {pause: [8s, 9s, 10s, 11s]}")
	one := play(t, p, 30, 1)
	if two := play(t, p, 30, 2); !reflect.DeepEqual(one, two) {
		t.Errorf("one worker: %+v\ntwo workers: %+v", one, two)
	}
	some := false
	for i := range one[0].Cells {
		c := &one[0].Cells[i]
		some = some || c.Broken > 0 && c.Kept > 0
		if share, low, high := c.Rate(); share < low || share > high {
			t.Errorf("%+v: %d is not from %d to %d", *c, share, low, high)
		}
	}
	if !some {
		t.Error("no cell depends on the seed: this tests nothing")
	}
}

// What was not put to the test is not kept.
func TestUntestedIsNotKept(t *testing.T) {
	p := parse(t, "clients: [A]\nvary: {work: [1s, 2s]}")
	for _, c := range play(t, p, 3, 1)[0].Cells {
		if c.Untested != 3 || c.Tested() != 0 {
			t.Errorf("one client alone: %+v", c)
		}
	}
}

// Ctrl-C leaves what was played, and no runs that were not.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	played := 0
	maps, err := sweep.Play(ctx, sweep.Options{
		Plan: parse(t, pauses), Property: checker.MutualExclusionID, First: 1, Seeds: 5, Jobs: 1, Worlds: worlds,
		Progress: func() {
			if played++; played == 7 {
				cancel()
			}
		},
	})
	if err == nil || len(maps) != 1 || len(maps[0].Cells) != 12 {
		t.Fatalf("%v, %d maps", err, len(maps))
	}
	counted := 0
	for i := range maps[0].Cells {
		counted += maps[0].Cells[i].Tested()
	}
	if counted != played || played >= 60 {
		t.Errorf("%d runs were played, %d are in the map", played, counted)
	}
}
