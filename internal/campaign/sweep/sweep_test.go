package sweep_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/sweep"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

func worlds() run.World { return sim.New() }

func parse(t *testing.T, text string) *plan.Plan {
	t.Helper()
	return scenariotest.Parse(t, "x.yaml", "scenario: x\nlocks: [set-nx-lua]\n"+text)
}

const pauses = `
faults: [{when: A is in its critical section, pause: A, for: 1s}]
workload: {work: 100ms}
vary:
  lease: [2s, 4s]
  pause: 0s..5s step 1s
`

func options(p *plan.Plan, seeds, jobs int) sweep.Options {
	return sweep.Options{
		Plan: p, Property: checker.MutualExclusionID, First: 1, Seeds: seeds, Jobs: jobs, Worlds: worlds,
	}
}

func play(t *testing.T, o sweep.Options) []sweep.Map {
	t.Helper()
	return must.Get(sweep.Play(t.Context(), o))(t)
}

// A pause in the critical section breaks this lock just when pause and work together
// outlive the lease: the border of the map is known beforehand.
func TestTheBorderIsTheLease(t *testing.T) {
	m := play(t, options(parse(t, pauses), 5, 2))[0]
	for y, pause := range m.Y.Values {
		for x, lease := range m.X.Values {
			c := &m.Cells[y*len(m.X.Values)+x]
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
	p := parse(t, "faults: [{at: 3s, pause: the holder, for: 9s}]\nvary: {pause: [9s, 9500ms, 10s, 11s]}")
	one := play(t, options(p, 30, 1))
	if two := play(t, options(p, 30, 2)); !reflect.DeepEqual(one, two) {
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
		t.Error("no cell depends on the seed")
	}
}

// late is a world in which seed 1 does not end before something has happened.
type late struct {
	run.World
	until <-chan struct{}
}

func (l late) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	if seed == 1 {
		<-l.until
	}
	return l.World.Play(ctx, p, lock, seed)
}

// A fault of the list that never happens makes all cells untested. Here it waits for a command that
// the lock does not send.
func TestALineWithoutEffectMakesNoCellGreen(t *testing.T) {
	const text = "workload: {work: 1s, repeat: 3 times}\nfaults:\n" +
		"  - {when: any client is about to send WHAT every time, chance: 50%, drop: reply}\n" +
		"  - {when: any client is about to send SET every time, chance: 50%, delay: reply, by: 10ms}\nvary: {work: [1s, 2s]}"
	for command, tested := range map[string]int{"DECRBY": 0, "EVAL": 5} { // order: each on its own
		p := parse(t, strings.Replace(text, "WHAT", command, 1))
		all := play(t, options(p, 5, 2))
		var parts [][]sweep.Map
		for n := 1; n <= 2; n++ {
			o := options(p, 5, 1)
			o.Shard = campaign.Shard{Number: n, Of: 2}
			parts = append(parts, play(t, o))
		}
		joined, err := sweep.Join(options(p, 5, 1), parts)
		if err != nil || !reflect.DeepEqual(joined, all) {
			t.Errorf("%s: in shards %+v, %v; want %+v", command, joined, err, all)
		}
		for i := range all[0].Cells {
			if c := &all[0].Cells[i]; c.Kept != tested || c.Untested != 5-tested {
				t.Errorf("%s: %+v, want %d kept", command, *c, tested)
			}
		}
	}
}

// The lowest seed that breaks is reported, even if it is counted last.
func TestTheLowestSeedMayComeLast(t *testing.T) {
	const points, seeds = 2, 3
	others := make(chan struct{})
	p := parse(t, "faults: [{when: A is in its critical section, pause: A, for: 60s}]\nvary: {lease: [2s, 4s]}")
	o := options(p, seeds, points+1) // seed 1 of each point waits for all others, which other workers play
	o.Worlds = func() run.World { return late{sim.New(), others} }
	o.Progress = func(done, _ int) {
		if done == points*(seeds-1) {
			close(others)
		}
	}
	maps := play(t, o)
	for i := range maps[0].Cells {
		if c := &maps[0].Cells[i]; c.Broken != seeds || c.FirstBroke != 1 {
			t.Errorf("point %d: %+v, want seed 1 of %d that break", i+1, *c, seeds)
		}
	}
}

// A run that cannot be played leaves no map, and says why.
func TestARunThatFails(t *testing.T) {
	broken := errors.New("no such lock")
	o := options(parse(t, pauses), 2, 2)
	o.Worlds = func() run.World { return failing{sim.New(), broken} }
	maps, err := sweep.Play(t.Context(), o)
	if !errors.Is(err, broken) || maps != nil {
		t.Errorf("%v with %d maps", err, len(maps))
	}
}

// failing is a world that cannot play.
type failing struct {
	run.World
	err error
}

func (f failing) Play(context.Context, *plan.Plan, string, uint64) (*history.History, error) {
	return nil, f.err
}

// Each lock has a map of its own.
func TestEveryLockHasItsMap(t *testing.T) {
	p := parse(t, pauses)
	p.Locks = []string{"set-nx-lua", "watchdog-lua"}
	both := play(t, options(p, 2, 2))
	for i, lock := range p.Locks {
		alone := *p
		alone.Locks = []string{lock}
		if one := play(t, options(&alone, 2, 1)); both[i].Lock != lock || !reflect.DeepEqual(both[i], one[0]) {
			t.Errorf("%s beside another lock: %+v\nalone: %+v", lock, both[i], one[0])
		}
	}
	if reflect.DeepEqual(both[0].Cells, both[1].Cells) {
		t.Error("the locks do not differ")
	}
}

// An untested run does not count as kept.
func TestUntestedIsNotKept(t *testing.T) {
	p := parse(t, "clients: [A]\nvary: {work: [1s, 2s]}")
	for _, c := range play(t, options(p, 3, 1))[0].Cells {
		if c.Untested != 3 || c.Tested() != 0 {
			t.Errorf("one client alone: %+v", c)
		}
	}
}

// After Ctrl-C the maps have exactly the runs that were played.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	played := 0
	o := options(parse(t, pauses), 5, 1)
	o.Progress = func(done, _ int) {
		if played = done; played == 7 {
			cancel()
		}
	}
	maps, err := sweep.Play(ctx, o)
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
