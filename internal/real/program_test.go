package real_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/livestore/livetest"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
	"lockstep/internal/real/servers"
	runs "lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/locktest/stories"
)

// programmed adds a lock that is a program to a plan.
func programmed(t *testing.T, p *plan.Plan, command ...string) *plan.Plan {
	t.Helper()
	v := must.Get(locks.NewProgram("", command, ""))(t)
	p.Programs, p.Locks = append(p.Programs, v), []string{v.ID}
	return p
}

// bashLock is a story of the lock in bash of the examples.
func bashLock(t *testing.T, more ...string) *plan.Plan {
	t.Helper()
	return programmed(t, quick(t, "set-nx-lua", more...), "bash", example(t, "bash/redis_cli_lock.sh"))
}

// example is the path of a program in examples.
func example(t *testing.T, name string) string {
	t.Helper()
	return must.Get(filepath.Abs(filepath.Join("..", "..", "examples", name)))(t)
}

// The lock in bash of the examples excludes others, and its requests and their effects are in the
// history, as with any lock.
func TestAProgramKeepsOthersOut(t *testing.T) {
	t.Parallel()
	h := run(t, bashLock(t, "clients=[A, B, C]"))
	wantKept(t, h, 4)
	wantSome(t, h, history.Sent, "A")
	wantSome(t, h, history.Replied, "A")
	wantEvents(t, h, 4, history.Granted, "")
}

// A fault that waits for a command ignores the commands by which a program gets ready.
func TestAFaultWaitsForTheLockOfAProgram(t *testing.T) {
	t.Parallel()
	lock := must.Get(os.ReadFile(example(t, "bash/redis_cli_lock.sh")))(t)
	ready := "host=${server%:*} port=${server##*:}\n"
	file := filepath.Join(t.TempDir(), "lock.sh")
	if err := os.WriteFile(file, []byte(strings.Replace(string(lock), ready, ready+"redis SET prepared yes >/dev/null\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	h := run(t, programmed(t, quick(t, "set-nx-lua", "when: A has SET executed, crash: A"), "bash", file))
	sent := find(h, history.Sent, "A")
	if len(sent) == 0 || !strings.HasPrefix(h.Text(sent[len(sent)-1].Text), "SET lock ") {
		t.Errorf("the last of A's %d requests is not the SET of its lock", len(sent))
	}
	wantEvents(t, h, 1, history.Crashed, "A")
	wantEvents(t, h, 0, history.Acquired, "A")
}

// A pause stops the program with its descendants, so its entry expires.
func TestAPauseStopsAProgram(t *testing.T) {
	t.Parallel()
	p := bashLock(t, "workload.work=300ms", "workload.repeat=2 times", inSection+"pause: A, for: 3s")
	wantMutualExclusion(t, run(t, p), checker.Broken)
}

// A crash kills the program, which does not release the lock: it is free when the entry has
// expired.
func TestACrashKillsAProgram(t *testing.T) {
	t.Parallel()
	h := run(t, bashLock(t, inSection+"crash: A"))
	wantEvents(t, h, 1, history.Crashed, "A")
	wantEvents(t, h, 0, history.Released, "A")
	wantEvents(t, h, 1, history.Acquired, "B")
}

// A program that breaks the protocol ends the run with an error that names it, and leaves no
// process and no file.
func TestAProgramThatMisbehavesIsNamed(t *testing.T) {
	realtest.Need(t, "redis-server")
	const ready = `read q; echo '{"id":1,"ok":true}'; `
	for name, tt := range map[string]struct{ script, want string }{
		"refuses":        {`read q; echo 'no module named redis' >&2; echo '{"id":1,"ok":false,"err":"unknown"}'; read q`, `no module named redis`},
		"exits":          {ready + `read q; exit 3`, "ended by itself (exit status 3)"},
		"garbage":        {ready + `read q; printf '\033[2J\n'; read q`, `wrote a line that is not a message: line 2, "\x1b[2J"`},
		"leaves daemons": {ready + `(trap '' TERM HUP; setsid sleep 100000 >/dev/null 2>&1 &); trap '' TERM; read q; echo oops; sleep 100000`, "not a message"},
		"noise":          {`yes 1>&2 & ` + ready + `read q; echo oops; sleep 100000`, "not a message"},
		"is not there":   {"", "could not be started"},
	} {
		t.Run(name, func(t *testing.T) {
			m := lookAround(t)
			command := []string{"sh", "-c", tt.script}
			if tt.script == "" {
				command = []string{"/nowhere/mylock"}
			}
			p := programmed(t, quick(t, "set-nx-lua"), command...)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			logged := 0
			_, err := real.Run(ctx, p, locks.ProgramName, 1, real.Options{Log: func(_ string, text []byte) { logged = max(logged, len(text)) }})
			must.Fail(t, err, tt.want, "the program of mine")
			if logged > 300<<10 {
				t.Errorf("a log has %d bytes", logged)
			}
			m.nothingLeft()
		})
	}
}

// escapes is a program with a child that has left its session and cleared its environment.
const escapes = `read q; env -i setsid sh -c 'sleep 1000; :' $` + envMark + ` >/dev/null 2>&1 & ` +
	`echo '{"id":1,"ok":true}'; while read q; do :; done`

// Such a child dies with the harness, too, even if the reaper is killed as well and the clients are
// stopped.
func TestNoChildOfAProgramIsLeftAfterAKill(t *testing.T) {
	realtest.Need(t, "redis-server")
	for _, reaper := range []bool{true, false} {
		m := lookAround(t)
		_, mark, _ := strings.Cut(m.mark, "=")
		escaped := func() (out []string) {
			for _, pid := range allProcesses() {
				line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				if strings.Contains(string(line), "\x00"+mark+"\x00") {
					out = append(out, strconv.Itoa(pid))
				}
			}
			return out
		}
		cmd := startHarness(t, &ending{lock: locks.ProgramName})
		if !realtest.Soon(time.Minute, func() bool { return len(escaped()) == 3 }) {
			t.Fatalf("started: %v", escaped())
		}
		for _, pid := range children(cmd.Process.Pid) {
			switch {
			case environment(pid, "LOCKSTEP_WORKER") != "":
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			case !reaper && environment(pid, "LOCKSTEP_REAPER_OF") != "":
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		m.eventuallyNone("children", escaped)
		for _, left := range escaped() {
			pid, _ := strconv.Atoi(left)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		m.eventuallyNone("processes", func() []string { return texts(m.processes()) })
		osproc.RemoveStale()
	}
}

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
