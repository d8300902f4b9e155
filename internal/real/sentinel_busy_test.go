package real

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
)

// Sentinels that replace a primary without a fault were too slow to notice that it lives. A
// partition of one of three sentinels is no reason, and neither are faults of the previous primary.
func TestAPromotionWithoutAReasonIsFound(t *testing.T) {
	const primary, replica, firstSentinel = 1, 2, 3
	cut := func(nodes ...history.NodeID) block {
		b := block{from: map[history.NodeID]bool{primary: true, replica: true}, to: map[history.NodeID]bool{}, both: true}
		for _, n := range nodes {
			b.to[n] = true
		}
		return b
	}
	for name, tt := range map[string]struct {
		happens func(*sentinels)
		reason  bool
	}{
		"nothing":              {func(*sentinels) {}, false},
		"one loses it":         {func(s *sentinels) { s.g.blocks = []block{cut(firstSentinel)} }, false},
		"two lose it":          {func(s *sentinels) { s.g.blocks = []block{cut(firstSentinel, firstSentinel+2)} }, true},
		"it dies":              {func(s *sentinels) { s.g.leader.dead = true }, true},
		"it freezes and thaws": {func(s *sentinels) { s.g.leader.freezes++ }, true},
		"it dies and returns":  {func(s *sentinels) { s.g.leader.lives++ }, true},
	} {
		p := plan.Default()
		h := &harness{plan: &p, clocks: clocks{}}
		g := &redisGroup{anyRedis: anyRedis{group: &group{h: h, leader: &member{name: "redis-1", node: primary}}}}
		s := &sentinels{g: g}
		for i := range 3 {
			s.members = append(s.members, &member{name: fmt.Sprintf("sentinel-%d", i+1), node: history.NodeID(firstSentinel + i)})
		}
		tt.happens(s)
		s.reachabilityChanged()
		g.blocks = nil
		s.reachabilityChanged() // after the heal
		err := s.doubt(&member{name: "redis-2"})
		if (err == nil) != tt.reason || err != nil && !strings.Contains(err.Error(), "replaced redis-1 with redis-2") {
			t.Errorf("%s: %v", name, err)
		}
		g.leader = &member{name: "redis-2", node: replica}
		s.leads(g.leader)
		if s.doubt(&member{name: "redis-1"}) == nil {
			t.Errorf("%s is a reason to replace the next primary, too", name)
		}
	}
}

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
		must.Equalf(t, c.leader, c.members[4], "redis-5 does not lead the lock's shard")
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
