package scenario

import (
	"strings"
	"testing"
)

// A second failover is accepted if a server is left or comes back, if the lock is expected to be
// stuck, or if the failover has a chance.
func TestFailOversThatLeaveAServer(t *testing.T) {
	const twice = `scenario: Two fail-overs
locks: [LOCK]
servers: {SERVERS}
faults:
  - {at: 2s, fail-over: operator}
  - {at: 8s, fail-over: operator}
`
	redis := strings.NewReplacer("LOCK", "set-nx-lua", "SERVERS", "redis: {replicas: 1}").Replace(twice)
	etcd := strings.NewReplacer("LOCK", "etcd-mutex", "SERVERS", "etcd: {nodes: 3}").Replace(twice)
	for name, file := range map[string]string{
		"two replicas":            strings.Replace(redis, "replicas: 1", "replicas: 2", 1),
		"five members":            strings.Replace(etcd, "nodes: 3", "nodes: 5", 1),
		"a primary that is back":  redis + "  - {at: 5s, restart: redis-1, down: 1s}\n",
		"a lock that is stuck":    redis + "expect: {every lock: {progress: broken}}\n",
		"one that may not happen": strings.Replace(redis, "at: 8s", "at: 8s, chance: 50%", 1),
		"a sweep over replicas":   redis + "vary: {replicas: [2, 3]}\n",
	} {
		if _, err := Parse("", []byte(file)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, file := range map[string]string{
		"one replica": redis, "three members": etcd,
		"a client that comes back": redis + "  - {at: 5s, restart: A, down: 1s}\n",
	} {
		if _, err := Parse("", []byte(file)); err == nil || !strings.Contains(err.Error(), "no server left that could lead") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ParseStored("", []byte(file), nil); err != nil {
			t.Errorf("%s, of a stored run: %v", name, err)
		}
	}
}
