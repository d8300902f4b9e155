package locktest_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/locktest"
)

// bend lists the mistakes of a lock. The zero bend is correct: it takes an entry with a random
// word, renews it, stops when a renewal is overdue, and removes its own entry only.
type bend struct {
	prefix        string
	word          func(locktest.Client) string // one word for several holds
	always        bool                         // any answer counts as success
	errorIsYes    bool                         // any error counts as success
	early         bool                         // it holds the lock as soon as it has asked
	blindRelease  bool
	blindRenewal  bool
	survives      bool          // its renewals go on after the release
	fromReply     bool          // its lease begins with the reply
	serverTime    bool          // its lease ends at the server's time, by the client's clock
	deadAfterFail bool          // it does not try again after a failure
	oneToken      bool          // its token does not grow
	onlyA         bool          // B and C ignore success
	silent        bool          // it renews for good, and reports no loss
	renewsFor     time.Duration // 0: the lease
	tires         int           // it renews so often, and reports no loss
	breaksIn      time.Duration // it removes the entry after so long a wait
	ownIsYes      bool          // an entry of its own, of an earlier request, is a whole lease
}

type bentLock struct {
	bend
	c      locktest.Client
	store  *redis.Client
	failed bool
}

func (b bend) lock(c locktest.Client) locktest.Lock {
	l := &bentLock{bend: b, c: c, store: c.Redis()}
	return locktest.LockFunc(l.acquire)
}

func (l *bentLock) key() string { return l.prefix + l.c.Key() }

// try asks once.
func (l *bentLock) try(ctx context.Context, word string) (bool, error) {
	taken, err := l.store.SetNX(ctx, l.key(), word, l.c.Lease()).Result()
	switch {
	case l.always:
		return true, nil
	case err != nil && l.errorIsYes:
		return true, nil
	}
	if err == nil && !taken && l.ownIsYes {
		holder, err := l.store.Get(ctx, l.key()).Result()
		return holder == word, client(err)
	}
	return taken && !(l.onlyA && l.c.Name() != "A"), err
}

// client returns an error but for that of a missing key.
func client(err error) error {
	if errors.Is(err, redis.Nil) {
		return nil
	}
	return err
}

