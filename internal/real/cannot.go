package real

import (
	"errors"
	"time"
)

// What this world cannot do yet. The verbs say so in Spec.Real, and a plan that
// needs one of them is refused before anything starts; so being asked is a bug.

func (in *injector) refuse() {
	(*harness)(in).fail(errors.New("a fault that real servers cannot do was not refused before the start"))
}

// Promote implements faults.World.
func (in *injector) Promote(int) { in.refuse() }

// Restart implements faults.World.
func (in *injector) Restart(int, string, time.Duration) { in.refuse() }

// Partition implements faults.World.
func (in *injector) Partition(int, []string, []string, bool) { in.refuse() }

// HealPartition implements faults.World.
func (in *injector) HealPartition(int) { in.refuse() }

// JumpClock implements faults.World.
func (in *injector) JumpClock(int, string, time.Duration) { in.refuse() }

// DriftClock implements faults.World.
func (in *injector) DriftClock(int, string, int64) { in.refuse() }

// Evict implements faults.World.
func (in *injector) Evict(int) { in.refuse() }

// Lag implements faults.World.
func (in *injector) Lag(int, time.Duration) { in.refuse() }
