package run

import (
	"errors"
	"fmt"

	"lockstep/internal/plan"
)

// CheckLocks returns an error for each of a plan's locks that does not support its lease, its
// renewal or its Redis Cluster; nil when every lock does. It is needed after scaling, as a lock
// with leases of whole seconds cannot have half of one, and when locks are played that the file
// does not list.
func CheckLocks(p *plan.Plan) error {
	var problems []error
	for _, id := range p.Locks {
		v, ok := p.Lock(id)
		if !ok {
			problems = append(problems, fmt.Errorf("unknown lock %q", id))
			continue
		}
		problems = append(problems, v.CheckLease(p.Lease))
		if p.Renews() {
			problems = append(problems, v.CheckRenew())
		}
		if v.Kind().IsRedis() && p.Redis.Cluster.Shards > 0 {
			problems = append(problems, v.CheckCluster())
		}
	}
	return errors.Join(problems...)
}
