package scenario

import (
	"strings"
	"testing"

	"lockstep/internal/must"
)

// A lock that the file does not list may lack a server that the file names anywhere.
func TestCheckServers(t *testing.T) {
	for name, text := range map[string]string{
		"a fault":     "faults: [{at: 1s, crash: redis-4}]",
		"a side":      "faults: [{at: 1s, partition: [A, [redis-1, redis-4]], for: 1s}]",
		"a parameter": "faults: [{at: 1s, evict: lock, from: redis-4}]",
		"a clock":     "clocks: {redis-4: {offset: +1s}}",
		"chaos":       "workload: {repeat: 9 times}\nchaos: {pick from: [restart], every: 1s..2s}",
	} {
		p, err := Parse("x.yaml", []byte("scenario: x\nlocks: [redlock]\n"+text+"\n"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := CheckServers(p, "redlock"); err != nil {
			t.Errorf("%s, with the lock of the file: %v", name, err)
		}
		for _, lock := range []string{"etcd-mutex", "set-nx-lua"} {
			if err := CheckServers(p, lock); err == nil || !strings.Contains(err.Error(), lock+" has no such server") {
				t.Errorf("%s, with %s: %v", name, lock, err)
			}
		}
	}
	p := must.Get(Parse("x.yaml", []byte("scenario: x\nlocks: [redlock]\nfaults: [{at: 1s, pause: the holder, for: 1s}, {at: 2s, crash: redis-1}, {at: 3s, partition: [A, store], for: 1s}]\n")))(t)
	if err := CheckServers(p, "set-nx-lua"); err != nil {
		t.Errorf("it has a redis-1: %v", err)
	}
}
