package run

import (
	"errors"
	"fmt"

	"lockstep/internal/plan"
)

// CheckLocks says which of a plan's locks cannot ask for its lease, or cannot live on
// its Redis Cluster, all of them at once; nil when every lock can. It matters after
// scaling, for a lock that sends whole seconds cannot ask for half of one, and when other
// locks are played than those of the file.
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
