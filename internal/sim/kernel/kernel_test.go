package kernel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sort"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/rng"
)

// trace runs the tasks of a set-up function and returns their notes with the time of each.
func trace(t *testing.T, setUp func(k *Kernel, note func(string))) []string {
	t.Helper()
	k := New()
	defer k.Close()
	var got []string
	setUp(k, func(s string) { got = append(got, fmt.Sprintf("%v %s", k.Now().Duration(), s)) })
	must.Do(t, k.Run(100_000, nil))
	return got
}

// NewProc adds a process.
func (k *Kernel) NewProc(name string, c Clock) *Proc {
	p := &Proc{}
	k.Begin(p, name, c)
	return p
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	must.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// The queue behaves like a sorted list, with few events (the sorted part) and with many (the heap).
// Few instants make ties between the two parts.
func TestQueueAgainstSorting(t *testing.T) {
	for _, pending := range []int{3, nearMax - 1, nearMax + 1, 500} {
		for _, instants := range []int64{4, 1000} {
			queueAgainstSorting(t, pending, instants)
		}
	}
}

// queueAgainstSorting compares a queue with a sorted list, with about so many pending events at so
// many future instants.
func queueAgainstSorting(t *testing.T, pending int, instants int64) {
	t.Helper()
	var q queue
	var model []queued
	now := int64(0)
	r := rng.New(uint64(instants), uint64(pending))
	for step := range 20_000 {
		switch n := len(model); {
		case n == 0 || (n < 2*pending && r.Int64N(100) < 50):
			at := now + r.Int64N(instants)
			if step%3 == 0 {
				at = now - 2 + r.Int64N(5) // ties, the past, and events before all others
			}
			tm := q.push(instant(at), nil, uint64(step))
			model = append(model, queued{max(at, now), step, tm})
			sort.SliceStable(model, func(i, j int) bool { return model[i].at < model[j].at })
		case r.Int64N(4) == 0:
			victim := r.Int64N(int64(n))
			q.cancel(model[victim].timer)
			q.cancel(model[victim].timer)
			model = append(model[:victim], model[victim+1:]...)
		default:
			due := q.pop()
			now = model[0].at
			if int64(q.now) != now || int(due.number) != model[0].step {
				t.Fatalf("%d pending at %d instants: popped %d (step %d), want %+v", pending, instants, q.now, due.number, model[0])
			}
			model = model[1:]
		}
		if q.empty() != (len(model) == 0) {
			t.Fatal("the queue disagrees about being empty")
		}
	}
}

// queued is an event in the sorted list.
type queued struct {
	at    int64
	step  int
	timer Timer
}

func TestSleepFollowsTheProcessesOwnClock(t *testing.T) {
	got := trace(t, func(k *Kernel, note func(string)) {
		fast := k.NewProc("fast", Clock{DriftPPM: 1_000_000}) // twice as fast
		k.Spawn(fast, "main", func() {
			_ = k.Sleep(fast.Background(), 2*time.Second)
			note(fast.Clock.Mono(k.Now()).String())
		})
	})
	expect(t, got, "1s 2s")
}

func TestFreezeHoldsTasksAndKeepsTheOrderOfTheirWaking(t *testing.T) {
	got := trace(t, func(k *Kernel, note func(string)) {
		p := k.NewProc("A", Clock{})
		for _, s := range []time.Duration{3, 1, 2} {
			k.Spawn(p, "main", func() {
				_ = k.Sleep(p.Background(), s*time.Second)
				note(fmt.Sprint(int64(s)))
			})
		}
		k.After(1500*time.Millisecond, HandlerFunc(p.Freeze), 0)
		k.After(10*time.Second, HandlerFunc(p.Thaw), 0)
	})
	expect(t, got, "1s 1", "10s 2", "10s 3")
}

func TestFreezeByTheTaskItselfActsAtItsCheckpoint(t *testing.T) {
	got := trace(t, func(k *Kernel, note func(string)) {
		p := k.NewProc("A", Clock{})
		k.After(5*time.Second, HandlerFunc(p.Thaw), 0)
		k.Spawn(p, "main", func() {
			p.Freeze()
			note("still running")
			k.Checkpoint()
			note("thawed")
		})
	})
	expect(t, got, "0s still running", "5s thawed")
}

func TestKilledProcessRunsNothingMore(t *testing.T) {
	got := trace(t, func(k *Kernel, note func(string)) {
		p := k.NewProc("A", Clock{})
		k.Spawn(p, "main", func() {
			defer func() {
				_ = k.Sleep(p.Background(), time.Second) // a deferred release: must have no effect
				note("deferred code went on")
			}()
			_ = k.Sleep(p.Background(), 2*time.Second)
			note("woke")
		})
		k.Spawn(p, "killer", func() {
			p.Kill()
			k.Checkpoint()
			note("survived")
		})
	})
	expect(t, got)
}

func TestFirstWakeUpWins(t *testing.T) {
	got := trace(t, func(k *Kernel, note func(string)) {
		p := k.NewProc("A", Clock{})
		var w Waker
		k.Spawn(p, "main", func() {
			w = k.Waker()
			note(fmt.Sprint(k.Await(p.Background(), time.Second)))
			note(fmt.Sprint(k.Await(p.Background(), 3*time.Second)))
		})
		// Too late for the first wait, and not meant for the second.
		k.After(2*time.Second, HandlerFunc(func() { w.Wake() }), 0)
	})
	expect(t, got, "1s time is up", "4s time is up")
}

func TestStaleWakerAfterAnEndedContext(t *testing.T) {
	got := trace(t, func(k *Kernel, note func(string)) {
		p := k.NewProc("A", Clock{})
		s := k.NewSignal()
		k.Spawn(p, "main", func() {
			ctx, cancel := k.WithCancel(p.Background())
			cancel()
			note(fmt.Sprint(s.Wait(ctx)))
			note(fmt.Sprint(k.Await(p.Background(), 2*time.Second)))
		})
		k.After(time.Second, HandlerFunc(s.Notify), 0)
	})
	expect(t, got, "0s context canceled", "2s time is up")
}

func TestContextsEndTheirChildrenAndWaiters(t *testing.T) {
	got := trace(t, func(k *Kernel, note func(string)) {
		p := k.NewProc("A", Clock{})
		k.Spawn(p, "main", func() {
			outer, cancel := k.WithTimeout(p.Background(), time.Second)
			defer cancel()
			inner, cancelInner := k.WithTimeout(outer, time.Minute)
			defer cancelInner()
			note(fmt.Sprint(errors.Is(k.Sleep(inner, time.Hour), context.DeadlineExceeded)))
			note(fmt.Sprint(inner.Err(), outer.Err()))
		})
	})
	expect(t, got, "1s true", "1s context deadline exceeded context deadline exceeded")
}

func TestJoinAndSignal(t *testing.T) {
	got := trace(t, func(k *Kernel, note func(string)) {
		p := k.NewProc("A", Clock{})
		s := k.NewSignal()
		h := k.Go(p.Background(), p, "waits", func(context.Context) {
			_ = s.Wait(p.Background())
			note("signalled")
		})
		k.Spawn(p, "main", func() {
			_ = k.Sleep(p.Background(), time.Second)
			s.Notify()
			_ = h.Join(p.Background())
			note("joined")
			_ = h.Join(p.Background())
			note("joined again")
		})
	})
	expect(t, got, "1s signalled", "1s joined", "1s joined again")
}

func TestPanicsComeBackAsErrorsWithTheirStack(t *testing.T) {
	for _, where := range []string{"task", "handler"} {
		k := New()
		p := k.NewProc("A", Clock{})
		// A task that parks runs the handler on its own stack; its recover must not see the panic.
		k.Spawn(p, "bystander", func() {
			defer func() {
				if r := recover(); r != nil {
					if _, ok := r.(killed); !ok {
						t.Errorf("the bystander saw the panic %v", r)
					}
					panic(r)
				}
			}()
			_ = k.Sleep(p.Background(), time.Hour)
		})
		if where == "task" {
			k.Spawn(p, "main", func() { panic("boom") })
		} else {
			k.After(time.Second, HandlerFunc(func() { panic("boom") }), 0)
		}
		err := k.Run(0, nil)
		if err == nil || !strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "kernel_test.go") {
			t.Errorf("%s: error without message or stack: %v", where, err)
		}
		k.Close()
	}
}