func (l *bentLock) acquire(ctx context.Context) (locktest.Lease, error) {
	word := rand.Text()
	if l.word != nil {
		word = l.word(l.c)
	}
	if l.deadAfterFail && l.failed {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if l.early {
		go l.try(context.Background(), word)
		return l.hold(ctx, word, time.Now()), nil
	}
	for began := time.Now(); ; {
		if l.breaksIn > 0 && time.Since(began) > l.breaksIn {
			l.store.Del(ctx, l.key())
		}
		asked := time.Now()
		taken, err := l.try(ctx, word)
		if l.fromReply {
			asked = time.Now()
		}
		if taken && time.Since(asked) < l.c.Lease() {
			return l.hold(ctx, word, asked), nil
		}
		if err == nil {
			select {
			case <-time.After(l.c.Retry()):
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		l.failed = true
		return nil, err
	}
}

type bentLease struct {
	*bentLock
	word  string
	lost  chan struct{}
	stop  context.CancelFunc
	until time.Time
}

// hold begins to renew. The lease counts from its request.
func (l *bentLock) hold(ctx context.Context, word string, asked time.Time) locktest.Lease {
	life, stop := context.WithCancel(context.Background())
	l.c.Cleanup(stop)
	h := &bentLease{bentLock: l, word: word, lost: make(chan struct{}), stop: stop, until: asked.Add(l.c.Lease())}
	if l.serverTime {
		if at, err := l.store.PExpireTime(ctx, l.key()).Result(); err == nil && at > 0 {
			h.until = time.UnixMilli(at.Milliseconds())
		}
	}
	go h.watch(life)
	switch {
	case l.oneToken:
		return tokened{h}
	case l.silent || l.ownIsYes:
		return locktest.LeaseFunc(h.Release)
	}
	return h
}

// watch renews at each third of the lease until that is over.
func (h *bentLease) watch(life context.Context) {
	for n := 1; h.silent && life.Err() == nil || time.Now().Before(h.until); n++ {
		if n == h.tires {
			return
		}
		select {
		case <-life.Done():
			if !h.survives {
				return
			}
			life = context.WithoutCancel(life)
		case <-time.After(h.next()):
		}
		if h.serverTime || h.fromReply || h.ownIsYes {
			continue // these do not renew
		}
		asked := time.Now()
		if h.renew(life) {
			h.until = asked.Add(h.c.Lease())
		}
	}
	if life.Err() == nil {
		close(h.lost)
	}
}

// next returns the time until the next renewal, or the end of the lease.
func (h *bentLease) next() time.Duration {
	if h.silent {
		return h.c.Lease() / 3
	}
	return min(h.c.Lease()/3, time.Until(h.until))
}

func (h *bentLease) renew(ctx context.Context) bool {
	if !h.silent {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, h.until)
		defer cancel()
	}
	if h.blindRenewal {
		ok, err := h.store.PExpire(ctx, h.key(), h.c.Lease()).Result()
		return ok && err == nil
	}
	n, err := extendOwn.Run(ctx, h.store, []string{h.key()}, h.word, cmp.Or(h.renewsFor, h.c.Lease()).Milliseconds()).Int()
	return n == 1 && err == nil
}

func (h *bentLease) Lost() <-chan struct{} { return h.lost }

// tokened is a lease with the same token as any other.
type tokened struct{ *bentLease }

func (tokened) Token() int64 { return 1 }

func (h *bentLease) Release(ctx context.Context) error {
	h.stop()
	var n int
	var err error
	if h.blindRelease {
		var removed int64
		removed, err = h.store.Del(ctx, h.key()).Result()
		n = int(removed)
	} else {
		n, err = removeOwn.Run(ctx, h.store, []string{h.key()}, h.word).Int()
	}
	if err == nil && n == 0 {
		return locktest.ErrNotHeld
	}
	return err
}

// leaseBreaks is what even a correct lease breaks.
var leaseBreaks = []locktest.Option{locktest.Breaks("pause"), locktest.Breaks("failover")}

// Without a bend the lock is correct, with and without a prefix.
func TestTheStraightLock(t *testing.T) {
	locktest.Run(t, locktest.Redis{}, bend{}.lock, leaseBreaks...)
	locktest.Run(t, locktest.Redis{}, bend{prefix: "app:lock:"}.lock,
		append(leaseBreaks, locktest.WithoutWalk(), locktest.Name("behind a prefix"))...)
}

// A lesson has the usual expectations of a lock that it does not name. This one counts its lease
// from the request, and so does not break what the lesson is about; see "lesson" in TestWhatFails.
func TestALessonHasTheUsualExpectations(t *testing.T) {
	locktest.Run(t, locktest.Redis{}, bend{}.lock, locktest.Stories("late-acquire-reply"))
}

// bends are locks with one or two mistakes, and the message by which the usual stories report them.
var bends = map[string]struct {
	bend
	want string
}{
	"always":          {bend{always: true}, "untested: "},
	"error is yes":    {bend{errorIsYes: true}, "mutual-exclusion is broken"},
	"early":           {bend{early: true}, "untested: "},
	"blind release":   {bend{blindRelease: true}, "owner-only-release is broken"},
	"behind a prefix": {bend{blindRelease: true, prefix: "app:"}, "owner-only-release is broken"},
	"blind renewal":   {bend{blindRenewal: true}, "extends the entry of another client"},
	"one word":        {bend{word: func(locktest.Client) string { return "locked" }}, "owner-only-release is broken"},
	"own word":        {bend{word: func(c locktest.Client) string { return c.Name() }}, `locktest.Breaks("late-own-release"`},
	"survives":        {bend{survives: true}, "goes on renewing though it holds nothing"},
	"survives, blind": {bend{survives: true, blindRenewal: true}, "extends the entry of another client"},
	"survives, owned": {bend{survives: true, word: func(c locktest.Client) string { return c.Name() }}, "goes on renewing though it holds nothing"},
	"from the reply":  {bend{fromReply: true}, "mutual-exclusion is broken"},
	"server time":     {bend{serverTime: true}, "mutual-exclusion is broken"},
	"dead":            {bend{deadAfterFail: true}, "its handle is of no use any more. An error of Acquire: EOF"},
	"one token":       {bend{oneToken: true}, "with the fencing token 1, and "},
	"silent":          {bend{silent: true}, `locktest.Breaks("cut-long-work", "mutual-exclusion")`},
	"renews for less": {bend{renewsFor: 9 * time.Second}, `locktest.Breaks("late-cut-long-work", "mutual-exclusion")`},
	"tires":           {bend{tires: 10}, `locktest.Breaks("longer-work", "mutual-exclusion")`},
	"breaks in":       {bend{breaksIn: 55 * time.Second}, `locktest.Breaks("long-queue", "owner-only-release")`},
	"own is yes":      {bend{ownIsYes: true}, `locktest.Breaks("lost-reply", "mutual-exclusion")`},
	"only A":          {bend{onlyA: true}, "has waited for the lock in vain"},
}

// walked are the bends that only a fault at every request finds.
var walked = []string{"error is yes", "survives", "survives, owned"}

func init() {
	for name, b := range bends {
		options := leaseBreaks
		if !slices.Contains(walked, name) {
			options = append(options, locktest.WithoutWalk())
		}
		failures[name] = failure{runs(b.lock, options...), []string{b.want}}
	}
}

// twoKeys is a correct lock with two keys, so it is unknown which one is the entry.
func twoKeys(c locktest.Client) locktest.Lock {
	return both(bend{prefix: "x:"}.lock(c), bend{prefix: "y:"}.lock(c))
}

func both(first, second locktest.Lock) locktest.Lock {
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		one, err := first.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		two, err := second.Acquire(ctx)
		if err != nil {
			return nil, errors.Join(err, one.Release(context.WithoutCancel(ctx)))
		}
		return locktest.LeaseFunc(func(ctx context.Context) error {
			return errors.Join(two.Release(ctx), one.Release(ctx))
		}), nil
	})
}

