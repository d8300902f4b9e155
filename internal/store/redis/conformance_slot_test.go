//go:build linux

package redis_test

import (
	"math/rand/v2"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	"lockstep/internal/store/redis"
)

// TestKeySlotLikeTheRealServer compares slots of keys with and without hash tags with
// those of a real node.
func TestKeySlotLikeTheRealServer(t *testing.T) {
	realtest.Need(t, "redis-server")
	node := must.Get(servers.StartRedis(t.Context(), servers.RedisOptions{
		Announce: "127.0.0.1:1", Cluster: &servers.ClusterOptions{Host: "redis-1", AnnounceBus: "127.0.0.1:2"},
	}))(t)
	t.Cleanup(func() {
		if err := node.Stop(); err != nil {
			t.Error(err)
		}
	})
	keys := []string{"lock", "lock:fence", "redisson_lock__channel:{lock}", "{}", "{", "}{", "{}a", "a{}b{c}", "{a{b}c}", "ключ"}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		key := ""
		for range rng.IntN(12) {
			key += string("ab{}:\x00é"[rng.IntN(7)])
		}
		keys = append(keys, key)
	}
	real := connect(t, node.Addr)
	for _, key := range keys {
		if reply := real.do(redis.Command("CLUSTER", "KEYSLOT", key)); !reply.IsInt(int64(redis.KeySlot(key))) {
			t.Errorf("slot of %q: %d, on the real server %v", key, redis.KeySlot(key), reply)
		}
	}
}