// A task that leaves its goroutine ends the run before another task goes on.
func TestATaskThatLeavesItsGoroutineEndsTheRun(t *testing.T) {
	var err error
	strayed := false
	over := make(chan struct{})
	go func() {
		defer close(over)
		k := New()
		p := k.NewProc("A", Clock{})
		sleeper := func() {
			_ = k.Sleep(p.Background(), time.Minute)
			strayed = true
		}
		k.Spawn(p, "early", sleeper)
		k.Spawn(p, "leaver", func() {
			_ = k.Sleep(p.Background(), time.Second)
			runtime.Goexit()
		})
		k.Spawn(p, "late", sleeper)
		defer func() { err = k.failed }()
		_ = k.Run(0, nil)
	}()
	<-over
	if strayed || err == nil || !strings.Contains(err.Error(), "leaver") {
		t.Errorf("another task ran: %v, the error: %v", strayed, err)
	}
}

// The coroutine of a task that has ended keeps running the loop until it gets another job.
func TestACoroutineGoesOnWithAnotherJob(t *testing.T) {
	got := trace(t, func(k *Kernel, note func(string)) {
		p := k.NewProc("A", Clock{})
		k.Spawn(p, "first", func() { note("first") })
		k.After(time.Second, HandlerFunc(func() {
			k.Spawn(p, "second", func() {
				_ = k.Sleep(p.Background(), time.Second)
				note("second")
			})
		}), 0)
	})
	expect(t, got, "0s first", "2s second")
}