var (
	queueUp = redis.NewScript(`local holder = redis.call("get", KEYS[1])
		if holder == ARGV[1] then return 1 end
		redis.call("lrem", KEYS[2], 0, ARGV[1])
		if not holder then redis.call("set", KEYS[1], ARGV[1], "px", ARGV[2]) return 1 end
		redis.call("rpush", KEYS[2], ARGV[1]) return 0`)
	handOver = redis.NewScript(`if redis.call("get", KEYS[1]) ~= ARGV[1] then return 0 end
		local next = redis.call("lpop", KEYS[2])
		if next then redis.call("set", KEYS[1], next, "px", ARGV[2]) else redis.call("del", KEYS[1]) end
		return 1`)
)

// handedOver is a lock whose release makes the entry of the next client in a queue.
func handedOver(c locktest.Client) locktest.Lock {
	store, word := c.Redis(), rand.Text()
	does := func(ctx context.Context, script *redis.Script) (bool, error) {
		n, err := script.Run(ctx, store, []string{c.Key(), c.Key() + ":queue"}, word, c.Lease().Milliseconds()).Int()
		return n == 1, err
	}
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		err := retry(ctx, c.Retry(), func() (bool, error) { return does(ctx, queueUp) })
		return locktest.LeaseFunc(func(ctx context.Context) error {
			held, err := does(ctx, handOver)
			if err == nil && !held {
				return locktest.ErrNotHeld
			}
			return err
		}), err
	})
}
