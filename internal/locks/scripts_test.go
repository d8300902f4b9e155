package locks

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// A script with an Owner leaves entries of other owners alone. From that the live world, which sees
// only commands and replies, infers whose entry a release has removed. Here each script meets
// another client's entry in the Redis model.
func TestScriptsWithAnOwnerLeaveOtherEntriesAlone(t *testing.T) {
	const lease = time.Second
	set := func(owner string) redis.Cmd { return redis.Set(Key, owner).PX(lease).NX() }
	eval := func(s *redis.Script, owner string) redis.Cmd { return redis.Eval(s, Key).Text(owner) }
	withLease := func(s *redis.Script) func(string) redis.Cmd {
		return func(owner string) redis.Cmd { return eval(s, owner).Num(ports.Millis(lease)) }
	}
	hash := func(s *redis.Script) func(string) redis.Cmd {
		return func(owner string) redis.Cmd { return redis.Eval(s, Key).Num(ports.Millis(lease)).Text(owner) }
	}
	client := func(owner string) *redissonSynced {
		return &redissonSynced{redisson: redisson{Deps: Deps{Name: Key, Lease: lease, Env: epoch{}}, id: owner}}
	}
	unlock3123 := func(owner string) redis.Cmd {
		return redis.EvalKeys(redisson3123Unlock, Key, "channel").Num(unlockMessage).Num(ports.Millis(lease)).Text(owner)
	}
	hashLock := hash(redissonLockScript)
	fair := func(owner string) *redissonFair { return &redissonFair{redissonSynced: *client(owner)} }
	field := func(cmd func(r *redissonSynced) redis.Cmd) func(string) redis.Cmd {
		return func(owner string) redis.Cmd { return cmd(client(strings.TrimSuffix(owner, ":1"))) }
	}
	tests := []struct {
		script  *redis.Script
		create  func(owner string) redis.Cmd // makes an entry
		command func(owner string) redis.Cmd // runs the script
		removes bool                         // the entry of its own client
	}{
		{unlockScript, set, func(o string) redis.Cmd { return eval(unlockScript, o) }, true},
		{releaseScript, set, func(o string) redis.Cmd { return eval(releaseScript, o) }, true},
		{brokenScript, set, func(o string) redis.Cmd { return eval(brokenScript, o) }, false},
		{renewScript, set, withLease(renewScript), false},
		{relockScript, set, withLease(relockScript), false},
		{refreshScript, set, withLease(refreshScript), false},
		{fenceScript, set, func(o string) redis.Cmd {
			return redis.EvalKeys(fenceScript, Key, "counter").Text(o).Num(ports.Millis(lease))
		}, false},
		{setEXScript, set, func(o string) redis.Cmd { return redis.Eval(setEXScript, Key).Num(1).Text(o) }, false},
		{redisson3123Lock, hash(redisson3123Lock), hash(redisson3123Lock), false},
		{redisson3123Unlock, hash(redisson3123Lock), unlock3123, true},
		{redisson3123Renew, hash(redisson3123Lock), hash(redisson3123Renew), false},
		{redissonLockScript, hashLock, hashLock, false},
		{redissonUnlockScript, hashLock, field(func(r *redissonSynced) redis.Cmd { return r.unlockCmd("latch") }), true},
		{redissonRenewScript, hashLock, hash(redissonRenewScript), false},
		{redissonFencedScript, hashLock, func(o string) redis.Cmd {
			return redis.EvalKeys(redissonFencedScript, Key, "counter").Num(ports.Millis(lease)).Text(o)
		}, false},
		{redissonFairLock, hashLock, field(func(r *redissonSynced) redis.Cmd { return fair(r.id).fairLockCmd() }), false},
		{redissonFairUnlock, hashLock, field(func(r *redissonSynced) redis.Cmd { return fair(r.id).fairUnlockCmd("latch") }), true},
	}
	const now, mine, others = 1_000_000, history.NodeID(1), history.NodeID(2)
	for _, tt := range tests {
		store := redis.New()
		create, foreign, own := tt.create("other:1"), tt.command("mine:1"), tt.command("other:1")
		if got := foreign.Owner(); got != "mine:1" {
			t.Errorf("%s: its owner is %q, want mine:1", foreign.String(), got)
		}
		store.Exec(now, others, &create)
		for range 2 {
			store.Exec(now+1, mine, &foreign)
			for _, c := range store.Changes() {
				if c.Key == Key {
					t.Errorf("%s: %v the entry of another client", foreign.String(), c.Kind)
				}
			}
		}
		if store.Owner(Key) != others {
			t.Errorf("%s: the entry is gone", foreign.String())
		}
		store.Exec(now+2, others, &own)
		if removed := store.Owner(Key) == 0; removed != tt.removes {
			t.Errorf("%s: removes the entry of its own client: %t, want %t", own.String(), removed, tt.removes)
		}
	}
	if declared := scriptsWithOwner(t); len(tests) != declared {
		t.Errorf("%d scripts are put to the test, and %d have an Owner: add a row for yours to the table of this test, or leave its Owner out", len(tests), declared)
	}
}

// scriptsWithOwner counts the scripts in this package that have an Owner.
func scriptsWithOwner(t *testing.T) (count int) {
	t.Helper()
	for _, name := range must.Get(fs.Glob(sources, "*.go"))(t) {
		if !strings.HasSuffix(name, "_test.go") {
			count += len(hasOwner.FindAll(must.Get(sources.ReadFile(name))(t), -1))
		}
	}
	return count
}

var hasOwner = regexp.MustCompile(`\bOwner:\s*[1-9]`)

// epoch is an environment whose wall clock stands still.
type epoch struct{ ports.Env }

func (epoch) Now() time.Time { return time.UnixMilli(1_000_000) }
