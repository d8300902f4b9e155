package real_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
)

// A replica that finds its primary's address closed asks again after a second, by its
// clock. While its primary is down it is to wait, and to get through at once.
func TestAReplicaWaitsForItsPrimary(t *testing.T) {
	realtest.Need(t, "redis-server")
	p := quick("A", "B")
	p.Redis.Replicas = 1
	p.Workload.Work = plan.Range{Min: 1200 * time.Millisecond, Max: 1200 * time.Millisecond}
	p.Lease = 3 * time.Second
	restart(t, p, "the primary", 50*time.Millisecond)
	byClock := 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := real.Run(ctx, p, "set-nx-lua", 1, real.Options{Log: func(server string, text []byte) {
		if server == "redis-2" {
			byClock = bytes.Count(text, []byte("* Connecting to MASTER"))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if byClock != 1 {
		t.Errorf("the replica looked for its primary %d times by its clock, want once, at its start", byClock)
	}
}

// A client that was killed to be started again is not gone: the run goes on while all
// are away.
func TestTheRunWaitsForThoseWhoComeBack(t *testing.T) {
	t.Parallel()
	realtest.Need(t, "redis-server")
	p := quick("A")
	restart(t, p, "A", 200*time.Millisecond)
	h := run(t, p, "set-nx-lua")
	healed := find(h, history.Healed, "")
	back, finished := find(h, history.Restarted, "A"), find(h, history.Finished, "A")
	if len(back) != 1 || len(finished) != 1 || len(healed) != 1 || finished[0].At > healed[0].At {
		t.Errorf("back %v, finished %v, the quiet period began %v", back, finished, healed)
	}
}
