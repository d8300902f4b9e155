package locktest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/sim"
)

// result is one run.
type result struct {
	run.Outcome
	notes bubble.Notes
	left  string // stacks of goroutines that outlived the lock, or ""
	signs signs
}

// play plays one plan with one seed, and reads the signs of its history.
func (s *suite) play(t *testing.T, p *plan.Plan, seed uint64, moment func(faults.Moment, history.Instant)) *result {
	t.Helper()
	r := s.inBubble(t, p, seed, moment)
	if r.Err == nil {
		r.signs = read(r.Judgement.History, s.followed, freeFor*p.Lease/2)
		if token := s.token.Load(); token != nil {
			r.signs.token = *token
		}
	}
	s.forgive(r, p.Slug)
	if r.Err == nil {
		s.tally.add(p, &r.Outcome)
	}
	return r
}

// inBubble plays in a bubble of its own.
func (s *suite) inBubble(t *testing.T, p *plan.Plan, seed uint64, moment func(faults.Moment, history.Instant)) (r *result) {
	t.Helper()
	r = &result{}
	if set := s.servers.Set; set != nil {
		changed := *p
		set(&changed)
		p = &changed
	}
	seedRandom(t, seed)
	defer bubble.SeedRuntime(seed)()
	defer func() {
		v := recover()
		stuck, ok := v.(error)
		switch {
		case v == nil:
		case strings.Contains(fmt.Sprint(v), "within a synctest bubble"):
			t.Fatal("locktest.Run makes the bubbles in which it plays: call it outside of synctest.Test")
		case !ok:
			panic(v)
		case strings.Contains(stuck.Error(), "blocked goroutines remain"):
			r.left = goroutines("")
		default:
			r.Err = fmt.Errorf("%w\n%s", stuck, goroutines(""))
			s.on = sim.New() // the other one is stuck in a dead bubble
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		w := bubble.New(bubble.Config{
			Name: s.name, Servers: s.servers, Make: s.make, Scripts: s.scripts,
			Entry: s.entry, Learn: s.learning, Watch: moment, On: s.on,
		})
		defer w.Close()
		r.Outcome = run.One(t.Context(), w, p, s.name, seed)
		r.notes = w.Notes()
	})
	return r
}

// seedRandom makes crypto/rand follow the seed until the test ends.
func seedRandom(t *testing.T, seed uint64) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("%v: crypto/rand is global, so take t.Parallel out of the test that calls locktest.Run, and of those around it", v)
		}
	}()
	cryptotest.SetGlobalRandom(t, seed)
}

// freeFor is the number of half leases for which a lock may stay free while a client waits for it.
const freeFor = 3

// forgive drops implied expectations of properties that had no occasion to break (a lock that ends
// with its lease never removes an entry), and unknown ones that the test does not judge.
func (s *suite) forgive(r *result, slug string) {
	tested := r.Judgement.Finding(MutualExclusion).Verdict != checker.Unknown
	r.Expected = slices.DeleteFunc(r.Expected, func(e run.Expected) bool {
		noOccasion := s.implied[slug] && tested &&
			e.Verdict == string(checker.Kept) && r.Judgement.Finding(e.Property).NoOccasion
		return noOccasion || e.Got == checker.Unknown && slices.Contains(s.unjudged, e.Property)
	})
}

// make makes the lock of one client.
func (s *suite) make(c *bubble.Client) (bubble.Lock, error) {
	made := s.newLock(Client{c})
	switch l := made.(type) {
	case nil:
		return nil, fmt.Errorf("newLock has returned nil")
	case noLock:
		return nil, l.err
	}
	return func(ctx context.Context) (bubble.Lease, error) {
		got, err := made.Acquire(ctx)
		if err == nil && got == nil {
			err = fmt.Errorf("Acquire has returned neither a lease nor an error")
		}
		if err != nil {
			return bubble.Lease{}, err
		}
		lease := bubble.Lease{Release: got.Release}
		if e, ok := got.(Extender); ok {
			lease.Extend = e.Extend
		}
		if f, ok := got.(Fenced); ok {
			if lease.Token = f.Token(); lease.Token <= 0 {
				s.token.CompareAndSwap(nil, new(fmt.Sprintf("%s acquires with the fencing token %d. "+
					"A token is greater than 0 and grows with each holder; a lease that has none has no method Token",
					c.Name(), lease.Token)))
			}
		}
		if w, ok := got.(Watched); ok {
			lease.Lost = w.Lost()
		}
		return lease, nil
	}, nil
}

// standstill is the real time for which virtual time may stand still during a run.
var standstill = time.Minute

// watch panics when virtual time stands still: a goroutine of the lock computes forever or waits
// for something outside of its bubble, and cannot be stopped.
func watch() (stop func()) {
	done := make(chan struct{})
	go func() {
		for last := int64(-1); ; {
			select {
			case <-done:
				return
			case <-time.After(standstill):
			}
			now := bubble.Progress()
			if now == last && bubble.Playing() {
				panic("locktest: virtual time has stood still for " + standstill.String() + ", because a goroutine of the lock waits for something that is not simulated: " +
					"a socket or a file of its own, a name to be looked up, a mutex, or a loop that never waits. " +
					"(`simulate test` lets time go on for the holder of a mutex, which plain `go test` does not.)\n" + goroutines("durable"))
			}
			last = now
		}
	}()
	return func() { close(done) }
}

// mostGoroutines limits the shown stacks.
const mostGoroutines = 3

// goroutines returns the stacks of goroutines in a bubble, without those whose state contains a
// word.
func goroutines(but string) string {
	buf := make([]byte, 1<<20)
	return pick(string(buf[:runtime.Stack(buf, true)]), but)
}

// pick picks the stacks of goroutines in a bubble.
func pick(stacks, but string) string {
	var out []string
	more := 0
	for stack := range strings.SplitSeq(stacks, "\n\n") {
		state, _, _ := strings.Cut(stack, "\n")
		switch {
		case !strings.Contains(state, "synctest bubble"), but != "" && strings.Contains(state, but), strings.Contains(state, "synctest.Run"):
		case len(out) == mostGoroutines:
			more++
		default:
			out = append(out, stack)
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("... and %d more", more))
	}
	return strings.Join(out, "\n\n")
}