// Close ends all coroutines, also those that wait in the iterator of another one.
func TestCloseEndsAllCoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	k := New()
	p := k.NewProc("A", Clock{})
	r := rng.New(7, 8)
	for range 20 {
		k.Spawn(p, "main", func() {
			for range 20 {
				_ = k.Sleep(p.Background(), time.Duration(1+r.Int64N(1000)))
			}
		})
	}
	must.Do(t, k.Run(0, nil))
	if n := runtime.NumGoroutine(); n != before+20 {
		t.Errorf("%d goroutines for 20 tasks", n-before)
	}
	k.Close()
	if n := runtime.NumGoroutine(); n != before {
		t.Errorf("%d goroutines are left", n-before)
	}
}

func TestForeignContextFailsTheRun(t *testing.T) {
	k := New()
	defer k.Close()
	p := k.NewProc("A", Clock{})
	k.Spawn(p, "main", func() { _ = k.Sleep(context.TODO(), time.Second) })
	must.Fail(t, k.Run(0, nil), "Env.Background")
}

func TestResetUnwindsAndReusesCoroutines(t *testing.T) {
	k := New()
	defer k.Close()
	for range 100 {
		p := k.NewProc("A", Clock{})
		for range 5 {
			k.Spawn(p, "main", func() { _ = k.NewSignal().Wait(p.Background()) })
		}
		must.Do(t, k.Run(0, nil))
		k.Reset()
		if len(k.tasks) != 0 || len(k.idle) != 5 || k.Now() != 0 {
			t.Fatalf("%d tasks, %d idle, now %v", len(k.tasks), len(k.idle), k.Now())
		}
	}
}

// The next job of a coroutine does not inherit the wait out of which its last task was unwound.
func TestAJobBeginsWithoutTheWaitsOfAnEarlierOne(t *testing.T) {
	k := New()
	defer k.Close()
	p := k.NewProc("A", Clock{})
	k.Spawn(p, "unwound", func() {
		ctx, _ := k.WithTimeout(p.Background(), time.Hour)
		_ = k.Sleep(ctx, time.Minute)
	})
	k.After(time.Second, HandlerFunc(k.Halt), 0)
	must.Do(t, k.Run(0, nil))
	k.Reset()
	p = k.NewProc("A", Clock{})
	over := false
	k.Spawn(p, "next", func() {
		_, _ = k.WithTimeout(p.Background(), time.Hour) // takes the place of the one above
		over = k.Sleep(p.Background(), time.Second) == nil
	})
	if err := k.Run(0, nil); err != nil || !over {
		t.Errorf("over: %v, the run: %v", over, err)
	}
}

