package real

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/plan"
)

// A node that is replaced without a fault was too slow, and the run says nothing.
func TestAFailoverWithoutAReasonEndsTheRun(t *testing.T) {
	for _, disturbed := range []bool{false, true} {
		p := plan.Default()
		p.Redis.Cluster = plan.DefaultRedisCluster()
		h := &harness{plan: &p, fatal: make(chan error, 1)}
		c := &redisCluster{anyRedis: anyRedis{group: &group{h: h}}, shards: 3, ofLock: 1, disturbed: disturbed}
		for i := range 6 {
			c.members = append(c.members, &member{name: fmt.Sprintf("redis-%d", i+1)})
		}
		c.leaders = append(c.leaders, c.members[:3]...)
		c.became(c.members[4], true)
		if c.leader != c.members[4] {
			t.Error("redis-5 does not lead the lock's shard")
		}
		select {
		case err := <-h.fatal:
			if disturbed || !strings.Contains(err.Error(), "redis-5 took the place of redis-2") {
				t.Errorf("disturbed %v: %v", disturbed, err)
			}
		default:
			if !disturbed {
				t.Error("the run goes on")
			}
		}
	}
}
