package run_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// These stories once passed without testing anything, as their faults could not have an effect.
// Each is inconclusive, with the reason. Edited so that its faults have an effect, it breaks, or,
// with a correct lock, is kept.
func TestWhatNobodyCouldNoticeIsInconclusive(t *testing.T) {
	const patient, broken, kept = "wait: up to 60s", "mutual-exclusion was broken", "mutual-exclusion was kept"
	tests := []struct {
		file, why  string
		old, edit  string // the cure
		whenEdited string
	}{
		{"a01-gives-up-before-lease-ends", "A held the lock from 10.", "wait: up to 2s", patient, broken},
		{"a02-zero-latency-zero-work", "both held the lock at 0.000 s and touched the resource", "latency: 0s", "latency: 1ms", broken},
		{"b25-retry-1h", "A held the lock from 10.", "retry: 1h", "retry: 100ms", broken},
		{"b28-waiter-frozen", "no clients competed for the lock after fault 2", "pause: B, for: 60s", "slow: B, by: 1ms", broken},
		{"b34-failover-waiter-sleeps", "no clients competed for the lock after fault 1", "retry: 10s", "retry: 100ms", broken},
		{"g10-cron-20-hosts", "A held the lock from 10.", "wait: 0s", patient, broken},
		{"a65-typo-every-time-chance", "fault 1 of the list had no visible effect: failover", "DECRBY every time, chance: 50%, fail-over: operator", "EVAL every time, chance: 50%, drop: reply", kept},
		{"a66-doc-example-other-lock", "fault 2 of the list had no visible effect: the reply to every SET of any client is lost", "[redisson, etcd-mutex]", "[set-nx-lua]", kept},
	}
	for _, tt := range tests {
		text := must.Get(os.ReadFile("testdata/through/" + tt.file + ".yaml"))(t)
		status, why := playedFrom(t, tt.file, string(text))
		if status != run.Inconclusive && status != run.Missed || !strings.Contains(why, tt.why) {
			t.Errorf("%s: status %d, because %s; want %s", tt.file, status, why, tt.why)
		}
		edited := strings.Replace(string(text), tt.old, tt.edit, 1)
		if status, why := playedFrom(t, tt.file, edited); status == run.Inconclusive || !strings.Contains(why, tt.whenEdited) {
			t.Errorf("%s, edited: status %d, because %s; want %s", tt.file, status, why, tt.whenEdited)
		}
	}
}

// The first of them is as inconclusive with a lease that only clients compare.
func TestALeaseThatOnlyClientsCompareIsOver(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/through/a01-gives-up-before-lease-ends.yaml"))(t)
	for _, lock := range []string{"setnx-timestamp-del", "setnx-timestamp-getset", "mysql-unique-ttl", "shedlock-132"} {
		edited := strings.Replace(string(text), "set-nx-lua", lock, 1)
		status, why := playedFrom(t, lock, edited)
		must.Equal(t, status, run.Inconclusive)
		if !strings.Contains(why, "A held the lock from ") {
			t.Errorf("%s: %s", lock, why)
		}
	}
}

// playedFrom plays a scenario with each of its locks, and says how it ended and why.
func playedFrom(t *testing.T, name, text string) (run.Status, string) {
	t.Helper()
	p := scenariotest.Parse(t, name, text)
	r := must.Get(run.All(t.Context(), func() run.World { return sim.New() }, p, 1, sim.Backend))(t)
	var whys []string
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		whys = append(whys, o.Lock, o.Judgement.Idle().English())
		for _, e := range o.Expected {
			whys = append(whys, e.Property+" was "+string(e.Got), o.Judgement.Finding(e.Property).Reason.English())
		}
	}
	return r.Status(), strings.Join(whys, "\n")
}

// closing is a world in which no run is played.
type closing struct {
	run.World
	name  string
	ended *atomic.Int64
}

func (c *closing) Close() { c.ended.Add(1) }

func TestShareDoesEverythingOnce(t *testing.T) {
	for _, jobs := range []int{0, 1, 3, 50} {
		var count [20]atomic.Int64
		var ended, begun atomic.Int64
		var reported []int
		world := func(name string) run.Factory {
			return func() run.World { begun.Add(1); return &closing{name: name, ended: &ended} }
		}
		err := run.Share(context.Background(), jobs, len(count), func(done, all int) {
			reported = append(reported, done)
			if all != len(count) {
				t.Errorf("%d pieces in all", all)
			}
		}, func(_ context.Context, w []run.World, i int) error {
			if len(w) != 2 || w[0].(*closing).name != "first" || w[1].(*closing).name != "second" {
				t.Errorf("jobs %d: a worker has %v", jobs, w)
			}
			count[i].Add(1)
			return nil
		}, world("first"), world("second"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range count {
			if count[i].Load() != 1 {
				t.Errorf("jobs %d: piece %d was done %d times", jobs, i, count[i].Load())
			}
		}
		if begun.Load() != ended.Load() || begun.Load() == 0 || begun.Load() > 2*int64(len(count)) {
			t.Errorf("jobs %d: %d worlds were made, %d closed", jobs, begun.Load(), ended.Load())
		}
		if len(reported) != len(count) || !slices.IsSorted(reported) {
			t.Errorf("progress %v", reported)
		}
	}
}

func TestShareEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	var done atomic.Int64
	err := run.Share(context.Background(), 2, 1000, nil, func(_ context.Context, _ []run.World, i int) error {
		if i == 3 {
			return broken
		}
		done.Add(1)
		return nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	done.Store(0)
	err = run.Share(ctx, 2, 1000, nil, func(context.Context, []run.World, int) error { done.Add(1); return nil })
	if !errors.Is(err, context.Canceled) || done.Load() != 0 {
		t.Errorf("interrupted before it began: %v after %d pieces", err, done.Load())
	}
}