func TestClockArithmetic(t *testing.T) {
	for _, tt := range []struct {
		clock Clock
		at    time.Duration
		mono  time.Duration
		wall  time.Duration
	}{
		{Clock{}, time.Hour, time.Hour, time.Hour},
		{Clock{Offset: -12 * time.Second}, time.Second, time.Second, -11 * time.Second},
		{Clock{DriftPPM: 200}, 10_000 * time.Second, 10_002 * time.Second, 10_002 * time.Second},
		{Clock{DriftPPM: -500_000}, 24 * time.Hour, 12 * time.Hour, 12 * time.Hour},
	} {
		if m, w := tt.clock.Mono(instant(int64(tt.at))), tt.clock.Wall(instant(int64(tt.at))); m != tt.mono || w != tt.wall {
			t.Errorf("%+v at %v: mono %v wall %v, want %v %v", tt.clock, tt.at, m, w, tt.mono, tt.wall)
		}
		must.Equalf(t, tt.clock.TrueFor(tt.mono), tt.at, "%+v: TrueFor(%v)", tt.clock, tt.mono)
	}
}

// A clock whose drift changes continues from its current reading.
func TestDriftDoesNotStepTheClock(t *testing.T) {
	c := Clock{DriftPPM: 100_000} // 10 %
	at := func(s int64) history.Instant { return instant(s * int64(time.Second)) }
	for _, tt := range []struct {
		from, ppm int64 // the new rate
		to        int64
		want      time.Duration
	}{
		{10, 0, 10, 11 * time.Second},
		{20, -500_000, 20, 21 * time.Second},
		{20, -500_000, 24, 23 * time.Second},
	} {
		if c.SetDrift(at(tt.from), tt.ppm); c.Mono(at(tt.to)) != tt.want {
			t.Errorf("%d ppm from %d s on: at %d s it shows %v, want %v", tt.ppm, tt.from, tt.to, c.Mono(at(tt.to)), tt.want)
		}
	}
}

// With any drift, sleeping for d advances the clock by at least d: Mono and TrueFor lose nothing by
// rounding.
func TestSleepNeverFallsShort(t *testing.T) {
	r := rng.New(3, 4)
	for range 100_000 {
		c := Clock{DriftPPM: r.Int64N(1_000_000) - 500_000}
		at := instant(r.Int64N(int64(time.Hour)))
		d := time.Duration(1 + r.Int64N(1<<(1+r.Int64N(40))))
		if got := c.Mono(at.Add(c.TrueFor(d))) - c.Mono(at); got < d {
			t.Fatalf("%+v at %v: sleeping for %v advanced the clock by %v", c, at, d, got)
		}
	}
}

// A run ends at its limit of events, or when a look returns an error.
func TestAnEndlessRunEnds(t *testing.T) {
	enough, looks := errors.New("enough"), 0
	look := func() error {
		if looks++; looks == 3 {
			return enough
		}
		return nil
	}
	for _, tt := range []struct {
		limit  int64
		look   func() error
		want   error
		events int64
	}{{1000, nil, ErrTooManyEvents, 1001}, {100 * lookEvery, look, enough, 3 * lookEvery}} {
		k := New()
		p := k.NewProc("A", Clock{})
		k.Spawn(p, "main", func() {
			for {
				_ = k.Sleep(p.Background(), time.Nanosecond)
			}
		})
		if err := k.Run(tt.limit, tt.look); !errors.Is(err, tt.want) || k.events != tt.events {
			t.Errorf("ended after %d events with %v, want %d and %v", k.events, err, tt.events, tt.want)
		}
		k.Close()
	}
}
