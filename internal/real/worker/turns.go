package worker

import (
	"slices"
	"sync"
	"time"
)

// turns lets the tasks of this process run one at a time, as in the simulator: a lock may
// share plain variables between its tasks. A task has the turn while its own code runs. A
// port gives the turn away while it waits, so that the other tasks, such as the watchdog, run.
//
// The task that is due earlier runs earlier, as in the simulator. After a pause the timers of
// several tasks are due at once, and the scheduler's order would otherwise decide whether the
// answer to a renewal overtakes the end of work that was over long before.
type turns struct {
	mu     sync.Mutex // its holder has the turn
	asleep []*sleeper
}

// sleeper is a task that has not yet had its turn again.
type sleeper struct {
	due   time.Time
	awake chan struct{} // closed when it has the turn again, or its sleep was cut short
}

// take returns when the task has the turn, after all sleepers that are due by now.
func (t *turns) take() { t.takeAsOf(time.Now()) }

func (t *turns) takeAsOf(due time.Time) {
	t.mu.Lock()
	for {
		i := slices.IndexFunc(t.asleep, func(s *sleeper) bool { return s.due.Before(due) })
		if i < 0 {
			return
		}
		earlier := t.asleep[i]
		t.mu.Unlock()
		<-earlier.awake
		t.mu.Lock()
	}
}

func (t *turns) give() { t.mu.Unlock() }

// leave gives the turn away and returns the function that takes it back. A port begins with
//
//	defer t.leave()()
func (t *turns) leave() (back func()) {
	t.give()
	return t.take
}

// sleep gives the turn away for d, or until it is cut short, and reports whether it was d.
func (t *turns) sleep(d time.Duration, cutShort <-chan struct{}) (whole bool) {
	s := &sleeper{due: time.Now().Add(d), awake: make(chan struct{})}
	t.asleep = append(t.asleep, s)
	t.give()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		t.takeAsOf(s.due)
		t.wakes(s)
		return true
	case <-cutShort:
		t.mu.Lock()
		t.wakes(s)
		t.give()
		t.take()
		return false
	}
}

func (t *turns) wakes(s *sleeper) {
	t.asleep = slices.DeleteFunc(t.asleep, func(other *sleeper) bool { return other == s })
	close(s.awake)
}
