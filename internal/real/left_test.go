package real_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/realtest"
)

// envHarness makes the test's program play a long run with that lock, during which it is killed.
const envHarness = "LOCKSTEP_TEST_HARNESS"

// long returns a plan that takes a minute, in which a client and then a server are stopped for
// ever.
func long(t testing.TB, e *ending) *plan.Plan {
	lock := e.lock
	if lock == locks.ProgramName {
		lock = "set-nx-lua"
	}
	p := quick(t, lock, "clients=[A, B, C]", "workload.repeat=100 times", "workload.work=600ms",
		inSection+"pause: A, forever: true", inSection+"after: 300ms, pause: the primary, forever: true")
	p.Redis.Replicas, p.Database("mysql").Replicas, p.Database("postgres").Replicas = 1, 1, 1
	ofNodes(p, e.nodes)
	return p
}

func harnessMain() {
	lock, t := os.Getenv(envHarness), &testing.T{}
	p := programmed(t, long(t, endingOf(lock)), "sh", "-c", escapes)
	_, err := real.Run(context.Background(), p, lock, 1, real.Options{})
	fmt.Println(err)
}

// children returns the numbers of a process's living children.
func children(pid int) []int {
	var out []int
	for _, one := range allProcesses() {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", one)) // empty when it has ended
		text := string(raw)
		fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) && fields[0] != "Z" {
			out = append(out, one)
		}
	}
	return out
}

// A Ctrl-C ends the context.
func TestNothingIsLeftAfterACancel(t *testing.T) {
	random := seeded(t)
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			needServersOf(t, e.lock)
			for range realtest.Rounds(t, 1) {
				m := lookAround(t)
				after := time.Duration(random.Int64N(int64(2 * time.Second)))
				ctx, cancel := context.WithTimeout(t.Context(), after)
				h, err := real.Run(ctx, long(t, &e), e.lock, 1, real.Options{})
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %v: %v", after, err)
				}
				m.nothingLeft()
				t.Logf("after %v: events %d", after, events(h))
			}
		})
	}
}

func events(h *history.History) int {
	if h == nil {
		return 0
	}
	return len(h.Events)
}

func TestTheHistoryUntilACancelIsReturned(t *testing.T) {
	e := endings[0]
	needServersOf(t, e.lock)
	m := lookAround(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var h *history.History
	ended := make(chan error, 1)
	go func() {
		var err error
		h, err = real.Run(ctx, long(t, &e), e.lock, 1, real.Options{})
		ended <- err
	}()
	m.await("a client that holds and is stopped", func(pid int) bool {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return environment(pid, "LOCKSTEP_WORKER") == "1" && strings.Contains(string(raw), ") T ")
	})
	cancel()
	err := <-ended
	if !errors.Is(err, context.Canceled) || h == nil || len(find(h, history.Acquired, "")) == 0 {
		t.Errorf("%d events, %v", events(h), err)
	}
	m.nothingLeft()
}

// When a server or a worker dies by itself at any time, the run ends, and its error names the
// process.
func TestNothingIsLeftAfterAProcessDies(t *testing.T) {
	random := seeded(t)
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			if e.name == "zookeeper" || e.name == "mariadb" { // as postgres
				realtest.SecondTier(t)
			}
			needServersOf(t, e.lock)
			for i := range realtest.Rounds(t, 1) {
				killProcess(t, &e, random, i%2 == 0)
			}
		})
	}
}

// byItself matches the error of a run in which a process has died.
var byItself = regexp.MustCompile(`\S+ ended( by itself| at its start| while .+| when .+)? \(.+\)|could not start:|did not make a database`)

func killProcess(t *testing.T, e *ending, random *rand.Rand, server bool) {
	t.Helper()
	m := lookAround(t)
	p := long(t, e)
	p.Faults = nil
	ended := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		_, err := real.Run(ctx, p, e.lock, 1, real.Options{})
		ended <- err
	}()
	time.Sleep(time.Duration(random.Int64N(int64(700 * time.Millisecond))))
	victim := 0
	for end := time.Now().Add(time.Minute); victim == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		var found []int
		for _, pid := range children(os.Getpid()) {
			name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
			worker := environment(pid, "LOCKSTEP_WORKER") == "1"
			if server && strings.TrimSpace(string(name)) == e.server || !server && worker {
				found = append(found, pid)
			}
		}
		if len(found) > 0 {
			victim = found[random.IntN(len(found))]
		}
	}
	name := texts([]int{victim})
	must.Do(t, syscall.Kill(victim, syscall.SIGKILL))
	select {
	case err := <-ended:
		if err == nil || !byItself.MatchString(err.Error()) {
			t.Errorf("%v was killed: %v", name, err)
		}
		t.Logf("%v was killed: %v", name, err)
	case <-time.After(time.Minute):
		stacks := make([]byte, 1<<20)
		t.Fatalf("%v was killed, and the run goes on:\n%s", name, stacks[:runtime.Stack(stacks, true)])
	}
	m.nothingLeft(victim)
}

