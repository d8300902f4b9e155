package real_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/real"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	runs "lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/locktest/stories"
)

// ownStory plays one of the stories for users' own locks with testdata/lock.py, ten times as fast.
func ownStory(t *testing.T, name string, breaks []string, args ...string) runs.Outcome {
	t.Helper()
	return ownStoryOn(t, locks.StoreRedis, name, breaks, append([]string{"lock.py"}, args...)...)
}

// ownStoryOn plays it with a program of testdata and its arguments.
func ownStoryOn(t *testing.T, store locks.Store, name string, breaks []string, args ...string) runs.Outcome {
	t.Helper()
	realtest.NeedServers(t, store)
	python := realtest.Interpreter(t, "python3")
	data, ok := stories.Read(name)
	if !ok {
		t.Fatalf("no story %s", name)
	}
	p := scenariotest.Parse(t, name, string(data))
	program := must.Get(filepath.Abs(filepath.Join("testdata", args[0])))(t)
	v := must.Get(locks.NewProgram("", append([]string{python, program}, args[1:]...), store))(t)
	p.Programs = append(p.Programs, v)
	p.PlayOnly([]string{v.ID})
	p.ExpectKept(p.Locks)
	if breaks != nil {
		p.Expect = runs.Breaking(p.Locks, breaks)
	}
	scaled := p.Scaled(100_000)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return runs.One(ctx, &real.Player{}, &scaled, v.ID, 1)
}

// overlap breaks in any lock with a lease when its holder is paused.
var overlap = []string{checker.MutualExclusionID}

// ownBugs are bugs of locks, each with the story that finds it and the properties that the repaired
// lock breaks there, too.
var ownBugs = []struct {
	bug, story string
	renew      []string
	breaks     []string
}{
	{"blind", "pause", nil, overlap},
	{"beats-on", "late-heartbeat", []string{"renew"}, nil},
	{"any-error", "lost-acquire", nil, nil},
	{"counts-from-reply", "late-acquire", nil, nil},
	{"one-token", "late-own-release", nil, nil},
	{"extends-anything", "pause", []string{"renew"}, overlap},
	{"get-then-set", "contention", nil, nil},
}

// A lock with a bug fails the story that is about it, and passes when it is repaired.
func TestTheStoriesFindBugsOfPrograms(t *testing.T) {
	for i, tt := range ownBugs {
		t.Run(tt.bug, func(t *testing.T) {
			if i > 0 {
				realtest.SecondTier(t)
			}
			if o := ownStory(t, tt.story, tt.breaks, append(tt.renew, tt.bug)...); o.Status() != runs.Missed {
				t.Errorf("%s: with the bug: status %d, error %v, %+v, %s", tt.story, o.Status(), o.Err, o.Expected, o.Untested().English())
			}
			if o := ownStory(t, tt.story, tt.breaks, tt.renew...); o.Status() != runs.Met {
				t.Errorf("%s: repaired: status %d, error %v, %+v, %s", tt.story, o.Status(), o.Err, o.Expected, o.Untested().English())
			}
		})
	}
}

// On etcd, too, the program that removes what another client has made is found, and no other.
func TestABlindReleaseOnEtcdIsFound(t *testing.T) {
	for i, tt := range []struct {
		story, release string
		want           checker.Verdict
	}{
		{"pause", "guarded", checker.Kept},
		{"pause", "blind", checker.Broken},
		{"contention", "blind", checker.Kept},
		{"pause", "prefix", checker.Broken},
		{"pause", "revoke", checker.Kept},
		{"failover", "guarded", checker.Kept},
		{"crash", "guarded", checker.Kept},
	} {
		t.Run(tt.story+"-"+tt.release, func(t *testing.T) {
			if i > 1 {
				realtest.SecondTier(t)
			}
			o := ownStoryOn(t, locks.StoreEtcd, tt.story, nil, "etcd_lock.py", tt.release)
			if o.Err != nil {
				t.Fatal(o.Err)
			}
			i := slices.IndexFunc(o.Expected, func(e runs.Expected) bool { return e.Property == checker.OwnerOnlyReleaseID })
			if got := o.Expected[i].Got; got != tt.want {
				t.Errorf("%v, want %v: %s", got, tt.want, o.Untested().English())
			}
		})
	}
}

// The verdict on a program that lies is never "met": it is missed, inconclusive, or the run fails.
func TestNoLyingProgramIsGreen(t *testing.T) {
	for i, tt := range []struct {
		lie, story string
		want       runs.Status
	}{
		{"dies-of-a-try", "failed-try", runs.Inconclusive},    // a client whose try has failed never gets in again
		{"own-file", "failover", runs.Inconclusive},           // a lock of this machine
		{"file-and-get", "failover", runs.Inconclusive},       // the same after a request
		{"only-a", "contention", runs.Inconclusive},           // only A is let in
		{"only-a", "pause", runs.Inconclusive},                //
		{"nobody", "contention", runs.Missed},                 // no client is let in
		{"says-yes", "contention", runs.Missed},               // it asks, and says yes whatever the answer is
		{"says-yes-alone", "contention", runs.Missed},         // it asks no server
		{"early", "contention", runs.Missed},                  // it says yes before it has asked
		{"keeps", "contention", runs.Inconclusive},            // it says that it has released, and has not
		{"two-keys", "contention", runs.Inconclusive},         // which key is its entry is unknown
		{"other-id", "contention", runs.Failed},               // it answers another request
		{"another server", "failover", runs.Inconclusive},     // not the address that it was given
		{"another server", "contention", runs.Inconclusive},   //
		{"another server", "late-release", runs.Inconclusive}, //
	} {
		t.Run(tt.lie+"-"+tt.story, func(t *testing.T) {
			if i > 1 {
				realtest.SecondTier(t)
			}
			t.Setenv("LOCK_FILE", filepath.Join(t.TempDir(), "lock"))
			arg := tt.lie
			if arg == "another server" {
				arg = livetest.Redis(t, servers.RedisOptions{}).Addr
			}
			if o := ownStory(t, tt.story, nil, arg); o.Status() != tt.want {
				t.Errorf("status %d, want %d; error %v, %+v, %s", o.Status(), tt.want, o.Err, o.Expected, o.Untested().English())
			}
		})
	}
}
