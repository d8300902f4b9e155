package workload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
)

// clocked is a stage whose sleeps take their time.
type clocked struct {
	stage
	now time.Duration
}

func (c *clocked) Mono() time.Duration { return c.now }

func (c *clocked) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() == nil && d > 0 {
		c.note("%v: %v", c.now, d)
		c.now += d
	}
	return ctx.Err()
}

func (c *clocked) Acquire(context.Context) (locks.Lease, error) { return c, nil }
func (c *clocked) Release(context.Context) error                { return nil }
func (c *clocked) Read(context.Context, int64) (int64, error)   { return 0, nil }
func (c *clocked) Write(context.Context, int64, int64) error    { return nil }

// With arrivals, each round begins when it is due, or at once if the round before took longer.
func TestRoundsThatArriveWaitForNoRest(t *testing.T) {
	fixed := func(d time.Duration) plan.Range { return plan.Range{Min: d, Max: d} }
	for _, tt := range []struct {
		work time.Duration
		want string
	}{
		{time.Second, "0s: 1s, 1s: 2s, 3s: 1s, 4s: 2s, 6s: 1s, 7s: 2s"},
		{4 * time.Second, "0s: 4s, 4s: 4s, 8s: 4s"},
	} {
		c := &clocked{}
		player := Client{Env: c, Lock: c, Resource: c, Control: c, Rand: c, Plan: plan.Workload{
			Repeat: 3, Wait: time.Minute, Work: fixed(tt.work), Rest: fixed(time.Hour), Arrivals: fixed(3 * time.Second),
		}}
		player.Play()
		must.Equalf(t, strings.Join(c.notes, ", "), tt.want, "work of %v", tt.work)
	}
}

// refusing is a lock that no client gets.
type refusing struct {
	stage
	err   error
	tries int
}

func (r *refusing) Acquire(context.Context) (locks.Lease, error) {
	if r.tries++; r.tries > 3 {
		r.impatient()
		return nil, context.Canceled
	}
	return nil, r.err
}

func TestAClientThatTriesOnceTriesOnce(t *testing.T) {
	for _, tt := range []struct {
		wait time.Duration
		err  error
		want string
	}{
		{time.Minute, errors.New("no reply"), "4 tries: acquire-failed, acquire-failed, acquire-failed, gave-up"},
		{0, errors.New("no reply"), "1 tries: acquire-failed, gave-up"},
		{0, fmt.Errorf("%w", locks.ErrTaken), "1 tries: gave-up"},
	} {
		r := &refusing{err: tt.err}
		player := Client{Env: r, Lock: r, Resource: r, Control: r, Rand: r, Plan: plan.Workload{Repeat: 1, Wait: tt.wait}}
		player.Play()
		must.Equalf(t, fmt.Sprintf("%d tries: %s", r.tries, strings.Join(r.notes, ", ")), tt.want,
			"wait %v, %v", tt.wait, tt.err)
	}
}

// releasing is a lock whose releases have the listed results.
type releasing struct {
	stage
	results []error
}

func (r *releasing) Acquire(context.Context) (locks.Lease, error) { return r, nil }
func (r *releasing) Release(context.Context) error {
	err := r.results[0]
	r.results = r.results[1:]
	return err
}

func (r *releasing) Record(k history.Kind, _, _ int64, _ string) {
	switch k {
	case history.Releasing, history.Released, history.NotHeld, history.ReleaseFailed:
		r.note("%v", k)
	}
}

// A release that finds no entry has a known outcome, so the client does not repeat it.
func TestAReleaseIsRepeatedWhenItsOutcomeIsUnknown(t *testing.T) {
	for _, tt := range []struct {
		results []error
		want    string
	}{
		{[]error{nil}, "releasing, released"},
		{[]error{locks.ErrNotHeld}, "releasing, not-held"},
		{[]error{fmt.Errorf("%w", locks.ErrNotHeld)}, "releasing, not-held"},
		{[]error{errors.New("no reply"), locks.ErrNotHeld}, "releasing, release-failed, 2s, releasing, not-held"},
		{[]error{errors.New("no reply"), errors.New("no reply")}, "releasing, release-failed, 2s, releasing, release-failed"},
	} {
		r := &releasing{results: tt.results}
		player := Client{Env: r, Lock: r, Resource: &r.stage, Control: r, Rand: r, Plan: plan.Workload{
			Repeat: 1, Wait: time.Minute, ReleaseAgain: 2 * time.Second,
		}}
		player.Play()
		notes := slices.DeleteFunc(r.notes, func(n string) bool { return n == "read" || n == "write" })
		must.Equalf(t, strings.Join(notes, ", "), tt.want, "%v", tt.results)
	}
}

// In the scripts, "slow" adds a second, "done" takes the extra work, and other words are events of
// the client.
func TestOvertimeIsForTheRoundThatItCameIn(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"none", "waits acquired entered done", "0s"},
		{"while it waits", "waits slow acquired entered done done", "1s [1], 0s"},
		{"in its section", "waits acquired entered slow done done", "1s [1], 0s"},
		{"twice", "waits slow entered slow done done", "2s [1 2], 0s"},
		{"in its overtime", "waits entered slow done slow done done", "1s [1], 1s [2], 0s"},
		{"before its first round", "slow waits entered done", "1s [1]"},
		{"when the work is done", "waits entered done slow releasing waits entered done", "0s, 0s"},
		{"while it releases", "waits entered done releasing slow released waits entered done", "0s, 0s"},
		{"while it rests", "waits entered done releasing released slow waits entered done", "0s, 0s"},
		{"it gives up", "waits slow gave-up waits entered done", "0s"},
		{"after it has given up", "waits gave-up slow waits entered done", "0s"},
		{"its lock is lost before it is done", "waits entered slow lost-lease releasing waits entered done", "0s"},
		{"of the next round", "waits entered done releasing released waits slow entered done", "0s, 1s [1]"},
	}
	for _, tt := range tests {
		var o ExtendedWork
		var got []string
		fault := 0
		for _, word := range strings.Fields(tt.script) {
			switch word {
			case "slow":
				fault++
				o.Add(fault, time.Second)
			case "done":
				by, faults := o.Take()
				text := by.String()
				if len(faults) > 0 {
					text += fmt.Sprint(" ", faults)
				}
				got = append(got, text)
			default:
				kind, ok := history.ParseKind(word)
				if !ok {
					t.Fatal("no kind " + word)
				}
				o.Observe(kind)
			}
		}
		must.Equalf(t, strings.Join(got, ", "), tt.want, "%s", tt.name)
	}
}
