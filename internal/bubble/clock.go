package bubble

import (
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/sim"
)

// clock makes the kernel keep pace with the bubble's time (kernel.Pacer), and passes
// functions from other goroutines to the kernel.
type clock struct {
	start time.Time
	timer *time.Timer
	wake  chan struct{} // a function has been posted

	mu     sync.Mutex
	posted []func()
	over   bool
}

// progress counts the events of the kernels of all bubbles, and playing the current runs.
var progress, playing atomic.Int64

// Progress returns a number that grows while virtual time advances.
func Progress() int64 { return progress.Load() }

// Playing reports whether a run is in progress.
func Playing() bool { return playing.Load() > 0 }

// newClock starts true time. A bubble's clock starts in the year 2000, so it sleeps until the
// simulator's epoch.
func newClock() *clock {
	time.Sleep(time.Until(sim.Epoch))
	c := &clock{start: time.Now(), timer: time.NewTimer(0), wake: make(chan struct{}, 1)}
	<-c.timer.C
	return c
}

// Until implements kernel.Pacer.
func (c *clock) Until(next history.Instant, some bool) (history.Instant, []func()) {
	progress.Add(1)
	for {
		c.mu.Lock()
		posted := c.posted
		c.posted = nil
		c.mu.Unlock()
		now := history.Instant(time.Since(c.start))
		switch {
		case some && now >= next:
			return next, posted
		case len(posted) > 0:
			return now, posted
		case !some:
			<-c.wake
			continue
		}
		c.timer.Reset(next.Sub(now))
		select {
		case <-c.timer.C:
		case <-c.wake:
		}
	}
}

// post makes the kernel call a function now. After the end of the run it does nothing.
func (c *clock) post(f func()) {
	c.mu.Lock()
	if !c.over {
		c.posted = append(c.posted, f)
	}
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// stop drops functions that were not called, and ignores later ones.
func (c *clock) stop() {
	c.mu.Lock()
	c.over, c.posted = true, nil
	c.mu.Unlock()
	c.timer.Stop()
}

// gate blocks the program of a stopped process (sim.Program): calls into the operating system
// return when the process runs again.
type gate struct {
	over <-chan struct{} // of the run

	mu      sync.Mutex
	stopped chan struct{} // nil: the process runs
}

// Stop implements sim.Program.
func (g *gate) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped == nil {
		g.stopped = make(chan struct{})
	}
}

// GoOn implements sim.Program.
func (g *gate) GoOn() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped != nil {
		close(g.stopped)
		g.stopped = nil
	}
}

// pass waits until the process runs; false when the run is over.
func (g *gate) pass() bool {
	for {
		select {
		case <-g.over:
			return false
		default:
		}
		g.mu.Lock()
		stopped := g.stopped
		g.mu.Unlock()
		if stopped == nil {
			return true
		}
		select {
		case <-stopped:
		case <-g.over:
		}
	}
}
