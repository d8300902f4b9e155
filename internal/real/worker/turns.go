package worker

import (
	"slices"
	"sync"
	"time"
)

// turns lets the tasks of this process run one at a time, as in the simulator: a
// lock whose tasks share plain variables must mean the same in both worlds. A task
// has the turn while its own code runs. Every port that waits has to give it away
// meanwhile, or the other tasks, the watchdog among them, stand still.
//
// A task that is due earlier runs earlier, as in the simulator: after a pause the timers
// of several tasks are due at once, and which of them the scheduler wakes first would
// otherwise decide whether the answer to a renewal can overtake work that is long over.
type turns struct {
	mu     sync.Mutex // who holds it has the turn
	asleep []*sleeper
}

// sleeper is a task that has not yet had its turn again.
type sleeper struct {
	due    time.Time
	hadIts chan struct{} // closed as soon as it has the turn, or has been woken before its time
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
		<-earlier.hadIts
		t.mu.Lock()
	}
}

func (t *turns) give() { t.mu.Unlock() }

// leave gives the turn away and returns what takes it back. A port begins with
//
//	defer t.leave()()
func (t *turns) leave() (back func()) {
	t.give()
	return t.take
}

// sleep gives the turn away until a time, or until cut short, and reports which it was.
func (t *turns) sleep(d time.Duration, cutShort <-chan struct{}) (whole bool) {
	s := &sleeper{due: time.Now().Add(d), hadIts: make(chan struct{})}
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
	close(s.hadIts)
}
