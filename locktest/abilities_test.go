package locktest_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/locktest"
)

// owned is a lock with its owner's token in the entry. Wrappers add optional abilities.
type owned struct {
	c     locktest.Client
	store *redis.Client
}

func (l *owned) take(ctx context.Context) (*hold, error) {
	h := &hold{owned: l, word: rand.Text()}
	return h, retry(ctx, l.c.Retry(), func() (bool, error) {
		return l.store.SetNX(ctx, l.c.Key(), h.word, l.c.Lease()).Result()
	})
}

// retry tries until something succeeds or fails, or the context ends.
func retry(ctx context.Context, every time.Duration, try func() (bool, error)) error {
	for {
		if ok, err := try(); ok || err != nil {
			return err
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type hold struct {
	*owned
	word  string
	token int64
}

var (
	removeOwn = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`)
	extendOwn = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) else return 0 end`)
)

func (h *hold) did(n int, err error) error {
	if err == nil && n == 0 {
		return locktest.ErrNotHeld
	}
	return err
}

func (h *hold) Release(ctx context.Context) error {
	return h.did(removeOwn.Run(ctx, h.store, []string{h.c.Key()}, h.word).Int())
}

// apart is a hold that keeps the only connection, for which its extensions wait.
type apart struct {
	extended
	conn *redis.Conn
}

func (h apart) Release(ctx context.Context) error {
	_ = h.conn.Close()
	return h.hold.Release(ctx)
}

func oneConnection(c locktest.Client) locktest.Lock {
	l := &owned{c, redis.NewClient(&redis.Options{Addr: c.Addresses()[0], Dialer: c.Dial, PoolSize: 1})}
	c.Cleanup(func() { _ = l.store.Close() })
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		h := apart{extended{&hold{owned: l, word: rand.Text()}}, l.store.Conn()}
		err := retry(ctx, c.Retry(), func() (bool, error) { return h.conn.SetNX(ctx, c.Key(), h.word, c.Lease()).Result() })
		if err != nil {
			_ = h.conn.Close()
		}
		return h, err
	})
}

// extended is a hold that its holder extends.
type extended struct{ *hold }

func (h extended) Extend(ctx context.Context) error {
	return h.did(extendOwn.Run(ctx, h.store, []string{h.c.Key()}, h.word, h.c.Lease().Milliseconds()).Int())
}

// fenced is a hold with a token.
type fenced struct{ *hold }

func (h fenced) Token() int64 { return h.token }

// with makes locks whose leases wrap a hold.
func with(wrap func(ctx context.Context, h *hold) (locktest.Lease, error)) func(locktest.Client) locktest.Lock {
	return func(c locktest.Client) locktest.Lock {
		l := &owned{c, c.Redis()}
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			h, err := l.take(ctx)
			if err != nil {
				return nil, err
			}
			return wrap(ctx, h)
		})
	}
}

func bareHolds(_ context.Context, h *hold) (locktest.Lease, error) { return h, nil }

// Slow work outlives a lease unless the client extends it.
func TestAnExtenderKeepsItsLease(t *testing.T) {
	slow := locktest.Stories("testdata/slow.yaml")
	locktest.Run(t, locktest.Redis{}, with(bareHolds), slow, locktest.Breaks("slow"))
	locktest.Run(t, locktest.Redis{}, with(func(_ context.Context, h *hold) (locktest.Lease, error) {
		return extended{h}, nil
	}), slow, locktest.Name("extended"))
}

// A token does not prevent two holders, but stops the writes of the older one.
func TestATokenStopsTheWrite(t *testing.T) {
	locktest.Run(t, locktest.Redis{}, with(func(ctx context.Context, h *hold) (_ locktest.Lease, err error) {
		h.token, err = h.store.Incr(ctx, "tokens").Result()
		return fenced{h}, err
	}), locktest.Stories("pause"), locktest.Breaks("pause"))
}

// A holder that is told of the loss stops before its write; without the report the same lock breaks
// no-stale-write, too.
func TestAHolderThatIsToldOfTheLossStops(t *testing.T) {
	story := locktest.Stories("testdata/evicted.yaml")
	locktest.Run(t, locktest.Redis{}, with(bareHolds), story, locktest.Breaks("evicted", locktest.MutualExclusion, locktest.NoStaleWrite))
	locktest.Run(t, locktest.Redis{}, with(func(_ context.Context, h *hold) (locktest.Lease, error) {
		return extended{h}, nil // whose Extend says ErrNotHeld
	}), story, locktest.Breaks("evicted", locktest.MutualExclusion), locktest.Name("told"))
}

// A lock that asks again sooner than the story's response timeout holds more often before its late
// release arrives.
func TestALateReleaseOfAnImpatientLock(t *testing.T) {
	locktest.Run(t, locktest.Redis{}, func(c locktest.Client) locktest.Lock {
		store := redis.NewClient(&redis.Options{Addr: c.Addresses()[0], Dialer: c.Dial, ReadTimeout: 500 * time.Millisecond})
		c.Cleanup(func() { _ = store.Close() })
		l := &owned{c, store}
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) { return l.take(ctx) })
	}, locktest.Stories("late-own-release"))
}

// Built-in stories can be played by name, with their expectations of every lock.
func TestStoriesOfTheProgram(t *testing.T) {
	locktest.Run(t, locktest.Redis{}, with(bareHolds),
		locktest.Stories("pause-past-lease", "late-acquire-reply"), locktest.Breaks("pause-past-lease"), locktest.Breaks("late-acquire-reply"), locktest.Seeds(3))
}

// With one fault at every request, only pauses break a correct lock with a lease.
func TestWalk(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 1}, redislocks, locktest.Stories("contention"), locktest.Walk(), locktest.Breaks("walk/pause"))
}

// Pick shows goroutines in a bubble that are not durably blocked.
func TestPick(t *testing.T) {
	stacks := "goroutine 1 [chan receive]:\nmain.main()\n\ngoroutine 7 [select (durable), synctest bubble 2]:\nx.f()\n\n" +
		"goroutine 8 [IO wait, synctest bubble 2]:\nnet.read()\n\ngoroutine 9 [synctest.Run (durable), synctest bubble 2]:\ny()\n"
	if got := locktest.Pick(stacks, "durable"); got != "goroutine 8 [IO wait, synctest bubble 2]:\nnet.read()" {
		t.Errorf("%q", got)
	}
	if got := locktest.Pick(strings.Repeat("goroutine 8 [select, synctest bubble 2]:\nf()\n\n", 5), ""); !strings.HasSuffix(got, "... and 2 more") {
		t.Errorf("%q", got)
	}
}

// A goroutine that outlives its client does not disturb later runs.
func TestGoroutinesThatStay(t *testing.T) {
	locktest.Run(t, locktest.Redis{}, func(c locktest.Client) locktest.Lock {
		go func() {
			for {
				time.Sleep(time.Second)
			}
		}()
		return with(bareHolds)(c)
	}, locktest.Stories("contention", "crash"))
}
