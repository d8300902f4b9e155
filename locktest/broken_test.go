package locktest_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/locks"
	"lockstep/internal/run"
	"lockstep/internal/rundir"
	"lockstep/locktest"
)

// blind is a lock as people write it the first time: its release deletes the key, whosever it is.
type blind struct {
	store *redis.Client
	key   string
	lease time.Duration
}

func newBlind(c locktest.Client) locktest.Lock { return &blind{c.Redis(), c.Key(), c.Lease()} }

func (l *blind) Acquire(ctx context.Context) (locktest.Lease, error) {
	for {
		ok, err := l.store.SetNX(ctx, l.key, "locked", l.lease).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			return l, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l *blind) Release(ctx context.Context) error {
	n, err := l.store.Del(ctx, l.key).Result()
	if err == nil && n == 0 {
		return locktest.ErrNotHeld
	}
	return err
}

// What a blind DEL breaks is known in detail, and more than a lease alone breaks.
func TestBlindDelete(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 1}, newBlind,
		locktest.Breaks("pause", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
		locktest.Breaks("late-release", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
		locktest.Breaks("failover", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
	)
}

// shared is a lock that is none: its clients share memory, and it never asks its store.
func shared() func(locktest.Client) locktest.Lock {
	var mu sync.Mutex
	return func(locktest.Client) locktest.Lock {
		return locktest.LockFunc(func(context.Context) (locktest.Lease, error) {
			if !mu.TryLock() {
				return nil, errors.New("taken")
			}
			return locktest.LeaseFunc(func(context.Context) error { mu.Unlock(); return nil }), nil
		})
	}
}

// failures are tests that have to fail, by their names. TestWhatFails plays each in a process of its own.
var failures = map[string]func(t *testing.T){
	"blind": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories("late-release"))
	},
	"better": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories("crash"), locktest.Breaks("crash"))
	},
	"shared": func(t *testing.T) { locktest.Run(t, locktest.Redis{}, shared()) },
	"alone": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories("testdata/alone.yaml"))
	},
	"story says": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories("testdata/harmless.yaml"))
	},
	"real socket": func(t *testing.T) {
		locktest.SetStandstill(2 * time.Second)
		locktest.Run(t, locktest.Redis{}, func(locktest.Client) locktest.Lock {
			return locktest.LockFunc(func(context.Context) (locktest.Lease, error) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err == nil {
					_, err = l.Accept()
				}
				return nil, err
			})
		})
	},
	"no lock": func(t *testing.T) { locktest.Run(t, locktest.Redis{}, nil) },
	"nil lock": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, func(locktest.Client) locktest.Lock { return nil })
	},
	"no lease": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, func(locktest.Client) locktest.Lock {
			return locktest.LockFunc(func(context.Context) (locktest.Lease, error) { return nil, nil })
		})
	},
	"nil pointer": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, func(locktest.Client) locktest.Lock { return (*blind)(nil) })
	},
	"panics later": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, func(c locktest.Client) locktest.Lock {
			return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
				_, err := newBlind(c).Acquire(ctx)
				return locktest.LeaseFunc(func(context.Context) error { panic("not written yet") }), err
			})
		})
	},
	"no story":    func(t *testing.T) { locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories()) },
	"in parallel": func(t *testing.T) { t.Parallel(); locktest.Run(t, locktest.Redis{}, newBlind) },
	"within bubble": func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { locktest.Run(t, locktest.Redis{}, newBlind) })
	},
	"fails the test": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, func(locktest.Client) locktest.Lock { t.FailNow(); return nil })
	},
	"never returns": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, func(locktest.Client) locktest.Lock {
			return locktest.LockFunc(func(context.Context) (locktest.Lease, error) { select {} })
		})
	},
	"spins": func(t *testing.T) {
		locktest.SetStandstill(2 * time.Second)
		locktest.Run(t, locktest.Redis{}, func(locktest.Client) locktest.Lock {
			return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
				for ctx.Err() == nil {
				}
				return nil, ctx.Err()
			})
		})
	},
	"by name": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, func(c locktest.Client) locktest.Lock {
			return &blind{redis.NewClient(&redis.Options{Addr: "localhost:1"}), c.Key(), c.Lease()}
		})
	},
	"by wrong address": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, func(c locktest.Client) locktest.Lock {
			return &blind{redis.NewClient(&redis.Options{Addr: "localhost:6379", Dialer: c.Dial}), c.Key(), c.Lease()}
		})
	},
	"never": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories("testdata/never.yaml"))
	},
	"unmodelled": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, func(c locktest.Client) locktest.Lock {
			client := c.Redis()
			client.Do(context.Background(), "OBJECT", "FREQ", c.Key())
			return &blind{client, c.Key(), c.Lease()}
		}, locktest.Stories("contention"))
	},
	"unknown story": func(t *testing.T) { locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories("pauze")) },
	"unplayed":      func(t *testing.T) { locktest.Run(t, locktest.Redis{}, newBlind, locktest.Breaks("faillover")) },
	"walk": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories("contention"), locktest.Walk(), locktest.Breaks("walk/pause"))
	},
}

