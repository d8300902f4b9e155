package real

import (
	"errors"
	"sync"

	"lockstep/internal/real/osproc"
)

// setupPriority is where the processes of a run get ready: Java alone computes for a second
// before it answers. Whoever starts there steps back, so that preparing one run takes
// nothing away from another that is being played.
type setupPriority struct {
	mu      sync.Mutex
	waiting []int // by process number
	opened  bool  // the run has begun: whoever starts now is part of it
}

// enter sends a process that has just been started behind the stage.
func (s *setupPriority) enter(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opened && osproc.StepBack(pid) {
		s.waiting = append(s.waiting, pid)
	}
}

// open lets all come forward.
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
