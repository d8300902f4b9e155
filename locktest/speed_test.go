//go:build unix

package locktest_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"lockstep/locktest"
)

// TestSpeed says how many runs a core plays in a second: LOCKTEST_SPEED=1 go test -run Speed -v.
func TestSpeed(t *testing.T) {
	if os.Getenv("LOCKTEST_SPEED") == "" {
		t.Skip("it measures, and asserts nothing")
	}
	const runs = 200
	play := func(seed int) {
		locktest.PlayOn(t, locktest.Redis{Nodes: 1}, redislocks, uint64(seed+1), contended(20))
	}
	play(0)
	before := processorTime()
	for i := range runs {
		play(i)
	}
	took := processorTime() - before
	t.Logf("%d runs of 5 clients and 20 rounds in %v of processor time: %.0f runs per second and core", runs, took, runs/took.Seconds())
}

func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
