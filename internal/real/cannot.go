package real

import (
	"errors"
	"fmt"
	"time"

	"lockstep/internal/plan"
)

// What this world cannot do yet. The verbs say so in Spec.Real, and a plan that
// needs one of them is refused before anything starts; so being asked is a bug.

// cannotSetUp says what of the plan's servers cannot be had here, or nil.
func cannotSetUp(p *plan.Plan) error {
	servers := p.Servers(plan.Store{Name: "redis"})
	for _, c := range p.Clocks {
		for _, server := range servers {
			if c.Node == server {
				return fmt.Errorf("the clock of a real server cannot be set (%s): play this in the simulator", server)
			}
		}
	}
	switch r := &p.Redis; {
	case r.Failover.By == plan.BySentinel:
		return errors.New("there are no real sentinels yet: set servers.redis.failover.by to operator, or play this in the simulator")
	case r.Persistence != plan.PersistNone && r.Persistence != "":
		return fmt.Errorf("real servers run without persistence, not with %q: play this in the simulator", r.Persistence)
	case r.MinReplicas > 0:
		return errors.New("real servers do not set min-replicas yet: play this in the simulator")
	}
	return nil
}

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
func (in *injector) Evict(int, string) { in.refuse() }

// Lag implements faults.World.
func (in *injector) Lag(int, time.Duration) { in.refuse() }
