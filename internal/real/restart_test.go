package real_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
)

// A replica that is refused by its primary tries again after a second of its clock. So while its
// primary is down it has to wait, and to be connected as soon as the primary is up.
func TestAReplicaWaitsForItsPrimary(t *testing.T) {
	realtest.Need(t, "redis-server")
	p := quick(t, "set-nx-lua", "lease=3s", "servers.redis.replicas=1", "workload.work=1200ms", inSection+"restart: the primary, down: 50ms")
	byClock := 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	must.Get(real.Run(ctx, p, "set-nx-lua", 1, real.Options{Log: func(server string, text []byte) {
		if server == "redis-2" {
			byClock = bytes.Count(text, []byte("* Connecting to MASTER"))
		}
	}}))(t)
	if byClock != 1 {
		t.Errorf("the replica connected %d times by its clock, want once, at its start", byClock)
	}
}

// A run goes on while all of its clients are down, if one of them will be restarted.
func TestTheRunWaitsForClientsThatRestart(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "clients=[A]", inSection+"restart: A, down: 200ms"))
	once(t, h, history.Restarted, "A")
	finished, healed := once(t, h, history.Finished, "A"), once(t, h, history.Healed, "")
	if finished.At > healed.At {
		t.Errorf("A finished at %v, after the beginning of the quiet period at %v", finished.At, healed.At)
	}
}