// environment returns a variable of a process's environment.
func environment(pid int, name string) string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for _, line := range strings.Split(string(raw), "\x00") {
		if value, found := strings.CutPrefix(line, name+"="); found {
			return value
		}
	}
	return ""
}

// startHarness starts a harness that plays a long run, in a process of its own.
func startHarness(t *testing.T, e *ending) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envHarness+"="+e.lock)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// killHarness kills a harness, and checks that nothing is left of it soon.
func (m *machine) killHarness(cmd *exec.Cmd) {
	m.t.Helper()
	family := m.processes()
	if err := cmd.Process.Kill(); err != nil {
		m.t.Fatal(err)
	}
	killed := time.Now()
	sockets := listening(family...)
	_ = cmd.Wait() // it was killed
	for left := m.processes(); len(left) > 0; left = m.processes() {
		if time.Since(killed) > 10*time.Second {
			m.t.Errorf("still alive of %v: %v", texts(family), texts(left))
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	m.t.Logf("with %d processes; nothing of them was left after %v", len(family), time.Since(killed))
	for socket, port := range listening(allProcesses()...) {
		must.Equalf(m.t, sockets[socket], "", "a process still listens on %s", port)
	}
	m.nothingLeft(family...)
}

func allProcesses() (out []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range paths {
		pid, _ := strconv.Atoi(filepath.Base(path))
		out = append(out, pid)
	}
	return out
}

// The harness is killed at any stage: while servers start, while they are stopped, while clients
// play.
func TestNothingIsLeftAfterAKillAtARandomTime(t *testing.T) {
	random := seeded(t)
	for i := range realtest.Rounds(t, realtest.Tiers(len(endings), 10)) {
		e := &endings[i%len(endings)]
		t.Run(fmt.Sprint(i, " ", e.name), func(t *testing.T) { // so that missing servers skip only this one
			needServersOf(t, e.lock)
			m := lookAround(t)
			after := time.Duration(random.Int64N(int64(2 * time.Second)))
			cmd := startHarness(t, e)
			time.Sleep(after)
			t.Logf("%s, killed after %v", e.name, after)
			m.killHarness(cmd)
		})
	}
}

// await waits for a process of the test.
func (m *machine) await(what string, look func(pid int) bool) {
	m.t.Helper()
	if !realtest.Soon(time.Minute, func() bool { return slices.ContainsFunc(m.processes(), look) }) {
		m.t.Fatalf("not seen: %s; there are %v", what, texts(m.processes()))
	}
}

// stopped reports whether a process has that name and is stopped.
func stopped(named string) func(pid int) bool {
	return func(pid int) bool {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return strings.Contains(string(raw), "("+named+") T ")
	}
}

func running(named string) func(pid int) bool {
	return func(pid int) bool {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		return strings.TrimSpace(string(name)) == named
	}
}

// Only PostgreSQL itself ends the processes that serve its connections. While they are stopped,
// they do not notice its death.
func TestNothingIsLeftOfAStoppedServerOrAnInstaller(t *testing.T) {
	for _, tt := range []struct{ lock, installer string }{
		{"set-nx-lua", ""}, {"zk-sequential", ""}, {"pg-advisory", ""}, {"pg-advisory", "initdb"}, {"mysql-unique-ttl", "mariadb-install"},
	} {
		e := endingOf(tt.lock)
		t.Run(e.name+tt.installer, func(t *testing.T) {
			if tt.lock == "pg-advisory" && tt.installer == "" {
				realtest.SecondTier(t)
			}
			needServersOf(t, e.lock)
			if tt.installer != "" {
				t.Setenv("XDG_CACHE_HOME", t.TempDir()) // where no database is kept
			}
			m := lookAround(t)
			cmd := startHarness(t, e)
			if tt.installer == "" {
				m.await("a stopped server", stopped(e.server))
			} else {
				m.await(tt.installer, running(tt.installer))
			}
			m.killHarness(cmd)
		})
	}
}

// When the reaper is killed as well, the next harness does its work.
func TestTheNextHarnessCleansUpWhenTheReaperIsKilled(t *testing.T) {
	realtest.SecondTier(t)
	e := endingOf("pg-advisory")
	needServersOf(t, e.lock)
	m := lookAround(t)
	cmd := startHarness(t, e)
	m.await("a stopped server", stopped(e.server))
	for _, pid := range m.processes() {
		if environment(pid, "LOCKSTEP_REAPER_OF") != "" {
			must.Do(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	must.Do(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	if left, _ := os.ReadDir(m.tmp); len(left) != 1 {
		t.Fatalf("left by the killed harness: %v", left)
	}
	must.Equalf(t, osproc.RemoveStale(), 1, "stale directories removed")
	m.nothingLeft()
}
