package real

import (
	"errors"
	"sync"

	"lockstep/internal/real/osproc"
)

// backstage is where the processes of a run get ready: Java alone computes for a second
// before it answers. Whoever starts there steps back, so that preparing one run takes
// nothing away from another that is being played.
type backstage struct {
	mu      sync.Mutex
	waiting []int // by process number
	opened  bool  // the run has begun: whoever starts now is part of it
}

// enter sends a process that has just been started behind the stage.
func (b *backstage) enter(pid int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.opened && osproc.StepBack(pid) {
		b.waiting = append(b.waiting, pid)
	}
}

// open lets all come forward.
func (b *backstage) open() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened = true
	var errs []error
	for _, pid := range b.waiting {
		errs = append(errs, osproc.StepForward(pid))
	}
	b.waiting = nil
	return errors.Join(errs...)
}
