package worker

import "sync"

// turns lets the tasks of this process run one at a time, as in the simulator: a
// lock whose tasks share plain variables must mean the same in both worlds. A task
// has the turn while its own code runs. Every port that waits has to give it away
// meanwhile, or the other tasks, the watchdog among them, stand still.
type turns struct{ mu sync.Mutex }

func (t *turns) take() { t.mu.Lock() }
func (t *turns) give() { t.mu.Unlock() }

// leave gives the turn away and returns what takes it back. A port begins with
//
//	defer t.leave()()
func (t *turns) leave() (back func()) {
	t.give()
	return t.take
}