const failing = "LOCKTEST_FAILING"

func TestThatFails(t *testing.T) {
	if f := failures[os.Getenv(failing)]; f != nil {
		f(t)
	}
}

// readBack opens a report as `simulate explain` and `simulate report` do: its lock is nobody's that they know.
func readBack(t *testing.T, dir string) {
	t.Helper()
	r, err := rundir.Open(t.Context(), dir)
	if err != nil {
		t.Error(err)
		return
	}
	if got := r.Result().Status(); got != run.Missed || r.Env.Own == nil || r.Env.Own.Store != locks.StoreRedis || !strings.Contains(r.Env.Own.Again, "go test -run") {
		t.Errorf("%s: %v, %+v", dir, got, r.Env)
	}
}

// Everything that has to fail fails, and says why and what to do.
func TestWhatFails(t *testing.T) {
	for name, want := range map[string][]string{
		"blind":            {"owner-only-release is broken", `locktest.Breaks("late-release", "owner-only-release")`, "A's DEL removes C's entry", "LOCKSTEP_SEED=1 go test -run", "report.html"},
		"better":           {`mutual-exclusion is kept, and the test says that it breaks`},
		"shared":           {"has sent nothing to its store"},
		"alone":            {"unknown: ", `locktest.MayBeUntested("alone")`},
		"story says":       {"mutual-exclusion is kept, and the story says that every lock breaks it."},
		"real socket":      {"virtual time has stood still for 2s", "IO wait", "broken_test.go"},
		"never":            {"unknown: ", "never fired"},
		"no lock":          {"locktest.Run needs servers and a function"},
		"nil lock":         {"newLock has returned nil"},
		"no lease":         {"Acquire has returned neither a lease nor an error"},
		"nil pointer":      {"client A has panicked: runtime error: invalid memory address", "broken_test.go:"},
		"panics later":     {"Release of client A has panicked: not written yet", "broken_test.go:"},
		"no story":         {"locktest.Stories names no story"},
		"in parallel":      {"take t.Parallel out of the test"},
		"within bubble":    {"call it outside of synctest.Test"},
		"fails the test":   {"has left its goroutine, as runtime.Goexit and t.FailNow do"},
		"never returns":    {"has not returned", "it does not look at it"},
		"spins":            {"virtual time has stood still for 2s", "broken_test.go:"},
		"by name":          {"has sent nothing to its store", "connect: connection refused"},
		"by wrong address": {"nobody listens at localhost:6379"},
		"unmodelled":       {"unknown: ", "(OBJECT)"},
		"unknown story":    {"pauze"},
		"unplayed":         {`"faillover", which is not played`},
		"walk":             {"drop reply when A is about to send any command the 2nd time", "owner-only-release is broken"},
	} {
		t.Run(name, func(t *testing.T) {
			reports := t.TempDir()
			cmd := exec.Command(os.Args[0], "-test.run", "^TestThatFails$")
			cmd.Env = append(os.Environ(), failing+"="+name, "LOCKSTEP_REPORTS="+reports, "LOCKSTEP_SEED=")
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("it passes:\n%s", out)
			}
			for _, w := range want {
				if !strings.Contains(string(out), w) {
					t.Errorf("it does not say %q:\n%s", w, out)
				}
			}
			if name == "blind" {
				pages, err := filepath.Glob(filepath.Join(reports, "*", "*", "report.html"))
				if err != nil || len(pages) != 1 {
					t.Fatalf("%d reports, %v", len(pages), err)
				}
				readBack(t, filepath.Dir(pages[0]))
			}
		})
	}
}
