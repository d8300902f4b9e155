package real

import (
	"errors"
	"sync"

	"lockstep/internal/real/osproc"
)

// setupPriority lowers the priority of a run's processes until the run begins: Java alone
// computes for a second before it answers, and setting up one run must not slow another
// that is being played.
type setupPriority struct {
	mu      sync.Mutex
	waiting []int // by process number
	opened  bool  // the run has begun; new processes keep their priority
}

// enter lowers the priority of a process that has just started.
func (s *setupPriority) enter(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opened && osproc.StepBack(pid) {
		s.waiting = append(s.waiting, pid)
	}
}

// open gives all processes their usual priority back.
func (s *setupPriority) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = true
	var errs []error
	for _, pid := range s.waiting {
		errs = append(errs, osproc.StepForward(pid))
	}
	s.waiting = nil
	return errors.Join(errs...)
}
