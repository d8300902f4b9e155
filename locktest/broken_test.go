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
	"lockstep/internal/runstore"
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
	locktest.Run(t, locktest.Redis{Nodes: 1}, newBlind, locktest.WithoutWalk(),
		locktest.Breaks("long-work", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
		locktest.Breaks("pause", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
		locktest.Breaks("late-own-release", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
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

// neverReleased is a lock that ends with its lease.
func neverReleased(c locktest.Client) locktest.Lock {
	return with(func(context.Context, *hold) (locktest.Lease, error) {
		return locktest.LeaseFunc(func(context.Context) error { return nil }), nil
	})(c)
}

// What gives no occasion goes without saying, and not where a story asks for it by name: see "asked for" below.
func TestALockThatEndsWithItsLease(t *testing.T) {
	locktest.Run(t, locktest.Redis{}, neverReleased, locktest.Stories("contention"))
}

// unmodelled asks for what the model of the store does not have.
func unmodelled(c locktest.Client) locktest.Lock {
	client := c.Redis()
	client.Do(context.Background(), "OBJECT", "FREQ", c.Key())
	return &blind{client, c.Key(), c.Lease()}
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
	"idle line": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories("testdata/idle.yaml"), locktest.Seeds(2), locktest.WithoutWalk())
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
		locktest.Run(t, locktest.Redis{}, unmodelled, locktest.Stories("contention"))
	},
	"unmodelled walk": func(t *testing.T) { locktest.Run(t, locktest.Redis{}, unmodelled, locktest.Stories(), locktest.Walk()) },
	"better walk": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, bend{}.lock, locktest.Stories(), locktest.Walk(), locktest.Breaks("walk/crash"), locktest.Breaks("walk/pause"))
	},
	"foreign walk": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, bend{blindRenewal: true}.lock, locktest.Stories(), locktest.Walk(), locktest.Breaks("walk/pause"))
	},
	"another is untested": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories("testdata/never.yaml", "contention"), locktest.MayBeUntested("contention"))
	},
	"unplayed kind": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Stories(), locktest.Walk(), locktest.Breaks("walk/pauze"))
	},
	"breaks once": func(t *testing.T) {
		plays := 0
		locktest.Run(t, locktest.Redis{}, func(c locktest.Client) locktest.Lock {
			if c.Name() == "A" {
				plays++
			}
			return bend{blindRelease: plays == 4}.lock(c) // three rehearse
		}, locktest.Stories("late-release"))
	},
	"another seed": func(t *testing.T) {
		plays := 0
		locktest.Run(t, locktest.Redis{}, func(c locktest.Client) locktest.Lock {
			if c.Name() == "A" {
				plays++
			}
			return bend{blindRelease: plays > 5}.lock(c)
		}, locktest.Stories("late-release"), locktest.Seeds(3))
	},
	"lesson": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, with(bareHolds), locktest.Stories("late-acquire-reply"))
	},
	"not followed": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, twoKeys, locktest.Stories("contention"))
	},
	"asked for": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, neverReleased, locktest.Stories("testdata/asked.yaml"))
	},
	"without": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, bend{blindRelease: true}.lock,
			locktest.Stories("late-release"), locktest.Unjudged(locktest.OwnerOnlyRelease))
	},
	"no property": func(t *testing.T) {
		locktest.Run(t, locktest.Redis{}, newBlind, locktest.Unjudged("mutual-exlusion"))
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

// readBack opens a report as `simulate explain` and `simulate report` do: they do not know its lock.
func readBack(t *testing.T, dir string) {
	t.Helper()
	r, err := runstore.Read(t.Context(), dir)
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
		"blind":               {"owner-only-release is broken", `locktest.Breaks("late-release", "owner-only-release")`, "A's DEL removes C's entry", "LOCKSTEP_SEED=1 go test -run", "report.html"},
		"better":              {`mutual-exclusion is kept, and the test says that it breaks`},
		"shared":              {"has sent nothing to its store"},
		"alone":               {"inconclusive: ", `locktest.MayBeUntested("alone")`},
		"idle line":           {"inconclusive: with 2 seeds, fault 1 of the list had no visible effect: the reply to every", `locktest.MayBeUntested("idle")`},
		"story says":          {"mutual-exclusion is kept, and the story says that every lock breaks it."},
		"real socket":         {"virtual time has stood still for 2s", "IO wait", "broken_test.go"},
		"never":               {"inconclusive: ", "never fired"},
		"no lock":             {"locktest.Run needs servers and a function"},
		"nil lock":            {"newLock has returned nil"},
		"no lease":            {"Acquire has returned neither a lease nor an error"},
		"nil pointer":         {"client A has panicked: runtime error: invalid memory address", "broken_test.go:"},
		"panics later":        {"Release of client A has panicked: not written yet", "broken_test.go:"},
		"no story":            {"locktest.Stories names no story"},
		"in parallel":         {"take t.Parallel out of the test"},
		"within bubble":       {"call it outside of synctest.Test"},
		"fails the test":      {"has left its goroutine, as runtime.Goexit and t.FailNow do"},
		"never returns":       {"has not returned", "it does not look at it"},
		"spins":               {"virtual time has stood still for 2s", "broken_test.go:"},
		"by name":             {"has sent nothing to its store", "connect: connection refused"},
		"by wrong address":    {"nothing listens at localhost:6379"},
		"unmodelled":          {"unknown: ", "(OBJECT)"},
		"unmodelled walk":     {"unknown: none of ", `places tested anything; allow it with locktest.MayBeUntested("walk/pause")`},
		"better walk":         {"mutual-exclusion is kept at all ", `take it out of locktest.Breaks("walk/crash")`},
		"foreign walk":        {"delay request by 12s", "extends the entry of another client"},
		"another is untested": {"inconclusive: ", "never fired"},
		"unplayed kind":       {`"walk/pauze", which is not played`},
		"breaks once":         {"owner-only-release is broken"},
		"another seed":        {"owner-only-release is broken", "LOCKSTEP_SEED=3"},
		"lesson":              {"mutual-exclusion is broken", `locktest.Breaks("late-acquire-reply"`},
		"not followed":        {"inconclusive: owner-only-release cannot be judged", "both x:lock and y:lock", "locktest.Unjudged("},
		"asked for":           {"inconclusive: owner-only-release is unknown: no client's command removed an entry", "locktest.Unjudged("},
		"without":             {"owner-only-release is broken"},
		"no property":         {"there is no property mutual-exlusion"},
		"unknown story":       {"pauze"},
		"unplayed":            {`"faillover", which is not played`},
		"walk":                {"drop reply when A is about to send DEL", "owner-only-release is broken"},
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
