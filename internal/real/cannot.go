package real

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// What this world cannot do yet. The verbs say so in Spec.Real, and a plan that
// needs one of them is refused before anything starts; so being asked is a bug.

// cannotSetUp says what of the servers of a variant cannot be had here, or nil.
func cannotSetUp(p *plan.Plan, v *locks.Variant) error {
	switch {
	case v.Store != locks.StoreRedis && v.Store != locks.StoreRedisNodes:
		return fmt.Errorf("it needs servers that the live world cannot start yet (%s): play it in the simulator", v.Store)
	case v.Servers.TairString:
		return errors.New("it needs Redis with the module TairString, which is not looked for: play it in the simulator")
	}
	names := p.Servers(storeOf(v))
	for _, c := range p.Clocks {
		if slices.Contains(names, c.Node) {
			return fmt.Errorf("the clock of a real server cannot be set (%s): play this in the simulator", c.Node)
		}
	}
	if len(p.SentinelNames(storeOf(v))) > 0 {
		return errors.New("there are no real sentinels yet: set servers.redis.failover.by to operator, or play this in the simulator")
	}
	return nil
}

// cannotDo says why a fault cannot be done with the servers of a variant, or nil.
func cannotDo(p *plan.Plan, v *locks.Variant, f *faults.Fault) error {
	spec, names := f.Spec(), p.Servers(storeOf(v))
	switch {
	case spec.Real != "":
		return fmt.Errorf("fault %d (%s) cannot be done on real servers: %s; play it in the simulator", f.Number, f.Text, spec.Real)
	case spec.Replica && v.Store == locks.StoreRedis && len(names) == 1:
		return fmt.Errorf("fault %d (%s) needs a replica: set servers.redis.replicas to 1", f.Number, f.Text)
	case spec.Name == "restart" && f.Target != faults.ThePrimary && !slices.Contains(names, f.Target):
		return fmt.Errorf("fault %d (%s): of real processes only servers are started again; play it in the simulator", f.Number, f.Text)
	}
	return nil
}

func (in *injector) refuse() {
	(*harness)(in).fail(errors.New("a fault that real servers cannot do was not refused before the start"))
}

// JumpClock implements faults.World.
func (in *injector) JumpClock(int, string, time.Duration) { in.refuse() }

// DriftClock implements faults.World.
func (in *injector) DriftClock(int, string, int64) { in.refuse() }
