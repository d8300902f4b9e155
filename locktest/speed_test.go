//go:build unix

package locktest_test

import (
	"context"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/bsm/redislock"

	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
	"lockstep/locktest"
)

// The workload of TestSpeed: five clients take bsm/redislock's lock twenty times each and extend it
// twice each time; A is paused once for longer than the lease.
const (
	speedRuns   = 200
	speedRounds = 20
	speedLease  = 2 * time.Second
	speedRetry  = 20 * time.Millisecond
	speedPause  = 3 * time.Second
	speedWork   = 20 * time.Millisecond // at most, before each extension
	speedLast   = 5 * time.Millisecond  // at most, after the last one
)

// TestSpeed measures how many runs a core plays per second, and how many of a simulated lock in the
// same plan. It is a test because a bubble takes no *testing.B. make bench runs it; so does
//
//	LOCKTEST_SPEED=1 go test -run Speed -v
//	LOCKTEST_SPEED=1 simulate test . -- -count=1 -run Speed -v
func TestSpeed(t *testing.T) {
	if os.Getenv("LOCKTEST_SPEED") == "" {
		t.Skip("it measures, and asserts nothing")
	}
	own, simulated := time.Duration(0), time.Duration(0)
	p, w := speedPlan(t), sim.New()
	defer w.Close()
	for i := range speedRuns + 1 {
		seed := uint64(i + 1)
		before := processorTime()
		locktest.PlayOn(t, locktest.Redis{Nodes: 1}, extending(seed), seed, func(to *plan.Plan) { *to = *p })
		between := processorTime()
		must.Get(w.Play(t.Context(), p, "set-nx-lua", seed))(t)
		if i > 0 { // the first one compiles the scripts
			own, simulated = own+between-before, simulated+processorTime()-between
		}
	}
	perSecond := func(took time.Duration) float64 { return speedRuns / took.Seconds() }
	t.Logf("%d runs of 5 clients and %d rounds: %.0f runs per second and core; a simulated lock %.0f; ratio %.2f",
		speedRuns, speedRounds, perSecond(own), perSecond(simulated), perSecond(own)/perSecond(simulated))
}

func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// speedPlan is the workload outside of the critical section.
func speedPlan(t *testing.T) *plan.Plan {
	p := scenariotest.Story(t, "set-nx-lua", "clients=[A, B, C, D, E]", "workload={}",
		"when: A is in its critical section the 3rd time, pause: A, for: "+speedPause.String())
	p.Lease = speedLease
	p.Workload.Repeat = speedRounds
	p.Workload.Work = plan.Range{Max: speedLast}
	p.Workload.Rest = plan.Range{}
	p.Workload.Retry = speedRetry
	return p
}

// extending makes locks of bsm/redislock whose holder extends them twice before the release. Errors
// are ignored: A has lost the lock once.
func extending(seed uint64) func(locktest.Client) locktest.Lock {
	return func(c locktest.Client) locktest.Lock {
		client := redislock.New(c.Redis())
		random := rand.New(rand.NewPCG(seed, uint64(c.Name()[0])))
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			lock, err := client.Obtain(ctx, c.Key(), speedLease, &redislock.Options{RetryStrategy: redislock.LinearBackoff(speedRetry)})
			if err != nil {
				return nil, err
			}
			return locktest.LeaseFunc(func(ctx context.Context) error {
				for range 2 {
					time.Sleep(time.Duration(random.Int64N(int64(speedWork))))
					_ = lock.Refresh(ctx, speedLease, nil)
				}
				return lock.Release(ctx)
			}), nil
		})
	}
}
