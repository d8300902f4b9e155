package locktest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/locktest"
	"lockstep/locktest/sqltest"
)

// blind is a naive lock: its release deletes the key without checking the owner.
type blind struct {
	store *redis.Client
	key   string
	lease time.Duration
}

func newBlind(c locktest.Client) locktest.Lock { return &blind{c.Redis(), c.Key(), c.Lease()} }

func (l *blind) Acquire(ctx context.Context) (locktest.Lease, error) {
	if err := retry(ctx, 100*time.Millisecond, func() (bool, error) {
		return l.store.SetNX(ctx, l.key, "locked", l.lease).Result()
	}); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *blind) Release(ctx context.Context) error {
	n, err := l.store.Del(ctx, l.key).Result()
	if err == nil && n == 0 {
		return locktest.ErrNotHeld
	}
	return err
}

// A blind DEL breaks more than a lease alone does.
func TestBlindDelete(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 1}, newBlind, locktest.WithoutWalk(),
		locktest.Breaks("long-work", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
		locktest.Breaks("pause", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
		locktest.Breaks("late-own-release", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
		locktest.Breaks("late-release", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
		locktest.Breaks("failover", locktest.MutualExclusion, locktest.OwnerOnlyRelease),
	)
}

// shared is a mutex in shared memory, which never uses the store.
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

// lost is a hold whose client is told at once that it is over.
type lost struct{ *hold }

func (lost) Lost() <-chan struct{} {
	over := make(chan struct{})
	close(over)
	return over
}

// neverReleased is a lock that ends with its lease.
func neverReleased(c locktest.Client) locktest.Lock {
	return with(func(context.Context, *hold) (locktest.Lease, error) {
		return locktest.LeaseFunc(func(context.Context) error { return nil }), nil
	})(c)
}

// A property without an occasion to break is not demanded, unless a story asks for it by name: see
// "asked for" below.
func TestALockThatEndsWithItsLease(t *testing.T) {
	locktest.Run(t, locktest.Redis{}, neverReleased, locktest.Stories("contention"))
}

// unmodelled makes locks that send a command that the model of the store does not have, from one of
// A's clients on.
func unmodelled(from int) locker {
	clients := 0
	return func(c locktest.Client) locktest.Lock {
		if c.Name() == "A" {
			clients++
		}
		client := c.Redis()
		if clients >= from {
			client.Do(context.Background(), "OBJECT", "FREQ", c.Key())
		}
		return &blind{client, c.Key(), c.Lease()}
	}
}

// failure is a test that has to fail, with its messages.
type failure struct {
	play func(t *testing.T)
	says []string
}

// runs plays a lock on one Redis.
func runs(lock locker, options ...locktest.Option) func(t *testing.T) {
	return func(t *testing.T) { locktest.Run(t, locktest.Redis{}, lock, options...) }
}

// acquires makes locks whose Acquire is a function.
func acquires(f locktest.LockFunc) locker { return func(locktest.Client) locktest.Lock { return f } }

// turning makes locks that are bad or not, by the number of A's clients so far.
func turning(bad func(clients int) bool) locker {
	clients := 0
	return func(c locktest.Client) locktest.Lock {
		if c.Name() == "A" {
			clients++
		}
		return bend{blindRelease: bad(clients)}.lock(c)
	}
}

// dials makes blind locks with a client library of other options.
func dials(options func(c locktest.Client) *redis.Options) locker {
	return func(c locktest.Client) locktest.Lock { return &blind{redis.NewClient(options(c)), c.Key(), c.Lease()} }
}

// failures has the tests that have to fail, by name; bends and liars are added. TestWhatFails plays
// each in a process of its own.
var failures = map[string]failure{
	"blind": {runs(newBlind, locktest.Stories("late-release")), []string{
		"owner-only-release is broken", `locktest.Breaks("late-release", "owner-only-release")`, "A's DEL removes C's entry", "LOCKSTEP_SEED=1 go test -run '^TestThatFails$/^late-release$' lockstep/locktest\n", "report.html"}},
	"better": {runs(newBlind, locktest.Stories("crash"), locktest.Breaks("crash")),
		[]string{`mutual-exclusion is kept, and the test says that it breaks`}},
	"shared": {runs(shared()), []string{"has sent nothing to its store"}},
	"alone":  {runs(newBlind, locktest.Stories("testdata/alone.yaml")), []string{"inconclusive: ", `locktest.MayBeUntested("alone")`}},
	"idle line": {runs(newBlind, locktest.Stories("testdata/idle.yaml"), locktest.Seeds(2), locktest.WithoutWalk()), []string{
		"inconclusive: with 2 seeds, fault 1 of the list had no visible effect: the reply to every", `locktest.MayBeUntested("idle")`}},
	"story says": {runs(newBlind, locktest.Stories("testdata/harmless.yaml")),
		[]string{"mutual-exclusion is kept, and the story says that every lock breaks it."}},
	"real socket": {func(t *testing.T) {
		locktest.SetStandstill(2 * time.Second)
		runs(acquires(func(context.Context) (locktest.Lease, error) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err == nil {
				_, err = l.Accept()
			}
			return nil, err
		}))(t)
	}, []string{"virtual time has stood still for 2s", "IO wait", "broken_test.go"}},
	"spins": {func(t *testing.T) {
		locktest.SetStandstill(2 * time.Second)
		runs(acquires(func(ctx context.Context) (locktest.Lease, error) {
			for ctx.Err() == nil {
			}
			return nil, ctx.Err()
		}))(t)
	}, []string{"virtual time has stood still for 2s", "broken_test.go:"}},
	"no lock":  {runs(nil), []string{"locktest.Run needs servers and a function"}},
	"nil lock": {runs(func(locktest.Client) locktest.Lock { return nil }), []string{"newLock has returned nil"}},
	"no lease": {runs(acquires(func(context.Context) (locktest.Lease, error) { return nil, nil })),
		[]string{"Acquire has returned neither a lease nor an error"}},
	"nil pointer": {runs(func(locktest.Client) locktest.Lock { return (*blind)(nil) }),
		[]string{"client A has panicked: runtime error: invalid memory address", "broken_test.go:"}},
	"panics later": {runs(func(c locktest.Client) locktest.Lock {
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			_, err := newBlind(c).Acquire(ctx)
			return locktest.LeaseFunc(func(context.Context) error { panic("not written yet") }), err
		})
	}), []string{"Release of client A has panicked: not written yet", "broken_test.go:"}},
	"never returns": {runs(acquires(func(context.Context) (locktest.Lease, error) { select {} })),
		[]string{"has not returned", "it does not look at it"}},
	"fails the test": {func(t *testing.T) { runs(func(locktest.Client) locktest.Lock { t.FailNow(); return nil })(t) },
		[]string{"has left its goroutine, as runtime.Goexit and t.FailNow do"}},
	"in parallel":   {func(t *testing.T) { t.Parallel(); runs(newBlind)(t) }, []string{"take t.Parallel out of the test"}},
	"within bubble": {func(t *testing.T) { synctest.Test(t, runs(newBlind)) }, []string{"call it outside of synctest.Test"}},
	"by name": {runs(dials(func(locktest.Client) *redis.Options { return &redis.Options{Addr: "localhost:1"} })),
		[]string{"has sent nothing to its store", "connect: connection refused"}},
	"by wrong address": {runs(dials(func(c locktest.Client) *redis.Options { return &redis.Options{Addr: "localhost:6379", Dialer: c.Dial} })),
		[]string{"nothing listens at localhost:6379"}},
	"one connection": {runs(oneConnection, locktest.Stories("contention", "long-work")), []string{`locktest.Breaks("long-work", "mutual-exclusion")`}},
	"never":          {runs(newBlind, locktest.Stories("testdata/never.yaml")), []string{"inconclusive: ", "never fired"}},
	"unmodelled":     {runs(unmodelled(1)), []string{"broken_test.go", "unknown: ", "(OBJECT)"}},
	"unmodelled alone": {runs(func(c locktest.Client) locktest.Lock {
		return acquires(func(ctx context.Context) (locktest.Lease, error) { return nil, c.Redis().Do(ctx, "MONITOR").Err() })(c)
	}), []string{"unknown: ", "(MONITOR)"}},
	"too short": {runs(func(c locktest.Client) locktest.Lock { return &blind{c.Redis(), c.Key(), c.Lease() / 1000} }),
		[]string{"releases the lock and is told that it had none", "s entry expires at ", "it was made to last 10ms"}},
	"bound to Acquire": {runs(with(func(ctx context.Context, h *hold) (locktest.Lease, error) {
		context.AfterFunc(ctx, func() { h.store.Del(context.Background(), h.c.Key()) })
		return h, nil
	})), []string{"s own DEL lock ends its entry at ", "the context of Acquire"}},
	"listens only": {runs(func(c locktest.Client) locktest.Lock {
		l := &blind{c.Redis(), c.Key(), c.Lease()}
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			sub := l.store.Subscribe(ctx, "released")
			defer sub.Close()
			for {
				if ok, err := l.store.SetNX(ctx, l.key, "locked", l.lease).Result(); ok || err != nil {
					return locktest.LeaseFunc(func(ctx context.Context) error {
						return errors.Join(l.Release(ctx), l.store.Publish(ctx, "released", "").Err())
					}), err
				}
				select {
				case <-sub.Channel():
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
		})
	}, locktest.Stories("crash")), []string{"B waits until ", "for a lock that has been free for "}},
	"unmodelled later": {runs(unmodelled(4), locktest.Stories("contention")), []string{"unknown: ", "(OBJECT)"}}, // three rehearse
	"unmodelled walk": {runs(unmodelled(4), locktest.Stories(), locktest.Walk()),
		[]string{"unknown: none of ", `places tested anything; allow it with locktest.MayBeUntested("walk/pause")`}},
	"walk": {runs(newBlind, locktest.Stories("contention"), locktest.Walk(), locktest.Breaks("walk/pause")),
		[]string{"drop reply when A is about to send DEL", "owner-only-release is broken"}},
	"better walk": {runs(bend{}.lock, locktest.Stories(), locktest.Walk(), locktest.Breaks("walk/crash"), locktest.Breaks("walk/pause")),
		[]string{"mutual-exclusion is kept at all ", `take it out of locktest.Breaks("walk/crash")`}},
	"foreign walk": {runs(bend{blindRenewal: true}.lock, locktest.Stories(), locktest.Walk(), locktest.Breaks("walk/pause")),
		[]string{"delay request by 12s", "extends the entry of another client"}},
	"unplayed kind": {runs(newBlind, locktest.Stories(), locktest.Walk(), locktest.Breaks("walk/pauze")),
		[]string{`"walk/pauze", which is not played`}},
	"unplayed":      {runs(newBlind, locktest.Breaks("faillover")), []string{`"faillover", which is not played`}},
	"no story":      {runs(newBlind, locktest.Stories()), []string{"locktest.Stories names no story"}},
	"unknown story": {runs(newBlind, locktest.Stories("pauze")), []string{"pauze"}},
	"no property":   {runs(newBlind, locktest.Unjudged("mutual-exlusion")), []string{"there is no property mutual-exlusion"}},
	"another is untested": {runs(newBlind, locktest.Stories("testdata/never.yaml", "contention"), locktest.MayBeUntested("contention")),
		[]string{"inconclusive: ", "never fired"}},
	"breaks once": {runs(turning(func(n int) bool { return n == 4 }), locktest.Stories("late-release")), // three rehearse
		[]string{"owner-only-release is broken"}},
	"another seed": {runs(turning(func(n int) bool { return n > 5 }), locktest.Stories("late-release"), locktest.Seeds(3)),
		[]string{"owner-only-release is broken", "LOCKSTEP_SEED=3"}},
	"lesson": {runs(with(bareHolds), locktest.Stories("late-acquire-reply")),
		[]string{"mutual-exclusion is broken", `locktest.Breaks("late-acquire-reply"`}},
	"not followed": {runs(twoKeys, locktest.Stories("contention")),
		[]string{"inconclusive: owner-only-release cannot be judged", "both x:lock and y:lock", "locktest.Unjudged("}},
	"released in name only": {runs(with(func(_ context.Context, h *hold) (locktest.Lease, error) {
		return locktest.LeaseFunc(func(ctx context.Context) error { return removeOwn.Run(ctx, h.store, []string{"other"}, h.word).Err() }), nil
	}), locktest.Stories("failed-try")), []string{"inconclusive: only A ever got the lock. A releases the lock at ", "its entry stays until it expires at ", "locktest.MayBeUntested("}},
	"through a pool": {func(t *testing.T) {
		locktest.Run(t, sqltest.MySQL{}, func(c locktest.Client) locktest.Lock {
			db := sqltest.Open(c)
			asks := func(ctx context.Context, query string) (yes bool, err error) {
				tx, err := db.BeginTx(ctx, nil) // whose end gives no named lock back
				if err != nil {
					return false, err
				}
				err = tx.QueryRowContext(ctx, query, c.Key()).Scan(&yes)
				return yes, errors.Join(err, tx.Commit())
			}
			return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
				err := retry(ctx, c.Retry(), func() (bool, error) { return asks(ctx, "SELECT GET_LOCK(?, 1)") })
				return locktest.LeaseFunc(func(ctx context.Context) error {
					ctx, cancel := context.WithTimeout(ctx, c.Timeout())
					defer cancel()
					_, err := asks(ctx, "SELECT RELEASE_LOCK(?)")
					return err
				}), err
			})
		}, locktest.Stories("contention"))
	}, []string{`untested: the session of A goes back to the pool of connections after "SELECT GET_LOCK(?, 1)"`, `locktest.MayBeUntested("rehearsal")`}},
	"in the background": {runs(with(func(_ context.Context, h *hold) (locktest.Lease, error) {
		return locktest.LeaseFunc(func(ctx context.Context) error {
			go func() {
				time.Sleep(time.Millisecond) // else it may send before this returns
				h.Release(context.WithoutCancel(ctx))
			}()
			return nil
		}), nil
	}), locktest.Stories("late-release")), []string{"inconclusive: fault 1 never fired", "A's release returns at ", "sends its EVALSHA", "only then"}},
	"swallowed": {runs(with(func(_ context.Context, h *hold) (locktest.Lease, error) {
		h.store.Options().MaxRetries = 0
		return locktest.LeaseFunc(func(ctx context.Context) error { _ = h.Release(ctx); return nil }), nil
	}), locktest.Stories("lost-request")), []string{"A's release returns no error at ", `locktest.MayBeUntested("lost-request")`}},
	"cut short": {runs(with(func(_ context.Context, h *hold) (locktest.Lease, error) {
		return locktest.LeaseFunc(func(ctx context.Context) error { return h.store.PExpire(ctx, h.c.Key(), time.Millisecond).Err() }), nil
	}), locktest.Stories("pause"), locktest.Breaks("pause")), []string{"A's PEXPIRE lock 1 cuts short the entry of another client"}},
	"no token": {runs(with(func(_ context.Context, h *hold) (locktest.Lease, error) { return fenced{h}, nil }), locktest.Stories("contention")),
		[]string{"untested: A acquires with the fencing token 0. A token is greater than 0"}},
	"forgets tokens": {runs(with(func(ctx context.Context, h *hold) (_ locktest.Lease, err error) {
		if h.token, err = h.store.Incr(ctx, "tokens").Result(); err == nil {
			err = h.store.PExpire(ctx, "tokens", h.c.Lease()).Err()
		}
		return fenced{h}, err
	}), locktest.Stories("pause"), locktest.Breaks("pause")), []string{"no-stale-write is broken"}},
	"longer lease": {runs(func(c locktest.Client) locktest.Lock { return &blind{c.Redis(), c.Key(), 3 * c.Lease()} }, locktest.Stories("pause")),
		[]string{"untested: the store keeps lock of A for 30s", "the lease of the story is 10s", `locktest.MayBeUntested("rehearsal")`}},
	"longer lease, not followed": {runs(func(c locktest.Client) locktest.Lock {
		return both(&blind{c.Redis(), "x:" + c.Key(), 3 * c.Lease()}, &blind{c.Redis(), "y:" + c.Key(), 2 * c.Lease()})
	}, locktest.Stories("contention"), locktest.Unjudged(locktest.OwnerOnlyRelease)),
		[]string{"untested: the store keeps y:lock of A for 20s", `locktest.MayBeUntested("rehearsal")`}},
	"longer renewal": {runs(bend{renewsFor: 30 * time.Second}.lock, locktest.Stories("contention")), []string{"untested: the store keeps the entry of B for 30s"}},
	"false alarm": {runs(with(func(_ context.Context, h *hold) (locktest.Lease, error) {
		return locktest.LeaseFunc(func(ctx context.Context) error { return errors.Join(h.Release(ctx), locktest.ErrNotHeld) }), nil
	}), locktest.Stories("contention")), []string{"A releases the lock and is told that it had none at "}},
	"failed release": {runs(with(func(_ context.Context, h *hold) (locktest.Lease, error) {
		return locktest.LeaseFunc(func(ctx context.Context) error { return errors.Join(h.Release(ctx), errors.New("rolled back already")) }), nil
	})), []string{"untested: A releases the lock and gets an error at ", ". The error: rolled back already"}},
	"lost at once": {runs(with(func(_ context.Context, h *hold) (locktest.Lease, error) { return lost{h}, nil })),
		[]string{"untested: A is told that its lock is lost at ", "and nothing has gone wrong"}},
	"all at once": {runs(freely), []string{"untested: ", "two clients have held the lock at once, though nothing went wrong", "two holders inside"}},
	"forever": {runs(func(c locktest.Client) locktest.Lock { return &blind{c.Redis(), c.Key(), 0} }, locktest.Stories("lost-reply")),
		[]string{"mutual-exclusion is unknown: no client acquired the lock", `locktest.Breaks("lost-reply", "progress")`}},
	"two commands": {runs(func(c locktest.Client) locktest.Lock {
		l := &owned{c, c.Redis()}
		l.store.Options().MaxRetries = 0
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			h := &hold{owned: l, word: rand.Text()}
			return h, retry(ctx, 333*time.Millisecond, func() (bool, error) {
				if err := l.store.Get(ctx, c.Key()).Err(); !errors.Is(err, redis.Nil) {
					return false, err
				}
				return true, l.store.Set(ctx, c.Key(), h.word, c.Lease()).Err()
			})
		})
	}, locktest.Stories("pause"), locktest.Breaks("pause"), locktest.Walk()), []string{"walk/late-request", "mutual-exclusion is broken", "by 2s"}},
	"asked for": {runs(neverReleased, locktest.Stories("testdata/asked.yaml")),
		[]string{"inconclusive: owner-only-release is unknown: no client's command removed an entry", "locktest.Unjudged("}},
	"without": {runs(bend{blindRelease: true}.lock, locktest.Stories("late-release"), locktest.Unjudged(locktest.OwnerOnlyRelease)),
		[]string{"owner-only-release is broken"}},
}

const failing = "LOCKTEST_FAILING"

func TestThatFails(t *testing.T) {
	if f, ok := failures[os.Getenv(failing)]; ok {
		f.play(t)
	}
}

// readBack opens a report as `simulate explain` and `simulate report` do, without its lock.
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

// Each of these tests fails, and says why and what to do.
func TestWhatFails(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, reports, passes := playAlone(t, "TestThatFails", name)
			if passes || slices.ContainsFunc(f.says, func(text string) bool { return !strings.Contains(out, text) }) {
				t.Log("played again: without a seed, a busy machine chooses another order of goroutines")
				out, reports, passes = playAlone(t, "TestThatFails", name)
			}
			if passes {
				t.Fatalf("it passes:\n%s", out)
			}
			must.Contain(t, out, f.says...)
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

// playAlone plays a test in a process of its own.
func playAlone(t *testing.T, test, name string, more ...string) (out, reports string, passes bool) {
	t.Helper()
	reports = t.TempDir()
	cmd := exec.Command(os.Args[0], append(more, "-test.run", "^"+test+"$")...)
	cmd.Env = append(os.Environ(), failing+"="+name, "LOCKSTEP_REPORTS="+reports, "LOCKSTEP_SEED=")
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(text), reports, err == nil
}
