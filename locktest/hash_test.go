package locktest_test

import (
	"context"
	"crypto/rand"
	"testing"

	"github.com/redis/go-redis/v9"

	"lockstep/locktest"
)

// hashLock keeps its owner and the end of its lease in fields of a hash, which the next owner
// overwrites.
type hashLock struct {
	take, give string // scripts
}

const (
	hashTime = `local t = redis.call("time"); local now = t[1] * 1000 + math.floor(t[2] / 1000) `
	hashFree = `if now <= tonumber(redis.call("hget", KEYS[1], "until") or "0") then return 0 end `
	hashTake = `redis.call("hset", KEYS[1], "owner", ARGV[1], "until", now + ARGV[2]) ` +
		`redis.call("hincrby", KEYS[1], "holders", 1) return 1`
	hashOwn  = `if redis.call("hget", KEYS[1], "owner") ~= ARGV[1] then return 0 end `
	hashFade = `redis.call("hset", KEYS[1], "owner", "", "until", 0) return 1`
)

func (l hashLock) lock(c locktest.Client) locktest.Lock {
	store, take, give := c.Redis(), redis.NewScript(l.take), redis.NewScript(l.give)
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		word := rand.Text()
		if err := retry(ctx, c.Retry(), func() (bool, error) {
			n, err := take.Run(ctx, store, []string{c.Key()}, word, c.Lease().Milliseconds()).Int()
			return n == 1, err
		}); err != nil {
			return nil, err
		}
		return locktest.LeaseFunc(func(ctx context.Context) error {
			return (&hold{}).did(give.Run(ctx, store, []string{c.Key()}, word).Int())
		}), nil
	})
}

var hashBreaks = append(leaseBreaks, locktest.Breaks("long-work"))

// A client that takes an outdated hash over owns it, and its last owner has no entry any more.
func TestAHashThatIsTakenOver(t *testing.T) {
	for name, give := range map[string]string{
		"deleted": `return redis.call("del", KEYS[1])`,
		"emptied": hashFade,
		"unset":   `return redis.call("hdel", KEYS[1], "owner", "until")`,
	} {
		t.Run(name, func(t *testing.T) {
			locktest.Run(t, locktest.Redis{}, hashLock{hashTime + hashFree + hashTake, hashOwn + give}.lock, hashBreaks...)
		})
	}
}

func init() {
	for name, l := range map[string]struct {
		hashLock
		want string
	}{
		"hash, blind take":   {hashLock{hashTime + hashTake, hashFade}, "mutual-exclusion is broken"},
		"hash, longer lease": {hashLock{hashTime + hashFree + "ARGV[2] = 3 * ARGV[2] " + hashTake, hashOwn + hashFade}, "untested: the store keeps lock of A for "},
		"hash, locked since": {hashLock{hashTime + `if now < tonumber(redis.call("hget", KEYS[1], "since") or "0") + 3 * ARGV[2] then return 0 end ` +
			`redis.call("hset", KEYS[1], "owner", ARGV[1], "since", now) return 1`, hashOwn + `return redis.call("del", KEYS[1])`},
			"untested: the holder dies at "},
		"hash, blind delete":  {hashLock{hashTime + hashFree + hashTake, `return redis.call("del", KEYS[1])`}, "owner-only-release is broken"},
		"hash, blind release": {hashLock{hashTime + hashFree + hashTake, hashFade}, "owner-only-release is broken"},
	} {
		failures[name] = failure{runs(l.lock, append(hashBreaks, locktest.WithoutWalk())...), []string{l.want}}
	}
}
