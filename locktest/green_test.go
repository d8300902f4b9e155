package locktest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/locktest"
)

// leaving is the straight lock with a goroutine that ends at the release, or never if it forgets.
func leaving(forgets bool) func(locktest.Client) locktest.Lock {
	return func(c locktest.Client) locktest.Lock {
		inner := bend{}.lock(c)
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			held, err := inner.Acquire(ctx)
			if err != nil {
				return nil, err
			}
			done := make(chan struct{})
			go func() { <-done }()
			return locktest.LeaseFunc(func(ctx context.Context) error {
				if !forgets {
					defer close(done)
				}
				return held.Release(ctx)
			}), nil
		})
	}
}

// talks are tests that pass, with a text that they print and one that they do not.
var talks = map[string]struct {
	play      func(*testing.T)
	says, not string
}{
	"crash": {func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, leaving(false), locktest.Stories("crash"))
	}, "not tried  ", "Client.Cleanup"},
	"leak": {func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, leaving(true), locktest.Stories("contention"))
	}, "give Client.Cleanup what ends them", "goroutine 0"},
	"not judged": {func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, twoKeys, locktest.Stories("contention"), locktest.Unjudged(locktest.OwnerOnlyRelease))
	}, "owner-only-release is not judged where it is unknown, as the test says", "FAIL"},
	"handed over": {func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, handedOver, locktest.Stories("contention", "pause"), locktest.Breaks("pause"), locktest.MayBeUntested("rehearsal"))
	}, "entry not followed", "FAIL"},
	"green": {TestTheStraightLock, "entry under app:lock:lock", "FAIL"},
	"without walk": {func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, with(bareHolds), locktest.WithoutWalk(), locktest.Breaks("long-work"), locktest.Breaks("pause"), locktest.Breaks("failover"))
	}, "not tried  a fault at every request; late replies in work that outlasts the lease; wrong clocks of clients", "slow-reply"},
}

func TestThatTalks(t *testing.T) {
	if test, ok := talks[os.Getenv(failing)]; ok {
		test.play(t)
	}
}

// A passed test says what was tried and what was not, with -v and to `simulate test`. Goroutines of
// a client that died are no leak.
func TestWhatAGreenSays(t *testing.T) {
	for name, test := range talks {
		t.Run(name, func(t *testing.T) {
			summary := filepath.Join(t.TempDir(), "summary")
			t.Setenv("LOCKSTEP_SUMMARY", summary)
			out, _, passes := playAlone(t, "TestThatTalks", name, "-test.v")
			if !passes || !strings.Contains(out, test.says) || strings.Contains(out, test.not) {
				t.Errorf("it passes: %v; or it does not say %q, or says %q:\n%s", passes, test.says, test.not, out)
			}
			text, err := os.ReadFile(summary)
			lines := strings.Split(string(text), "\n")
			if err != nil || len(lines) < 5 || lines[0] != "TestThatTalks" {
				t.Fatalf("%v, %q", err, lines)
			}
			for i, word := range []string{"  tried      ", "  with       ", "  not tried  "} {
				if !strings.HasPrefix(lines[1+i], word) {
					t.Errorf("%q does not begin with %q", lines[1+i], word)
				}
			}
		})
	}
}
